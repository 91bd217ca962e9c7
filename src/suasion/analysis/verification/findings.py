"""What is wrong with an answer, told to its author, and the verdict that follows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

VerdictName: TypeAlias = Literal["valid", "invalid", "undecided"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong, or that could not be decided.

    Attributes:
        code: of the check and what it found, ``map.unlabelled-claim``: stable, for scripts.
        message: one sentence in plain English that names the culprit as its author named it and says how to mend it.
        line: in the answer, from 1; ``None`` where it is about the answer as a whole.
        column: in the line, from 1.
        undecided: nothing is known to be wrong: a limit was reached. Never a success, never a failure.
    """

    code: str
    message: str
    line: int | None = None
    column: int | None = None
    undecided: bool = False


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of one answer. ``scores`` are in [0, 1], by name, for those who want a graded reward."""

    findings: Sequence[Finding]
    scores: Mapping[str, float] = field(default_factory=dict)

    @property
    def name(self) -> VerdictName:
        """Invalid where anything is wrong, else undecided where anything could not be decided."""
        if any(not finding.undecided for finding in self.findings):
            return "invalid"
        return "undecided" if self.findings else "valid"
