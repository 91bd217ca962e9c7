"""The virtues: what makes one valid answer better than another. A new file is new virtues; nothing is registered elsewhere.

A module has ``VIRTUES = (Virtue(…), …)``. Each is for the task that the file is named after, and for those it names itself
(:attr:`Virtue.tasks`). Scores are not rounded and count each thing once, so saying the same again wins nothing.
"""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

from suasion.analysis.tasks.task import Virtue


def virtues_for(task: str) -> tuple[Virtue, ...]:
    """The virtues of a task, by file and in each file's order."""
    return tuple(virtue for name, virtue in all_virtues().items() if task in (name.partition(".")[0], *virtue.tasks))


@cache
def all_virtues() -> dict[str, Virtue]:
    """Every virtue by its full name: ``argmap.BalancePreferencePairGenerator``.

    Raises:
        TypeError: a module has no ``VIRTUES``.
    """
    found: dict[str, Virtue] = {}
    for info in pkgutil.iter_modules(__path__):
        if not info.name.startswith("_"):
            virtues = getattr(importlib.import_module(f"{__name__}.{info.name}"), "VIRTUES", None)
            if not isinstance(virtues, tuple):
                raise TypeError(f"{__name__}.{info.name} has no VIRTUES = (…); names of helpers begin with an underscore")
            found |= {f"{info.name}.{virtue.name}": virtue for virtue in virtues}
    return found
