"""What self-critique gives: pairs of revisions, of a revision and its original, and of feedbacks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from suasion.analysis.hirpo.pairs.asked import Asked, codes_of, mistakes_of
from suasion.analysis.hirpo.pairs.draws import one_of
from suasion.analysis.hirpo.pairs.failure import failure
from suasion.analysis.hirpo.pairs.feedback import feedback
from suasion.analysis.hirpo.pairs.mistakes import mistakes
from suasion.analysis.hirpo.pairs.pair import PreferencePair
from suasion.analysis.hirpo.pairs.solutions import solutions
from suasion.analysis.hirpo.tries import Criticised, Outcome
from suasion.analysis.tasks import Virtue

if TYPE_CHECKING:
    import numpy as np

EVEN = 0.5
"""For the mirror of original against revision: there is one valid and one invalid answer."""


def revisions(
    outcome: Outcome,
    criticised: Criticised,
    virtues: Sequence[Virtue],
    ask_for_invalid: Mapping[str, float],
    generator: np.random.Generator,
) -> Iterator[PreferencePair]:
    """The pairs of one invalid answer that was criticised. Nothing where the answer is not invalid for certain.

    With a valid revision: pairs of the revisions under the whole chat, and the revision against its original under the first prompt.
    Without one: a pair of two failed revisions of the last feedback that has such a pair. Then the pair of feedbacks.
    """
    if not criticised.answer.verdict or criticised.answer.verdict.name != "invalid" or not criticised.answer.text:
        return
    rounds = [Asked.of_feedback(outcome, criticised, one) for one in criticised.feedbacks if one.revisions]
    for asked in rounds:
        if asked.valid:
            yield from solutions(asked, virtues, ask_for_invalid, generator)
            yield from _against_original(outcome, criticised, asked, ask_for_invalid, generator)
    if not any(asked.valid for asked in rounds):
        failed = (pair for asked in reversed(rounds) if (pair := failure(asked, generator)))
        yield from (pair for pair in [next(failed, None)] if pair)
    better = feedback(outcome, criticised, generator)
    if better:
        yield better


def _against_original(
    outcome: Outcome, criticised: Criticised, asked: Asked, ask_for_invalid: Mapping[str, float], generator: np.random.Generator
) -> Iterator[PreferencePair]:
    first, original, revision = Asked.of_outcome(outcome), criticised.answer, one_of(asked.valid, generator)
    yield first.pair("original-revision", revision, original, codes=codes_of(mistakes_of(original)))
    mirror = mistakes(first, revision, original, EVEN, ask_for_invalid, generator, "mistakes-original")
    if mirror:
        yield mirror
