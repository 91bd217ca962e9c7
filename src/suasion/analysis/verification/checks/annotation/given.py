"""An annotation made from a map may name the nodes that its propositions stand for: they must be there."""

from __future__ import annotations

from collections.abc import Iterator

from suasion.analysis.logic.prover import Prover
from suasion.analysis.verification.case import Case
from suasion.analysis.verification.check import Check
from suasion.analysis.verification.findings import Finding

ONLY = ("arganno_from_argmap",)


def _unknown(case: Case, prover: Prover) -> Iterator[Finding]:
    if not case.annotation or not case.given_map or not (case.given_map.claims or case.given_map.arguments):
        return
    for one in case.annotation.propositions:
        label = one.argument_label
        if label is not None and label not in case.given_map.claims and label not in case.given_map.arguments:
            message = f"Proposition {one} refers to “{label[:60]}”, but the map has no such node. Use a label of the map, without brackets."
            yield Finding("annotation.unknown-label", message, one.line, one.column)


CHECK = Check(
    "annotation.unknown-label",
    "Where you give an argument_label, use a label of the map.",
    _unknown,
    after=("annotation.markup",),
)
