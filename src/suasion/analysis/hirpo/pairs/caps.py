"""How many pairs of each task and kind an epoch is trained on, and what the mix is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeVar

from pydantic import Field

from suasion.config import Config

if TYPE_CHECKING:
    import numpy as np

KindT = TypeVar("KindT", bound=str)


class PairsConfig(Config):
    """Caps, so that no task and no kind of pair drowns the others; 0: none."""

    most_per_task: int = Field(0, ge=0)
    """Pairs of a task's entry in an epoch; its kinds give up the same number where they have it."""
    most_per_kind: int = Field(0, ge=0)
    """Pairs of one kind of one entry."""


def kept(labels: Sequence[tuple[str, str]], caps: PairsConfig, generator: np.random.Generator) -> list[int]:
    """Which pairs the caps leave: their places, ascending. Which of one entry and kind stay is drawn.

    Args:
        labels: entry and kind of each pair; the pairs themselves need not be in memory.
    """
    places: dict[str, dict[str, list[int]]] = {}
    for place, (entry, kind) in enumerate(labels):
        places.setdefault(entry, {}).setdefault(kind, []).append(place)
    left: list[int] = []
    for _, kinds in sorted(places.items()):
        sizes = {kind: min(len(of_kind), caps.most_per_kind or len(of_kind)) for kind, of_kind in sorted(kinds.items())}
        for kind, number in _levelled(sizes, caps.most_per_task).items():
            chosen = generator.permutation(len(kinds[kind]))[:number]
            left += [kinds[kind][place] for place in chosen]
    return sorted(left)


def mix(labels: Sequence[tuple[str, KindT]]) -> dict[str, dict[KindT, int]]:
    """How many pairs there are of each entry and kind; in alphabetical order."""
    found: dict[str, dict[KindT, int]] = {}
    for entry, kind in sorted(labels):
        of_entry = found.setdefault(entry, {})
        of_entry[kind] = of_entry.get(kind, 0) + 1
    return found


def _levelled(sizes: dict[str, int], most: int) -> dict[str, int]:
    """Sizes cut to a common level so that they sum to ``most``, the small ones untouched; 0: uncut."""
    if not most or sum(sizes.values()) <= most:
        return sizes
    left, cut = most, {}
    for number, kind in enumerate(sorted(sizes, key=lambda kind: (sizes[kind], kind))):
        cut[kind] = min(sizes[kind], left // (len(sizes) - number))
        left -= cut[kind]
    return cut
