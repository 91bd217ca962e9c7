"""What a prover says: three outcomes, always."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

from suasion.analysis.logic.engine import Reason
from suasion.analysis.logic.models import Model

_REASONS: dict[Reason, str] = {
    "steps": "the prover used up its allowance of steps",
    "time": "the prover ran out of time",
    "memory": "the prover ran out of memory",
    "incomplete": "the prover gave up; perhaps only infinite worlds tell",
    "crash": "the prover broke down over it twice",
    "size": "the formulas are too large",
}


@dataclass(frozen=True, slots=True)
class Entailed:
    """The conclusion is true wherever all premises are."""


@dataclass(frozen=True, slots=True)
class NotEntailed:
    """A world in which all premises are true and the conclusion is false; ``None`` when none was asked for or only
    larger ones exist."""

    countermodel: Model | None = None


@dataclass(frozen=True, slots=True)
class Yes:
    """It is so; where a world shows it (formulas can be true together), ``model`` is one, if small."""

    model: Model | None = None


@dataclass(frozen=True, slots=True)
class No:
    """It is not so; where a world shows it, ``model`` is one, if small."""

    model: Model | None = None


@dataclass(frozen=True, slots=True)
class Undecided:
    """Neither was proved."""

    reason: Reason

    @property
    def message(self) -> str:
        """The reason as a clause in plain English."""
        return _REASONS[self.reason]


@dataclass(frozen=True, slots=True)
class Parts:
    """The answer for several things at once, premises say: their numbers (from 0), or pairs of numbers, in order.

    ``applies`` is false where the question does not arise (what is needed in an argument that is not valid?); then
    nothing is listed.
    """

    yes: tuple[Any, ...] = ()
    no: tuple[Any, ...] = ()
    undecided: tuple[Any, ...] = ()
    applies: bool = True


Entailment: TypeAlias = Entailed | NotEntailed | Undecided
YesNo: TypeAlias = Yes | No | Undecided
Answer: TypeAlias = Entailment | YesNo | Parts
