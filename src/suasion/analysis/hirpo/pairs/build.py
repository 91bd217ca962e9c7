"""From all that came of one problem to its pairs: one pure function, seeded."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from suasion.analysis.hirpo.pairs.asked import Asked
from suasion.analysis.hirpo.pairs.failure import failure
from suasion.analysis.hirpo.pairs.pair import PreferencePair
from suasion.analysis.hirpo.pairs.revisions import revisions
from suasion.analysis.hirpo.pairs.solutions import solutions
from suasion.analysis.hirpo.tries import Outcome
from suasion.analysis.tasks import Virtue

if TYPE_CHECKING:
    import numpy as np


def build(
    outcome: Outcome, virtues: Sequence[Virtue], ask_for_invalid: Mapping[str, float], generator: np.random.Generator
) -> list[PreferencePair]:
    """The pairs of one problem.

    Where an answer is valid, pairs of the answers (:func:`~suasion.analysis.hirpo.pairs.solutions.solutions`). Where none is, those of
    self-critique (:func:`~suasion.analysis.hirpo.pairs.revisions.revisions`); where no revision is valid either, a pair of failures too.

    Args:
        outcome: answers with verdicts, criticism, revisions.
        virtues: what valid answers are compared by; empty for none.
        ask_for_invalid: code of a mistake -> upper bound of the chance that it is asked for.
        generator: see :func:`~suasion.analysis.hirpo.pairs.draws.generator_for`. Same outcome, same generator, same pairs.

    Returns:
        Pairs whose chosen side is better than the rejected one under the prompt they share. Answers that are undecided are in none.
    """
    first = Asked.of_outcome(outcome)
    if first.valid:
        return _without_doubles(solutions(first, virtues, ask_for_invalid, generator))
    criticised = (pair for one in outcome.criticised for pair in revisions(outcome, one, virtues, ask_for_invalid, generator))
    pairs = _without_doubles(criticised)
    if all(pair.kind == "failure-revision" for pair in pairs):  # nothing has succeeded anywhere
        last = failure(first, generator)
        pairs += [last] if last else []
    return pairs


def _without_doubles(pairs: Iterable[PreferencePair]) -> list[PreferencePair]:
    """Those that say something new: one chosen answer under one prompt is preferred once."""
    seen: dict[tuple[str, ...], PreferencePair] = {}
    for pair in pairs:
        seen.setdefault((pair.chosen, *(turn["content"] for turn in pair.prompt)), pair)
    return list(seen.values())
