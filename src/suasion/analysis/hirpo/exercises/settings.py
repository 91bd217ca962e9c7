"""Where exercises come from, as a recipe says it."""

from __future__ import annotations

from pydantic import Field, model_validator

from suasion.config import Config


class SourceConfig(Config):
    """Texts in one place."""

    path: str
    """A data set's id on the hub (``OWNER/NAME``); or a file (``.jsonl``, ``.parquet``, ``.txt``, ``.md``), a folder of texts, what
    ``suasion mine`` or ``suasion pairs`` wrote. Relative paths are from where the command is run."""
    name: str = ""
    """The data set's configuration, where it has several."""
    split: str = ""
    """Of a data set: its split, ``train`` if none is named. Of a folder: the table of this name in it, ``train.parquet``."""
    revision: str = "main"
    """Of a data set: branch, tag or commit."""
    column: str = ""
    """That holds the text. "": the first of the usual names that there is."""
    where: dict[str, str | int | bool] = Field(default_factory=dict)
    """Only rows that have these values in these columns: ``{lang: en}``."""
    group: str = ""
    """A column whose equals stay on one side when texts are parted for training and evaluation: a topic, say."""


class ProfileConfig(Config):
    """A sort of exercises."""

    description: str = ""
    training: tuple[SourceConfig, ...] = Field(min_length=1)
    evaluation: tuple[SourceConfig, ...] = ()
    """Empty: ``evaluation_share`` of the training texts is kept for it."""
    evaluation_share: float = Field(0.1, gt=0, lt=1)
    """Only where there are no sources for evaluation."""
    least_words: int = Field(0, ge=0)
    """Shorter texts are left out."""
    most_words: int | None = Field(None, ge=1)
    """Longer texts are left out."""

    @model_validator(mode="after")
    def _agrees(self) -> ProfileConfig:
        if self.evaluation and self.evaluation_share != type(self).model_fields["evaluation_share"].default:
            raise ValueError("evaluation_share has no effect where there are sources for evaluation")
        if self.most_words is not None and self.most_words < self.least_words:
            raise ValueError(f"no text has at least {self.least_words} and at most {self.most_words} words")
        return self
