"""An annotation with a reconstruction: how near their wordings are."""

from __future__ import annotations

from suasion.analysis.tasks.measures.structure import matching_segments
from suasion.analysis.tasks.measures.wording import mean_similarity
from suasion.analysis.tasks.task import Virtue

VIRTUES = (
    Virtue(
        "AnnotationProximityPreferencePairGenerator",
        "Word premises and conclusions much like the annotated passages that they stand for.",
        lambda case: mean_similarity(matching_segments(case.annotation, case.reconstruction)),
        ("arganno_plus_logreco", "argmap_plus_arganno_plus_logreco"),
    ),
)
