"""Who sees what: each pair of systems equally often, each premise by a set number of raters, no premise twice to one rater.

A balanced incomplete block design, made by a cycle and a greedy choice instead of by tables. The ballots of all raters stand in one line.
Along the line the *treatments* (pairs of systems, or single systems) go round in a cycle, so that in any stretch of it, hence in
all, in each rater's share, and in what the first few raters do, each comes equally often, give or take one. Along the same line every
premise comes once a round; within a round a premise is chosen that has met the treatment least often so far, or no more than is fair.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from suasion.errors import SuasionError


@dataclass(frozen=True)
class Slot:
    """One ballot to be given: a premise, and one system or two (their order says nothing)."""

    premise: str
    systems: tuple[str, ...]


def treatments(systems: Sequence[str], *, compare: bool) -> list[tuple[str, ...]]:
    """What is balanced: all pairs of systems where they are compared, single systems otherwise.

    Raises:
        SuasionError: too few systems.
    """
    names = sorted(set(systems))
    if len(names) < (2 if compare else 1):
        raise SuasionError(
            f"A study needs {'two systems' if compare else 'a system'}; there are {len(names)}{': ' if names else ''}{', '.join(names)}.",
            hint="Give further --replies.",
        )
    return list(combinations(names, 2)) if compare else [(name,) for name in names]


def plan_seats(
    premises: Sequence[str], kinds: Sequence[tuple[str, ...]], *, raters_per_premise: int, ballots_per_rater: int, seed: int
) -> list[list[Slot]]:
    """The ballots of each rater's seat, ``ceil(premises · raters_per_premise / ballots)`` seats whose sizes differ by at most one.

    Args:
        premises: ids, each once.
        kinds: the treatments, each once.
        ballots_per_rater: at most; no more than there are premises.
    """
    rng = random.Random(seed)
    cycle = list(kinds)
    rng.shuffle(cycle)
    total = len(premises) * raters_per_premise
    most = min(ballots_per_rater, len(premises))
    number = -(-total // most)
    ends = [total * (seat + 1) // number for seat in range(number)]
    met = {premise: dict.fromkeys(cycle, 0) for premise in premises}
    seats: list[list[Slot]] = [[] for _ in ends]
    seen: set[str] = set()
    seat = place = 0
    for round_ in range(raters_per_premise):
        fair = round_ // len(cycle)  # how often each premise has met each treatment by now, if all went well
        left = list(premises)
        rng.shuffle(left)
        while left:
            while place == ends[seat]:
                seat, seen = seat + 1, set()
            kind = cycle[place % len(cycle)]
            premise = left.pop(_least_met(left, seen, met, kind, fair))
            met[premise][kind] += 1
            seen.add(premise)
            seats[seat].append(Slot(premise, kind))
            place += 1
    return seats


def _least_met(
    left: Sequence[str], seen: set[str], met: Mapping[str, Mapping[tuple[str, ...], int]], kind: tuple[str, ...], fair: int
) -> int:
    """Where in ``left`` a premise stands that the rater has not seen and that has met the treatment no more often than is fair, or least.

    A rater whose share spans two rounds has seen premises of the round before; the others are enough, as a share is no longer than a round.
    The search goes from the end, where taking one out is cheap, and mostly ends at once.
    """
    best, fewest = -1, -1
    for index in range(len(left) - 1, -1, -1):
        if left[index] not in seen:
            times = met[left[index]][kind]
            if times <= fair:
                return index
            if best < 0 or times < fewest:
                best, fewest = index, times
    return best
