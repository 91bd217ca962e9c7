"""Every line but the last is used by some inference."""

from __future__ import annotations

from collections.abc import Iterator

from suasion.analysis.logic.prover import Prover
from suasion.analysis.verification.case import Case
from suasion.analysis.verification.check import Check
from suasion.analysis.verification.checks.reconstruction._form import SHAPED
from suasion.analysis.verification.findings import Finding
from suasion.analysis.verification.references import numbers
from suasion.analysis.verification.telling import step_name, tell

NOT = ("infreco",)  # there it is a virtue
CODE = "reconstruction.unused"


def find(case: Case, prover: Prover) -> Iterator[Finding]:
    """Premises and intermediate conclusions that nothing is inferred from."""
    arguments = [argument for argument in case.reconstruction.arguments.values() if argument.pcs] if case.reconstruction else []
    for argument in arguments:
        used = {number for step in argument.pcs for number in numbers(step)}
        for step in argument.pcs[:-1]:
            if step.number not in used:
                name = step_name(step, argument, len(arguments) > 1)
                message = f"Nothing is inferred from {name}. Name it in the from of a conclusion that needs it, or take it away."
                yield tell(case, "reconstruction", CODE, message, step.node.span)


CHECK = Check(
    CODE,
    "Use every premise and every intermediate conclusion in some inference.",
    find,
    after=(*SHAPED, "reconstruction.repeated-number", "reconstruction.inference-data", "reconstruction.reference"),
)
