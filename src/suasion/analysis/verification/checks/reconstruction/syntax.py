"""The reconstruction is Argdown. What the parser says of the form of an argument is told by checks of their own."""

from __future__ import annotations

from collections.abc import Iterator

from suasion.analysis.logic.prover import Prover
from suasion.analysis.verification.case import Case
from suasion.analysis.verification.check import Check
from suasion.analysis.verification.checks.reconstruction._form import FORM
from suasion.analysis.verification.findings import Finding
from suasion.analysis.verification.syntax import syntax_findings

CODE = "reconstruction.syntax"


def find(case: Case, prover: Prover) -> Iterator[Finding]:
    """What the parser says."""
    block = case.blocks.get("reconstruction")
    if block and case.reconstruction:
        yield from syntax_findings(CODE, block, case.reconstruction, skip=FORM)


CHECK = Check(
    CODE,
    "Write the reconstruction in correct Argdown: a title <Label>, an empty line, then lines that begin "
    "with (1), (2) and so on without empty "
    "lines between them.",
    find,
)
