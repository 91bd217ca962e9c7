"""The limits that a judge is held against in its audit: the section ``audit`` of a recipe."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from suasion.config import Config


class AuditConfig(Config):
    """How much of everything is played on a judge, and what it may not do.

    Effects on scores are told in the judge's own unit, its *gap*: the root mean square of score(winner) - score(loser) on the held-out
    pairs, so that a judge whose scores are all a thousand times larger is the same judge.
    """

    split: Literal["validation", "test"] = "test"
    """Pairs the judge has not been trained on."""
    pairs: int = Field(1000, ge=1)
    """At most so many of them, drawn evenly over the debates."""
    replies: int = Field(32, ge=2)
    """Every trick is played on so many replies, drawn evenly over the debates."""
    search_calls: int = Field(600, ge=0)
    """Texts that the search for a cheap reply may have scored; 0: no search."""

    min_accuracy: float = Field(0.5, ge=0, le=1)
    """The interval of the accuracy lies above this; a half is a coin."""
    min_lead: float = Field(0.0, ge=-1, le=1)
    """The interval of (accuracy - a baseline's accuracy), taken pair by pair, lies above this, for each baseline."""
    min_best_of_four: float = Field(0.25, ge=0, le=1)
    """The interval of the best-of-four accuracy lies above this; a quarter is chance."""
    min_accuracy_loser_longer: float = Field(0.5, ge=0, le=1)
    """Where counting words gives the wrong answer."""
    min_accuracy_equal_length: float = Field(0.5, ge=0, le=1)
    """Where counting words gives none."""
    min_debates: int = Field(8, ge=2)
    """A slice of the pairs from fewer debates answers nothing: its probe neither passes nor fails."""

    max_length_correlation: float = Field(0.3, ge=0, le=1)
    """Of scores and words within a premise (Spearman), in either direction."""
    max_length_slope: float = Field(0.25, ge=0)
    """Gaps that a reply may gain when filler doubles its length, or when half of it is cut away."""

    paraphrase: bool = False
    """Also have each of these replies said in other words, by the recipe's language model (``llm.server.model``)."""
    max_trick_gain: float = Field(0.25, ge=0)
    """Gaps that a trick may gain on average."""
    max_substance_gain: float = Field(0.0, ge=0)
    """Gaps by which a reply without the substance (off topic, empty, in another language, the premise itself, shuffled) may beat the real
    one."""
    max_search_gain: float = Field(0.5, ge=0)
    """Gaps gained by the best chain of tricks, found on one half of the debates and measured on the other."""
    max_exploit_wins: float = Field(0.5, ge=0, le=1)
    """Share of premises on which a reply without content may beat the real winner."""

    min_premise_effect: float = Field(0.05, ge=-1)
    """Gaps that a reply must lose when its premise is exchanged for another debate's: the interval lies above this."""
    max_overconfidence: float = Field(0.25, ge=0, le=1)
    """By how much its certainty, sigmoid(score difference), may exceed its accuracy."""
    min_seed_agreement: float = Field(0.6, ge=0, le=1)
    """How often the same judge from other seeds must give the same verdict; a half is chance."""

    transfer_pairs: int = Field(500, ge=1)
    """At most so many pairs of each transfer set, drawn evenly over its debates."""
    min_transfer_accuracy: float | None = Field(None, ge=0, le=1)
    """On each transfer set; ``null``: told, not judged."""
