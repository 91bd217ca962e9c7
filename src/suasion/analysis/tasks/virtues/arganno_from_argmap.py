"""Annotations made from a map: how near they stay to it."""

from __future__ import annotations

from suasion.analysis.tasks.measures.graph import edges
from suasion.analysis.tasks.measures.structure import agreement, said, same_label_relations
from suasion.analysis.tasks.measures.wording import overlap
from suasion.analysis.tasks.task import Virtue
from suasion.analysis.verification.case import Case


def _text(case: Case) -> float:
    return overlap((one.text for one in case.annotation.propositions), said(case.given_map)) if case.annotation else 0.0


def _graph(case: Case) -> float:
    mapped = {(one[1], other[1], support) for support in (True, False) for one, other in edges(case.given_map, support=support)}
    marked = {(*pair, support) for support in (True, False) for pair in same_label_relations(case.annotation, support=support)}
    return agreement(mapped, marked)


VIRTUES = (
    Virtue("ArgmapTextProximityPreferencePairGenerator", "Mark those passages whose wording is nearest to that of the map.", _text),
    Virtue(
        "ArgmapGraphProximityPreferencePairGenerator",
        "Let the annotation mirror the map: name its nodes in argument_label, and let the same supports and attacks hold between them.",
        _graph,
    ),
)
