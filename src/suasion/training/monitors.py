"""Practice watched as it goes: each number that tells health has a limit at which it warns, and one at which practice stops.

The means over the last few logged steps are held against the limits, so that one odd step does nothing. What a monitor knows follows
from the run's own log: a resumed practice goes on with what it had seen.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Mapping
from statistics import fmean
from typing import Any

from pydantic import model_validator

from suasion.config import Config
from suasion.errors import Refused
from suasion.progress import say
from suasion.runs.run import Run

#: Numbers of which little is bad.
_FLOORS = ("entropy", "distinct")
_WINDOW = 5

_MEANING = {
    "cut_off": ("share of replies cut off", "Raise rendering.reply_tokens, or train SFT longer: it is there that a writer learns to end."),
    "dead_groups": ("share of groups without a difference", "Raise practice.temperature, or look at the judge's audit."),
    "kl": ("divergence from the parent (nats a token)", "Raise practice.beta or lower practice.learning_rate."),
    "entropy": ("entropy of the next token (nats)", "The writer comes to say one thing only: raise practice.beta or practice.temperature."),
    "length_drift": ("length against that of the first steps", "Longer and longer: is the judge counting words? See its audit."),
    "repetition": ("share of four-word runs that a reply repeats", "The judge is being fooled by repetition: read samples.jsonl."),
    "distinct": ("share of distinct three-word runs", "The writer says the same to everybody: raise practice.beta."),
}


class Limit(Config):
    """Where to warn and where to stop; ``null``: never."""

    warn: float | None = None
    stop: float | None = None


class LimitsConfig(Config):
    """Limits for practice's numbers. A number that a method does not have is not watched."""

    cut_off: Limit = Limit(warn=0.75)
    dead_groups: Limit = Limit(warn=0.75)
    kl: Limit = Limit(warn=0.5)
    entropy: Limit = Limit(warn=0.1)
    """The least."""
    length_drift: Limit = Limit(warn=1.5)
    """Mean reply length over the last steps, as a multiple of that over the first ones."""
    repetition: Limit = Limit(warn=0.3)
    distinct: Limit = Limit(warn=0.2)
    """The least."""

    @model_validator(mode="after")
    def _warn_before_stopping(self) -> LimitsConfig:
        for name in _MEANING:
            limit: Limit = getattr(self, name)
            if limit.warn is not None and limit.stop is not None and _beyond(name, limit.warn, limit.stop):
                raise ValueError(f"{name}: stop ({limit.stop:g}) comes before warn ({limit.warn:g})")
        return self


def watching(limits: LimitsConfig, run: Run) -> Callable[[int], Watch]:
    """What makes the watch of a run's practice, given the step it goes on from."""
    return lambda begin: Watch(limits, (row for row in run.metrics() if row["step"] <= begin))


class Watch:
    """Follows a practice's numbers.

    Args:
        past: rows already logged, of a practice that goes on.
    """

    def __init__(self, limits: LimitsConfig, past: Iterable[Mapping[str, Any]] = ()) -> None:
        self.limits = limits
        self.recent: dict[str, deque[float]] = defaultdict(lambda: deque(maxlen=_WINDOW))
        self.first_lengths: list[float] = []
        self.warned: set[str] = set()
        for row in past:
            self.measure({name: value for name, value in row.items() if isinstance(value, int | float)})
            self.warned = {name for name, _ in self._passed("warn")}

    def measure(self, numbers: Mapping[str, float]) -> dict[str, float]:
        """Take in a step's numbers; return what follows from them: ``length_drift``, where replies are drawn."""
        for name, value in numbers.items():
            if name != "length_drift":
                self.recent[name].append(value)
        if "reply_tokens" not in numbers:
            return {}
        if len(self.first_lengths) < _WINDOW:
            self.first_lengths.append(numbers["reply_tokens"])
        drift = fmean(self.recent["reply_tokens"]) / max(fmean(self.first_lengths), 1.0)
        self.recent["length_drift"].append(drift)
        return {"length_drift": drift}

    def check(self, step: int) -> None:
        """Warn, once for each number until it comes back, or stop.

        Raises:
            Refused: a number is beyond where practice stops.
        """
        for name, value in self._passed("stop"):
            meaning, advice = _MEANING[name]
            raise Refused(
                f"Practice was stopped at step {step}: {meaning} is {value:.3g} over the last {_WINDOW} logged steps "
                f"(practice.limits.{name}.stop = {getattr(self.limits, name).stop:g}).",
                hint=f"{advice} Its last checkpoint is kept.",
            )
        passed = dict(self._passed("warn"))
        for name, value in passed.items():
            if name not in self.warned:
                meaning, advice = _MEANING[name]
                say(f"Practice: WARNING at step {step}: {meaning} is {value:.3g} (limit {getattr(self.limits, name).warn:g}). {advice}")
        self.warned = set(passed)

    def _passed(self, kind: str) -> list[tuple[str, float]]:
        """The numbers beyond their limit, with their means over the last steps; none before there are enough steps."""
        found = []
        for name in _MEANING:
            limit, values = getattr(getattr(self.limits, name), kind), self.recent[name]
            if limit is not None and len(values) == _WINDOW and _beyond(name, fmean(values), limit):
                found.append((name, fmean(values)))
        return found


def _beyond(name: str, value: float, limit: float) -> bool:
    return value < limit if name in _FLOORS else value > limit
