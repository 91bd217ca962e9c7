"""Valid against invalid: the pair that teaches a task once it succeeds now and then. Raw answers, with whatever reasoning is in them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from suasion.analysis.hirpo.pairs.asked import Asked, codes_of, mistakes_of
from suasion.analysis.hirpo.pairs.draws import one_of
from suasion.analysis.hirpo.pairs.pair import PreferencePair

if TYPE_CHECKING:
    import numpy as np


def validity(asked: Asked, generator: np.random.Generator) -> PreferencePair | None:
    """One of the valid answers, preferred to one of the invalid ones; ``None`` where there is no valid or no invalid one."""
    if not asked.valid or not asked.invalid:
        return None
    chosen, rejected = one_of(asked.valid, generator), one_of(asked.invalid, generator)
    return asked.pair(asked.kind("validity", "validity-revision"), chosen, rejected, codes=codes_of(mistakes_of(rejected)))
