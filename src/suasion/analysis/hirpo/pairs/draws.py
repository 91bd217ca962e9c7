"""Random choices of pair building: each follows from the generator and the order of what is chosen from, nothing else."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    import numpy as np

T = TypeVar("T")


def generator_for(seed: int, key: str) -> np.random.Generator:
    """A generator of an assignment's own: its pairs do not depend on which others are built, nor in which order."""
    import numpy as np

    return np.random.default_rng([seed, int.from_bytes(hashlib.sha256(key.encode("utf-8", "surrogatepass")).digest()[:8])])


def one_of(things: Sequence[T], generator: np.random.Generator) -> T:
    """One of them, each as likely."""
    return things[int(generator.integers(len(things)))]


def shuffled(things: Sequence[T], generator: np.random.Generator) -> list[T]:
    """All of them in a random order."""
    return [things[place] for place in generator.permutation(len(things))]
