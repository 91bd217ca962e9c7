"""An entry of the configuration: a task with its exercises, prerequisites and how it is answered; and what its names mean."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal, TypeAlias

from pydantic import Field, field_validator

from suasion.analysis.hirpo.names import nearest
from suasion.analysis.tasks import Task, Virtue, resolve
from suasion.analysis.tasks.virtues import all_virtues
from suasion.analysis.verification.blocks import KINDS
from suasion.analysis.verification.checks import all_checks
from suasion.config import Config
from suasion.errors import SuasionError
from suasion.models.chat.engine import ChatSampling

Use: TypeAlias = Literal["answers", "evaluation", "feedback"]
"""What is drawn: answers and revisions in training, answers in evaluation, feedback."""

Chance: TypeAlias = Annotated[float, Field(ge=0, le=1)]


class DefaultsConfig(Config):
    """How answers are drawn where a task does not say so itself. The numbers are those of the published run."""

    answers: ChatSampling = ChatSampling(temperature=0.8, max_tokens=8192, extra_body={"min_p": 0.05})
    evaluation: ChatSampling = ChatSampling(temperature=0.6, max_tokens=4096, top_p=0.95, extra_body={"min_p": 0.05})
    feedback: ChatSampling = ChatSampling(temperature=0.8, max_tokens=1024, extra_body={"min_p": 0.05})


class TaskConfig(Config):
    """One entry under ``tasks``; its key is its name."""

    task: str = ""
    """The task's name; "": that of the entry, without the ``-l`` of a task on longer texts."""
    dependencies: tuple[str, ...] = ()
    """Entries that must be mastered before this one."""
    floor_weight: float = Field(0.0, ge=0, le=1)
    """The least share of an epoch's problems."""
    exercises: tuple[str, ...] = Field(min_length=1)
    """Names of profiles."""
    n_solutions: int = Field(10, ge=1)
    """Answers to a problem."""
    n_feedbacks: int = Field(5, ge=0)
    """Feedbacks on an invalid answer, where no answer to the problem is valid; 0: no self-critique."""
    n_revisions: int = Field(5, ge=1)
    """Revisions after a feedback."""
    sampling: ChatSampling | None = None
    """How answers and revisions are drawn; left out: ``defaults.answers``."""
    evaluation_sampling: ChatSampling | None = None
    """Left out: ``defaults.evaluation``."""
    feedback_sampling: ChatSampling | None = None
    """Left out: ``defaults.feedback``."""
    virtues: tuple[str, ...] | None = None
    """What valid answers are compared by; left out: all virtues of the task; empty: none."""
    ask_for_invalid: dict[str, Chance] = Field(default_factory=dict)
    """Code of a mistake -> the largest chance that an answer which makes it is asked for as such. It falls as accuracy rises."""

    @field_validator("ask_for_invalid")
    @classmethod
    def _codes(cls, given: dict[str, float]) -> dict[str, float]:
        found: dict[str, float] = {}
        for name, bound in given.items():
            for code in codes_named(name):
                found[code] = min(bound, found.get(code, 1.0))
        return found

    def own(self, use: Use) -> ChatSampling | None:
        """How something is drawn for this entry alone; ``None``: as for all."""
        return {"answers": self.sampling, "evaluation": self.evaluation_sampling, "feedback": self.feedback_sampling}[use]


def task_named(entry: str, config: TaskConfig) -> Task:
    """The task of an entry. Raises SuasionError: there is none of this name; the nearest one is told."""
    found = resolve(config.task or entry)
    if found.kind != "task" or found.task is None:
        raise SuasionError(f"{found.name!r} is the name of a {found.kind.replace('_', ' ')} and not of a task.")
    return found.task


def virtues_named(task: Task, names: tuple[str, ...] | None) -> tuple[Virtue, ...]:
    """Virtues by their names, ``argmap.BalancePreferencePairGenerator`` or, where it is clear, ``BalancePreferencePairGenerator``.

    Raises:
        SuasionError: the task has no such virtue; the nearest one is told.
    """
    if names is None:
        return tuple(task.virtues)
    own = {name: virtue for name, virtue in all_virtues().items() if virtue in task.virtues}
    return tuple(_virtue(task, name, own) for name in names)


def codes_named(name: str) -> tuple[str, ...]:
    """The codes of findings that a name stands for: a code itself, or a published name such as ``HasArgdownHandler``.

    Raises:
        ValueError: it stands for none; the nearest name is told.
    """
    known = [*(check.code for check in all_checks()), *(f"{artefact}.missing" for artefact in KINDS)]
    if name in known:
        return (name,)
    try:
        found = resolve(name)
    except SuasionError:
        found = None
    if not found or found.kind != "error":
        raise ValueError(f"no mistake is called {name!r}{nearest(name, [*known, 'HasAnnotationsHandler', 'HasArgdownHandler'])}")
    return found.codes


def _virtue(task: Task, name: str, own: Mapping[str, Virtue]) -> Virtue:
    if name in own:
        return own[name]
    short = [virtue for full, virtue in own.items() if full.partition(".")[2] == name]
    if len(short) != 1:
        known = [*own, *(full.partition(".")[2] for full in own)]
        raise SuasionError(
            f"The task {task.name} has no virtue {name!r}{nearest(name, known)}", hint=f"It has: {', '.join(own) or 'none'}."
        )
    return short[0]
