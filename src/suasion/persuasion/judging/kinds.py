"""The recipe's section ``judge``: which kind of judge, and how it learns. Settings that do not belong to the chosen kind are refused."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from suasion.models.encoder import EncoderConfig
from suasion.persuasion.judging.augment import RrmConfig
from suasion.persuasion.judging.ensemble import Combine
from suasion.training.length_free import OdinConfig
from suasion.training.reward import RewardConfig

Kind = Literal["reward", "encoder", "shallow", "words", "sentences"]

#: Correlations over fewer replies (two a pair) than this many pairs in a batch say nothing.
_ODIN_BATCH = 4


class EncoderJudgeConfig(EncoderConfig):
    """An encoder as judge."""

    learns_from: Literal["labels", "pairs"] = "labels"
    """``labels``: single replies, awarded or not (``labelled.parquet``); ``pairs``: which of two won."""
    replies: int | None = Field(None, ge=2)
    """At most so many single replies, drawn evenly from awarded and other ones; ``null``: all."""


class JudgeConfig(RewardConfig):
    """Who judges, and how it learns.

    The training settings (``epochs`` … ``log_every``) are those of the reward model and of the encoder; the baselines have none.
    """

    kind: Kind = "reward"
    """``reward``: the base with a one-number head. ``encoder``: Longformer, ModernBERT and the like. ``shallow``, ``words``,
    ``sentences``: logistic regression on simple features, on words, on sentence embeddings."""
    seeds: int = Field(1, ge=1, le=16)
    """Trainings from so many seeds (the recipe's seed, the next, …); more than one make an ensemble."""
    combine: Combine = "mean"
    """How an ensemble scores: ``mean``, or ``mean_minus_spread``: less the members' standard deviation, so that a reply they disagree
    about is worth less to a writer (Coste et al. 2023, arXiv:2310.02743)."""
    length_free: Literal["off", "odin", "rrm"] = "off"
    """``odin``: a second head takes up length and is thrown away. ``rrm``: replies from other debates take part, so that nothing about a
    text alone, its length included, tells who wins."""
    odin: OdinConfig = OdinConfig()
    rrm: RrmConfig = RrmConfig()
    encoder: EncoderJudgeConfig = EncoderJudgeConfig()

    @model_validator(mode="after")
    def _belong_together(self) -> JudgeConfig:
        wrong = self._of_another_kind()
        if self.kind in ("shallow", "words", "sentences") and self.seeds > 1:
            wrong.append(f"a judge of kind '{self.kind}' comes out the same from every seed: judge.seeds must be 1")
        if self.combine != "mean" and self.seeds == 1:
            wrong.append("judge.combine needs several judge.seeds")
        if self.odin != OdinConfig() and self.length_free != "odin":
            wrong.append("judge.odin needs judge.length_free: odin")
        if self.rrm != RrmConfig() and self.length_free != "rrm":
            wrong.append("judge.rrm needs judge.length_free: rrm")
        if self.length_free == "odin" and self.batch_size < _ODIN_BATCH:
            wrong.append(f"judge.length_free: odin measures correlations within a batch and needs judge.batch_size >= {_ODIN_BATCH}")
        if wrong:
            raise ValueError("; ".join(wrong))
        return self

    def _of_another_kind(self) -> list[str]:
        """Settings that were changed although the chosen kind has no use for them."""
        defaults = RewardConfig()
        own = {"margin": self.margin != defaults.margin, "label_smoothing": self.label_smoothing != defaults.label_smoothing}
        own |= {"center_rewards": self.center_rewards != defaults.center_rewards, "length_free": self.length_free != "off"}
        changed = [f"judge.{name}" for name, differs in own.items() if differs and self.kind != "reward"]
        wrong = [f"{', '.join(changed)} belong(s) to kind 'reward', not to '{self.kind}'"] if changed else []
        if self.encoder != EncoderJudgeConfig() and self.kind != "encoder":
            wrong.append(f"judge.encoder belongs to kind 'encoder', not to '{self.kind}'")
        return wrong
