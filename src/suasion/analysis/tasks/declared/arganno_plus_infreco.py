"""An annotated text and informal reconstructions that belong together."""

from __future__ import annotations

from suasion.analysis.tasks.declare import declare
from suasion.analysis.tasks.declared._texts import REFERRING, SOURCE, several, three_arguments
from suasion.analysis.tasks.task import Example

TASK = declare(
    name="arganno_plus_infreco",
    goal=(
        "Annotate the text and reconstruct its arguments informally, so that each passage that you mark is a premise or a "
        "conclusion of one of them."
    ),
    artefacts=("annotation", "reconstruction"),
    example=Example(SOURCE, several(annotation=REFERRING, reconstruction=three_arguments(annotated=True, formal=False))),
)
