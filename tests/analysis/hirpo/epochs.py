"""Assignments for tests, and an epoch of them from beginning to end; also in processes that can be killed."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from concurrent.futures import Future
from pathlib import Path

from suasion.analysis.hirpo.pairs import build, generator_for
from suasion.analysis.hirpo.pipeline import generate_epoch, outcomes
from suasion.analysis.hirpo.store import Store
from suasion.analysis.hirpo.tally import Tally
from suasion.analysis.hirpo.tries import Assignment, Critique
from suasion.analysis.service.judging import make_judge
from suasion.analysis.tasks import get_task
from suasion.analysis.tasks.prompts import problem_prompt, styles
from suasion.analysis.verification.findings import Verdict
from suasion.analysis.verification.pool import Pool
from suasion.analysis.verification.rows import Row
from suasion.models.chat.engine import ChatSampling
from tests.analysis.hirpo.scripted import Scripted
from tests.analysis.hirpo.worlds import world

SAMPLING = ChatSampling(temperature=0.8, max_tokens=512, extra_body={"min_p": 0.05})


def assignments(
    tasks: Sequence[str], problems: int, *, n: int = 4, feedbacks: int = 2, revisions: int = 2, critique: bool = True
) -> list[Assignment]:
    """So many problems of each task, in all styles."""
    made = []
    for name in tasks:
        task = get_task(name)
        for number in range(problems):
            problem = world(task, number).problem
            prompt = problem_prompt(task, problem, styles()[number % len(styles())])
            how = Critique(feedbacks, revisions, SAMPLING, SAMPLING, most=n) if critique else None
            made.append(Assignment(f"{name}/{number:04}", name, name, problem, prompt, n, SAMPLING, how))
    return made


def run_epoch(engine: Scripted, todo: Sequence[Assignment], store: Store, *, seed: int = 7, workers: int = 1) -> Tally:
    """Generate with the real judge."""
    with Pool(make_judge, workers) as pool:
        return generate_epoch(engine, todo, store, pool, seed=seed)


def pairs_of(store: Store, todo: Sequence[Assignment], *, seed: int = 7) -> list[str]:
    """The pairs, each as a line of JSON."""
    lines = []
    for outcome in outcomes(store, todo, seed=seed):
        task = outcome.assignment.declared
        chance = generator_for(seed, outcome.assignment.key)
        pairs = build(outcome, tuple(task.virtues), {"map.missing": 0.5, "map.unlabelled-claim": 0.5}, chance)
        lines += [json.dumps(pair.as_row(), sort_keys=True) for pair in pairs]
    return lines


KILLED = {"tasks": ("argmap", "arganno"), "problems": 20}


class Here:
    """The real judge, in this process."""

    workers = 1

    def __init__(self) -> None:
        self._judge = make_judge()

    def submit(self, rows: Sequence[Row]) -> Future[list[Verdict]]:
        future: Future[list[Verdict]] = Future()
        future.set_result([self._judge(row) for row in rows])
        return future


def main() -> None:
    """For each line "FILE DELAY" of the input, a child that generates the epoch of ``KILLED`` into the file, and may be killed: its number,
    then its status when it has ended. All is loaded once."""
    todo = assignments(KILLED["tasks"], KILLED["problems"])  # type: ignore[arg-type]
    judge = Here()
    for line in sys.stdin:
        path, delay = line.rsplit(maxsplit=1)
        child = os.fork()
        if child == 0:
            with Store(Path(path)) as store:
                generate_epoch(Scripted(delay=float(delay), slots=8), todo, store, judge, seed=7)
            os._exit(0)
        print(child, flush=True)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)


if __name__ == "__main__":
    main()
