"""Progress on stderr, so that ``--json`` on stdout stays clean: a bar on a terminal, plain lines at a calm pace elsewhere."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, TextIO

_INTERVAL = 10.0  # seconds between plain lines: a log of a night's training stays readable

_muted = False


def mute() -> None:
    """Say nothing from here on: of several processes that do the same work, one talks."""
    global _muted
    _muted = True


def say(text: str) -> None:
    """Print one plain line to stderr. A closed or full stderr never stops the work."""
    if not _muted:
        _print(sys.stderr, text)


class Progress:
    """What :func:`track` gives: count with :meth:`advance`, show the numbers that tell health with :meth:`note`."""

    def __init__(self, label: str, total: int | None, unit: str, done: int, clock: Callable[[], float]) -> None:
        self.label, self.total, self.unit, self.done = label, total, unit, done
        self.numbers: dict[str, float | int | str] = {}
        self._clock, self._first, self._started = clock, done, clock()

    def advance(self, n: int = 1) -> None:
        """Count ``n`` more as done."""
        self.done += n
        self._show()

    def note(self, **numbers: float | int | str) -> None:
        """Keep these numbers beside the count; later ones replace earlier ones of the same name."""
        self.numbers |= numbers
        self._show()

    @property
    def elapsed(self) -> float:
        """Seconds since the start."""
        return self._clock() - self._started

    @property
    def rate(self) -> float:
        """Units a second, of what was done here (not of what a resumed run had done before); 0 while nothing is."""
        return (self.done - self._first) / self.elapsed if self.elapsed > 0 else 0.0

    def line(self, ended: str = "") -> str:
        """Label, done/total, rate, time left (or what it took), numbers, in one line."""
        count = f"{self.done}" if self.total is None else f"{self.done}/{self.total}"
        parts = [f"{self.label}: {count} {self.unit}".rstrip()]
        if self.rate > 0:
            parts.append(_per_second(self.rate, self.unit))
        if ended:
            parts.append(f"{ended} {_clock_time(self.elapsed)}")
        elif self.total is not None and self.rate > 0:
            parts.append(f"{_clock_time((self.total - self.done) / self.rate)} left")
        return ", ".join(parts + self.noted())

    def noted(self) -> list[str]:
        """The noted numbers, each as ``name value``."""
        return [f"{name.replace('_', ' ')} {_short(value)}" for name, value in self.numbers.items()]

    def _show(self) -> None:
        """Draw; each front end has its own way."""


class _Lines(Progress):
    def __init__(self, stream: TextIO, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._stream, self._shown = stream, self._clock()
        _print(stream, self.line())

    def _show(self) -> None:
        if self._clock() - self._shown >= _INTERVAL:
            self._shown = self._clock()
            _print(self._stream, self.line())


@contextmanager
def track(
    label: str, total: int | None, unit: str = "", *, done: int = 0, clock: Callable[[], float] = time.monotonic
) -> Iterator[Progress]:
    """Follow work of ``total`` units (None: unknown). Plain lines: the first, the last, and at most one every ten seconds between.

    Args:
        done: what an earlier, killed attempt had done already; it counts for the total and not for the rate.
        clock: seconds, monotonic.
    """
    if _muted:
        yield Progress(label, total, unit, done, clock)
        return
    stream = sys.stderr
    if stream.isatty() and os.environ.get("TERM") != "dumb":
        with _bar(label, total, unit, done, clock) as progress:
            yield progress
        return
    progress = _Lines(stream, label, total, unit, done, clock)
    ended = "stopped after"
    try:
        yield progress
        ended = "took"
    finally:
        _print(stream, progress.line(ended))


@contextmanager
def _bar(label: str, total: int | None, unit: str, done: int, clock: Callable[[], float]) -> Iterator[Progress]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bars

    columns = [
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=24),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}", style="dim", markup=False),
        TimeRemainingColumn(),
        TextColumn("{task.fields[numbers]}", markup=False),
    ]
    with Bars(*columns, console=Console(stderr=True)) as bars:
        task = bars.add_task(label, total=total, completed=done, rate="", numbers="")

        class Bar(Progress):
            def _show(self) -> None:
                rate = _per_second(self.rate, self.unit) if self.rate > 0 else ""
                bars.update(task, completed=self.done, rate=rate, numbers="  ".join(self.noted()))

        yield Bar(label, total, unit, done, clock)


def _per_second(rate: float, unit: str) -> str:
    """Slow work is told in seconds a unit: '12.7 s/step' says more than '0.0787 steps/s'."""
    name = unit.removesuffix("s") if unit else ""
    return f"{rate:.3g} {unit}/s".replace(" /", "/") if rate >= 1 else f"{1 / rate:.3g} s/{name or 'unit'}"


def _clock_time(seconds: float) -> str:
    minutes, left = divmod(round(max(seconds, 0)), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{left:02}" if hours else f"{minutes}:{left:02}"


def _short(value: float | int | str) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _print(stream: TextIO, text: str) -> None:
    # A pipe that was closed, or a terminal that cannot show a letter, is no reason to stop hours of training.
    with suppress(OSError, ValueError):
        print(text, file=stream, flush=True)
