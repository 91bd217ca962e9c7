"""Nothing is said beside the arguments."""

from __future__ import annotations

from collections.abc import Iterator

from suasion.analysis.logic.prover import Prover
from suasion.analysis.verification.case import Case
from suasion.analysis.verification.check import Check
from suasion.analysis.verification.checks.reconstruction._form import READABLE
from suasion.analysis.verification.findings import Finding
from suasion.analysis.verification.telling import claim_name, sentence, tell

ONLY = ("infreco", "logreco", "argmap_plus_*logreco")
CODE = "reconstruction.extra-proposition"


def find(case: Case, prover: Prover) -> Iterator[Finding]:
    """Claims that are no line of an argument."""
    document = case.reconstruction
    if document:
        lines = {step.label for argument in document.arguments.values() for step in argument.pcs}
        for claim in document.claims.values():
            if claim.label not in lines:
                message = (
                    f"{sentence(claim_name(claim))} is no premise or conclusion. Put it into an argument "
                    "as a numbered line, or take it away."
                )
                yield tell(case, "reconstruction", CODE, message, claim.members[0].span)


CHECK = Check(
    CODE,
    "Write no claims besides the premises and conclusions.",
    find,
    after=(*READABLE, "reconstruction.relation", "reconstruction.second-structure"),
)
