"""The published data-generation file, as it stands, in this project's words.

Where it names classes (``argmap.ArgMapJudge``), the names are looked up: they must be of the kind that their key wants, and of one task.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import Field, PositiveInt

from suasion.analysis.hirpo.entries import Chance
from suasion.analysis.tasks import Task, resolve
from suasion.analysis.tasks.published import Kind
from suasion.analysis.tasks.task import Virtue
from suasion.config import Config
from suasion.errors import SuasionError


class _Sampling(Config):
    temperature: float | None = None
    top_p: float | None = None
    max_tokens: int | None = None
    seed: int | None = None
    extra_body: dict[str, Any] | None = None


class _Defaults(Config):
    eval_gen_kwargs: _Sampling = _Sampling()
    gen_kwargs: _Sampling = _Sampling()
    feedback_gen_kwargs: _Sampling = _Sampling()


class _Texts(Config):
    path: str
    name: str = ""
    split: str = "train"


class _Profile(Config):
    name: str
    description: str = ""
    training: tuple[_Texts, ...]
    evaluation: tuple[_Texts, ...]


class _Solutions(Config):
    n_solutions: int = 10
    n_revisions: int | None = None
    gen_kwargs: _Sampling = _Sampling()


class _Feedbacks(Config):
    n_feedbacks: int = 5
    gen_kwargs: _Sampling = _Sampling()


class _Entry(Config):
    name: str
    problem: str
    dependencies: tuple[str, ...] | None = None
    floor_weight: float = 0.0
    exercises: tuple[str, ...]
    solution: str | None = None
    solution_generator_kwargs: _Solutions = _Solutions()
    problem_generator: str | None = None
    judge: str | None = None
    max_workers: PositiveInt | None = None
    feedback_generator: str | None = None
    feedback_generator_kwargs: _Feedbacks = _Feedbacks()
    virtue_preference_pair_generator: tuple[str, ...] | str | None = None
    ask_for_invalid_probs: dict[str, Chance] = Field(default_factory=dict)


class PublishedGeneration(Config):
    """The file."""

    defaults: _Defaults = _Defaults()
    exercise_profiles: tuple[_Profile, ...]
    tasks: tuple[_Entry, ...]


def translated(given: PublishedGeneration) -> tuple[dict[str, Any], list[str]]:
    """The file as the sections ``profiles``, ``defaults`` and ``tasks`` of a recipe, and what there is to say about it.

    Raises:
        SuasionError: a name means nothing, or names do not go together; all of them are told.
    """
    wrong = [*_twice("exercise profile", [one.name for one in given.exercise_profiles]), *_twice("task", [one.name for one in given.tasks])]
    wrong += [f"{entry.name}: {told}" for entry in given.tasks for told in _mistakes(entry)]
    if wrong:
        raise SuasionError("The published configuration has names that mean nothing here:\n" + "\n".join(f"  - {one}" for one in wrong))
    defaults = {
        "answers": _set(given.defaults.gen_kwargs),
        "evaluation": _set(given.defaults.eval_gen_kwargs),
        "feedback": _set(given.defaults.feedback_gen_kwargs),
    }
    sections = {
        "profiles": {one.name: _profile(one) for one in given.exercise_profiles},
        "defaults": {use: own for use, own in defaults.items() if own},
        "tasks": {one.name: _entry(one, given.defaults) for one in given.tasks},
    }
    notices = []
    if any(one.max_workers for one in given.tasks):
        notices.append(
            "max_workers: one pool of processes judges the answers to all tasks, one process a core; the numbers are not needed."
        )
    return sections, notices


def _profile(given: _Profile) -> dict[str, Any]:
    return {
        "description": given.description,
        "training": [one.model_dump() for one in given.training],
        "evaluation": [one.model_dump() for one in given.evaluation],
    }


def _entry(given: _Entry, defaults: _Defaults) -> dict[str, Any]:
    solutions, feedbacks = given.solution_generator_kwargs, given.feedback_generator_kwargs
    entry: dict[str, Any] = {
        "task": resolve(given.problem).task.name,  # type: ignore[union-attr] # _mistakes has looked
        "dependencies": list(given.dependencies or ()),
        "floor_weight": given.floor_weight,
        "exercises": list(given.exercises),
        "n_solutions": solutions.n_solutions,
        "n_revisions": solutions.n_revisions or max(1, round(solutions.n_solutions / 2)),
        "n_feedbacks": feedbacks.n_feedbacks,
        "virtues": list(_virtues(given)),
        "ask_for_invalid": given.ask_for_invalid_probs,
    }
    for key, own, common in (
        ("sampling", solutions.gen_kwargs, defaults.gen_kwargs),
        ("feedback_sampling", feedbacks.gen_kwargs, defaults.feedback_gen_kwargs),
    ):
        if _set(own):
            entry[key] = _set(common) | _set(own)
    return entry


def _mistakes(entry: _Entry) -> Iterator[str]:
    task: Task | None = None
    wanted: dict[Kind, str | None] = {
        "problem": entry.problem,
        "problem_generator": entry.problem_generator,
        "solution": entry.solution,
        "judge": entry.judge,
        "feedback_generator": entry.feedback_generator,
    }
    for kind, name in wanted.items():
        if name is None:
            continue
        try:
            found = resolve(name)
        except SuasionError as error:
            yield f"{kind}: {error.what} {error.hint}"
            continue
        if found.kind != kind or found.task is None:
            yield f"{kind}: {name!r} is the name of a {found.kind.replace('_', ' ')}"
            continue
        task = found.task if kind == "problem" else task
        # a sequential task is judged, and answered, as its target is: infreco_from_arganno by infreco's judge
        if task and found.task.name not in (task.name, task.target):
            yield f"{kind}: {name!r} belongs to the task {found.task.name}, and the problem is of {task.name}"
    for name in _virtues(entry):
        try:
            virtue: Virtue | None = resolve(name).virtue
        except SuasionError as error:
            yield f"virtue_preference_pair_generator: {error.what} {error.hint}"
            continue
        if virtue is None or (task and virtue not in task.virtues):
            yield f"virtue_preference_pair_generator: {name!r} is no virtue of the task {task.name if task else ''}"


def _virtues(entry: _Entry) -> tuple[str, ...]:
    given = entry.virtue_preference_pair_generator
    return (given,) if isinstance(given, str) else given or ()


def _set(given: _Sampling) -> dict[str, Any]:
    return given.model_dump(exclude_none=True)


def _twice(what: str, names: list[str]) -> Iterator[str]:
    for name in dict.fromkeys(name for name in names if names.count(name) > 1):
        yield f"the {what} {name!r} stands twice"


def is_published(data: Mapping[str, Any]) -> bool:
    """Whether it is the published shape and not a recipe of this project."""
    return "exercise_profiles" in data or isinstance(data.get("tasks"), list)
