"""What is taken off the judge's score: for length, repetition, a missing end, an invalid answer. Never so much that a clear verdict is
turned.

Every term lies between 0 and its weight, and the weights together may not exceed the stated margin. So of two replies that the judge
separates by more than the margin, the better one stays the better one, whatever the terms say: a penalty that could turn verdicts would
be the reward (open-r1 issue 360). The judge's scores are log-odds, and so are the weights.

The judge may be an ensemble that counts disagreement against a reply: ``judge.combine=mean_minus_spread``.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from suasion.config import Config
from suasion.training.ngrams import repetition
from suasion.training.verifier_term import VerifierTerm, costs


class LengthTerm(Config):
    """Takes off ``weight`` from a reply of ``full_words``, nothing up to ``free_words``, and in between in proportion."""

    weight: float = Field(gt=0)
    free_words: int = Field(ge=0)
    full_words: int = Field(ge=1)

    @model_validator(mode="after")
    def _rises(self) -> LengthTerm:
        if self.full_words <= self.free_words:
            raise ValueError(f"full_words ({self.full_words}) must be larger than free_words ({self.free_words})")
        return self


class ShapingConfig(Config):
    """What is taken off the judge's score."""

    margin: float = Field(0.0, ge=0)
    """Replies that the judge separates by more than this (in log-odds) keep their order. The terms' weights add up to at most that."""
    length: LengthTerm | None = None
    repetition: float = Field(0.0, ge=0)
    """Weight of the share of four-word runs that a reply repeats."""
    no_end: float = Field(0.0, ge=0)
    """Taken off a reply that was cut off at the token limit."""
    verifier: VerifierTerm | None = None
    """Takes something off replies that are no valid answer to a task of argument analysis."""

    @model_validator(mode="after")
    def _within_the_margin(self) -> ShapingConfig:
        together = self.repetition + self.no_end + sum(term.weight for term in (self.length, self.verifier) if term)
        if together > self.margin * (1 + 1e-9):
            raise ValueError(
                f"the terms can take off {together:g} together and so turn the order of two replies that the judge separates by more than "
                f"margin = {self.margin:g}; lower their weights, or state a larger margin"
            )
        return self


def taken_off(
    config: ShapingConfig, premises: Sequence[str], replies: Sequence[str], whole: Sequence[bool]
) -> dict[str, NDArray[np.float64]]:
    """What each term takes off each reply, by the term's name; only terms that the configuration has.

    Args:
        whole: which replies came to their end.

    Raises:
        SuasionError: the verifier cannot be reached.
    """
    found: dict[str, NDArray[np.float64]] = {}
    if config.length:
        words = np.array([len(reply.split()) for reply in replies], dtype=np.float64)
        share = (words - config.length.free_words) / (config.length.full_words - config.length.free_words)
        found["length_penalty"] = config.length.weight * share.clip(0, 1)
    if config.repetition:
        found["repetition_penalty"] = config.repetition * np.array([repetition(reply) for reply in replies], dtype=np.float64)
    if config.no_end:
        found["no_end_penalty"] = config.no_end * ~np.asarray(whole, dtype=bool)
    if config.verifier:
        found["verifier_penalty"] = config.verifier.weight * costs(config.verifier, premises, replies)
    return found


#: The names that :func:`taken_off` knows.
TERMS = ("length_penalty", "repetition_penalty", "no_end_penalty", "verifier_penalty")
