"""A map and informal reconstructions of its arguments."""

from __future__ import annotations

from suasion.analysis.tasks.declare import declare
from suasion.analysis.tasks.declared._texts import MAP, SOURCE, several, three_arguments
from suasion.analysis.tasks.task import Example

TASK = declare(
    name="argmap_plus_infreco",
    goal=(
        "Draw an argument map of the text and reconstruct all arguments of the map informally, so that the reconstructions show "
        "why the map's relations hold."
    ),
    artefacts=("map", "reconstruction"),
    example=Example(SOURCE, several(map=MAP, reconstruction=three_arguments(annotated=False, formal=False))),
)
