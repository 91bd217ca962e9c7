"""Rehearsal: what the model answered to general prompts before it was trained, mixed into the training of every epoch.

Without, a model that learns to draw argument maps comes to answer everything with one; the published run lost general conversation that
way. The chats are the model's own (prompts from :mod:`~suasion.analysis.hirpo.general.prompts`, answers drawn from the untouched base),
so there is no licence to mind and nothing new to learn: imitating one's own samples is, in expectation, minimising the divergence
KL(base || model) on these prompts, up to a constant. Chats or pairs of your own may be given instead.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, model_validator

from suasion.config import Config
from suasion.errors import SuasionError
from suasion.models.rendering import Renderer
from suasion.training.chats import Chat, ChatPair, render_chats
from suasion.training.rehearsed import Rehearsal


class RehearsalConfig(Config):
    """What is rehearsed, and how much of it."""

    share: float = Field(0.25, ge=0, le=4)
    """Chats to every pair (with ``grpo``: to every answer) of an epoch; 0 rehearses nothing."""
    form: Literal["nll", "pairs"] = "nll"
    """``nll``: imitation of the chats, beside the method's own loss. ``pairs``: preference pairs of your own, among the epoch's."""
    weight: float = Field(1.0, gt=0)
    """Of the chats' loss a token (``nll``)."""
    prompts: int = Field(200, ge=1)
    """General prompts that the base answers, once, before training."""
    max_tokens: int = Field(160, ge=1)
    """Of such an answer. An answer that did not end by then is not rehearsed."""
    source: Path | None = None
    """A JSONL file of your own instead: rows with ``messages``, or for ``pairs`` with ``prompt``, ``chosen`` and ``rejected``."""

    @model_validator(mode="after")
    def _pairs_come_from_somewhere(self) -> RehearsalConfig:
        if self.form == "pairs" and self.share and self.source is None:
            raise ValueError("form pairs needs a source; the base's own answers are chats, for form nll")
        if self.form == "pairs" and self.weight != 1.0:
            raise ValueError("weight has no effect with form pairs")
        return self


def read_chats(path: Path) -> list[Chat]:
    """Chats of a JSONL file with ``messages``: the last one is the assistant's.

    Raises:
        SuasionError: a row is of another shape; its line is named.
    """
    return [Chat(*_split(row.get("messages"), path, number)) for number, row in _rows(path)]


def read_pairs(path: Path) -> list[ChatPair]:
    """Preference pairs of a JSONL file, each side a list of messages or a text. Raises as :func:`read_chats`."""
    pairs = []
    for number, row in _rows(path):
        prompt = row.get("prompt")
        turns = [{"role": "user", "content": prompt}] if isinstance(prompt, str) else _turns(prompt, path, number)
        pairs.append(ChatPair(turns, _said(row.get("chosen"), path, number), _said(row.get("rejected"), path, number)))
    return pairs


def rehearsal(config: RehearsalConfig, renderer: Renderer, chats: Sequence[Chat], max_length: int) -> Rehearsal:
    """What a trainer rehearses. Raises SuasionError: something is to be rehearsed, and there is nothing that fits."""
    if not config.share or config.form == "pairs":
        return Rehearsal()
    rows = render_chats(renderer, chats, max_length).rows
    if not rows:
        raise SuasionError(
            f"There is nothing to rehearse: of {len(chats)} chats none fits into {max_length} tokens.",
            hint="Raise rehearsal.max_tokens or rehearsal.prompts, or set rehearsal.share=0.",
        )
    return Rehearsal(rows, config.share, config.weight)


def _rows(path: Path) -> list[tuple[int, Mapping[str, Any]]]:
    found: list[tuple[int, Mapping[str, Any]]] = []
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise SuasionError(f"Cannot read what is to be rehearsed: {error}", where=path) from error
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise SuasionError(f"This is not JSON: {error}", where=f"{path}:{number}") from error
        if not isinstance(row, dict):
            raise _shape(path, number)
        found.append((number, row))
    if not found:
        raise SuasionError("There is nothing in this file.", where=path)
    return found


def _split(messages: Any, path: Path, number: int) -> tuple[list[dict[str, str]], str]:
    turns = _turns(messages, path, number)
    if len(turns) < 2 or turns[-1]["role"] != "assistant":
        raise _shape(path, number)
    return turns[:-1], turns[-1]["content"]


def _turns(messages: Any, path: Path, number: int) -> list[dict[str, str]]:
    good = (
        isinstance(messages, list)
        and messages
        and all(isinstance(turn, dict) and isinstance(turn.get("role"), str) and isinstance(turn.get("content"), str) for turn in messages)
    )
    if not good:
        raise _shape(path, number)
    return [{"role": turn["role"], "content": turn["content"]} for turn in messages]


def _said(side: Any, path: Path, number: int) -> str:
    return side if isinstance(side, str) else _turns(side, path, number)[-1]["content"]


def _shape(path: Path, number: int) -> SuasionError:
    return SuasionError(
        "This row is neither a chat nor a pair.",
        where=f"{path}:{number}",
        hint='A chat is {"messages": [{"role": …, "content": …}, …]}, ending with the assistant; a pair has prompt, chosen and rejected.',
    )
