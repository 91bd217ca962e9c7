"""An argument starts with a premise, ends with a conclusion, and is reconstructed once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from suasion.analysis.logic.prover import Prover
from suasion.analysis.verification.case import Case
from suasion.analysis.verification.check import Check
from suasion.analysis.verification.checks.reconstruction._form import END, READABLE, START, TWICE, told_by_parser
from suasion.analysis.verification.findings import Finding


def _teller(code: str, kinds: Sequence[str]) -> Callable[[Case, Prover], Iterator[Finding]]:
    return lambda case, prover: told_by_parser(case, code, kinds)


def _check(code: str, requirement: str, kinds: Sequence[str]) -> Check:
    return Check(code, requirement, _teller(code, kinds), after=READABLE)


CHECKS = (
    _check("reconstruction.starts-with-conclusion", "Begin each argument with a premise.", START),
    _check("reconstruction.ends-with-premise", "End each argument with its conclusion, directly below an inference.", END),
    _check("reconstruction.second-structure", "Reconstruct each argument only once.", TWICE),
)
