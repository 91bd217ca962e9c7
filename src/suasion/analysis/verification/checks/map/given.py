"""A map drawn from an annotated text may name the annotations that its nodes stand for: they must be there."""

from __future__ import annotations

from collections.abc import Iterator

from suasion.analysis.logic.issues import shown
from suasion.analysis.logic.prover import Prover
from suasion.analysis.verification.case import Case
from suasion.analysis.verification.check import Check
from suasion.analysis.verification.checks.map._nodes import name_of, nodes
from suasion.analysis.verification.findings import Finding
from suasion.analysis.verification.telling import tell

ONLY = ("argmap_from_arganno",)


def _unknown(case: Case, prover: Prover) -> Iterator[Finding]:
    if not case.map or not case.given_annotation or not case.given_annotation.propositions:
        return
    known = {one.id for one in case.given_annotation.propositions}
    for node in nodes(case):
        ids = node.data.get("annotation_ids") if isinstance(node.data, dict) else None
        for one in ids if isinstance(ids, list) else []:
            if str(one) not in known:
                message = (
                    f"{name_of(node)} refers to the annotation “{shown(str(one))}”, but there is none of this id. Name one that is given."
                )
                yield tell(case, "map", "map.unknown-annotation", message, node.members[0].span)


CHECK = Check(
    "map.unknown-annotation",
    "Where you name annotations in a node's data ({annotation_ids: ['1']}), use ids of the annotated text.",
    _unknown,
    after=("map.syntax",),
)
