"""The better of two valid answers, under a prompt that asks for what makes it better."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from suasion.analysis.hirpo.pairs.asked import Asked
from suasion.analysis.hirpo.pairs.draws import one_of, shuffled
from suasion.analysis.hirpo.pairs.pair import PreferencePair
from suasion.analysis.tasks import Virtue
from suasion.analysis.tasks.prompts import with_hints

if TYPE_CHECKING:
    import numpy as np

_BETTER = 1e-9
"""Scores that differ by less are equal: sums in another order."""


def virtue(asked: Asked, virtues: Sequence[Virtue], generator: np.random.Generator) -> PreferencePair | None:
    """One of the answers that have most of a virtue, preferred to one that has less; of the first virtue, in a random order, that tells any
    two apart. ``None`` where none does, or fewer than two are valid."""
    if len(asked.valid) < 2:
        return None
    task, problem = asked.assignment.declared, asked.assignment.problem
    cases = [task.case(problem.source, one.text, problem.reference) for one in asked.valid]
    for wished in shuffled(virtues, generator):
        scores = [wished.score(case) for case in cases]
        best = max(scores)
        most = [one for one, score in zip(asked.valid, scores, strict=True) if score >= best - _BETTER]
        less = [one for one, score in zip(asked.valid, scores, strict=True) if score < best - _BETTER]
        if less:
            turns = asked.turns_with(with_hints(asked.turns[-1]["content"], [wished.hint]))
            kind = asked.kind("virtue", "virtue-revision")
            return asked.pair(kind, one_of(most, generator), one_of(less, generator), turns, virtue=wished.name)
    return None
