"""An informal reconstruction, made from an annotated text."""

from __future__ import annotations

from suasion.analysis.tasks.declare import declare
from suasion.analysis.tasks.declared._texts import ANNOTATION, INFORMAL, SOURCE, one
from suasion.analysis.tasks.task import Example

TASK = declare(
    name="infreco_from_arganno",
    goal="Reconstruct the main argument of the annotated text informally: what was marked should give its premises and conclusions.",
    artefacts=("reconstruction",),
    example=Example(SOURCE, one("argdown", INFORMAL), reference=ANNOTATION),
    given="annotation",
    shows_source=False,
)
