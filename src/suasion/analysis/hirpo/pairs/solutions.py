"""Pairs of answers to one question of which at least one is valid: by virtue where most succeed, by validity where many fail."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from suasion.analysis.hirpo.pairs.asked import Asked
from suasion.analysis.hirpo.pairs.mistakes import mistakes
from suasion.analysis.hirpo.pairs.pair import PreferencePair
from suasion.analysis.hirpo.pairs.validity import validity
from suasion.analysis.hirpo.pairs.virtue import virtue
from suasion.analysis.tasks import Virtue

if TYPE_CHECKING:
    import numpy as np


def solutions(
    asked: Asked, virtues: Sequence[Virtue], ask_for_invalid: Mapping[str, float], generator: np.random.Generator
) -> list[PreferencePair]:
    """With m the share of valid answers: with probability m⁴ a pair by virtue alone; else, or where no virtue tells two answers apart, a
    pair by validity, and perhaps its mirror. Where all are valid there can be no pair by validity."""
    if float(generator.random()) < asked.share_valid**4:
        better = virtue(asked, virtues, generator)
        if better:
            return [better]
    pair = validity(asked, generator)
    if not pair:
        return []
    by_path = {one.path: one for one in (*asked.valid, *asked.invalid)}
    valid, invalid = by_path[pair.chosen_path], by_path[pair.rejected_path]
    mirror = mistakes(asked, valid, invalid, asked.share_valid, ask_for_invalid, generator)
    return [pair, mirror] if mirror else [pair]
