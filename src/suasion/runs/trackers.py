"""Optional trackers (wandb, trackio, tensorboard), none of which can stop, slow or fail a run.

Each tracker lives in a daemon thread of its own behind a bounded queue. What raises there is told once and the tracker is dropped; what
hangs is waited for a bounded time and left behind.
"""

from __future__ import annotations

import difflib
import os
import queue
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import redirect_stdout
from typing import TYPE_CHECKING, Any

from suasion.files import jsonable, sha256_json
from suasion.progress import say

if TYPE_CHECKING:
    from suasion.runs.run import Run

_START = 30.0  # seconds a tracker may take to start
_END = 20.0  # seconds it may take to send what is left
_WAITING = 2000  # steps that may wait for a slow one

Numbers = Mapping[str, float]
Log = Callable[[int, Numbers], None]
Close = Callable[[], None]
Opener = Callable[["Run"], tuple[Log, Close]]


class Trackers:
    """The trackers that started. Every call returns soon and raises nothing."""

    def __init__(self, workers: Sequence[_Worker]) -> None:
        self._workers = list(workers)

    @property
    def names(self) -> list[str]:
        """The trackers that are still alive."""
        return [worker.name for worker in self._workers if worker.alive]

    def log(self, step: int, numbers: Mapping[str, Any]) -> None:
        """Hand numbers of a step to every tracker; what is not a finite number is left out."""
        finite = {key: value for key, value in jsonable(numbers).items() if isinstance(value, int | float)}
        for worker in self._workers:
            worker.log(step, finite)

    def close(self) -> None:
        """Wait, not longer than a while, until all is sent."""
        with redirect_stdout(sys.stderr):
            for worker in self._workers:
                worker.close()


def open_trackers(names: Sequence[str], run: Run, *, openers: Mapping[str, Opener] | None = None, patience: float = _START) -> Trackers:
    """Start the named trackers for a run; one that cannot start is warned about and left out.

    Args:
        openers: name to the function that starts a tracker; the three that ship if not given.
        patience: seconds that a start may take.
    """
    known = _OPENERS if openers is None else openers
    with redirect_stdout(sys.stderr):  # some greet on stdout, where --json is to be alone
        workers = _launch(names, run, known, patience)
    return Trackers([worker for worker in workers if worker.alive])


def _launch(names: Sequence[str], run: Run, known: Mapping[str, Opener], patience: float) -> list[_Worker]:
    workers = []
    for name in dict.fromkeys(names):
        if name not in known:
            near = difflib.get_close_matches(name, known, n=1)
            say(f"There is no tracker '{name}'{f' (did you mean {near[0]}?)' if near else ''}; the run goes on without it.")
            continue
        workers.append(_Worker(name, known[name], run))
    deadline = time.monotonic() + patience
    for worker in workers:
        worker.wait_for_start(deadline - time.monotonic())
    return workers


class _Worker:
    """One tracker in its thread."""

    def __init__(self, name: str, opener: Opener, run: Run) -> None:
        self.name, self.alive = name, True
        self._queue: queue.Queue[tuple[int, Numbers] | None] = queue.Queue(_WAITING)
        self._started = threading.Event()
        self._thread = threading.Thread(target=self._work, args=(opener, run), name=f"tracker-{name}", daemon=True)
        self._thread.start()

    def _work(self, opener: Opener, run: Run) -> None:
        # Everything a tracker can raise is caught, SystemExit (its way of saying that a login is missing) too: hours of training
        # must not end because a dashboard is not installed, a network is down or a disk is full.
        try:
            log, close = opener(run)
            self._started.set()
            while (item := self._queue.get()) is not None and self.alive:
                log(*item)
            close()
        except (Exception, SystemExit) as error:
            self._drop(f"{type(error).__name__}: {error}")
        finally:
            self._started.set()

    def wait_for_start(self, seconds: float) -> None:
        if not self._started.wait(max(seconds, 0)):
            self._drop("it did not start in time")

    def log(self, step: int, numbers: Numbers) -> None:
        if self.alive:
            self._put((step, numbers))

    def close(self) -> None:
        if self.alive:
            self._put(None)
            self._thread.join(_END)
            if self._thread.is_alive():
                self._drop("it did not end in time")
            self.alive = False

    def _put(self, item: tuple[int, Numbers] | None) -> None:
        try:
            self._queue.put_nowait(item)
        except queue.Full:
            self._drop("it is too slow")

    def _drop(self, reason: str) -> None:
        if self.alive:
            self.alive = False
            say(f"The tracker {self.name} is dropped; the run goes on without it: {reason}")


def _wandb(run: Run) -> tuple[Log, Close]:
    import wandb

    session = wandb.init(
        project="suasion",
        name=run.name,
        # Two machines may both have a 2026-11-30_SFT_Run1; with the name as id one would overwrite the other.
        id=sha256_json([run.name, run.manifest.started, run.manifest.machine])[:16],
        resume="allow",
        dir=str(_folder(run)),
        config=run.manifest.arguments.all(),
        mode="online" if os.environ.get("WANDB_API_KEY") else "offline",
        settings=wandb.Settings(console="off", silent=True),  # it would take stdout over
    )
    return lambda step, numbers: session.log(dict(numbers), step=step), session.finish


def _trackio(run: Run) -> tuple[Log, Close]:
    os.environ.setdefault("TRACKIO_DIR", str(_folder(run)))  # read when it is imported
    import trackio

    session = trackio.init(project="suasion", name=run.name, config=run.manifest.arguments.all(), resume="allow", embed=False)
    return lambda step, numbers: session.log(dict(numbers), step=step), session.finish


def _tensorboard(run: Run) -> tuple[Log, Close]:
    from torch.utils.tensorboard import SummaryWriter

    writer = SummaryWriter(str(_folder(run)))

    def log(step: int, numbers: Numbers) -> None:
        for key, value in numbers.items():
            writer.add_scalar(key, value, step)

    return log, writer.close


def _folder(run: Run) -> Any:
    folder = run.path / "trackers"
    folder.mkdir(exist_ok=True)
    return folder


_OPENERS: dict[str, Opener] = {"wandb": _wandb, "trackio": _trackio, "tensorboard": _tensorboard}
