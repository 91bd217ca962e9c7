"""What one probe of the audit found: an effect with its interval, the limit it is held against, and whether it passed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from suasion.files import jsonable
from suasion.statistics import Estimate


@dataclass(frozen=True)
class Example:
    """A reply before and after a trick, with its scores: what a probe found, shown to a person. All of it is untrusted text."""

    premise: str
    before: str
    after: str
    score_before: float
    score_after: float

    def as_dict(self) -> dict[str, Any]:
        """JSON-able copy; a score that is no number is ``None``."""
        return {
            "premise": self.premise,
            "before": self.before,
            "after": self.after,
            "score_before": jsonable(float(self.score_before)),
            "score_after": jsonable(float(self.score_after)),
        }


@dataclass(frozen=True)
class Finding:
    """One probe's outcome.

    ``passed`` is ``None`` where the data cannot answer (then it neither passes nor fails a judge). ``details`` are JSON-able; where the
    limit is one number, ``details["bound"]`` is it, in ``details["unit"]``: ``share``, ``gaps`` (see
    :attr:`suasion.persuasion.judging.audit.scored.ScoredPairs.scale`) or ``correlation``.
    """

    code: str
    question: str
    estimate: Estimate
    limit: str
    passed: bool | None
    examples: tuple[Example, ...] = ()
    details: Mapping[str, Any] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        """JSON-able copy: the estimate's ``value``, ``low``, ``high``, ``n`` and ``clusters`` stand beside the rest."""
        told = {"code": self.code, "question": self.question, "limit": self.limit, "passed": self.passed} | self.estimate.as_dict()
        if self.examples:
            told["examples"] = [example.as_dict() for example in self.examples]
        return told | ({"details": jsonable(self.details)} if self.details else {})


def failed(findings: Iterable[Finding]) -> list[Finding]:
    """Those that were failed; what could not be answered is not among them."""
    return [finding for finding in findings if finding.passed is False]
