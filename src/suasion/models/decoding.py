"""Replies drawn token by token: a prompt is read once for all its replies, and a reply that has ended leaves the batch.

Each reply has a stream of random numbers of its own, made from the seed, its prompt's number and its own number. So what is drawn for it
depends on nothing else that stands in its batch, but for the last bits of the logits, which no batch of another shape reproduces.
"""

from __future__ import annotations

from collections.abc import Sequence
from inspect import signature
from typing import Any

import numpy as np
import torch
from torch.nn.functional import pad
from transformers.cache_utils import DynamicCache, DynamicLayer

from suasion.errors import SuasionError


def sees_everything(model: Any) -> bool:
    """Whether each token attends to all before it, at the positions that the model is told.

    Windows and recurrent states count places, not positions: padding inside a row, and rows that leave, would shift them.
    """
    causal = _bare(model)
    backbone = getattr(causal, getattr(causal, "base_model_prefix", ""), None)
    if backbone is None or "position_ids" not in signature(backbone.forward).parameters or _cache_name(backbone) is None:
        return False
    return all(type(layer) is DynamicLayer for layer in DynamicCache(config=causal.config).layers)


def decode(
    model: Any,
    ids: torch.Tensor,
    mask: torch.Tensor,
    *,
    replies_to: Sequence[int],
    numbers: np.ndarray,
    temperature: float,
    top_p: float,
    stops: Sequence[int],
    min_p: float = 0.0,
    top_k: int = 0,
) -> list[list[int]]:
    """Ids of replies, each with its stop id where it has one.

    Args:
        model: a causal language model that :func:`sees_everything`.
        ids: prompts padded on the left, shape (prompts, longest); ``mask``: 1 where they hold a token.
        replies_to: for each reply, the number of its prompt.
        numbers: uniform in [0, 1), shape (replies, most new tokens): what each token of each reply is drawn by.
        min_p, top_k: see :func:`draw`.

    Raises:
        SuasionError: the model's probabilities are not numbers.
    """
    held = {"use_cache": True, "logits_to_keep": 1}
    name = str(_cache_name(getattr(_bare(model), _bare(model).base_model_prefix)))
    cache = DynamicCache(config=_bare(model).config)
    positions = (mask.cumsum(dim=1) - 1).clamp(min=0)
    logits = model(input_ids=ids, attention_mask=mask, position_ids=positions, **{name: cache}, **held).logits[:, -1]
    rows = torch.tensor(list(replies_to), device=ids.device)
    roomy = [_Roomy(layer, rows, numbers.shape[1]) for layer in cache.layers]
    cache.layers = list(roomy)
    logits, mask, positions = logits[rows], mask[rows], positions[rows, -1:]
    replies: list[list[int]] = [[] for _ in rows]
    live = list(range(len(replies)))
    for step in range(numbers.shape[1]):
        drawn = torch.from_numpy(numbers[live, step]).to(ids.device)
        token = draw(logits, drawn, temperature, top_p, min_p, top_k)
        for reply, one in zip(live, token.tolist(), strict=True):
            replies[reply].append(one)
        staying = [place for place, reply in enumerate(live) if replies[reply][-1] not in stops]
        if not staying or step + 1 == numbers.shape[1]:
            break
        if len(staying) < len(live):
            keep = torch.tensor(staying, device=ids.device)
            for layer in roomy:
                layer.keep(keep)
            token, mask, positions = token[keep], mask[keep], positions[keep]
            live = [live[place] for place in staying]
        mask, positions = pad(mask, (0, 1), value=1), positions + 1
        output = model(input_ids=token[:, None], attention_mask=mask, position_ids=positions, **{name: cache}, **held)
        logits = output.logits[:, -1]
    return replies


def draw(logits: torch.Tensor, numbers: torch.Tensor, temperature: float, top_p: float, min_p: float = 0.0, top_k: int = 0) -> torch.Tensor:
    """A token of each row, shape (rows,): the first at which the cumulated probability exceeds the row's number.

    Args:
        logits: shape (rows, vocabulary).
        temperature: at 0 the likeliest token, whatever the number.
        top_p: only the likeliest tokens that make up this mass may be drawn.
        min_p: only tokens at least so likely, as a share of the likeliest one's probability.
        top_k: only so many of the likeliest tokens; 0 for all. It goes first, then ``top_p``, then ``min_p``, as in transformers.

    Raises:
        SuasionError: the probabilities are not numbers.
    """
    if temperature == 0:
        return logits.argmax(dim=-1)
    chances = (logits.float() / temperature).softmax(dim=-1)
    if 0 < top_k < chances.shape[-1]:
        chances = chances.masked_fill(chances < chances.topk(top_k, dim=-1).values[:, -1:], 0.0)
        chances = chances / chances.sum(dim=-1, keepdim=True)
    if top_p < 1:
        ordered, order = chances.sort(dim=-1, descending=True)
        ordered[ordered.cumsum(dim=-1) - ordered >= top_p] = 0.0  # the mass before them is enough
        chances = chances.scatter(-1, order, ordered)
    if min_p > 0:
        chances = chances.masked_fill(chances < min_p * chances.amax(dim=-1, keepdim=True), 0.0)
    mass = chances.double().cumsum(dim=-1)
    if not bool(mass[:, -1].isfinite().all()):
        raise SuasionError(
            "The writer's probabilities are not numbers: its weights have run away.", hint="Lower the learning rate of its training."
        )
    found = torch.searchsorted(mass, numbers.double()[:, None] * mass[:, -1:], right=True)[:, 0]
    return found.clamp(max=logits.shape[-1] - 1)


def uniform_numbers(seed: int, first: int, prompts: int, n: int, tokens: int) -> np.ndarray:
    """What replies are drawn by, shape (prompts * n, tokens); ``first``: the number of the first prompt in the whole list."""
    streams = [np.random.default_rng([seed, first + prompt, reply]).random(tokens) for prompt in range(prompts) for reply in range(n)]
    return np.stack(streams)


class _Roomy(DynamicLayer):
    """A layer's keys and values with room for all tokens to come: written in place, where the usual one copies everything every token."""

    def __init__(self, read: Any, rows: torch.Tensor, room: int) -> None:
        super().__init__()
        self.lazy_initialization(read.keys, read.values)
        self.all_keys, self.all_values = (_with_room(states[rows], room) for states in (read.keys, read.values))
        self._show(read.keys.shape[2])

    def update(self, key_states: torch.Tensor, value_states: torch.Tensor, *_: Any, **__: Any) -> tuple[torch.Tensor, torch.Tensor]:
        """Take in a token's keys and values, shape (rows, heads, 1, d); give all there are."""
        start, end = self.filled, self.filled + key_states.shape[2]
        self.all_keys[:, :, start:end], self.all_values[:, :, start:end] = key_states, value_states
        return self._show(end)

    def keep(self, rows: torch.Tensor) -> None:
        """Only these rows go on."""
        self.all_keys, self.all_values = self.all_keys[rows], self.all_values[rows]
        self._show(self.filled)

    def _show(self, filled: int) -> tuple[torch.Tensor, torch.Tensor]:
        self.filled = filled
        keys, values = self.all_keys[:, :, :filled], self.all_values[:, :, :filled]
        self.keys, self.values = keys, values
        return keys, values


def _with_room(states: torch.Tensor, room: int) -> torch.Tensor:
    return pad(states, (0, 0, 0, room))


def _bare(model: Any) -> Any:
    return model.get_base_model() if hasattr(model, "get_base_model") else model


def _cache_name(backbone: Any) -> str | None:
    """What the backbone calls its cache; another name before transformers 5.2x."""
    takes = signature(backbone.forward).parameters
    return next((name for name in ("cache", "past_key_values") if name in takes), None)
