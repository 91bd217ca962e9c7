"""An annotated text, a map and logical reconstructions that belong together."""

from __future__ import annotations

from suasion.analysis.tasks.declare import declare
from suasion.analysis.tasks.declared._texts import MAP, REFERRING, SOURCE, several, three_arguments
from suasion.analysis.tasks.task import Example

TASK = declare(
    name="argmap_plus_arganno_plus_logreco",
    goal=(
        "Annotate the text, draw an argument map of it, and reconstruct all arguments of the map logically, so that the three fit together."
    ),
    artefacts=("annotation", "map", "reconstruction"),
    example=Example(SOURCE, several(annotation=REFERRING, map=MAP, reconstruction=three_arguments(annotated=True, formal=True))),
)
