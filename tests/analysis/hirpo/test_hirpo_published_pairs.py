"""The published configuration with a scripted engine and the real judge: pairs of every kind come out for every one of its entries."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from pathlib import Path

import pytest

from suasion.analysis.hirpo.pairs import KINDS, build, generator_for, mix
from suasion.analysis.hirpo.pipeline import generate_epoch, outcomes
from suasion.analysis.hirpo.published import load_hirpo
from suasion.analysis.hirpo.settings import HirpoConfig
from suasion.analysis.hirpo.store import Store
from suasion.analysis.hirpo.tries import Assignment, Critique
from suasion.analysis.service.judging import make_judge
from suasion.analysis.tasks.prompts import problem_prompt, styles
from suasion.analysis.verification.findings import Verdict
from suasion.analysis.verification.rows import Row
from tests.analysis.hirpo.scripted import Mood, Scripted
from tests.analysis.hirpo.worlds import world

SEEDS = Path(__file__).parents[3].parent / "shared" / "seeds"
ANSWERS, FEEDBACKS, REVISIONS, WORLDS = 5, 3, 4, 2
PROBLEMS: dict[Mood, int] = {"mixed": 8, "good": 1, "helped": 4, "advised": 16, "hopeless": 4}
_ATTEMPT = re.compile(r"^Here is attempt \d+\.\n\n")


class Remembering:
    """The real judge, in this process; an answer that differs from an earlier one in its opening words alone is not judged again. Findings
    then have the places of the earlier one, which no pair looks at."""

    workers = 1

    def __init__(self) -> None:
        self._judge, self._known = make_judge(), {}

    def submit(self, rows: Sequence[Row]) -> Future[list[Verdict]]:
        done: Future[list[Verdict]] = Future()
        done.set_result([self._verdict(row) for row in rows])
        return done

    def _verdict(self, row: Row) -> Verdict:
        answer = _ATTEMPT.sub("", row.answer)
        key = (row.task, row.source, row.reference, answer)
        if key not in self._known:
            self._known[key] = self._judge(Row(row.id, row.task, row.source, answer, row.reference))
        return self._known[key]


def _assignments(config: HirpoConfig, mood: Mood) -> Iterator[Assignment]:
    """As many problems of each entry, asked as the configuration says, but fewer times each."""
    for name in config.tasks:
        task = config.task_of(name)
        answers, feedback = config.sampling_of(name, "answers"), config.sampling_of(name, "feedback")
        critique = Critique(FEEDBACKS, REVISIONS, feedback, answers, most=1)
        for number in range(PROBLEMS[mood]):
            problem = world(task, number % WORLDS).problem
            prompt = problem_prompt(task, problem, styles()[number // WORLDS % len(styles())])
            yield Assignment(f"{name}/{mood}-{number}", name, task.name, problem, prompt, ANSWERS, answers, critique)


@pytest.mark.skipif(not SEEDS.is_dir(), reason="../shared/seeds is not there")
def test_pairs_of_every_kind_for_every_published_entry(tmp_path: Path) -> None:
    config = load_hirpo(SEEDS / "hirpo-data-generation.yaml", SEEDS / "hirpo-training.yaml").config
    labels, judge = [], Remembering()
    with Store(tmp_path / "answers.jsonl") as store:
        for mood in PROBLEMS:
            todo = list(_assignments(config, mood))
            generate_epoch(Scripted(mood=mood), todo, store, judge, seed=1)
            for outcome in outcomes(store, todo, seed=1):
                entry, chance = outcome.assignment.entry, generator_for(1, outcome.assignment.key)
                pairs = build(outcome, config.virtues_of(entry), config.tasks[entry].ask_for_invalid, chance)
                labels += [pair.label for pair in pairs]
    found = mix(labels)
    assert len(found) == 19
    assert {entry: sorted(set(KINDS) - kinds.keys()) for entry, kinds in found.items() if set(KINDS) - kinds.keys()} == {}
