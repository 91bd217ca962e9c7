"""A logical reconstruction, made from an informal one."""

from __future__ import annotations

from suasion.analysis.tasks.declare import declare
from suasion.analysis.tasks.declared._texts import FORMAL, INFORMAL, SOURCE, one
from suasion.analysis.tasks.task import Example

TASK = declare(
    name="logreco_from_infreco",
    goal=(
        "Turn the informal reconstruction into a logical one: deductively valid, with all premises and conclusions formalised, "
        "and as close to it as can be."
    ),
    artefacts=("reconstruction",),
    example=Example(SOURCE, one("argdown", FORMAL), reference=INFORMAL),
    given="reconstruction",
    shows_source=False,
)
