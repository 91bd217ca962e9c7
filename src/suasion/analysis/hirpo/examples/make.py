"""Worked examples for a task, each accepted by the task's own judge before it is used."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

from suasion.analysis.hirpo.examples.answers import ANSWERS
from suasion.analysis.hirpo.examples.outline import outline
from suasion.analysis.logic.prover import Prover
from suasion.analysis.tasks import Problem, Task, make_problem
from suasion.analysis.verification.verify import judge

_AT_ONCE = 32  # texts judged together

GIVEN = {"annotation": "arganno", "map": "argmap", "reconstruction": "infreco"}
"""What a sequential task starts from, and the task that asks for it."""


@dataclass(frozen=True)
class Worked:
    """A problem and a valid answer to it; ``text`` is what the problem was made of."""

    task: str
    text: str
    problem: Problem
    answer: str


@dataclass
class Made:
    """Worked examples, and what became of the texts that gave none."""

    examples: list[Worked] = field(default_factory=list)
    dropped: Counter[str] = field(default_factory=Counter)
    """``too short`` (fewer than two sentences), or the code of the finding that the judge came to first."""


def can_make(task: Task) -> bool:
    """Whether there are rules for this task; for those with several reconstructions there are none."""
    return task.target in ANSWERS and (task.given is None or GIVEN[task.given] in ANSWERS)


def make_examples(task: Task, texts: Sequence[str], number: int, seed: int, prover: Prover) -> Made:
    """Up to ``number`` worked examples, one a text, in a seeded order of the texts.

    Args:
        prover: for formalisations.
    """
    order = random.Random(f"{seed} {task.name}").sample(list(texts), len(texts))  # a text's words do not depend on the others'
    made = Made()
    candidates = _candidates(task, order, seed, made)
    while len(made.examples) < number and (batch := list(islice(candidates, min(_AT_ONCE, number - len(made.examples))))):
        verdicts = judge(task, [task.case(one.problem.source, one.answer, one.problem.reference) for one in batch], prover)
        for one, verdict in zip(batch, verdicts, strict=True):
            if verdict.name == "valid":
                made.examples.append(one)
            else:
                made.dropped[verdict.findings[0].code] += 1
    return made


def _candidates(task: Task, texts: Iterable[str], seed: int, made: Made) -> Iterator[Worked]:
    for text in texts:
        generator = random.Random(f"{seed} {text}")
        problem = make_problem(task, text)
        parts = outline(problem.source, generator)
        if not parts:
            made.dropped["too short"] += 1
            continue
        reference = ANSWERS[GIVEN[task.given]](problem.source, parts, generator) if task.given else ""
        if reference:
            reference = reference.partition("\n")[2].rpartition("\n")[0]  # without its fence
        answer = ANSWERS[task.target](problem.source, parts, generator)
        yield Worked(task.name, text, make_problem(task, text, reference), answer)
