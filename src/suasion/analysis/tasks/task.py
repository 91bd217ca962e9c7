"""What a task is: artefacts, checks, virtues, a worked example, in one declaration that prompt, judge, service and docs share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from suasion.analysis.verification.case import ArtefactName, Case
from suasion.analysis.verification.check import Check


@dataclass(frozen=True, slots=True)
class Virtue:
    """A score among valid answers, and the hint that asks for it.

    Attributes:
        name: as published, ``BalancePreferencePairGenerator``; the file it stands in makes it ``argmap.BalancePreferencePairGenerator``.
        hint: a sentence for the prompt: what is wished for.
        score: more is better; finite for every answer, never raises. Only the order of scores within one problem means anything.
        tasks: whose answers it is for, besides the task that the file is named after.
    """

    name: str
    hint: str
    score: Callable[[Case], float]
    tasks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Example:
    """A worked example that the task's own judge accepts."""

    source: str
    answer: str
    reference: str = ""


@dataclass(frozen=True, slots=True)
class Task:
    """One task.

    Attributes:
        name: ``argmap``. In ``infreco_from_arganno`` the part before ``_from_`` is the target, whose rules hold.
        goal: what the answer is, as a request in one sentence: "Draw an argument map of the text."
        artefacts: what is asked for, in order.
        checks: every rule that the judge enforces; the prompt renders their requirements.
        virtues: scores among valid answers.
        example: a worked one.
        given: what a sequential task starts from; ``None``: the source text alone.
        shows_source: whether the source is shown beside what is given.
    """

    name: str
    goal: str
    artefacts: tuple[ArtefactName, ...]
    checks: Sequence[Check]
    virtues: Sequence[Virtue]
    example: Example
    given: ArtefactName | None = None
    shows_source: bool = True

    @property
    def target(self) -> str:
        """The task whose rules hold: ``infreco`` for ``infreco_from_arganno``."""
        return self.name.partition("_from_")[0]

    @property
    def formal(self) -> bool:
        """Whether reconstructions are formalised."""
        return self.target.endswith("logreco")

    def case(self, source: str, answer: str, reference: str = "") -> Case:
        """An answer as checks, virtues and scores look at it."""
        return Case(answer, source, reference, self.artefacts)
