"""The curriculum: which share of an epoch's problems each task gets, from how well the model does already.

One pure function, :func:`weights`. With ``a`` a task's accuracy (mean of its estimate), ``l`` the lower end of that estimate's interval,
and ``f`` its floor (``floor_weight``, at least ``least_weight``)::

    readiness = min(1, smallest l among the prerequisites / ready)        1 without prerequisites
    need      = readiness · (1 − a)
    weight    = f + (1 − sum of all f) · need / sum of all needs

So floors hold, weights sum to one, a locked task (readiness 0) is still probed and a mastered one (a near 1) still rehearsed, each at its
floor. What lies between goes where there is most to learn among the tasks whose prerequisites are met. Readiness takes the *lower* end: a
prerequisite that nobody has tried yet unlocks nothing.

An estimate is beta-binomial with exponential forgetting: Beta(½ + v, ½ + i), where ``v`` and ``i`` are sums over past epochs of the
shares of valid and of invalid answers, and each epoch that passes multiplies what is remembered by ``memory``, for the model it was seen
of is no more. The prior is Jeffreys', the interval its central 95 % (Brown, Cai & DasGupta 2001, "Interval estimation for a binomial
proportion"). Answers to one problem are alike, so a problem counts once, by its share of valid answers, however many answers there are.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from typing import TYPE_CHECKING

from pydantic import Field

from suasion.analysis.hirpo.names import nearest
from suasion.config import Config
from suasion.errors import SuasionError

if TYPE_CHECKING:
    import numpy as np

_PRIOR = 0.5


class CurriculumConfig(Config):
    """How the problems of an epoch are shared among the tasks."""

    problems_per_epoch: int = Field(200, ge=1)
    """Of all tasks together."""
    ready: float = Field(0.5, gt=0, le=1)
    """The accuracy of a prerequisite from which on it holds nothing back; below, what waits for it gets proportionally less."""
    least_weight: float = Field(0.01, ge=0, lt=1)
    """Every task's share at the least, whatever its own floor: locked tasks are probed by it, mastered ones rehearsed."""
    memory: float = Field(0.7, ge=0, le=1)
    """What the evidence of an epoch counts for in the next one: 0 forgets at once, 1 never."""


@dataclass(frozen=True)
class Accuracy:
    """What is known of the accuracy at one task: problems' worth of valid and of invalid answers, remembered over epochs."""

    valid: float = 0.0
    invalid: float = 0.0

    @property
    def mean(self) -> float:
        """The estimate, strictly between 0 and 1."""
        return (self.valid + _PRIOR) / (self.valid + self.invalid + 2 * _PRIOR)

    @property
    def low(self) -> float:
        """The lower end of the 95 % interval."""
        return self._quantile(0.025)

    @property
    def high(self) -> float:
        """The upper end."""
        return self._quantile(0.975)

    def as_dict(self) -> dict[str, float]:
        """For a file; :meth:`from_dict` reads it."""
        return {"valid": self.valid, "invalid": self.invalid}

    @classmethod
    def from_dict(cls, data: Mapping[str, float]) -> Accuracy:
        """Raises KeyError, ValueError: not as :meth:`as_dict` wrote it."""
        return cls(float(data["valid"]), float(data["invalid"]))

    def _quantile(self, share: float) -> float:
        from scipy.special import betaincinv

        return float(betaincinv(self.valid + _PRIOR, self.invalid + _PRIOR, share))


def update(before: Accuracy, shares: Iterable[float], config: CurriculumConfig) -> Accuracy:
    """The estimate after one more epoch.

    Args:
        before: what was known; ``Accuracy()`` in the beginning.
        shares: for each problem of the epoch, valid answers over valid and invalid ones. One whose answers are all undecided has none.
    """
    seen = [float(share) for share in shares]
    if not all(0 <= share <= 1 for share in seen):
        raise ValueError("a share is between 0 and 1")
    valid = math.fsum(seen)
    return Accuracy(config.memory * before.valid + valid, config.memory * before.invalid + len(seen) - valid)


def weights(
    prerequisites: Mapping[str, Sequence[str]],
    floors: Mapping[str, float],
    accuracies: Mapping[str, Accuracy],
    config: CurriculumConfig,
) -> dict[str, float]:
    """The share of an epoch's problems that each task gets; in the order of ``prerequisites``, summing to one.

    Args:
        prerequisites: every task, and those that must be mastered before it.
        floors: the least share of a task; one that is not named has none of its own.
        accuracies: what is known; a task that is not named was never tried.

    Raises:
        SuasionError: see :func:`check_prerequisites` and :func:`check_floors`.
    """
    check_prerequisites(prerequisites)
    check_floors(prerequisites, floors, config)
    known = {name: accuracies.get(name, Accuracy()) for name in prerequisites}
    needs = {name: _readiness(known, before, config) * (1 - known[name].mean) for name, before in prerequisites.items()}
    held = {name: max(floors.get(name, 0.0), config.least_weight) for name in prerequisites}
    spread, need = 1 - math.fsum(held.values()), math.fsum(needs.values())  # a task without prerequisites always has some need
    return {name: held[name] + spread * needs[name] / need for name in prerequisites}


def counts(shares: Mapping[str, float], total: int, generator: np.random.Generator) -> dict[str, int]:
    """Shares as whole numbers that sum to ``total``, each within one of ``share x total``, and that on average over draws.

    Systematic sampling with a random start in a random order (Madow 1949): where a share comes to a tenth of a problem, the task gets one
    in one epoch of ten, so that it is not forgotten for good.
    """
    names = list(shares)
    start, before, upto = float(generator.random()), 0, 0.0
    found = dict.fromkeys(names, 0)
    for place in generator.permutation(len(names)):
        upto += shares[names[place]] * total
        reached = math.floor(upto + start)
        found[names[place]], before = reached - before, reached
    if names:  # rounding errors of the sum, should they cross a whole number at the very end
        found[max(names, key=lambda name: shares[name])] += total - before
    return found


def check_prerequisites(prerequisites: Mapping[str, Sequence[str]]) -> None:
    """Whether every task can be reached.

    Raises:
        SuasionError: there is no task, a prerequisite is no task here, or tasks wait for each other; all of them are named.
    """
    if not prerequisites:
        raise SuasionError("There is no task.", hint="Name at least one under 'tasks'.")
    absent = [(name, one) for name, before in prerequisites.items() for one in before if one not in prerequisites]
    if absent:
        told = "; ".join(f"{name} waits for {one!r}, which is not among the tasks{nearest(one, prerequisites)}" for name, one in absent)
        raise SuasionError(f"Prerequisites cannot be reached: {told}.", hint="Correct the dependencies, or add the task.")
    try:
        TopologicalSorter(prerequisites).prepare()
    except CycleError as error:
        circle = " → ".join(reversed(error.args[1]))
        raise SuasionError(f"Tasks wait for each other: {circle}.", hint="Take one of these dependencies out.") from error


def check_floors(tasks: Iterable[str], floors: Mapping[str, float], config: CurriculumConfig) -> None:
    """Raises SuasionError: the floors take more than everything."""
    held = math.fsum(max(floors.get(name, 0.0), config.least_weight) for name in tasks)
    if held > 1 + 1e-9:
        raise SuasionError(
            f"The floors of the tasks sum to {held:.3g}, which is more than 1.", hint="Lower floor_weight, or curriculum.least_weight."
        )


def _readiness(known: Mapping[str, Accuracy], before: Sequence[str], config: CurriculumConfig) -> float:
    return min([1.0, *(known[name].low / config.ready for name in before)])
