"""Where a practice's time goes: seconds a part, as columns of its log and as a table of its report.

On an accelerator work is queued: a part's seconds are those until its results were asked for. Drawing and judging end with results.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from suasion.runs.run import Run

#: The parts of a step, and what they are called in a table.
PARTS = {
    "sampling": "sampling replies",
    "judge": "judging them",
    "reference": "log-probabilities before learning",
    "update": "forward and backward",
    "optimiser": "optimiser",
    "checkpoint": "checkpoints",
    "rest": "the rest",
}
_PREFIX = "seconds_"
#: Columns of the log: seconds since the step logged before, of each part and together.
COLUMNS = tuple(_PREFIX + part for part in (*PARTS, "step"))


class Clock:
    """Adds up the seconds of parts. A part within another one is not counted twice: the outer one stands still meanwhile."""

    def __init__(self, now: Callable[[], float] = time.perf_counter) -> None:
        self.now, self.begun = now, now()
        self.seconds = dict.fromkeys(PARTS, 0.0)
        self.open: list[str] = ["rest"]
        self.since = self.begun

    @contextmanager
    def part(self, name: str) -> Iterator[None]:
        """Within, time is counted to the part called ``name``, one of :data:`PARTS`."""
        self._count()
        self.open.append(name)
        try:
            yield
        finally:
            self._count()
            self.open.pop()

    def lap(self) -> dict[str, float]:
        """The :data:`COLUMNS` since the last lap, in seconds."""
        self._count()
        found = {_PREFIX + part: round(seconds, 4) for part, seconds in self.seconds.items()}
        found[_PREFIX + "step"] = round(self.since - self.begun, 4)
        self.begun, self.seconds = self.since, dict.fromkeys(PARTS, 0.0)
        return found

    def _count(self) -> None:
        now = self.now()
        self.seconds[self.open[-1]] += now - self.since
        self.since = now


def where_the_time_went(rows: Iterable[Mapping[str, Any]], left: Mapping[str, float]) -> dict[str, dict[str, float]]:
    """Of each part, and of all together (``step``), by its name: ``total`` seconds, ``per_step`` seconds, ``share`` of all.

    Args:
        rows: of the run's log; of a practice that was killed and taken up again, the steps that count.
        left: the lap since the last row, in which its last checkpoint was written.
    """
    logged = [row for row in rows if COLUMNS[-1] in row]
    steps = max((int(row["step"]) for row in logged), default=0)
    totals = {name: sum(float(row.get(name) or 0.0) for row in (*logged, left)) for name in COLUMNS}
    whole = totals[COLUMNS[-1]]
    return {
        name.removeprefix(_PREFIX): {
            "total": round(total, 3),
            "per_step": round(total / max(steps, 1), 4),
            "share": round(total / whole, 4) if whole else 0.0,
        }
        for name, total in totals.items()
    }


def note_time(run: Run, clock: Clock) -> None:
    """Put :func:`where_the_time_went` into the run's results, as ``seconds``."""
    run.results["seconds"] = where_the_time_went(run.metrics(), clock.lap())
