"""An annotated text."""

from __future__ import annotations

from suasion.analysis.tasks.declare import declare
from suasion.analysis.tasks.declared._texts import ANNOTATION, SOURCE, one
from suasion.analysis.tasks.task import Example

TASK = declare(
    name="arganno",
    goal="Annotate the text: mark the passages that claim something or give a reason, and say which supports or attacks which.",
    artefacts=("annotation",),
    example=Example(SOURCE, one("xml", ANNOTATION)),
)
