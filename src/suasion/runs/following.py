"""A run as the processes beside rank 0 have it: they do what rank 0 does, in a private copy of the run's folder that is thrown away.

So a stage need not know how many processes there are. Checkpoints are the one thing that is shared, because each process keeps its random
state in them; the folder of runs must therefore lie where all machines see it.
"""

from __future__ import annotations

import platform
import shutil
import tempfile
import time
from pathlib import Path
from types import TracebackType
from typing import Any

from suasion.errors import SuasionError
from suasion.runs.lock import LOCK_FILE
from suasion.runs.manifest import MANIFEST_FILE, read_manifest
from suasion.runs.ranks import rank
from suasion.runs.run import Run

_PATIENCE = 60.0  # seconds that a network file system may take to show what another machine has written
_NOT_COPIED = shutil.ignore_patterns("checkpoints", "trackers", LOCK_FILE, ".*.tmp")


class Following(Run):
    """A copy of rank 0's run, made before rank 0 begins to work in it. What is logged goes nowhere; nothing is ever marked done.

    Args:
        leader: the run's folder.

    Raises:
        SuasionError: it cannot be seen from this machine.
    """

    def __init__(self, leader: Path) -> None:
        self._leader = leader
        _wait_for(leader / MANIFEST_FILE)
        self._scratch = tempfile.TemporaryDirectory(prefix=f"suasion-rank-{rank()}-")
        folder = Path(self._scratch.name) / leader.name
        try:
            shutil.copytree(leader, folder, ignore=_NOT_COPIED)
        except OSError as error:
            raise SuasionError(f"The run's folder cannot be copied for rank {rank()}: {error!s:.300}", where=leader) from error
        super().__init__(folder, read_manifest(folder))

    @property
    def checkpoints(self) -> Path:
        return self._leader / "checkpoints"

    def log(self, step: int, **numbers: Any) -> None:
        """Rank 0 writes these very numbers down."""

    def finish(self) -> None:
        """Rank 0 does."""

    def __enter__(self) -> Following:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._scratch.cleanup()


def _wait_for(file: Path) -> None:
    deadline = time.monotonic() + _PATIENCE
    while not file.is_file():
        if time.monotonic() > deadline:
            raise SuasionError(
                f"The run that rank 0 has made cannot be seen from {platform.node()}.",
                where=file.parent,
                hint="Put the runs (--root) on a file system that all machines share, under the same path.",
            )
        time.sleep(0.2)
