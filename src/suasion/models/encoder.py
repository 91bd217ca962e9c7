"""An encoder with a one-number head (Longformer, ModernBERT, …): where it comes from, what it reads, and how it scores.

An encoder is another model than the base, so the base lock says nothing about it. It has a lock of its own: what it started from is an
input of the judge's run, and a saved judge is loaded only where its weights and tokenizer are the ones that were saved.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import Field

from suasion.config import Config
from suasion.errors import SuasionError
from suasion.files import read_json
from suasion.models.base import BaseConfig, cache_folder, model_folder
from suasion.models.loading import device, quiet_about_the_new_head
from suasion.models.lock import base_lock
from suasion.models.rendering import broken_up, cut_words, special_pattern
from suasion.models.scoring import Scores, score_rows
from suasion.progress import track
from suasion.runs.lineage import differing

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

#: Their positions are counted from behind the padding token's id, so the table of positions has that many places fewer.
_COUNTS_FROM_PADDING = ("roberta", "longformer", "xlm-roberta", "camembert", "xlm-roberta-xl", "bigbird_pegasus")


class EncoderConfig(Config):
    """The encoder a judge starts from."""

    model: str = "allenai/longformer-base-4096"
    """A local folder or a hub id; weights in safetensors. Its own fingerprint is kept, apart from the base's."""
    revision: str = "main"
    max_tokens: int | None = Field(None, ge=16)
    """Premise and reply together; ``null``: all the model can take (4,096 for Longformer). What is longer is cut, and counted."""


@dataclass(frozen=True)
class Encoder:
    """An encoder's files, tokenizer and lock. ``folder`` is local; ``limit`` is the most tokens of premise and reply together."""

    folder: Path
    tokenizer: PreTrainedTokenizerBase
    lock: Mapping[str, str]
    limit: int
    premise_words: int

    @cached_property
    def _special(self) -> re.Pattern[str]:
        return special_pattern(self.tokenizer)

    def read(self, premise: str, reply: str) -> tuple[list[int], bool]:
        """Ids of premise and reply as a pair of texts (the model's own separators between them), and whether they had to be cut.

        The longer of the two is cut first. No special token can be spelled in either text.
        """
        premise = broken_up(self._special, cut_words(premise, self.premise_words))
        reply = broken_up(self._special, reply.strip())
        ids = list(self.tokenizer(premise, reply, verbose=False)["input_ids"])
        if len(ids) <= self.limit:
            return ids, False
        return list(self.tokenizer(premise, reply, truncation="longest_first", max_length=self.limit)["input_ids"]), True

    def saved_as(self, folder: Path) -> Encoder:
        """The same encoder, trained, where it was saved."""
        return open_encoder(folder, self.limit, self.premise_words)


def resolve_encoder(config: EncoderConfig, premise_words: int) -> Encoder:
    """Find an encoder, load its tokenizer and compute its lock; no weights are loaded.

    Raises:
        SuasionError: it is not there, has no safetensors weights, no tokenizer or no padding token.
    """
    folder = model_folder(BaseConfig(model=config.model, revision=config.revision), "judge.encoder.model")
    return open_encoder(folder, config.max_tokens, premise_words)


def open_encoder(folder: Path, max_tokens: int | None, premise_words: int) -> Encoder:
    """An encoder that lies in a folder. Raises as :func:`resolve_encoder`."""
    from transformers import AutoTokenizer

    try:
        tokenizer = AutoTokenizer.from_pretrained(folder, trust_remote_code=False)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, ImportError) as error:  # torn or strange files
        raise SuasionError(f"The encoder's tokenizer cannot be loaded: {error!s:.300}", where=folder) from error
    if tokenizer.pad_token_id is None:
        raise SuasionError("The encoder's tokenizer has no padding token.", where=folder, hint="Encoders such as Longformer have one.")
    tokenizer.padding_side = "right"
    most = _full_length(read_json(folder / "config.json"), int(tokenizer.model_max_length))
    if max_tokens is not None and max_tokens > most:
        raise SuasionError(f"judge.encoder.max_tokens = {max_tokens}, but this encoder takes {most} tokens.", where=folder)
    lock = base_lock(folder, chat_template="", quantization="none", cache=cache_folder())
    return Encoder(folder, tokenizer, lock, max_tokens or most, premise_words)


def load_classifier(folder: Path, *, new_head: bool) -> Any:
    """The encoder with a one-number head, in float32.

    Args:
        new_head: the head is drawn (from torch's global generator: seed it first). Else every weight must be in the file.

    Raises:
        SuasionError: weights are missing, left over or of another shape.
    """
    import torch
    from transformers import AutoModelForSequenceClassification

    try:
        with quiet_about_the_new_head():
            model, found = AutoModelForSequenceClassification.from_pretrained(
                folder, num_labels=1, dtype=torch.float32, use_safetensors=True, trust_remote_code=False, output_loading_info=True
            )
    except (OSError, ValueError, RuntimeError, KeyError) as error:
        raise SuasionError(f"The encoder cannot be loaded: {error!s:.300}", where=folder) from error
    missing, surplus = sorted(found["missing_keys"]), sorted(found["unexpected_keys"])
    if new_head:  # the encoder proper must be whole; its language head is left over
        missing, surplus = [name for name in missing if name.startswith(f"{model.base_model_prefix}.")], []
    if missing or surplus or found["mismatched_keys"]:
        raise SuasionError(
            f"The encoder's weights do not fit: missing {missing[:3] or 'none'}, left over {surplus[:3] or 'none'}, "
            f"of another shape {sorted(map(str, found['mismatched_keys']))[:3] or 'none'}. "
            "A judge with freshly drawn weights is no judge.",
            where=folder,
        )
    return model.to(device())


class EncoderJudge:
    """Scores premise and reply as a pair of texts.

    Args:
        model: as :func:`load_classifier` gives it.
        token_budget: padded tokens held at once.
        label: of a progress line, for long work; none is shown without.
    """

    def __init__(self, model: Any, encoder: Encoder, *, token_budget: int = 8192, label: str = "") -> None:
        self.model, self.encoder, self.token_budget, self.label = model, encoder, token_budget, label

    @classmethod
    def load(cls, folder: Path, lock: Mapping[str, str], max_tokens: int, premise_words: int, *, label: str = "") -> EncoderJudge:
        """Load a saved judge.

        Raises:
            SuasionError: its weights or tokenizer are not those that ``lock`` was taken of, or not whole.
        """
        encoder = open_encoder(folder, max_tokens, premise_words)
        different = [f"{part} ({there} when saved, {here} now)" for part, here, there in differing(encoder.lock, lock)]
        if different:
            raise SuasionError(
                f"This is not the encoder that was saved as this judge: {'; '.join(different)}.",
                where=folder,
                hint="Train the judge again, or bring back its files.",
            )
        return cls(load_classifier(folder, new_head=False).eval(), encoder, label=label)

    def score(self, premises: Sequence[str], replies: Sequence[str]) -> Scores:
        """One number a reply, shape (n,), float32."""
        if len(premises) != len(replies):
            raise ValueError(f"{len(premises)} premises but {len(replies)} replies")
        rows = [self.encoder.read(premise, reply)[0] for premise, reply in zip(premises, replies, strict=True)]
        was_training = self.model.training
        self.model.eval()
        with track(self.label, len(rows), unit="replies") if self.label else nullcontext() as bar:
            scores = score_rows(
                self.model,
                rows,
                pad_id=int(self.encoder.tokenizer.pad_token_id),
                budget=self.token_budget,
                advance=bar.advance if bar is not None else lambda done: None,
            )
        self.model.train(was_training)
        return scores


def _full_length(config: Mapping[str, Any], of_tokenizer: int) -> int:
    """The most tokens the model takes: its table of positions, or the tokenizer's limit where that is less."""
    positions = config.get("max_position_embeddings")
    if not isinstance(positions, int):
        return of_tokenizer
    if config.get("model_type") in _COUNTS_FROM_PADDING:
        positions -= int(config.get("pad_token_id") or 0) + 1
    return min(positions, of_tokenizer)
