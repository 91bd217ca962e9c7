"""Problems from a file, and one pool of worker processes for a framework that asks for one verdict at a time."""

from __future__ import annotations

import atexit
from functools import cache
from pathlib import Path

from suasion.analysis.service.judging import make_judge
from suasion.analysis.tasks import Problem, Task, make_problem
from suasion.analysis.verification.findings import Verdict
from suasion.analysis.verification.pool import Pool
from suasion.analysis.verification.rows import Row
from suasion.errors import SuasionError
from suasion.files import read_jsonl


def read_problems(task: Task, path: Path) -> list[Problem]:
    """The problems in a JSONL file: ``source``, and ``reference`` where the task starts from one.

    Raises:
        SuasionError: the file cannot be read, is empty, or a row has no source or reference where it needs one.
    """
    problems = []
    for number, row in enumerate(read_jsonl(path), start=1):
        source, reference = row.get("source", ""), row.get("reference") or ""
        if not isinstance(source, str) or not isinstance(reference, str):
            raise SuasionError("Source and reference must be text.", where=f"{path}, row {number}")
        if not source.strip() and task.shows_source:
            raise SuasionError("There is no source.", where=f"{path}, row {number}", hint="Give each row a text as source.")
        if task.given and not reference.strip():
            hint = f"{task.name} starts from a given {task.given}."
            raise SuasionError("There is no reference.", where=f"{path}, row {number}", hint=hint)
        problems.append(make_problem(task, source, reference))
    if not problems:
        raise SuasionError("There are no problems in this file.", where=path)
    return problems


def row_of(task: Task, source: str, answer: str, reference: str) -> Row:
    """An answer on its way to :func:`pool`."""
    return Row("", task.name, source, answer, reference)


@cache
def pool() -> Pool:
    """The one of this process; its workers start with the first answer and end with the process."""
    made = Pool(make_judge)
    atexit.register(made.close)
    return made


def judge_one(row: Row) -> Verdict:
    """The verdict on one answer; waits for it."""
    return pool().submit([row]).result()[0]
