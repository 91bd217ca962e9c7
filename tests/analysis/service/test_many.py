"""Many answers at once: the verdicts are the library's, on cores and on Ray."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator

import pytest

from suasion.analysis.service import Row, verify_many
from suasion.analysis.tasks import all_tasks, scores
from suasion.analysis.verification.findings import Verdict
from suasion.analysis.verification.verify import verify
from suasion.errors import SuasionError


@pytest.fixture(scope="module")
def rows() -> list[Row]:
    made = []
    for task in all_tasks():
        example = task.example
        for answer in (example.answer, "nothing", example.answer.replace("(1)", "(7)")):
            made.append(Row(f"{task.name} {len(made)}", task.name, example.source, answer, example.reference))
    return made


@pytest.fixture(scope="module")
def expected(rows: list[Row]) -> list[tuple[str, Verdict]]:
    found = []
    for row in rows:
        task = next(task for task in all_tasks() if task.name == row.task)
        found.append((row.id, verify(task, row.source, [row.answer], row.reference, scores=lambda case, task=task: scores(task, case))[0]))
    return found


def test_on_cores(rows: list[Row], expected: list[tuple[str, Verdict]], capsys: pytest.CaptureFixture[str]) -> None:
    assert list(verify_many(iter(rows), 2, total=len(rows))) == expected
    assert f"{len(rows)}/{len(rows)} answers" in capsys.readouterr().err


@pytest.mark.skipif(importlib.util.find_spec("ray") is None, reason="needs ray")
def test_on_ray(rows: list[Row], expected: list[tuple[str, Verdict]], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAY_AUTH_MODE", "disabled")  # nothing is written to the user's folder
    assert list(verify_many(iter(rows), 2, on="ray", label=None)) == expected


def test_an_unknown_task_is_told_before_it_is_sent(rows: list[Row]) -> None:
    def some() -> Iterator[Row]:
        yield rows[0]
        yield Row("x", "argmop", "", "")

    with pytest.raises(SuasionError, match="argmop"):
        list(verify_many(some(), 1, label=None))
