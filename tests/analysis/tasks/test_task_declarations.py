"""The fourteen tasks: what each asks for, and that its own judge accepts its worked example."""

from __future__ import annotations

import pytest

from suasion.analysis.logic.prover import Prover
from suasion.analysis.tasks import Task, all_tasks, get_task, scores
from suasion.analysis.tasks.published import resolve
from suasion.analysis.verification.verify import verify
from suasion.errors import SuasionError

TASKS = all_tasks()
ARTEFACTS = {
    "arganno": ("annotation",),
    "argmap": ("map",),
    "infreco": ("reconstruction",),
    "logreco": ("reconstruction",),
    "arganno_from_argmap": ("annotation",),
    "argmap_from_arganno": ("map",),
    "infreco_from_arganno": ("reconstruction",),
    "logreco_from_infreco": ("reconstruction",),
    "argmap_plus_arganno": ("annotation", "map"),
    "arganno_plus_infreco": ("annotation", "reconstruction"),
    "arganno_plus_logreco": ("annotation", "reconstruction"),
    "argmap_plus_infreco": ("map", "reconstruction"),
    "argmap_plus_logreco": ("map", "reconstruction"),
    "argmap_plus_arganno_plus_logreco": ("annotation", "map", "reconstruction"),
}
GIVEN = {"arganno_from_argmap": "map", "argmap_from_arganno": "annotation", "infreco_from_arganno": "annotation"}

each_task = pytest.mark.parametrize("task", TASKS, ids=lambda task: task.name)


def test_there_are_fourteen() -> None:
    assert {task.name: task.artefacts for task in TASKS} == ARTEFACTS
    assert [task.name for task in TASKS][:4] == ["arganno", "argmap", "infreco", "logreco"]


@each_task
def test_a_sequential_task_has_the_rules_of_its_target(task: Task) -> None:
    target = resolve(task.target).task
    assert target and {check.code for check in target.checks} <= {check.code for check in task.checks}
    assert task.given == (GIVEN | {"logreco_from_infreco": "reconstruction"}).get(task.name)
    assert bool(task.given) == bool(task.example.reference) == (task.name != task.target)


@each_task
def test_checks_are_of_what_is_asked_for(task: Task) -> None:
    families = {check.code.partition(".")[0] for check in task.checks}
    expected = {*task.artefacts, *(["logic"] if "logreco" in task.target else []), *(["coherence"] if len(task.artefacts) > 1 else [])}
    assert families == expected


@each_task
def test_its_judge_accepts_its_example(task: Task, prover: Prover) -> None:
    example = task.example
    verdict = verify(task, example.source, [example.answer], example.reference, prover)[0]
    assert not verdict.findings and verdict.name == "valid"
    assert all(0 <= score <= 1 for score in scores(task, task.case(example.source, example.answer, example.reference)).values())


@each_task
def test_examples_are_no_answers_to_another_text(task: Task, prover: Prover) -> None:
    assert verify(task, "Dogs are loyal. We should keep dogs.", [task.example.answer], "", prover)[0].name == "invalid"


@each_task
def test_examples_of_other_tasks_are_rejected(task: Task, prover: Prover) -> None:
    others = [other for other in TASKS if other.target != task.target and set(task.artefacts) - set(other.artefacts)]
    for verdict in verify(task, task.example.source, [other.example.answer for other in others], task.example.reference, prover):
        assert verdict.name == "invalid"


def test_an_unknown_task_names_the_nearest() -> None:
    with pytest.raises(SuasionError, match="no task 'argmpa'") as error:
        get_task("argmpa")
    assert error.value.hint == "Did you mean argmap?"
    with pytest.raises(SuasionError) as error:
        get_task("???")
    assert "argmap" in str(error.value.hint)
