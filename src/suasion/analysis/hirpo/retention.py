"""Retention: how much is left, after an epoch, of what the base could do in general.

Measured on prompts that are not rehearsed, against the base's own answers drawn before training:

* ``chat_loss``: mean negative log-probability a token of the base's answers to held-out prompts, and its rise over the base's own;
* ``divergence``: KL(base || model) a token on those answers, over the whole vocabulary;
* ``instructions``: share of verifiable instructions that are kept (format, length, words, language);
* ``spilled``: share of general answers that hold an Argdown or XML block that nobody asked for: the training showing through;
* ``length``: words of an answer, as a multiple of the base's to the same prompt.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from pydantic import Field

from suasion.analysis.hirpo.general.instructions import Instruction, words
from suasion.config import Config
from suasion.models.rendering import Renderer
from suasion.models.sampling import padded
from suasion.statistics import Estimate, clustered_mean, clustered_share
from suasion.training.chats import Chat, render_chats

_SPILLED = re.compile(r"^[ \t]*(?:```|~~~)\s*(?:argdown|xml)|<proposition\b|^\s*\[[^\]\n]+\]:\s.*\n\s*<[+-]", re.MULTILINE)


class RetentionLimits(Config):
    """Where an epoch has cost too much. ``null``: no limit. A limit is passed when the interval's better end is beyond it."""

    chat_loss_rise: float | None = Field(0.5, gt=0)
    """Nats a token over the base's."""
    divergence: float | None = Field(1.0, gt=0)
    """Nats a token."""
    instructions_kept: float | None = Field(0.7, gt=0, le=1)
    """The least, as a share of what the base keeps."""
    spilled: float | None = Field(0.2, gt=0, le=1)
    """The most."""


class RetentionConfig(Config):
    """The meter."""

    prompts: int = Field(48, ge=2)
    """General prompts for chat loss, divergence, spill and length."""
    instructions: int = Field(48, ge=2)
    max_tokens: int = Field(160, ge=1)
    """Of an answer to them."""
    limits: RetentionLimits = RetentionLimits()
    on_fall: Literal["roll_back", "stop", "warn"] = "roll_back"
    """What happens when a limit is passed: the epoch's weights are given up and the next epoch starts from the ones before, with other
    problems (after two such epochs in a row the run stops); they are given up and the run stops; or it is said, and goes on."""


@dataclass(frozen=True)
class Retained:
    """What the meter showed. Each number with its interval and n; those that compare are paired by prompt."""

    numbers: Mapping[str, Estimate]
    by_kind: Mapping[str, Estimate]
    """Share of instructions kept, by their kind."""

    def as_dict(self) -> dict[str, Any]:
        """Plain JSON."""
        return {name: one.as_dict() for name, one in self.numbers.items()} | {
            "instructions_by_kind": {name: one.as_dict() for name, one in self.by_kind.items()}
        }


@dataclass(frozen=True)
class ChatNumbers:
    """Of the base's answers, one an answer: mean loss a token under a model, and mean divergence a token from the base."""

    loss: list[float]
    divergence: list[float]


def chat_numbers(model: Any, base_model: Any, renderer: Renderer, chats: Sequence[Chat], max_length: int) -> ChatNumbers:
    """Loss and divergence of ``model`` on chats. Both models are whole and stand on one device."""
    import torch

    loss: list[float] = []
    divergence: list[float] = []
    for row in render_chats(renderer, chats, max_length).rows:
        ids, mask = padded([row["input_ids"]], int(renderer.tokenizer.pad_token_id), model.device, "right")
        begin = next(place for place, label in enumerate(row["labels"]) if label != -100)
        targets = torch.tensor(row["labels"][begin:], device=model.device)
        with torch.inference_mode():
            ours, theirs = (
                one(input_ids=ids, attention_mask=mask).logits[0, begin - 1 : -1].float().log_softmax(-1) for one in (model, base_model)
            )
        loss.append(float(-ours.gather(-1, targets[:, None]).mean()))
        divergence.append(float((theirs.exp() * (theirs - ours)).sum(-1).mean()))
    return ChatNumbers(loss, divergence)


def measure(
    now: ChatNumbers,
    before: ChatNumbers,
    answers: Sequence[str],
    first_answers: Sequence[str],
    kept: Sequence[bool],
    kept_before: Sequence[bool],
    rules: Sequence[Instruction],
    seed: int,
) -> Retained:
    """The meter's numbers.

    Args:
        now, before: of the model and of the base, on the same chats.
        answers, first_answers: of the model and of the base, to the same general prompts.
        kept, kept_before: whether the model's, and the base's, answers keep the instructions ``rules``.
        seed: of the bootstrap.
    """
    chats = [str(number) for number in range(len(now.loss))]
    prompts = [str(number) for number in range(len(answers))]
    asked = [str(number) for number in range(len(rules))]
    rise = np.asarray(now.loss) - np.asarray(before.loss)
    ratios = [len(words(mine)) / max(1, len(words(first))) for mine, first in zip(answers, first_answers, strict=True)]
    numbers = {
        "chat_loss": clustered_mean(now.loss, chats, seed=seed),
        "chat_loss_rise": clustered_mean(rise, chats, seed=seed),
        "divergence": clustered_mean(now.divergence, chats, seed=seed),
        "instructions": clustered_share(np.asarray(kept, dtype=float), asked),
        "instructions_difference": clustered_mean(np.asarray(kept, dtype=float) - np.asarray(kept_before, dtype=float), asked, seed=seed),
        "instructions_base": clustered_share(np.asarray(kept_before, dtype=float), asked),
        "spilled": clustered_share([float(spills(answer)) for answer in answers], prompts),
        "length": clustered_mean(ratios, prompts, seed=seed),
    }
    kinds = sorted({rule.kind for rule in rules})
    by_kind = {kind: [place for place, rule in enumerate(rules) if rule.kind == kind] for kind in kinds}
    return Retained(
        numbers, {kind: clustered_share([float(kept[i]) for i in places], [asked[i] for i in places]) for kind, places in by_kind.items()}
    )


def spills(answer: str) -> bool:
    """Whether an answer to a general prompt holds the form of an analysis."""
    return bool(_SPILLED.search(answer))


def passed_limits(found: Retained, limits: RetentionLimits) -> list[str]:
    """What has fallen under its limit, in words; empty where all is well.

    An interval must lie beyond the limit whole, or chance would stop a run; so with few prompts the meter is lenient, and says by its
    intervals how lenient.
    """
    said = []
    for name, limit in (("chat_loss_rise", limits.chat_loss_rise), ("divergence", limits.divergence), ("spilled", limits.spilled)):
        one = found.numbers[name]
        if limit is not None and one.low > limit:
            said.append(f"{name.replace('_', ' ')} is {one.value:.3g} (95 % {one.interval()}, n = {one.n}; limit {limit:g})")
    if limits.instructions_kept is not None:
        difference, base = found.numbers["instructions_difference"], found.numbers["instructions_base"].value
        if base + difference.high < limits.instructions_kept * base:
            told = found.numbers["instructions"]
            said.append(f"instructions kept: {told.value:.0%} ({told.interval(percent=True)}), of the base {base:.0%}")
    return said
