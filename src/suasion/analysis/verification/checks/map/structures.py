"""No premise-conclusion structures: a map sketches arguments and does not take them apart."""

from __future__ import annotations

from collections.abc import Iterator

from suasion.analysis.argdown.elements import Reconstruction
from suasion.analysis.logic.prover import Prover
from suasion.analysis.verification.case import Case
from suasion.analysis.verification.check import Check
from suasion.analysis.verification.findings import Finding
from suasion.analysis.verification.telling import argument_name, tell


def _structures(case: Case, prover: Prover) -> Iterator[Finding]:
    if not case.map:
        return
    owners = {one.pcs_span.start: argument_name(one) for one in case.map.arguments.values() if one.pcs and one.labelled}
    for block in case.map.blocks:
        if isinstance(block, Reconstruction):
            name = owners.get(block.span.start, "An argument")
            message = (
                f"{name} is taken apart into premises and conclusion. Take the numbered lines away and say in a sentence what it argues."
            )
            yield tell(case, "map", "map.premise-conclusion", message, block.span)


CHECK = Check(
    "map.premise-conclusion",
    "Sketch arguments in a sentence; do not take them apart into numbered premises.",
    _structures,
    after=("map.syntax",),
)
