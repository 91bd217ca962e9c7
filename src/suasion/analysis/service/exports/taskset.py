"""A taskset for the library ``verifiers`` (0.4, https://github.com/PrimeIntellect-ai/verifiers): ``--env.taskset.id suasion_taskset``."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from pathlib import Path

import verifiers.v1 as vf

from suasion.analysis.service.exports.problems import pool, read_problems, row_of
from suasion.analysis.tasks import get_task
from suasion.analysis.tasks.prompts import problem_prompt
from suasion.analysis.verification.findings import Verdict

__all__ = ["ArgumentTaskset"]


class ArgumentData(vf.TaskData):
    """A problem, and the name of the task."""

    task_name: str
    source: str
    reference: str = ""


class ArgumentConfig(vf.TasksetConfig):
    """Which task, a JSONL file of problems (``source``, ``reference``), and the style of the prompt."""

    task_name: str = "argmap"
    problems: Path
    style: str = "plain"


class ArgumentTask(vf.Task[ArgumentData, vf.State, vf.TaskConfig]):
    """One problem. A valid answer's reward is 1, an invalid one's 0; the scores are metrics.

    Where nothing is known of an answer, scoring fails with a ``TaskError``, so that the answer is no example, neither good nor bad.
    """

    @vf.reward
    async def valid(self, trace: vf.Trace) -> float:
        """1 or 0."""
        verdict = await self._verdict(trace)
        if verdict.name == "undecided":
            raise vf.TaskError(f"undecided: {verdict.findings[0].message}")
        return float(verdict.name == "valid")

    @vf.metric
    async def scores(self, trace: vf.Trace) -> dict[str, float]:
        """Graded scores in [0, 1]."""
        return dict((await self._verdict(trace)).scores)

    async def _verdict(self, trace: vf.Trace) -> Verdict:
        data = self.data
        row = row_of(get_task(data.task_name), data.source, trace.last_reply, data.reference)
        return (await asyncio.wrap_future(pool().submit([row])))[0]


class ArgumentTaskset(vf.Taskset[ArgumentTask, ArgumentConfig]):
    """The problems of a file, as prompts of one task."""

    def load(self) -> Iterable[ArgumentTask]:
        """One task a problem."""
        config = self.config
        task = get_task(config.task_name)
        for number, problem in enumerate(read_problems(task, config.problems)):
            data = ArgumentData(
                name=f"{task.name}#{number}",
                prompt=problem_prompt(task, problem, config.style),
                task_name=task.name,
                source=problem.source,
                reference=problem.reference,
            )
            yield ArgumentTask(data, config.task)
