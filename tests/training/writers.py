"""A small writer with premises and pairs to practise on, and a practice that is stopped and taken up again."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from suasion.models.base import Base
from suasion.models.loading import load_base, save_adapter, with_new_adapter
from suasion.models.lora import LoraConfig
from suasion.runs.run import Run
from suasion.training.preference import Compared
from tests.nano import shaken

PREMISES = [f"CMV: {word} is better." for word in ("tea", "coffee", "water", "milk", "beer")]
#: Premise, winner, loser: winners speak of evidence.
TRIPLES = [
    Compared(f"CMV: {word} is better.", f"evidence says that {word} is dear", f"nonsense, you {word} drinker")
    for word in ("tea", "coffee", "water", "milk", "beer", "wine", "rain")
]


def letters(premises: list[str], replies: list[str]) -> list[float]:
    """A judge that counts a letter."""
    return [float(reply.count("e")) for reply in replies]


def make_parent(base: Base, folder: Path) -> Path:
    """The adapter of a writer that differs from the base."""
    torch.manual_seed(0)
    return save_adapter(shaken(with_new_adapter(load_base(base, "CAUSAL_LM"), base, LoraConfig(), "CAUSAL_LM")), base, folder)


def stopped_and_resumed(root: Path, kind: str, train: Callable[[Run], Any], monkeypatch: pytest.MonkeyPatch, step: int) -> Any:
    """Train, stop when ``step`` is logged, and train again in the same run."""
    run = Run.start(root, kind, config={})
    log = Run.log

    def stopping(self: Run, at: int, **numbers: Any) -> None:
        log(self, at, **numbers)
        if at == step:
            raise KeyboardInterrupt

    monkeypatch.setattr(Run, "log", stopping)
    with pytest.raises(KeyboardInterrupt):
        train(run)
    monkeypatch.setattr(Run, "log", log)
    return train(run)
