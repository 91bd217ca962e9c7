"""A map and an annotated text that belong together."""

from __future__ import annotations

from suasion.analysis.tasks.declare import declare
from suasion.analysis.tasks.declared._texts import ANNOTATED_MAP, LABELLED, SOURCE, several
from suasion.analysis.tasks.task import Example

TASK = declare(
    name="argmap_plus_arganno",
    goal=(
        "Annotate the text and draw an argument map of it, so that each passage that you mark belongs to a node of the map and "
        "each node to passages."
    ),
    artefacts=("annotation", "map"),
    example=Example(SOURCE, several(annotation=LABELLED, map=ANNOTATED_MAP)),
)
