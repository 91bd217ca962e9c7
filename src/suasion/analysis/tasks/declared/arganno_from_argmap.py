"""An annotated text, made from a map."""

from __future__ import annotations

from suasion.analysis.tasks.declare import declare
from suasion.analysis.tasks.declared._texts import LABELLED, MAP, SOURCE, one
from suasion.analysis.tasks.task import Example

TASK = declare(
    name="arganno_from_argmap",
    goal=(
        "Annotate the text with the help of the argument map: mark the passages in which the text says what the map shows, and "
        "their relations."
    ),
    artefacts=("annotation",),
    example=Example(SOURCE, one("xml", LABELLED), reference=MAP),
    given="map",
)
