"""An argument map, made from an annotated text."""

from __future__ import annotations

from suasion.analysis.tasks.declare import declare
from suasion.analysis.tasks.declared._texts import ANNOTATED_MAP, ANNOTATION, SOURCE, one
from suasion.analysis.tasks.task import Example

TASK = declare(
    name="argmap_from_arganno",
    goal="Draw an argument map of the annotated text: it should show what was marked, and the supports and attacks that were found.",
    artefacts=("map",),
    example=Example(SOURCE, one("argdown", ANNOTATED_MAP), reference=ANNOTATION),
    given="annotation",
    shows_source=False,
)
