"""A trainer whose time is counted: what every practice trainer mixes in. Imported only where one is, for it imports transformers."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any

from transformers import TrainerCallback

from suasion.training.timing import Clock


class Timed:
    """Counts a trainer's seconds to the parts of :mod:`suasion.training.timing` and logs them beside its numbers."""

    def __init__(self, *, clock: Clock, **named: Any) -> None:
        self.clock = clock
        super().__init__(**named)
        self.add_callback(_Marks(clock))  # type: ignore[attr-defined]

    def training_step(self, *given: Any, **named: Any) -> Any:
        """Forward and backward."""
        with self.clock.part("update"):
            return super().training_step(*given, **named)  # type: ignore[misc]

    def log(self, logs: dict[str, float], start_time: float | None = None) -> None:
        """The seconds since the last log beside the numbers; not with the summary at the very end, which belongs to no step."""
        super().log(logs if "train_runtime" in logs else logs | self.clock.lap(), start_time)  # type: ignore[misc]

    def _save_checkpoint(self, *given: Any, **named: Any) -> None:
        with self.clock.part("checkpoint"):
            super()._save_checkpoint(*given, **named)  # type: ignore[misc]


class _Marks(TrainerCallback):
    """The optimiser is called by the trainer's own loop: only callbacks stand before and behind it."""

    def __init__(self, clock: Clock) -> None:
        self.clock, self.within = clock, ExitStack()

    def on_train_begin(self, *_: Any, **__: Any) -> None:
        self.clock.lap()  # loading does not belong to the first step

    def on_pre_optimizer_step(self, *_: Any, **__: Any) -> None:
        self.within.enter_context(self.clock.part("optimiser"))

    def on_optimizer_step(self, *_: Any, **__: Any) -> None:
        self.within.close()
