"""Which tasks there are: every module of ``declared/`` is one."""

from __future__ import annotations

import difflib
import importlib
import pkgutil
from functools import cache

from suasion.analysis.tasks import declared
from suasion.analysis.tasks.task import Task
from suasion.errors import SuasionError


def get_task(name: str) -> Task:
    """The task of this name.

    Raises:
        SuasionError: there is none; the nearest name is told.
    """
    tasks = _by_name()
    if name in tasks:
        return tasks[name]
    near = difflib.get_close_matches(name, tasks, n=1, cutoff=0.4)
    hint = f"Did you mean {near[0]}?" if near else f"The tasks are: {', '.join(tasks)}."
    raise SuasionError(f"There is no task {name!r}.", hint=hint)


def all_tasks() -> tuple[Task, ...]:
    """Every task: core, sequential, compound; then those of your own."""
    return tuple(_by_name().values())


@cache
def _by_name() -> dict[str, Task]:
    tasks = []
    for info in pkgutil.iter_modules(declared.__path__):
        if not info.name.startswith("_"):
            task = getattr(importlib.import_module(f"{declared.__name__}.{info.name}"), "TASK", None)
            if not isinstance(task, Task):
                raise TypeError(f"{declared.__name__}.{info.name} has no TASK = declare(…)")
            tasks.append(task)
    return {task.name: task for task in sorted(tasks, key=lambda task: (len(task.artefacts), task.given is not None, task.name))}
