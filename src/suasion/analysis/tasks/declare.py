"""Making a task of what only it can say; its checks and virtues are found."""

from __future__ import annotations

from suasion.analysis.tasks.task import Example, Task
from suasion.analysis.tasks.virtues import virtues_for
from suasion.analysis.verification.case import ArtefactName
from suasion.analysis.verification.checks import checks_for


def declare(
    name: str,
    goal: str,
    artefacts: tuple[ArtefactName, ...],
    example: Example,
    given: ArtefactName | None = None,
    shows_source: bool = True,
) -> Task:
    """A task with every check that is for answers of its kind and every virtue that is for it. For the arguments see :class:`Task`."""
    return Task(name, goal, artefacts, checks_for(name, artefacts), virtues_for(name), example, given, shows_source)
