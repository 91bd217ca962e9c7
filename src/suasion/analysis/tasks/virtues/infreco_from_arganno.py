"""Reconstructions made from an annotation: how near they stay to it."""

from __future__ import annotations

from suasion.analysis.tasks.measures.structure import steps
from suasion.analysis.tasks.measures.wording import overlap
from suasion.analysis.tasks.task import Virtue
from suasion.analysis.verification.case import Case


def _proximity(case: Case) -> float:
    reasons = [one.text for one in case.given_annotation.propositions if one.supports] if case.given_annotation else []
    return overlap(reasons, (text for step, text in steps(case.reconstruction) if step.role == "premise"))


VIRTUES = (
    Virtue(
        "AnnotationProximityPreferencePairGenerator",
        "Use the passages that are annotated as supports for the premises, in nearly their own words.",
        _proximity,
    ),
)
