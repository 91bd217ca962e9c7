"""The names of the published HIRPO configuration: ``argmap-l``, ``argmap.ArgMapJudge``, ``argmap.BalancePreferencePairGenerator``.

``resolve`` knows them all, names of your own tasks in the same pattern, and the codes of checks where the configuration names errors.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Literal, TypeAlias

from suasion.analysis.tasks.catalogue import all_tasks
from suasion.analysis.tasks.task import Task, Virtue
from suasion.analysis.tasks.virtues import all_virtues
from suasion.analysis.verification.checks import all_checks
from suasion.errors import SuasionError

Kind: TypeAlias = Literal["task", "solution", "problem", "problem_generator", "judge", "feedback_generator", "virtue", "error"]

_STEMS = {
    "arganno": "Annotation",
    "argmap": "ArgMap",
    "infreco": "InfReco",
    "logreco": "LogReco",
    "infreco_from_arganno": "InfRecoFromArgAnno",
    "arganno_plus_logreco": "ArgannoPlusLogReco",
}
_SOLUTIONS = {"argmap": "ArgumentMap", "infreco": "InformalReco", "logreco": "LogicalReco"}
_PARTS: dict[Kind, str] = {
    "problem": "Problem",
    "problem_generator": "ProblemGenerator",
    "judge": "Judge",
    "feedback_generator": "FeedbackGenerator",
}
_ERRORS = {
    "HasAnnotationsHandler": ("annotation.missing",),
    "HasArgdownHandler": ("map.missing", "reconstruction.missing"),
}
"""Names in ``ask_for_invalid_probs``, and the codes of the findings that they mean."""

_LONGER = "-l"


@dataclass(frozen=True, slots=True)
class Published:
    """What a name means.

    Attributes:
        name: the name as it was asked for.
        kind: what it names.
        task: the task it belongs to; ``None`` for an error, which is any task's.
        longer: a task on longer debates: the same task, with more to read.
        virtue: the virtue, where it names one.
        codes: the codes of findings, where it names an error.
    """

    name: str
    kind: Kind
    task: Task | None = None
    longer: bool = False
    virtue: Virtue | None = None
    codes: tuple[str, ...] = ()


def resolve(name: str) -> Published:
    """What a name of the published configuration means.

    Raises:
        SuasionError: nothing has this name; the nearest one is told.
    """
    names = _names()
    if name in names:
        return names[name]
    near = difflib.get_close_matches(name, names, n=1, cutoff=0.0)
    raise SuasionError(f"Nothing is called {name!r}.", hint=f"Did you mean {near[0]}?")


@cache
def _names() -> dict[str, Published]:
    return {one.name: one for one in _all()}


def _all() -> Iterator[Published]:
    tasks = {task.name: task for task in all_tasks()}
    for name, task in tasks.items():
        yield Published(name, "task", task)
        yield Published(name + _LONGER, "task", task, longer=True)
        stem = _STEMS.get(name) or "".join(word.capitalize() for word in name.split("_"))
        yield Published(f"{name}.{_SOLUTIONS.get(name, stem)}", "solution", task)
        for kind, part in _PARTS.items():
            yield Published(f"{name}.{stem}{part}", kind, task)
    for name, virtue in all_virtues().items():
        yield Published(name, "virtue", tasks.get(name.partition(".")[0]), virtue=virtue)
    for check in all_checks():
        yield Published(check.code, "error", codes=(check.code,))
    for name, codes in _ERRORS.items():
        yield Published(name, "error", codes=codes)
