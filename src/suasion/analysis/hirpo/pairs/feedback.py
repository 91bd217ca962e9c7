"""The feedback that led to more valid revisions, preferred to one that led to fewer: to criticise well is learned too."""

from __future__ import annotations

from typing import TYPE_CHECKING

from suasion.analysis.hirpo.pairs.asked import Asked
from suasion.analysis.hirpo.pairs.draws import one_of
from suasion.analysis.hirpo.pairs.pair import PreferencePair
from suasion.analysis.hirpo.tries import Criticised, Feedback, Outcome, distinct, feedback_chat

if TYPE_CHECKING:
    import numpy as np


def feedback(outcome: Outcome, criticised: Criticised, generator: np.random.Generator) -> PreferencePair | None:
    """A pair of two feedbacks on one answer, both of which were tried; ``None`` where neither is better for certain.

    A revision that could not be decided counts against the chosen feedback and for the rejected one. A feedback that holds an answer itself
    is never the chosen one: who copies it succeeds, and nothing was learned about giving feedback.
    """
    tried = [(one, *_bounds(outcome, criticised, one)) for one in criticised.feedbacks if one.text.strip() and one.revisions]
    task = outcome.assignment.declared
    fair = [(one, low) for one, low, _ in tried if not task.case("", one.text).blocks]
    best = max((low for _, low in fair), default=0.0)
    worst = min((high for _, _, high in tried), default=0.0)
    good = [one for one, low in fair if low == best]
    poor = [one for one, _, high in tried if high == worst]
    if best <= worst:
        return None
    chosen, rejected = one_of(good, generator), one_of(poor, generator)
    if chosen.text.strip() == rejected.text.strip():
        return None
    it = outcome.assignment
    turns = tuple(feedback_chat(it, criticised.answer))
    return PreferencePair(it.key, it.entry, it.task, "feedback", turns, chosen.text, rejected.text, chosen.path, rejected.path)


def _bounds(outcome: Outcome, criticised: Criticised, one: Feedback) -> tuple[float, float]:
    """The least and the largest share of its revisions that may be valid."""
    asked = Asked.of_feedback(outcome, criticised, one)
    there = len(distinct(one.revisions))
    if not there:  # all empty, or (without a verdict) the chat had become too long to be asked at all
        return 0.0, float(any(revision.verdict is None for revision in one.revisions))
    return len(asked.valid) / there, 1 - len(asked.invalid) / there
