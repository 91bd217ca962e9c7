"""An argument map."""

from __future__ import annotations

from suasion.analysis.tasks.declare import declare
from suasion.analysis.tasks.declared._texts import MAP, SOURCE, one
from suasion.analysis.tasks.task import Example

TASK = declare(
    name="argmap",
    goal="Draw an argument map of the text: its central claims, its arguments, and which of them support or attack which.",
    artefacts=("map",),
    example=Example(SOURCE, one("argdown", MAP)),
)
