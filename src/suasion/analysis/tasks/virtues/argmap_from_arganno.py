"""Maps made from an annotation: how near they stay to it."""

from __future__ import annotations

from suasion.analysis.tasks.measures.graph import edges
from suasion.analysis.tasks.measures.structure import agreement, annotated, nodes_by_id, said
from suasion.analysis.tasks.measures.wording import overlap
from suasion.analysis.tasks.task import Virtue
from suasion.analysis.verification.case import Case


def _text(case: Case) -> float:
    given = case.given_annotation
    return overlap((one.text for one in given.propositions), said(case.map)) if given else 0.0


def _graph(case: Case) -> float:
    """What is annotated is looked up in the map: a relation whose ends no node names is one that the map misses."""
    nodes, named = nodes_by_id(case.map), set(nodes_by_id(case.map).values())
    drawn: set[object] = set()
    marked: set[object] = set()
    for support in (True, False):
        arrows = {(one, other) for one, other in edges(case.map, support=support) if one in named and other in named}
        pairs = {(nodes.get(one, one), nodes.get(other, other)) for one, other in annotated(case.given_annotation, support=support)}
        drawn |= {(*arrow, support) for arrow in arrows}
        marked |= {(*pair, support) for pair in pairs if pair[0] != pair[1]}
    return agreement(drawn, marked)


VIRTUES = (
    Virtue("AnnotationTextProximityPreferencePairGenerator", "Use the annotated passages themselves as claims and gists.", _text),
    Virtue(
        "AnnotationGraphProximityPreferencePairGenerator",
        "Let the map mirror the annotation: name the passages in annotation_ids, and let the same supports and attacks hold.",
        _graph,
    ),
)
