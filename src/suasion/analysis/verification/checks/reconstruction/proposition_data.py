"""Informal reconstructions have no data on their propositions."""

from __future__ import annotations

from collections.abc import Iterator

from suasion.analysis.logic.prover import Prover
from suasion.analysis.verification.case import Case
from suasion.analysis.verification.check import Check
from suasion.analysis.verification.checks.reconstruction._form import READABLE
from suasion.analysis.verification.findings import Finding
from suasion.analysis.verification.telling import claim_name, sentence, tell

ONLY = ("infreco",)
CODE = "reconstruction.proposition-data"


def find(case: Case, prover: Prover) -> Iterator[Finding]:
    """Data behind premises and conclusions."""
    for claim in case.reconstruction.claims.values() if case.reconstruction else ():
        for node in claim.members:
            if node.data:
                message = f"{sentence(claim_name(claim))} has inline data {{…}}, which is not asked for. Take it away."
                yield tell(case, "reconstruction", CODE, message, node.data.span)


CHECK = Check(CODE, "Write no inline data behind premises and conclusions, and no formalisations.", find, after=READABLE)
