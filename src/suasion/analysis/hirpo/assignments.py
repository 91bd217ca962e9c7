"""From the curriculum's counts to problems put to the model; and the inputs that sequential tasks start from."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from suasion.analysis.hirpo.examples.make import GIVEN, can_make, make_examples
from suasion.analysis.hirpo.exercises import Exercise, Exercises, Split
from suasion.analysis.hirpo.settings import HirpoConfig
from suasion.analysis.hirpo.tries import Assignment, Critique, Outcome
from suasion.analysis.logic.prover import Prover
from suasion.analysis.tasks import Problem, Task, get_task, make_problem
from suasion.analysis.tasks.prompts import problem_prompt, styles
from suasion.errors import SuasionError


@dataclass(frozen=True)
class Chosen:
    """A text chosen for an entry; ``key`` is unique in its epoch and the same whenever the epoch is resumed."""

    key: str
    entry: str
    exercise: Exercise


def choose(config: HirpoConfig, exercises: Exercises, counts: Mapping[str, int], split: Split, seed: str) -> list[Chosen]:
    """Texts for each entry, drawn without repetition; where there are fewer than wanted, each is taken equally often.

    Args:
        counts: entry -> number of problems.
        seed: of the draw: other epochs draw other texts.
    """
    chosen = []
    for entry, number in counts.items():
        pool = [one for profile in config.tasks[entry].exercises for one in exercises.of(profile, split)]
        draw = random.Random(f"{seed} {entry}")
        texts: list[Exercise] = []
        while len(texts) < number:
            texts += draw.sample(pool, min(len(pool), number - len(texts)))
        chosen += [Chosen(f"{entry}/{place:04}", entry, exercise) for place, exercise in enumerate(texts)]
    return chosen


def for_training(config: HirpoConfig, chosen: Iterable[Chosen], inputs: Mapping[str, tuple[str, bool]], seed: str) -> list[Assignment]:
    """The epoch's assignments.

    Args:
        inputs: key -> what a sequential task starts from, and whether it is flawed; a key that needs one and has none is left out.
        seed: of the prompts' styles.
    """
    made = []
    for one in chosen:
        entry = config.tasks[one.entry]
        task = config.task_of(one.entry)
        problem = _problem(task, one, inputs)
        if problem is None:
            continue
        answers = config.sampling_of(one.entry, "answers")
        critique = None
        if entry.n_feedbacks:
            feedback = config.sampling_of(one.entry, "feedback")
            critique = Critique(entry.n_feedbacks, entry.n_revisions, feedback, answers, most=entry.n_solutions)
        prompt = problem_prompt(task, problem, style_of(config, f"{seed} {one.key}"))
        made.append(Assignment(one.key, one.entry, task.name, problem, prompt, entry.n_solutions, answers, critique))
    return made


def for_inputs(config: HirpoConfig, chosen: Iterable[Chosen], seed: str) -> list[Assignment]:
    """What has to be asked first: for each text of a sequential task the artefact that it starts from, asked for as its own task."""
    made = []
    for one in chosen:
        task = config.task_of(one.entry)
        if task.given is None:
            continue
        asked = get_task(GIVEN[task.given])
        known = next((name for name in config.tasks if config.task_of(name) is asked), None)
        sampling = config.sampling_of(known, "answers") if known else config.defaults.answers
        number = config.tasks[known].n_solutions if known else config.tasks[one.entry].n_solutions
        problem = make_problem(asked, one.exercise.text)
        prompt = problem_prompt(asked, problem, style_of(config, f"{seed} {one.key} input"))
        made.append(Assignment(one.key, known or one.entry, asked.name, problem, prompt, number, sampling))
    return made


def inputs_of(found: Iterable[Outcome]) -> dict[str, tuple[str, bool]]:
    """The inputs, by key: the first valid answer's artefact, else that of the first answer that has one, which then is flawed."""
    inputs = {}
    for outcome in found:
        task = outcome.assignment.declared
        valid = [one for one in outcome.distinct if one.verdict is not None and one.verdict.name == "valid"]
        for one in (*valid[:1], *outcome.distinct):
            snippet = task.case(outcome.assignment.problem.source, one.text).snippets
            if snippet.strip():
                inputs[outcome.assignment.key] = snippet, not valid
                break
    return inputs


def for_evaluation(config: HirpoConfig, exercises: Exercises, seed: str) -> list[Assignment]:
    """The problems that every state of the model is measured on: the same texts, prompts and draws each time, so that states can be
    compared problem by problem.

    What sequential tasks start from is made by rule here (see :mod:`suasion.analysis.hirpo.examples.outline`), not by the model: else a
    state would be measured on what it made itself.

    Raises:
        SuasionError: no text of an entry gives an input.
    """
    made = []
    with Prover() as prover:
        for name, entry in config.tasks.items():
            task = config.task_of(name)
            pool = [one for profile in entry.exercises for one in exercises.of(profile, "evaluation")]
            chosen = choose(config, exercises, {name: len(pool)}, "evaluation", seed)
            inputs = _by_rule(task, chosen, prover) if task.given else {}
            kept = [one for one in chosen if not task.given or one.key in inputs][: config.evaluation.problems]
            if not kept:
                raise SuasionError(f"No evaluation text of {name} gives it something to start from.", hint="Add longer texts.")
            sampling = config.sampling_of(name, "evaluation")
            for one in kept:
                problem = _problem(task, one, inputs)
                assert problem is not None  # noqa: S101
                prompt = problem_prompt(task, problem, style_of(config, f"{seed} {one.key}"))
                made.append(Assignment(one.key, name, task.name, problem, prompt, config.evaluation.n_solutions, sampling))
    return made


def style_of(config: HirpoConfig, seed: str) -> str:
    """A style of those that the recipe allows, by lot."""
    return random.Random(seed).choice(config.styles or styles())


def _problem(task: Task, one: Chosen, inputs: Mapping[str, tuple[str, bool]]) -> Problem | None:
    if task.given is None:
        return make_problem(task, one.exercise.text)
    if one.key not in inputs:
        return None
    reference, flawed = inputs[one.key]
    return make_problem(task, one.exercise.text, reference, flawed)


def _by_rule(task: Task, chosen: Sequence[Chosen], prover: Prover) -> dict[str, tuple[str, bool]]:
    assert task.given is not None  # noqa: S101
    asked = get_task(GIVEN[task.given])
    if not can_make(asked):
        return {}
    made = make_examples(asked, [one.exercise.text for one in chosen], len(chosen), 0, prover)
    artefact = {one.text: asked.case(one.problem.source, one.answer).snippets for one in made.examples}
    return {one.key: (artefact[one.exercise.text], False) for one in chosen if one.exercise.text in artefact}
