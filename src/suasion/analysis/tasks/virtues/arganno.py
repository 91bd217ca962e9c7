"""Annotations: how much is marked, and how it is joined."""

from __future__ import annotations

from suasion.analysis.tasks.measures.structure import annotated
from suasion.analysis.tasks.task import Virtue
from suasion.analysis.verification.case import Case

_WITH_RECO = ("arganno_plus_infreco", "arganno_plus_logreco")
_ALL = (*_WITH_RECO, "argmap_plus_arganno", "argmap_plus_arganno_plus_logreco")


def _scope(case: Case) -> float:
    return len(case.annotation.propositions) if case.annotation else 0


def _coverage(case: Case) -> float:
    return sum(len(one.text.strip()) for one in case.annotation.propositions) if case.annotation else 0


def _relations(case: Case, *, support: bool) -> int:
    return len(annotated(case.annotation, support=support))


VIRTUES = (
    Virtue(
        "AnnotationScopePreferencePairGenerator",
        "Mark as many propositions as you can: every claim and every reason in an element of its own.",
        _scope,
        _ALL,
    ),
    Virtue(
        "AnnotationSupportsPreferencePairGenerator",
        "Show as many relations of support between the propositions as there are.",
        lambda case: _relations(case, support=True),
        _WITH_RECO,
    ),
    Virtue(
        "AnnotationAttacksPreferencePairGenerator",
        "Show as many relations of attack between the propositions as there are.",
        lambda case: _relations(case, support=False),
        _WITH_RECO,
    ),
    Virtue(
        "AnnotationNoAttacksPreferencePairGenerator",
        "Do without attacks between propositions wherever you can.",
        lambda case: 1 / (1 + _relations(case, support=False)),
    ),
    Virtue(
        "AnnotationCoveragePreferencePairGenerator",
        "Let the marked propositions cover as much of the text as you can.",
        _coverage,
        _ALL,
    ),
)
