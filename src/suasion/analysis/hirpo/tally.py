"""What an epoch's answers were like, counted."""

from __future__ import annotations

from dataclasses import dataclass

from suasion.analysis.hirpo.tries import Outcome, Try


@dataclass
class Tally:
    """Counts over the answers, feedbacks and revisions of an epoch; ``asked`` and ``kept`` tell which part of them is new.

    Attributes:
        asked: requests that were put to the model now.
        kept: those whose answers an earlier, killed attempt had kept.
        problems: problems that are finished.
        answers: draws, of which ``duplicates`` say what an earlier one says, ``empty`` nothing, and ``loops`` lost the run-on repetition
            at their end; of ``too_long`` the prompt did not fit.
        valid, invalid, undecided: verdicts on answers; a duplicate counts again.
        feedbacks: those that were tried and those that were not.
        revisions: draws, of which ``valid_revisions`` are valid.
    """

    asked: int = 0
    kept: int = 0
    problems: int = 0
    answers: int = 0
    duplicates: int = 0
    empty: int = 0
    loops: int = 0
    too_long: int = 0
    valid: int = 0
    invalid: int = 0
    undecided: int = 0
    feedbacks: int = 0
    revisions: int = 0
    valid_revisions: int = 0

    def add(self, outcome: Outcome) -> None:
        """Count what came of a problem."""
        self.problems += 1
        for one in outcome.tries:
            self._answer(one)
        for feedback in (feedback for criticised in outcome.criticised for feedback in criticised.feedbacks):
            self.feedbacks += 1
            self.revisions += len(feedback.revisions)
            self.valid_revisions += sum(one.verdict is not None and one.verdict.name == "valid" for one in feedback.revisions)

    def _answer(self, one: Try) -> None:
        self.answers += 1
        if one.verdict is None:
            self.too_long += 1
            return
        self.duplicates += one.same_as is not None
        self.empty += not one.text
        self.loops += one.cut > 0
        setattr(self, one.verdict.name, getattr(self, one.verdict.name) + 1)
