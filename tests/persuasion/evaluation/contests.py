"""Contests made up from numbers: how good each arm's replies are, and how long."""

from __future__ import annotations

from typing import Any

import numpy as np

from suasion.models.sampling import Reply
from suasion.persuasion.dataset import Premise
from suasion.persuasion.evaluation.contest import PRACTICE_JUDGE, Contender, Contest, Entrant, JudgeSeat

#: (how much better than the base, words more than the base's)
Level = tuple[float, float]


class Kept:
    """A run that only has a name and numbers."""

    def __init__(self, name: str, rows: list[dict[str, Any]] | None = None) -> None:
        self.name, self.rows, self.results = name, rows or [], {"verdict": "pass"}

    def metrics(self) -> list[dict[str, Any]]:
        return self.rows


def made_up(
    arms: dict[str, Level], *, premises: int = 60, seeds: int = 3, samples: int = 2, length_pull: float = 0.0, run: Any = None, **more: Any
) -> Contest:
    """Scores are quality + noise of a premise, a seed and a reply + ``length_pull`` a word."""
    draw = np.random.default_rng(4)
    of_premise = draw.normal(size=(premises, 1))

    def entrant(name: str, arm: str | None, seed: int | None, level: Level) -> Entrant:
        words = np.maximum(1, np.round(30 + level[1] + draw.normal(0, 8, (premises, samples))))
        scores = level[0] + of_premise + draw.normal(0, 1, (premises, samples)) + length_pull * words + draw.normal(0, 0.05)
        replies = [[Reply("word " * int(count), int(count), True) for count in group] for group in words]
        return Entrant(name, arm, seed, replies, {PRACTICE_JUDGE: scores})

    numbers = range(1, seeds + 1)
    contenders = [
        Contender(arm, seed, None, more.get("runs", {}).get(arm, Kept(f"{arm}{seed}")), Kept("j"), Kept("a"))
        for arm in arms
        for seed in numbers
    ]  # type: ignore[arg-type]
    entrants = [entrant("base", None, None, (0, 0)), entrant("sft", None, None, (0, 0))]
    entrants += [entrant(one.name, one.arm, one.seed, arms[one.arm]) for one in contenders]
    views = [Premise(f"d{number}", f"View {number}", ()) for number in range(premises)]
    return Contest(run, more.get("recipe"), views, contenders, entrants, [JudgeSeat(PRACTICE_JUDGE, None, tuple(arms))])  # type: ignore[arg-type]
