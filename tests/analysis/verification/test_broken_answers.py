"""Every check of every task can be broken, alone; and nothing that is no answer passes."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from suasion.analysis.logic.prover import Prover
from suasion.analysis.tasks import Task, all_tasks, make_problem
from suasion.analysis.tasks.prompts import problem_prompt, styles
from suasion.analysis.verification.check import Check
from suasion.analysis.verification.checks import all_checks
from suasion.analysis.verification.findings import Verdict
from suasion.analysis.verification.verify import verify
from tests.analysis.verification.broken import BREAKS, break_example

TASKS = {task.name: task for task in all_tasks()}


@pytest.fixture(scope="module")
def prover() -> Iterator[Prover]:
    with Prover(workers=0) as one:
        yield one


def judged(task: Task, answer: str, prover: Prover) -> Verdict:
    return verify(task, task.example.source, [answer], task.example.reference, prover)[0]


@pytest.mark.parametrize("name", TASKS)
def test_the_example_is_valid(name: str, prover: Prover) -> None:
    assert judged(TASKS[name], TASKS[name].example.answer, prover).findings == ()


@pytest.mark.parametrize(
    ("name", "check"), [(task.name, check) for task in all_tasks() for check in task.checks], ids=lambda one: getattr(one, "code", one)
)
def test_each_check_can_be_broken_alone(name: str, check: Check, prover: Prover) -> None:
    answer = break_example(TASKS[name], check.code)
    assert answer, f"tests/analysis/verification/broken.py has no answer that breaks {check.code} in {name}"
    verdict = judged(TASKS[name], answer, prover)
    others = [one for one in verdict.findings if one.code != check.code and not one.code.startswith(f"{check.code}.")]
    assert verdict.findings and not others, answer
    assert verdict.name == ("undecided" if check.code == "logic.too-large" else "invalid")
    for one in verdict.findings:
        assert one.line is None or 1 <= one.line <= answer.count("\n") + 1
        assert one.message.endswith(".") or one.message.endswith(("}", "--", "…"))


def test_every_entry_is_of_a_check() -> None:
    assert set(BREAKS) == {check.code for check in all_checks()} == {check.code for task in all_tasks() for check in task.checks}


@pytest.mark.parametrize("name", TASKS)
def test_what_is_no_answer_is_rejected(name: str, prover: Prover) -> None:
    task = TASKS[name]
    source, example = task.example.source, task.example.answer
    wrong = [
        "",
        " \n\t ",
        source,
        task.example.reference,
        "word " * 10_000,
        "```\n" * 10_000,
        f"```xml\n{source}\n```",
        f"```argdown\n{source}\n```",
    ]
    wrong += [f"```{kind}\n```" for kind in ("xml", "argdown")] + ["```xml\n```\n```argdown\n```\n```argdown\n```"]
    wrong += ["```argdown\n" + "(1) a.\n" * 10_000 + "```", '```xml\n<proposition id="1">' * 10_000]
    fences = {"annotation": "xml", "map": "argdown", "reconstruction": "argdown"}
    wrong.append("\n\n".join(f"```{fences[one]}\n...\n```" for one in task.artefacts))
    for answer in wrong:
        verdict = judged(task, answer, prover)
        assert verdict.name == "invalid", answer[:100]
    assert judged(task, example + "\n\nDone.", prover).name == "valid"


@pytest.mark.parametrize("name", TASKS)
def test_the_prompt_itself_is_rejected(name: str, prover: Prover) -> None:
    task = TASKS[name]
    problem = make_problem(task, "Let us keep dogs. They are loyal.", task.example.reference)
    for style in styles():
        (verdict,) = verify(task, problem.source, [problem_prompt(task, problem, style)], problem.reference, prover)
        assert verdict.name == "invalid", style


@pytest.mark.parametrize("name", [name for name, task in TASKS.items() if name == task.target])
def test_repetitions_are_rejected(name: str, prover: Prover) -> None:
    task = TASKS[name]
    lines = [line for line in task.example.answer.split("\n") if line and not line.startswith("```")]
    for line in dict.fromkeys(lines):
        times = min(10_000 if line in lines[:2] else 300, 500_000 // len(line))
        answer = task.example.answer.replace(line, (line + "\n") * times, 1)
        assert judged(task, answer, prover).name == "invalid", line


@pytest.mark.parametrize("name", TASKS)
def test_another_tasks_answer_is_rejected(name: str, prover: Prover) -> None:
    task = TASKS[name]
    for other in all_tasks():
        whole = set(task.artefacts) <= set(other.artefacts)  # it holds what is asked for, and more
        if not whole or (len(task.artefacts) == 1 and "reconstruction" in task.artefacts and other.target != task.target):
            assert judged(task, other.example.answer, prover).name == "invalid", other.name
