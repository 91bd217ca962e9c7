"""An informal reconstruction."""

from __future__ import annotations

from suasion.analysis.tasks.declare import declare
from suasion.analysis.tasks.declared._texts import INFORMAL, SOURCE, one
from suasion.analysis.tasks.task import Example

TASK = declare(
    name="infreco",
    goal=(
        "Reconstruct the main argument of the text informally, with premises, intermediate conclusions where they help, and a "
        "final conclusion."
    ),
    artefacts=("reconstruction",),
    example=Example(SOURCE, one("argdown", INFORMAL)),
)
