"""What a comparison of arms is made of: who came in, what they replied to the same premises, and what every judge said of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from suasion.models.sampling import Reply
from suasion.persuasion.dataset import Premise
from suasion.persuasion.judging.judge import word_count

if TYPE_CHECKING:
    from suasion.persuasion.recipe import Recipe
    from suasion.runs.run import Run

#: The label of the judge that all arms practised against, where it is one and the same.
PRACTICE_JUDGE = "practice-judge"


@dataclass(frozen=True)
class Contender:
    """One arm with one seed of practice, done."""

    arm: str
    seed: int
    recipe: Recipe
    """The arm's, with this seed."""
    run: Run
    """Of the practice."""
    judge: Run
    audit: Run

    @property
    def name(self) -> str:
        """Of the system, and of its file of replies."""
        return f"{self.arm}-seed{self.seed}"


@dataclass(frozen=True)
class JudgeSeat:
    """One judge of the comparison."""

    label: str
    run: Run | None
    """None for a language model behind a server."""
    practised_by: tuple[str, ...]
    """The arms that have it as their judge; none: it is independent of all."""


@dataclass(frozen=True)
class Entrant:
    """One system's ``n`` replies to every premise, and each judge's scores of them, shape (premises, n), NaN where unreadable."""

    name: str
    arm: str | None
    """None for the base and for the writer that all arms went on from."""
    seed: int | None
    replies: list[list[Reply]]
    scores: Mapping[str, NDArray[np.float64]]

    @property
    def words(self) -> NDArray[np.float64]:
        """Shape (premises, n)."""
        return np.array([[word_count(reply.text) for reply in group] for group in self.replies], dtype=np.float64)


@dataclass(frozen=True)
class Milestone:
    """The replies that practice kept of one step, and what every judge says of them afterwards: their mean score, by its label."""

    step: int
    words: float
    scores: Mapping[str, float]


@dataclass(frozen=True)
class Contest:
    """All of it. ``run`` is the comparison's, still open."""

    run: Run
    recipe: Recipe
    premises: Sequence[Premise]
    contenders: Sequence[Contender]
    entrants: Sequence[Entrant]
    """The base, the parent writer (``sft``), then the contenders in their order."""
    judges: Sequence[JudgeSeat]
    left_out: int = 0
    """Held-out premises that some judge had learned from."""
    milestones: Mapping[str, Sequence[Milestone]] = field(default_factory=dict)
    """By contender: its practice as every judge sees it, in the order of the steps."""

    @property
    def arms(self) -> list[str]:
        """Their names, in the recipe's order."""
        return list(dict.fromkeys(one.arm for one in self.contenders))

    @property
    def debates(self) -> list[str]:
        """Of each premise: what intervals are clustered by."""
        return [premise.debate_id for premise in self.premises]

    def of(self, arm: str) -> list[Entrant]:
        """The arm's systems, one a seed; for ``base`` and ``sft`` that one."""
        return [one for one in self.entrants if arm in (one.arm, one.name)]

    def results(self) -> dict[str, Any]:
        """What every comparison's results say of its circumstances."""
        return {
            "premises": len(self.premises),
            "premises_left_out": self.left_out,
            "samples": self.recipe.evaluate.samples,
            "seeds": sorted({one.seed for one in self.contenders}),
            "contenders": {one.name: one.run.name for one in self.contenders},
            "judges": {
                one.label: {"run": one.run.name if one.run else None, "practised_by": list(one.practised_by)} for one in self.judges
            },
        }
