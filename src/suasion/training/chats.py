"""Chats of several turns as token ids: all turns up to the last answer are the prompt, the last answer is what is learned.

The prompt is rendered by the chat template as an engine renders it when it asks, so what is trained on is what was sampled. Nothing is
cut: an answer that was cut would be another answer than the one that was judged, so chats that do not fit are left out and counted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from suasion.models.rendering import Renderer

Turns = Sequence[Mapping[str, str]]
"""Messages with ``role`` and ``content``; the last is the user's."""


@dataclass(frozen=True)
class Chat:
    """Turns, and the answer to learn."""

    turns: Turns
    answer: str


@dataclass(frozen=True)
class ChatPair:
    """Turns, the answer that is preferred, and one that is not."""

    turns: Turns
    chosen: str
    rejected: str


@dataclass(frozen=True)
class Rendered:
    """Rows for a trainer, and what became of the rest."""

    rows: list[dict[str, list[int]]]
    left_out: dict[str, int]
    """``too_long``; for pairs also ``equal`` (the same ids on both sides: nothing to prefer)."""


def prompt_ids(renderer: Renderer, turns: Turns) -> list[int]:
    """Ids up to where the answer begins, as :class:`~suasion.models.chat.local.LocalModel` asks."""
    return renderer.ids([{"role": turn["role"], "content": renderer.harmless(turn["content"])} for turn in turns])


def answer_ids(renderer: Renderer, answer: str) -> list[int]:
    """Ids of an answer with the token that ends it."""
    text = renderer.harmless(answer).strip()
    return [*renderer.tokenizer(text, add_special_tokens=False)["input_ids"], renderer.end_id]


def render_chats(renderer: Renderer, chats: Sequence[Chat], max_length: int) -> Rendered:
    """Rows of ``input_ids`` and ``labels`` (-100 on the prompt), of at most ``max_length`` tokens."""
    rows = []
    for chat in chats:
        prompt, answer = prompt_ids(renderer, chat.turns), answer_ids(renderer, chat.answer)
        if len(prompt) + len(answer) <= max_length:
            rows.append({"input_ids": prompt + answer, "labels": [-100] * len(prompt) + answer})
    return Rendered(rows, {"too_long": len(chats) - len(rows)})


def render_chat_pairs(renderer: Renderer, pairs: Sequence[ChatPair], max_length: int) -> Rendered:
    """Rows of ``prompt_ids``, ``chosen_ids`` and ``rejected_ids``, of at most ``max_length`` tokens with the longer answer."""
    rows, too_long, equal = [], 0, 0
    for pair in pairs:
        chosen, rejected = answer_ids(renderer, pair.chosen), answer_ids(renderer, pair.rejected)
        prompt = prompt_ids(renderer, pair.turns)
        if len(prompt) + max(len(chosen), len(rejected)) > max_length:
            too_long += 1
        elif chosen == rejected:
            equal += 1
        else:
            rows.append({"prompt_ids": prompt, "chosen_ids": chosen, "rejected_ids": rejected})
    return Rendered(rows, {"too_long": too_long, "equal": equal})


def dataset(rows: Sequence[Mapping[str, Any]]) -> Any:
    """Rows as a data set for a trainer."""
    from datasets import Dataset

    return Dataset.from_list([dict(row) for row in rows])
