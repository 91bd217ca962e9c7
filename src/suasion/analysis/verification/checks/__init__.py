"""The checks, found by walking this package: a new file is a new check, and nothing is registered elsewhere.

A module has ``CHECK = Check(...)`` or ``CHECKS = (...)``. Which tasks it is for, its folder says: ``annotation/``, ``map/`` and
``reconstruction/`` are for tasks that ask for such an artefact, ``logic/`` for those whose reconstructions are formalised (their target's
name ends in ``logreco``). What a folder cannot say, the module does:

* ``NEEDS = ("annotation", "map")``: the artefacts that it compares, all of which must be asked for; ``"formal"`` stands for formalised
  reconstructions. Modules of ``coherence/`` always say so.
* ``ONLY = (…)`` or ``NOT = (…)``: patterns (``fnmatch``) of the tasks that it is for, or not for. They are held against the task's target,
  the part of its name before ``_from_``: ``infreco`` is ``infreco_from_arganno`` too, ``*_plus_*`` every task with several artefacts. A
  pattern with ``_from_`` in it is held against the whole name.

Checks come in the order of families, then of modules by name, except that each comes behind those that it names in ``after``. Helpers that
are no checks begin with an underscore.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from functools import cache
from graphlib import TopologicalSorter
from types import ModuleType
from typing import NamedTuple

from suasion.analysis.verification.check import Check

_NEEDS = {
    "annotation": ("annotation",),
    "map": ("map",),
    "reconstruction": ("reconstruction",),
    "logic": ("reconstruction", "formal"),
    "coherence": (),
}


class _Entry(NamedTuple):
    check: Check
    needs: frozenset[str]
    only: tuple[str, ...]
    never: tuple[str, ...]

    def is_for(self, task: str, there: frozenset[str]) -> bool:
        if not self.needs <= there or (self.only and not _matches(task, self.only)):
            return False
        return not _matches(task, self.never)


def checks_for(task: str, artefacts: Sequence[str]) -> tuple[Check, ...]:
    """The checks of a task, in the order in which they are asked.

    Args:
        task: its name, ``infreco_from_arganno``.
        artefacts: what it asks for: ``annotation``, ``map``, ``reconstruction``.

    Raises:
        ValueError: a module in this package is not as it says above.
    """
    there = frozenset([*artefacts, "formal"] if is_formal(task) else artefacts)
    return tuple(entry.check for entry in _entries() if entry.is_for(task, there))


def all_checks() -> tuple[Check, ...]:
    """Every check there is, in the order in which they are asked."""
    return tuple(entry.check for entry in _entries())


def is_formal(task: str) -> bool:
    """Whether reconstructions of this task are formalised."""
    return task.partition("_from_")[0].endswith("logreco")


def matches(code: str, pattern: str) -> bool:
    """Whether an entry of ``Check.after`` means the check of this code: it is the code, or its family (``map.*``)."""
    return code == pattern or (pattern.endswith(".*") and code.startswith(pattern[:-1]))


@cache
def _entries() -> tuple[_Entry, ...]:
    entries = {}
    for entry in _walk():
        if entry.check.code in entries:
            raise ValueError(f"two checks have the code {entry.check.code}")
        entries[entry.check.code] = entry
    order: TopologicalSorter[str] = TopologicalSorter()
    for code, entry in entries.items():
        order.add(code, *(other for pattern in entry.check.after for other in entries if matches(other, pattern) and other != code))
    # graphlib raises CycleError, a ValueError, where two checks wait for each other
    places = {code: place for place, code in enumerate(entries)}
    order.prepare()
    sorted_codes: list[str] = []
    while order.is_active():
        ready = sorted(order.get_ready(), key=places.__getitem__)
        order.done(*ready)
        sorted_codes += ready
    return tuple(entries[code] for code in sorted_codes)


def _walk() -> Iterator[_Entry]:
    for family in _NEEDS:
        try:
            package = importlib.import_module(f"{__name__}.{family}")
        except ModuleNotFoundError:
            continue
        for info in sorted(pkgutil.iter_modules(package.__path__), key=lambda info: info.name):
            if not info.name.startswith("_"):
                yield from _read(importlib.import_module(f"{package.__name__}.{info.name}"), family)


def _read(module: ModuleType, family: str) -> Iterator[_Entry]:
    checks = getattr(module, "CHECKS", None) or (getattr(module, "CHECK", None),)
    only, never = tuple(getattr(module, "ONLY", ())), tuple(getattr(module, "NOT", ()))
    needs = frozenset(getattr(module, "NEEDS", ())) | frozenset(_NEEDS[family])
    if not needs:
        raise ValueError(f"{module.__name__} does not say which artefacts it compares: give it NEEDS = (…)")
    for check in checks:
        if not isinstance(check, Check):
            raise ValueError(f"{module.__name__} has neither CHECK = Check(…) nor CHECKS = (…)")
        if not check.code.startswith(f"{family}."):
            raise ValueError(f"{module.__name__}: the code {check.code} does not begin with {family}.")
        yield _Entry(check, needs, only, never)


def _matches(task: str, patterns: tuple[str, ...]) -> bool:
    target = task.partition("_from_")[0]
    return any(fnmatchcase(task if "_from_" in pattern else target, pattern) for pattern in patterns)
