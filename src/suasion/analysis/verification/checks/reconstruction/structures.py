"""Every argument that is named is reconstructed."""

from __future__ import annotations

from collections.abc import Iterator

from suasion.analysis.logic.prover import Prover
from suasion.analysis.verification.case import Case
from suasion.analysis.verification.check import Check
from suasion.analysis.verification.checks.reconstruction._form import READABLE
from suasion.analysis.verification.findings import Finding
from suasion.analysis.verification.telling import argument_name, sentence, tell

NOT = ("infreco", "logreco")  # one argument only: there another is one too many
CODE = "reconstruction.no-structure"


def find(case: Case, prover: Prover) -> Iterator[Finding]:
    """Arguments that are only named."""
    for argument in case.reconstruction.arguments.values() if case.reconstruction else ():
        if not argument.pcs:
            message = (
                f"{sentence(argument_name(argument))} has no premises and conclusion. Reconstruct it below its title, or take it away."
            )
            yield tell(case, "reconstruction", CODE, message, argument.members[0].span if argument.members else None)


CHECK = Check(CODE, "Give every argument that you name its premises and conclusion.", find, after=READABLE)
