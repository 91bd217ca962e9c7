"""A judge out of the folder it was saved in, whatever its kind: ``judge.json`` says which, and is written last."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field, model_validator

from suasion.config import Config, validate
from suasion.errors import SuasionError
from suasion.files import read_json, write_json
from suasion.models.base import Base
from suasion.models.encoder import EncoderJudge
from suasion.models.rendering import Renderer
from suasion.models.reward_model import RewardModel
from suasion.persuasion.judging.baselines.fit import load_baseline
from suasion.persuasion.judging.ensemble import Combine, Ensemble
from suasion.persuasion.judging.judge import Judge

JUDGE_FILE = "judge.json"


class EncoderCard(Config):
    """What a saved encoder is told by: where it started, what was saved, and how much it reads."""

    model: str
    revision: str
    started_from: dict[str, str]
    """Lock of the encoder it was trained from."""
    lock: dict[str, str]
    """Lock of what lies in ``encoder/``; anything else there is refused."""
    max_tokens: int = Field(ge=1)
    premise_words: int = Field(ge=1)


class EnsembleCard(Config):
    """An ensemble's members lie in ``member-1/``, ``member-2/``, …, each a judge of its own, each with its level."""

    combine: Combine
    levels: tuple[float, ...] = Field(min_length=1)


class JudgeCard(Config):
    """``judge.json``."""

    kind: Literal["reward", "encoder", "shallow", "words", "sentences", "ensemble"]
    encoder: EncoderCard | None = None
    ensemble: EnsembleCard | None = None

    @model_validator(mode="after")
    def _has_its_section(self) -> JudgeCard:
        if (self.encoder is not None, self.ensemble is not None) != (self.kind == "encoder", self.kind == "ensemble"):
            raise ValueError(f"the kind '{self.kind}' and the sections do not belong together")
        return self


def save_card(folder: Path, card: JudgeCard) -> Path:
    """Write ``judge.json``: from now on the folder holds a whole judge."""
    return write_json(folder / JUDGE_FILE, card.model_dump(mode="json", exclude_none=True))


def load_card(folder: Path) -> JudgeCard:
    """Read ``judge.json``. Raises SuasionError where it is absent or makes no sense."""
    if not (folder / JUDGE_FILE).is_file():
        raise SuasionError(
            f"There is no judge here ({JUDGE_FILE}).", where=folder, hint="Make one with `suasion judge`; see `suasion runs list`."
        )
    return validate(read_json(folder / JUDGE_FILE), JudgeCard, where=folder / JUDGE_FILE)


def load_judge(folder: Path, base: Base | None, renderer: Renderer | None, label: str = "") -> Judge:
    """A saved judge, ready to score; it gives the very scores it gave when it was saved.

    Args:
        folder: of its run.
        base: the starting model, for the kinds that stand on it (``reward``, ``sentences``); ``renderer`` likewise.
        label: of a progress line, for long work; none is shown without.

    Raises:
        SuasionError: it is absent or not whole, its weights are not those that were saved, or it was trained on another base.
    """
    card = load_card(folder)
    if card.ensemble is not None:
        members = tuple(
            load_judge(folder / member_name(number), base, renderer, label) for number in range(1, len(card.ensemble.levels) + 1)
        )
        return Ensemble(members, card.ensemble.levels, card.ensemble.combine)
    if card.encoder is not None:
        told = card.encoder
        return EncoderJudge.load(folder / "encoder", told.lock, told.max_tokens, told.premise_words, label=label)
    if card.kind in ("shallow", "words"):
        return load_baseline(folder / "baseline")
    if base is None or renderer is None:
        raise SuasionError(f"A judge of kind '{card.kind}' stands on a base, and none is given.", where=folder)
    if card.kind == "sentences":
        from suasion.models.embedding import Embedder

        return load_baseline(folder / "baseline", Embedder(base, renderer))
    return RewardModel.load(folder / "adapter", base, renderer, label=label)


def member_name(number: int) -> str:
    """The folder of an ensemble's member, counted from 1."""
    return f"member-{number}"
