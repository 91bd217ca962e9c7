"""What an epoch asks of a model, and what came of it: assignments, tries with their verdicts, criticism and revisions."""

from __future__ import annotations

from dataclasses import dataclass

from suasion.analysis.tasks import Problem, Task, get_task
from suasion.analysis.tasks.prompts import feedback_prompt, revision_prompt
from suasion.analysis.verification.findings import Verdict
from suasion.models.chat.engine import ChatSampling, Message


@dataclass(frozen=True)
class Critique:
    """How answers are criticised and revised where no answer to a problem is valid.

    Attributes:
        n_feedbacks: feedbacks on each invalid answer.
        n_revisions: revisions after each feedback that is tried; feedbacks are tried in turn until a revision is valid.
        feedback_sampling: how feedbacks are drawn.
        revision_sampling: how revisions are drawn.
        most: how many invalid answers of a problem are criticised, the first ones; the published recipe criticises all.
    """

    n_feedbacks: int
    n_revisions: int
    feedback_sampling: ChatSampling
    revision_sampling: ChatSampling
    most: int


@dataclass(frozen=True)
class Assignment:
    """A problem put to the model.

    Attributes:
        key: unique in the epoch, and the same whenever the epoch is resumed: ``argmap-l/0012``.
        entry: the configuration's entry that it is for: ``argmap-l``.
        task: the task's name: ``argmap``.
        problem: what is asked about.
        prompt: the first message.
        n: how many answers are wanted.
        sampling: how they are drawn; each request gets a seed of its own.
        critique: ``None`` for none: an evaluation's, say.
    """

    key: str
    entry: str
    task: str
    problem: Problem
    prompt: str
    n: int
    sampling: ChatSampling
    critique: Critique | None = None

    @property
    def declared(self) -> Task:
        """The task."""
        return get_task(self.task)


@dataclass(frozen=True)
class Try:
    """One answer, or one revision.

    Attributes:
        path: which: ``3`` is the answer of number 3, ``3.f1.r2`` the revision of number 2 after feedback 1 on it; numbers from 0.
        text: what the model said, without the run-on repetition at its end; "" where the prompt was too long for the model.
        verdict: ``None`` where the prompt was too long.
        same_as: the path of the first try of this round with the very same text; ``None``: it is the first.
        cut: how many characters of repetition were taken off.
    """

    path: str
    text: str
    verdict: Verdict | None
    same_as: str | None = None
    cut: int = 0


@dataclass(frozen=True)
class Feedback:
    """A feedback; ``revisions`` are empty where it was not tried, because an earlier one led to a valid revision."""

    path: str
    text: str
    revisions: tuple[Try, ...] = ()


@dataclass(frozen=True)
class Criticised:
    """An invalid answer with the feedbacks on it, in the order in which they were tried."""

    answer: Try
    feedbacks: tuple[Feedback, ...]


@dataclass(frozen=True)
class Outcome:
    """All that came of an assignment. ``tries`` are all draws, duplicates too: accuracy is a share of them."""

    assignment: Assignment
    tries: tuple[Try, ...]
    criticised: tuple[Criticised, ...] = ()

    @property
    def distinct(self) -> tuple[Try, ...]:
        """The tries that pairs may be made of."""
        return distinct(self.tries)


def distinct(tries: tuple[Try, ...]) -> tuple[Try, ...]:
    """Those that are judged, say something, and say it first; in their order."""
    return tuple(one for one in tries if one.verdict is not None and one.text and one.same_as is None)


def answer_chat(assignment: Assignment) -> list[Message]:
    """What an answer is asked for with: one turn."""
    return [{"role": "user", "content": assignment.prompt}]


def feedback_chat(assignment: Assignment, answer: Try) -> list[Message]:
    """What feedback on an answer is asked for with: three turns."""
    findings = answer.verdict.findings if answer.verdict else ()
    asked = feedback_prompt(assignment.declared, findings)
    return [*answer_chat(assignment), {"role": "assistant", "content": answer.text}, {"role": "user", "content": asked}]


def revision_chat(assignment: Assignment, answer: Try, feedback: str) -> list[Message]:
    """What a revision is asked for with: five turns."""
    asked = revision_prompt(assignment.declared)
    return [*feedback_chat(assignment, answer), {"role": "assistant", "content": feedback}, {"role": "user", "content": asked}]
