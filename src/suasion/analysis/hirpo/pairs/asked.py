"""The answers to one question, as pairs are made of them: what was asked, who is valid, who is not. Nobody else is there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from suasion.analysis.hirpo.pairs.pair import Kind, PreferencePair
from suasion.analysis.hirpo.tries import Assignment, Criticised, Feedback, Outcome, Try, answer_chat, distinct, revision_chat
from suasion.analysis.verification.findings import Finding
from suasion.models.chat.engine import Message


@dataclass(frozen=True)
class Asked:
    """One question and the answers to it.

    Attributes:
        assignment: what it is about.
        turns: the question: all turns up to the user's last.
        tries: the answers. Empty ones, doubles and those that nobody could decide on are in no pair.
        revised: whether the answers are revisions.
    """

    assignment: Assignment
    turns: tuple[Message, ...]
    tries: tuple[Try, ...]
    revised: bool = False

    @classmethod
    def of_outcome(cls, outcome: Outcome) -> Asked:
        """The first answers."""
        return cls(outcome.assignment, tuple(answer_chat(outcome.assignment)), outcome.tries)

    @classmethod
    def of_feedback(cls, outcome: Outcome, criticised: Criticised, feedback: Feedback) -> Asked:
        """The revisions after a feedback."""
        turns = tuple(revision_chat(outcome.assignment, criticised.answer, feedback.text))
        return cls(outcome.assignment, turns, feedback.revisions, revised=True)

    @cached_property
    def valid(self) -> tuple[Try, ...]:
        """Those that the task's judge accepts."""
        return tuple(one for one in distinct(self.tries) if one.verdict and one.verdict.name == "valid")

    @cached_property
    def invalid(self) -> tuple[Try, ...]:
        """Those that something is wrong with for certain."""
        return tuple(one for one in distinct(self.tries) if one.verdict and one.verdict.name == "invalid")

    @property
    def share_valid(self) -> float:
        """Of those that are decided; 0 where none is."""
        decided = len(self.valid) + len(self.invalid)
        return len(self.valid) / decided if decided else 0.0

    def turns_with(self, last: str) -> tuple[Message, ...]:
        """The question with other words in the last turn."""
        return (*self.turns[:-1], {"role": "user", "content": last})

    def kind(self, first: Kind, revised: Kind) -> Kind:
        """The kind for first answers, or for revisions."""
        return revised if self.revised else first

    def pair(self, kind: Kind, chosen: Try, rejected: Try, turns: Sequence[Message] | None = None, **more: Any) -> PreferencePair:
        """A pair of two tries."""
        it = self.assignment
        return PreferencePair(
            it.key, it.entry, it.task, kind, tuple(turns or self.turns), chosen.text, rejected.text, chosen.path, rejected.path, **more
        )


def mistakes_of(one: Try) -> tuple[Finding, ...]:
    """What is wrong with a try for certain; what could not be decided is left out."""
    return tuple(finding for finding in one.verdict.findings if not finding.undecided) if one.verdict else ()


def with_parents(code: str) -> tuple[str, ...]:
    """A finding's code, and those that may be its check's: ``annotation.source.missing`` is of the check ``annotation.source``."""
    parts = code.split(".")
    return tuple(".".join(parts[:number]) for number in range(len(parts), 1, -1))


def codes_of(findings: Sequence[Finding]) -> tuple[str, ...]:
    """The codes of findings, each once."""
    return tuple(dict.fromkeys(finding.code for finding in findings))
