"""Supports and attacks are the same in the map and in the reconstructed arguments."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from suasion.analysis.argdown import Document, End, Relation, Span
from suasion.analysis.logic.prover import Prover
from suasion.analysis.verification.case import Case
from suasion.analysis.verification.check import Check
from suasion.analysis.verification.checks.coherence._debate import Debate
from suasion.analysis.verification.checks.coherence._drawn import Drawn
from suasion.analysis.verification.checks.coherence._links import MAP, RECONSTRUCTION, end_name, too_large, valence
from suasion.analysis.verification.findings import Finding
from suasion.analysis.verification.telling import tell

NEEDS = ("map", "reconstruction")
NOT_ARGUED = "coherence.map-relation-not-reconstructed"
NOT_DRAWN = "coherence.reconstructed-relation-not-in-map"
LARGEST = 100_000  # relations that arguments imply
_VERBS = {"support": "supports", "attack": "attacks"}


def is_borne_out(debate: Debate, relation: Relation) -> bool:
    """Whether reconstructed arguments stand to each other as the map says."""
    kind = valence(relation)
    if debate.stands(kind, relation.source, relation.target):
        return True
    return relation.symmetric and debate.stands(kind, relation.target, relation.source)


def find_not_argued(case: Case, prover: Prover) -> Iterator[Finding]:
    """What only the map says."""
    if not case.map or not case.reconstruction:
        return
    debate = Debate(case.reconstruction)
    for relation in case.map.sketched:
        if not is_borne_out(debate, relation):
            kind, source, target = valence(relation), end_name(relation.source), end_name(relation.target)
            message = f"In the map {source} {_VERBS[kind]} {target}, but the reconstructions do not bear that out. {_mend(relation)}"
            yield tell(case, "map", NOT_ARGUED, message, relation.span)


def _mend(relation: Relation) -> str:
    source, target = relation.source, relation.target
    what = end_name(source) if source.kind == "claim" else f"the conclusion of {end_name(source)}"
    whom = end_name(target) if target.kind == "claim" else f"a premise of {end_name(target)}"
    if valence(relation) == "support":
        return f"Let {what} be {whom}, under one label, or take the relation away."
    return f"Let {what} contradict {whom} (write >< between them), or take the relation away."


def find_not_drawn(case: Case, prover: Prover) -> Iterator[Finding]:
    """What only the reconstructions say, of nodes that the map has."""
    if not case.map or not case.reconstruction:
        return
    drawn, told = Drawn(case.map), set()
    implied = Debate(case.reconstruction).implied(drawn)
    for kind, source, target in islice(implied, LARGEST):
        if (kind, source, target) in told or source not in drawn or target not in drawn or drawn.has(kind, source, target):
            continue
        told.add((kind, source, target))
        message = (
            f"By the reconstructions {end_name(source)} {_VERBS[kind]} {end_name(target)}, but the map "
            "does not show it. Draw that relation, or give "
            "the sentences different labels."
        )
        yield tell(case, "reconstruction", NOT_DRAWN, message, _span(case.reconstruction, source))
    if next(implied, None):
        yield too_large(NOT_DRAWN, "relations between arguments", LARGEST)


def _span(document: Document, end: End) -> Span | None:
    one = document.find(end)
    return one.members[0].span if one.members else None


_AFTER = (
    *MAP,
    *RECONSTRUCTION,
    "coherence.argument-not-reconstructed",
    "coherence.argument-not-in-map",
    "coherence.claim-not-reconstructed",
)
CHECKS = (
    Check(
        NOT_ARGUED,
        "Let the reconstructions bear out every relation of the map: the conclusion of an argument that "
        "supports another is a premise of that, "
        "with the same label; the conclusion of one that attacks another contradicts a premise of that "
        "([A] >< [B]); and likewise for claims.",
        find_not_argued,
        after=_AFTER,
    ),
    Check(
        NOT_DRAWN,
        "Draw in the map every support and attack between its nodes that follows from the reconstructions.",
        find_not_drawn,
        after=(*_AFTER, NOT_ARGUED),
    ),
)
