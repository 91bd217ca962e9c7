"""The warm start: imitation of worked examples made by rule, so that a small model gets its first answers right at all.

HIRPO as published starts at an accuracy of zero and climbs by failure pairs and self-critique, which asks for a model that can give
feedback. A model of 135M parameters cannot; so it is shown the form first, on texts of the training split, each example accepted by the
task's own judge. The examples are mechanical (see :mod:`suasion.analysis.hirpo.examples.outline`): they teach how an answer looks.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from pydantic import Field

from suasion.analysis.hirpo.examples.make import Worked, can_make, make_examples
from suasion.analysis.hirpo.exercises import Exercises
from suasion.analysis.logic.prover import Prover
from suasion.analysis.tasks import Task
from suasion.progress import say
from suasion.training.common import EpochsConfig


class WarmStartConfig(EpochsConfig):
    """Imitation before the first epoch."""

    examples: int = Field(0, ge=0)
    """Worked examples of each entry; 0: no warm start."""
    rehearsal: float = Field(0.5, ge=0)
    """General chats (see ``rehearsal``) to each worked example."""
    learning_rate: float = Field(1e-4, gt=0)
    epochs: float = Field(1.0, gt=0)
    scheduler: Literal["linear", "cosine", "constant_with_warmup"] = "linear"
    batch_size: int = Field(4, ge=1)


def worked_examples(entries: Sequence[tuple[str, Task, Sequence[str]]], exercises: Exercises, number: int, seed: int) -> list[Worked]:
    """Up to ``number`` examples of each entry, from its training texts; one entry after the other.

    Args:
        entries: name, task, and the profiles of its exercises.

    Entries that there are no rules for get none, and it is said.
    """
    found: list[Worked] = []
    with Prover() as prover:
        for name, task, profiles in entries:
            if not can_make(task):
                say(f"WarmStart: no rules make worked examples of {name}; it starts without")
                continue
            texts = [exercise.text for profile in profiles for exercise in exercises.of(profile, "training")]
            made = make_examples(task, texts, number, seed, prover)
            found += made.examples
            dropped = ", ".join(f"{count} {why}" for why, count in made.dropped.most_common(3))
            say(f"WarmStart: {len(made.examples)} worked examples of {name}" + (f"; dropped: {dropped}" if dropped else ""))
    return found
