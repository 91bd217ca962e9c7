"""Arguments of a debate: at least two."""

from __future__ import annotations

from collections.abc import Iterator

from suasion.analysis.logic.prover import Prover
from suasion.analysis.verification.case import Case
from suasion.analysis.verification.check import Check
from suasion.analysis.verification.checks.reconstruction._form import READABLE
from suasion.analysis.verification.findings import Finding
from suasion.analysis.verification.telling import argument_name, tell

ONLY = ("argmap_plus_*logreco",)
CODE = "reconstruction.too-few-arguments"


def find(case: Case, prover: Prover) -> Iterator[Finding]:
    """Only one reconstruction."""
    arguments = [argument for argument in case.reconstruction.arguments.values() if argument.pcs] if case.reconstruction else []
    if len(arguments) == 1:
        message = f"Only {argument_name(arguments[0])} is reconstructed. Reconstruct at least two arguments of the debate."
        yield tell(case, "reconstruction", CODE, message, arguments[0].pcs_span)


CHECK = Check(CODE, "Reconstruct at least two arguments.", find, after=(*READABLE, "reconstruction.no-structure"))
