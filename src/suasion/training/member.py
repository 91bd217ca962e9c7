"""One of several trainings in a run: a folder, checkpoints and numbers of its own, so that each can be killed and taken up alone."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from suasion.runs.run import Run


@dataclass(frozen=True)
class Member:
    """The ``number``-th training (from 1) of ``run``."""

    run: Run
    number: int

    @property
    def name(self) -> str:
        """Of its folder."""
        return f"member-{self.number}"

    @property
    def path(self) -> Path:
        """Where its outcome lies."""
        return self.run.path / self.name

    @property
    def checkpoints(self) -> Path:
        """Its own, so that no training takes up another's."""
        return self.run.checkpoints / self.name

    def log(self, step: int, **numbers: Any) -> None:
        """Append numbers of a step to the run's metrics, each with the member's number behind its name: ``loss_2``."""
        self.run.log(step, **{f"{name}_{self.number}": value for name, value in numbers.items()})
