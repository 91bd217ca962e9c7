"""The tasks inside verifiers and lm-evaluation-harness, with the real libraries where they are installed."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from suasion.analysis.service.exports import problems as shared
from suasion.analysis.service.exports.problems import judge_one, read_problems, row_of
from suasion.analysis.tasks import get_task
from suasion.analysis.verification.findings import Finding, Verdict
from suasion.errors import SuasionError

TASK = get_task("logreco")


@pytest.fixture
def problems(tmp_path: Path) -> Path:
    path = tmp_path / "problems.jsonl"
    path.write_text("".join(json.dumps({"source": TASK.example.source + " " * number}) + "\n" for number in range(3)))
    return path


@pytest.mark.parametrize(
    ("task", "lines", "told"),
    [
        ("argmap", "", "no problems"),
        ("argmap", '{"source": " "}', "no source"),
        ("argmap", '{"source": 5}', "must be text"),
        ("infreco_from_arganno", '{"source": "x"}', "no reference"),
    ],
)
def test_bad_files_are_told(tmp_path: Path, task: str, lines: str, told: str) -> None:
    path = tmp_path / "problems.jsonl"
    path.write_text(lines)
    with pytest.raises(SuasionError, match=told):
        read_problems(get_task(task), path)


def test_the_shared_pool_judges(problems: Path) -> None:
    (first, *_) = read_problems(TASK, problems)
    assert judge_one(row_of(TASK, first.source, TASK.example.answer, "")).name == "valid"
    assert judge_one(row_of(TASK, first.source, "nothing", "")).name == "invalid"


def test_lm_eval(problems: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("lm_eval")
    from lm_eval import simple_evaluate
    from lm_eval.api.model import LM

    from suasion.analysis.service.exports import lm_eval_task

    class Model(LM):  # type: ignore[misc]
        def generate_until(self, requests: list[Any]) -> list[str]:
            assert all(TASK.example.source[:40] in one.args[0] for one in requests)
            return [TASK.example.answer, "nothing", "odd"][: len(requests)]

        def loglikelihood(self, requests: list[Any]) -> list[Any]:
            raise NotImplementedError

        loglikelihood_rolling = loglikelihood

    def judge(row: Any) -> Verdict:
        return Verdict((Finding("limit.time", "Too slow.", undecided=True),)) if row.answer == "odd" else judge_one(row)

    monkeypatch.setattr(lm_eval_task, "judge_one", judge)
    found = simple_evaluate(model=Model(), tasks=[lm_eval_task.make_task("logreco", problems)], bootstrap_iters=0)
    results = found["results"]["suasion_logreco"]
    assert results["valid,none"] == 0.5  # of the two that have a verdict
    assert results["undecided,none"] == pytest.approx(1 / 3)


def test_verifiers(problems: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    vf = pytest.importorskip("verifiers.v1")
    from verifiers.v1.utils import loaders

    config = loaders.taskset_config_type("suasion_taskset")(id="suasion_taskset", task_name="logreco", problems=problems)
    tasks = list(loaders.load_taskset(config))
    assert [task.data.idx for task in tasks] == [0, 1, 2]
    assert TASK.example.source[:40] in tasks[0].data.prompt

    class Trace:
        """What scoring uses of a trace."""

        def __init__(self, reply: str) -> None:
            self.last_reply, self.rewards, self.metrics = reply, {}, {}

        def record_reward(self, name: str, value: float, weight: float) -> None:
            self.rewards[name] = value * weight

        def record_metrics(self, values: dict[str, float]) -> None:
            self.metrics |= values

    for reply, worth in ((TASK.example.answer, 1.0), ("nothing", 0.0)):
        trace = Trace(reply)
        asyncio.run(tasks[0].score(trace))
        assert trace.rewards == {"valid": worth}
        assert {"premises", "predicate_logic"} <= set(trace.metrics)

    class Undecided:
        def submit(self, rows: object) -> Any:
            future: Any = shared.pool().submit([])
            future.result()
            from concurrent.futures import Future

            told: Future[list[Verdict]] = Future()
            told.set_result([Verdict((Finding("limit.time", "Too slow.", undecided=True),))])
            return told

    from suasion.analysis.service.exports import taskset

    monkeypatch.setattr(taskset, "pool", Undecided)
    trace = Trace("odd")
    with pytest.raises(vf.TaskError, match="Too slow"):
        asyncio.run(tasks[0].score(trace))
    assert trace.rewards == {"valid": None}  # neither good nor bad
