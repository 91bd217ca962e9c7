"""A logical reconstruction."""

from __future__ import annotations

from suasion.analysis.tasks.declare import declare
from suasion.analysis.tasks.declared._texts import FORMAL, SOURCE, one
from suasion.analysis.tasks.task import Example

TASK = declare(
    name="logreco",
    goal=(
        "Reconstruct the main argument of the text logically: as a deductively valid argument whose premises and conclusions "
        "are all formalised."
    ),
    artefacts=("reconstruction",),
    example=Example(SOURCE, one("argdown", FORMAL)),
)
