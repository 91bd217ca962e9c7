"""The map is Argdown."""

from __future__ import annotations

from collections.abc import Iterator

from suasion.analysis.logic.prover import Prover
from suasion.analysis.verification.case import Case
from suasion.analysis.verification.check import Check
from suasion.analysis.verification.findings import Finding
from suasion.analysis.verification.syntax import syntax_findings


def _syntax(case: Case, prover: Prover) -> Iterator[Finding]:
    if case.map:
        yield from syntax_findings("map.syntax", case.blocks["map"], case.map, skip=("empty",))


CHECK = Check("map.syntax", "Write the map in Argdown without errors.", _syntax)
