"""How pairs are made: every choice of the section ``pairs`` of a recipe."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field, model_validator

from suasion.config import Config
from suasion.persuasion.mining.cleaning.texts import PREMISE_WORDS, CleaningConfig


class ColumnsConfig(Config):
    """Which columns of a ready table hold what. A name left out is looked for under the usual ones."""

    prompt: str | None = None
    title: str | None = None
    chosen: str | None = None
    rejected: str | None = None
    split: str | None = None
    debate_id: str | None = None
    winner_id: str | None = None
    loser_id: str | None = None
    winner_author: str | None = None
    loser_author: str | None = None
    author: str | None = None
    """Of the post."""


class LengthBias(Config):
    """A length bias put into pairs on purpose; see :mod:`suasion.persuasion.mining.pairs.length_bias`."""

    longer_wins: float = Field(ge=0, le=1)
    """Share of the pairs of every split in which the winner is the longer one; 0.5: length tells nothing."""
    cut_to: float | None = Field(None, gt=0, lt=1)
    """``null``: pairs are left out until the share is reached. A number: of every pair one reply is cut to its first sentences, at most
    this share of the other's words."""


class PairsConfig(Config):
    """How pairs are made out of mined debates or of a ready table of pairs."""

    by: Literal["author", "anyone"] = "author"
    """Whose awards make a winner: only the post's author's, or anybody's."""
    unit: Literal["root", "comment", "path"] = "root"
    """Replies to the post itself; comments of any depth, with the turns above them in the prompt; or all that a challenger wrote,
    from the reply to the post down to the comment that won, as one text."""
    min_words: int = Field(50, ge=1)
    max_words: int = Field(600, ge=1)
    length_caliper: float = Field(0.2, ge=0)
    """The most that ``|ln(winner's length / loser's length)|`` may be."""
    max_pairs_per_winner: int = Field(1, ge=1)
    matching: Literal["optimal", "any", "none"] = "optimal"
    """``any`` puts a winner beside any loser of its debate, however long, and balances nothing: the length trap, to show what matching is
    for. ``none`` keeps every pair that the source itself states as it stands: for a source of ready pairs, as an external benchmark."""
    bias: LengthBias | None = None
    """Only with ``matching: any``: a length bias of a stated degree, to study what it does to a judge and to a writer."""
    validation: float = Field(0.1, ge=0, lt=1)
    test: float = Field(0.2, ge=0, lt=1)
    split_by: Literal["random", "time"] = "random"
    near_duplicate: float = Field(0.8, gt=0, le=1)
    """Texts whose word 5-grams overlap by this much (Jaccard) count as the same text."""
    premise_words: int = Field(PREMISE_WORDS, ge=1)
    opt_out: tuple[str, ...] = ()
    """Authors' names, and ids of posts and comments, that are to be left out."""
    opt_out_file: Path | None = None
    """More of them, one a line, ``#`` before a comment: so that names need not stand in the recipe."""
    columns: ColumnsConfig = ColumnsConfig()
    cleaning: CleaningConfig = CleaningConfig()

    @model_validator(mode="after")
    def _agree(self) -> PairsConfig:
        if self.min_words > self.max_words:
            raise ValueError(f"min_words ({self.min_words}) is more than max_words ({self.max_words})")
        if self.bias and self.matching != "any":
            raise ValueError(f"bias puts length into pairs, and matching={self.matching} does not let it; set matching to any")
        if self.validation + self.test >= 1:
            raise ValueError("validation and test together leave nothing for train")
        return self
