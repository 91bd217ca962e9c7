"""Supports and attacks are the same in the annotation and in the map."""

from __future__ import annotations

from collections.abc import Iterator

from suasion.analysis.logic.issues import shown
from suasion.analysis.logic.prover import Prover
from suasion.analysis.verification.annotation import Annotation, Proposition
from suasion.analysis.verification.case import Case
from suasion.analysis.verification.check import Check
from suasion.analysis.verification.checks.coherence._links import ANNOTATION, MAP, Valence, by_id, end_name, tell_annotated, valence
from suasion.analysis.verification.findings import Finding
from suasion.analysis.verification.telling import tell

NEEDS = ("annotation", "map")
NOT = ("argmap_plus_arganno_plus_logreco",)
NOT_IN_MAP = "coherence.annotated-relation-not-in-map"
NOT_ANNOTATED = "coherence.map-relation-not-annotated"
_VERBS = {"support": "supports", "attack": "attacks"}


def _annotated(annotation: Annotation | None) -> Iterator[tuple[Valence, Proposition, Proposition]]:
    """Relations between propositions that exist."""
    known = by_id(annotation) if annotation else {}
    for one in known.values():
        yield from (("support", one, known[target]) for target in one.supports if target in known)
        yield from (("attack", one, known[target]) for target in one.attacks if target in known)


def find_not_in_map(case: Case, prover: Prover) -> Iterator[Finding]:
    """What only the annotation says."""
    drawn: set[tuple[Valence, str, str]] = set()
    for relation in case.map.sketched if case.map else ():
        kind, source, target = valence(relation), relation.source.label, relation.target.label
        drawn.add((kind, source, target))
        if relation.symmetric:
            drawn.add((kind, target, source))
    for kind, first, second in _annotated(case.annotation):
        from_label, to_label = first.argument_label or "", second.argument_label or ""
        if (kind, from_label, to_label) in drawn or (kind == "support" and from_label == to_label):
            continue  # within one node there is room for a support
        message = (
            f"The proposition {shown(first.id)} {_VERBS[kind]} {shown(second.id)}, but in the map "
            f"'{shown(from_label)}' does not "
            f"{kind} '{shown(to_label)}'. Draw that relation, or take it out of the annotation."
        )
        yield tell_annotated(case, NOT_IN_MAP, message, first)


def find_not_annotated(case: Case, prover: Prover) -> Iterator[Finding]:
    """What only the map says."""
    said = {(kind, first.argument_label, second.argument_label) for kind, first, second in _annotated(case.annotation)}
    for relation in case.map.sketched if case.map else ():
        kind, source, target = valence(relation), relation.source, relation.target
        if (kind, source.label, target.label) in said or (relation.symmetric and (kind, target.label, source.label) in said):
            continue
        message = (
            f"In the map {end_name(source)} {_VERBS[kind]} {end_name(target)}, but no proposition of the "
            f"first {_VERBS[kind]} one of the second "
            "in the annotation. Annotate that relation, or take it out of the map."
        )
        yield tell(case, "map", NOT_ANNOTATED, message, relation.span)


_AFTER = (
    *ANNOTATION,
    *MAP,
    "coherence.annotation-without-node",
    "coherence.node-without-annotation",
    "coherence.node-unknown-annotation",
    "coherence.annotation-node-mismatch",
)
CHECKS = (
    Check(
        NOT_IN_MAP,
        "Draw in the map every support and attack that you annotate, between the nodes of the two propositions.",
        find_not_in_map,
        after=_AFTER,
    ),
    Check(NOT_ANNOTATED, "Annotate every support and attack that you draw in the map.", find_not_annotated, after=_AFTER),
)
