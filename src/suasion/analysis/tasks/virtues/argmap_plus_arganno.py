"""A map with an annotation: how near their wordings are."""

from __future__ import annotations

from suasion.analysis.tasks.measures.structure import labelled_segments
from suasion.analysis.tasks.measures.wording import mean_similarity
from suasion.analysis.tasks.task import Virtue

VIRTUES = (
    Virtue(
        "AnnotationProximityPreferencePairGenerator",
        "Word claims and gists much like the annotated passages that they stand for.",
        lambda case: mean_similarity(labelled_segments(case.annotation, case.map)),
        ("argmap_plus_arganno_plus_logreco",),
    ),
)
