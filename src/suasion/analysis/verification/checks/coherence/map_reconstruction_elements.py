"""The map and the reconstruction have the same arguments, and the map's claims are argued about."""

from __future__ import annotations

from collections.abc import Iterator

from suasion.analysis.logic.prover import Prover
from suasion.analysis.verification.case import Case
from suasion.analysis.verification.check import Check
from suasion.analysis.verification.checks.coherence._links import MAP, RECONSTRUCTION, node_name
from suasion.analysis.verification.findings import Finding
from suasion.analysis.verification.telling import argument_name, tell

NEEDS = ("map", "reconstruction")
NOT_RECONSTRUCTED = "coherence.argument-not-reconstructed"
NOT_IN_MAP = "coherence.argument-not-in-map"
CLAIM = "coherence.claim-not-reconstructed"


def find_not_reconstructed(case: Case, prover: Prover) -> Iterator[Finding]:
    """Arguments of the map that are not reconstructed."""
    if case.map and case.reconstruction:
        for argument in case.map.arguments.values():
            if argument.label not in case.reconstruction.arguments:
                name = node_name(argument, True)
                message = (
                    f"The map has {name}, but the reconstructions do not. Reconstruct it under the same title, or take it out of the map."
                )
                yield tell(case, "map", NOT_RECONSTRUCTED, message, argument.members[0].span)


def find_not_in_map(case: Case, prover: Prover) -> Iterator[Finding]:
    """Reconstructed arguments that the map does not have."""
    if case.map and case.reconstruction:
        for argument in case.reconstruction.arguments.values():
            if argument.labelled and argument.label not in case.map.arguments:
                message = f"{argument_name(argument)} is reconstructed, but the map does not have it. Put it into the map, or take it away."
                yield tell(case, "reconstruction", NOT_IN_MAP, message, argument.members[0].span if argument.members else argument.pcs_span)


def find_claims(case: Case, prover: Prover) -> Iterator[Finding]:
    """Claims of the map that occur in no reconstruction."""
    if case.map and case.reconstruction:
        for claim in case.map.claims.values():
            if claim.labelled and claim.label not in case.reconstruction.claims:
                name = node_name(claim, False)
                message = f"The map has {name}, but no premise or conclusion has this label. Write it before that sentence: (1) {name}: …"
                yield tell(case, "map", CLAIM, message, claim.members[0].span)


_AFTER = (*MAP, *RECONSTRUCTION)
CHECKS = (
    Check(NOT_RECONSTRUCTED, "Reconstruct every argument of the map, under the same title.", find_not_reconstructed, after=_AFTER),
    Check(NOT_IN_MAP, "Reconstruct only arguments that the map has.", find_not_in_map, after=_AFTER),
    Check(
        CLAIM,
        "Give the premise or conclusion that is a claim of the map the claim's label: (3) [Label]: sentence.",
        find_claims,
        after=_AFTER,
    ),
)
