"""A whole study of simulated raters in memory, without a store: for tests and benchmarks of the statistics, hundreds of them in seconds."""

from __future__ import annotations

import random
from collections.abc import Sequence

from suasion.persuasion.arena.ballots import Ballot
from suasion.persuasion.arena.layout import plan_seats, treatments
from suasion.persuasion.arena.simulate import Crowd, Shown, World


def imagined_study(
    world: World,
    *,
    seed: int,
    premises: int = 40,
    raters_per_premise: int = 12,
    ballots_per_rater: int = 16,
    checks: int = 4,
    ties: bool = True,
    systems: Sequence[str] = ("base", "sft", "grpo"),
    words: dict[str, int] | None = None,
) -> list[Ballot]:
    """The ballots of a balanced study of preference, sides drawn by coin, gibberish checks first.

    Args:
        checks: gibberish checks a rater.
        words: a system's mean number of words; 100 where it is not named.
    """
    names = [f"p{index}" for index in range(premises)]
    coin = random.Random(seed)
    seats = plan_seats(
        names, treatments(systems, compare=True), raters_per_premise=raters_per_premise, ballots_per_rater=ballots_per_rater, seed=seed
    )
    crowd = Crowd(world, names, systems, ties=ties, scale=7, seed=seed)
    ballots = []
    for number, seat in enumerate(seats):
        rater = crowd.rater()
        shown = [Shown("gibberish", names[0], "(good)", "(gibberish)", expected=coin.choice(("left", "right"))) for _ in range(checks)]
        for slot in seat:
            left, right = coin.sample(slot.systems, 2)
            lengths = [round((words or {}).get(name, 100) * coin.uniform(0.7, 1.4)) for name in (left, right)]
            shown.append(Shown("ballot", slot.premise, left, right, lengths[0], lengths[1]))
        clock = float(number)
        for place, one in enumerate(shown):
            given = rater.answer(one)
            ballots.append(
                Ballot(
                    rater=f"r{number}",
                    premise=one.premise,
                    left=one.left,
                    right=one.right,
                    kind="ballot" if one.kind == "ballot" else "gibberish",
                    answer=given.answer,
                    shown_at=clock,
                    answered_at=clock + given.seconds,
                    place=place,
                    expected=one.expected,
                    left_words=one.left_words,
                    right_words=one.right_words,
                    left_reply=f"{one.premise}-{one.left}",
                    right_reply=f"{one.premise}-{one.right}",
                    simulated=True,
                )
            )
            clock += given.seconds
    return ballots
