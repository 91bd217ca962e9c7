"""Texts as points: the mean of the untouched base's last hidden states over a text's tokens."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from suasion.models.base import Base
from suasion.models.loading import load_base
from suasion.models.rendering import Renderer
from suasion.models.sampling import padded
from suasion.models.scoring import Scores, packed


class Embedder:
    """Call it with texts. The model is loaded at the first call and stays.

    A beginning token stands before each text and is left out of the mean: decoders pile huge numbers onto their first place (Xiao et al.
    2023, "Efficient streaming language models with attention sinks", arXiv:2309.17453), and their share in a mean would tell a text's
    length.

    Args:
        base: its causal language model, without an adapter.
        renderer: keeps special tokens out of texts, which are cut to its ``total_tokens``.
        token_budget: padded tokens at once.
    """

    def __init__(self, base: Base, renderer: Renderer, *, token_budget: int = 8192) -> None:
        self.base, self.renderer, self.token_budget = base, renderer, token_budget

    def __call__(self, texts: Sequence[str]) -> Scores:
        """One vector a text, shape (n, hidden size), float32; zeros for a text without a token. Equal texts are read once."""
        import torch

        rows = list(map(self._ids, texts))
        found: dict[tuple[int, ...], Any] = {}
        wanted = sorted({row for row in rows if len(row) > 1})
        with torch.inference_mode():
            for batch in packed([len(row) for row in wanted], self.token_budget):
                chosen = [wanted[index] for index in batch]
                found |= zip(chosen, self._means(chosen), strict=True)
        nothing = np.zeros(self._backbone.config.hidden_size, dtype=np.float32)
        return np.stack([found.get(row, nothing) for row in rows]) if rows else np.zeros((0, nothing.size), dtype=np.float32)

    @cached_property
    def _backbone(self) -> Any:
        """The model without its language head."""
        model = load_base(self.base, "CAUSAL_LM").eval()
        return getattr(model, model.base_model_prefix)

    def _ids(self, text: str) -> tuple[int, ...]:
        tokenizer = self.renderer.tokenizer
        first = self.renderer.end_id if tokenizer.bos_token_id is None else tokenizer.bos_token_id
        whole = text.encode("utf-8", "replace").decode()  # half an emoji stops a tokenizer
        ids = tokenizer(self.renderer.harmless(whole), add_special_tokens=False)["input_ids"]
        return (int(first), *ids[: self.renderer.config.total_tokens - 1])

    def _means(self, rows: Sequence[tuple[int, ...]]) -> Scores:
        ids, mask = padded(rows, int(self.renderer.tokenizer.pad_token_id), self._backbone.device, "right")
        hidden = self._backbone(input_ids=ids, attention_mask=mask, use_cache=False).last_hidden_state.float()
        mask[:, 0] = 0  # the beginning token
        counted = mask.to(hidden.device)[..., None]
        return np.asarray(((hidden * counted).sum(1) / counted.sum(1)).cpu().numpy(), dtype=np.float32)
