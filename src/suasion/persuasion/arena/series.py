"""What one rater gets to see, in which order and on which side: drawn once from the seed, at the invitation, and then stored."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace

from suasion.persuasion.arena.create import BETTER, GIBBERISH, INSTRUCTED, SOUND, WORSE
from suasion.persuasion.arena.examples import CHECKS, PRACTICE
from suasion.persuasion.arena.layout import Slot
from suasion.persuasion.arena.study import Study

FEWEST_FOR_REPEATS = 4  # with fewer ballots, a pair would come back while it is still remembered


@dataclass(frozen=True)
class Turn:
    """One page of a series: ``right`` is empty where one reply is shown, ``place`` counts from 0, practice from below."""

    place: int
    kind: str
    premise: str
    left: str
    right: str
    expected: str = ""


def make_series(study: Study, slots: Sequence[Slot], number: int) -> list[Turn]:
    """The series of the rater with this number: practice, then the ballots in random order with the attention checks among them.

    Sides are drawn so that each rater sees half of the pairs either way round: a rater who always takes the left reply then takes no
    system's side. The reading checks lie in the middle, repeated pairs in the second half with others between.
    """
    rng = random.Random(f"{study.seed}/{number}")
    compare = study.design == "preference"
    ordered = list(slots)
    rng.shuffle(ordered)
    sides = _sides(len(ordered), rng)
    turns: list[tuple[float, Turn]] = []
    for index, (slot, turned) in enumerate(zip(ordered, sides, strict=True)):
        systems = slot.systems[::-1] if turned else slot.systems
        turns.append((index, Turn(0, "ballot", slot.premise, systems[0], systems[1] if compare else "")))
    count = len(ordered)
    if compare and count >= FEWEST_FOR_REPEATS:
        early = range(count // 2)
        for index in rng.sample(early, min(study.repeat_checks, len(early))):
            shown = turns[index][1]
            when = rng.uniform(max(index + 2.1, 0.6 * count), count)
            turns.append((when, replace(shown, kind="repeat", left=shown.right, right=shown.left)))
    for check in rng.sample(range(CHECKS), study.reading_checks):
        turns.append((rng.uniform(0.2 * count, 0.8 * count), _reading_check(study, check, rng)))
    turns.sort(key=lambda pair: pair[0])
    counted = [replace(turn, place=place) for place, (_, turn) in enumerate(turns)]
    return _practice(study, rng) + counted


def _practice(study: Study, rng: random.Random) -> list[Turn]:
    if not study.practice:
        return []
    total = len(study.examples or PRACTICE)
    sides = _sides(total, rng)
    if study.design == "preference":
        return [Turn(index - total, "practice", f"practice-{index}", *_turned(BETTER, WORSE, turned)) for index, turned in enumerate(sides)]
    return [Turn(index - total, "practice", f"practice-{index}", BETTER, "") for index in range(total)]


def _reading_check(study: Study, check: int, rng: random.Random) -> Turn:
    if study.design == "change-of-view":
        return Turn(0, "instructed", f"check-{check}", INSTRUCTED, "", str(study.scale))
    return Turn(0, "gibberish", f"check-{check}", *_turned(SOUND, GIBBERISH, rng.random() < 0.5))


def _turned(good: str, bad: str, turned: bool) -> tuple[str, str, str]:
    """Left, right, and where the good one is."""
    return (bad, good, "right") if turned else (good, bad, "left")


def _sides(count: int, rng: random.Random) -> list[bool]:
    """Half of them turned (of an odd number, by chance one more or less), in random order."""
    sides = [index % 2 == 0 for index in range(count)]
    if count % 2 and rng.random() < 0.5:
        sides = [not side for side in sides]
    rng.shuffle(sides)
    return sides
