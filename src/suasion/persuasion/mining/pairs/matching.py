"""Winners beside losers of about their length, so that a judge has to learn something better than counting words.

Inside each debate winners and losers are put together by an optimal assignment under a length caliper. Two ways that people commonly
use instead, the closest first and at random, stand beside it, so that a reader sees what the choice costs. All are pure functions.
"""

from __future__ import annotations

import math
import random
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from suasion.persuasion.mining.pairs.replies import Debate, Reply

_TOLERANCE = 1e-12
_SPARE = 20  # losers kept on each side of a winner's length beyond what matching may need: for balancing and for best-of-four

Allowed = Callable[[Reply, Reply], bool]
Assigned = list[tuple[int, int]]
"""Indices of winners and losers put together."""


@dataclass(frozen=True)
class Pair:
    """A winner and a loser of the same debate."""

    debate_id: str
    winner: Reply
    loser: Reply

    @property
    def log_ratio(self) -> float:
        """``ln(winner's length / loser's length)``: above 0 where the winner is longer."""
        return math.log(self.winner.length / self.loser.length)

    @property
    def key(self) -> tuple[str, str, str]:
        """What tells this pair from every other."""
        return self.debate_id, self.winner.id, self.loser.id


def fits(winner: Reply, loser: Reply, caliper: float, nameless: bool = False) -> bool:
    """The two may stand in a pair: about equally long, answers to the same, not the same text, not perhaps the same author.

    Args:
        nameless: the source tells no authors, so two unknown ones are not a sign of one deleted account.
    """
    if winner.text == loser.text or winner.answers != loser.answers:
        return False
    if winner.author == loser.author and not (nameless and winner.author is None):
        return False
    return abs(math.log(winner.length / loser.length)) <= caliper + _TOLERANCE


def is_nameless(debate: Debate) -> bool:
    """Its source states pairs and no author of a reply: a ready table without names."""
    return bool(debate.given) and all(reply.author is None for reply in (*debate.winners, *debate.losers))


def assign(winners: Sequence[Reply], losers: Sequence[Reply], caliper: float, allowed: Allowed) -> Assigned:
    """As many as possible, then as close in log length as possible; each used once at most.

    Among n winners each needs no more than its n closest losers: of an assignment that takes a farther one, one of those n is free and
    can be taken instead. So the problem is sparse, n² numbers at most however many losers there are (:class:`_Near`), and is solved by
    SciPy's LAPJVsp (Jonker & Volgenant 1987).
    """
    import numpy as np
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import min_weight_full_bipartite_matching

    near = _Near(winners, losers, caliper, allowed)
    edges = [(row, column, near.gap(row, column)) for row in range(len(winners)) for column in near.closest(row, len(winners))]
    if not edges:
        return []
    rows, columns, gaps = (np.asarray(list(part)) for part in zip(*edges, strict=True))
    # Every winner may also stay alone, at a price above that of all gaps together: so it does only where nothing else is left.
    alone = (float(gaps.max()) + 1) * (len(winners) + 1)
    every = np.arange(len(winners))
    cost = csr_array(
        (  # 1 on every edge changes nothing, since every winner has one edge; zeros would not count as edges
            np.concatenate([gaps, np.full(len(winners), alone)]) + 1,
            (np.concatenate([rows, every]), np.concatenate([columns, len(losers) + every])),
        ),
        shape=(len(winners), len(losers) + len(winners)),
    )
    matched = zip(*min_weight_full_bipartite_matching(cost), strict=True)
    return [(int(row), int(column)) for row, column in matched if column < len(losers)]


def closest_first(winners: Sequence[Reply], losers: Sequence[Reply], caliper: float, allowed: Allowed) -> Assigned:
    """Greedy: the two that are closest in length, then the next two that are still free, and so on."""
    near = _Near(winners, losers, caliper, allowed)
    edges = sorted((near.gap(row, column), row, column) for row in range(len(winners)) for column in near.closest(row, len(winners)))
    taken: dict[int, int] = {}
    used: set[int] = set()
    for _, row, column in edges:
        if row not in taken and column not in used:
            taken[row] = column
            used.add(column)
    return sorted(taken.items())


def at_random(seed: str) -> Callable[[Sequence[Reply], Sequence[Reply], float, Allowed], Assigned]:
    """Winner after winner, in a random order, takes any free loser that fits it."""

    def pairing(winners: Sequence[Reply], losers: Sequence[Reply], caliper: float, allowed: Allowed) -> Assigned:
        near = _Near(winners, losers, caliper, allowed)
        generator = random.Random(seed)
        used: set[int] = set()
        made: Assigned = []
        for row in generator.sample(range(len(winners)), len(winners)):
            free = near.window(row)
            generator.shuffle(free)
            column = next((one for one in free if one not in used and allowed(winners[row], losers[one])), None)
            if column is not None:
                used.add(column)
                made.append((row, column))
        return sorted(made)

    return pairing


def match(
    debate: Debate,
    caliper: float,
    max_pairs_per_winner: int = 1,
    pairing: Callable[[Sequence[Reply], Sequence[Reply], float, Allowed], Assigned] = assign,
) -> list[Pair]:
    """The pairs of one debate. Every round gives each winner one more loser at most; a loser serves a single winner."""
    nameless = is_nameless(debate)
    pairs: list[Pair] = []
    for winners, losers in _answers(debate):
        unused = losers
        for _ in range(max_pairs_per_winner):
            assigned = pairing(winners, unused, caliper, lambda winner, loser: fits(winner, loser, caliper, nameless))
            if not assigned:
                break
            pairs += [Pair(debate.id, winners[row], unused[column]) for row, column in assigned]
            used = {column for _, column in assigned}
            unused = [loser for index, loser in enumerate(unused) if index not in used]
    return pairs


def any_length(debate: Debate, max_pairs_per_winner: int = 1) -> int:
    """How many pairs there would be were length no matter.

    A deleted account may not stand beside another one, so winners with a name take nameless losers first and leave the rest to all.
    """
    nameless = is_nameless(debate)
    total = 0
    for winners, losers in _answers(debate):
        deleted_winners = 0 if nameless else sum(winner.author is None for winner in winners) * max_pairs_per_winner
        deleted_losers = 0 if nameless else sum(loser.author is None for loser in losers)
        named_winners = len(winners) * max_pairs_per_winner - deleted_winners
        first = min(named_winners, deleted_losers)
        total += first + min(named_winners - first + deleted_winners, len(losers) - deleted_losers)
    return total


def only_fitting(debate: Debate, caliper: float, max_pairs_per_winner: int = 1) -> Debate:
    """The debate without losers that no pair can need, so that a large one does not fill the memory.

    Of the losers that fit a winner, those closest to it on each side of its length are kept: as many as there are winners who answer the
    same, times ``max_pairs_per_winner`` (an optimal assignment needs no others), and 20 more to choose from afterwards.
    """
    nameless = is_nameless(debate)
    kept: set[str] = set()
    for winners, losers in _answers(debate):
        near = _Near(winners, losers, caliper, lambda winner, loser: fits(winner, loser, caliper, nameless))
        most = len(winners) * max_pairs_per_winner + _SPARE
        for row in range(len(winners)):
            for side in (-1, 0, 1):
                kept.update(losers[column].id for column in near.closest(row, most, side))
    return replace(debate, losers=tuple(loser for loser in debate.losers if loser.id in kept))


class _Near:
    """Which losers lie within the caliper of each winner's length, the closest first."""

    def __init__(self, winners: Sequence[Reply], losers: Sequence[Reply], caliper: float, allowed: Allowed) -> None:
        self.winners, self.losers, self.allowed = winners, losers, allowed
        self.reach = caliper + _TOLERANCE
        self.order = sorted(range(len(losers)), key=lambda column: (losers[column].length, column))
        self.logs = [math.log(losers[column].length) for column in self.order]

    def gap(self, row: int, column: int) -> float:
        """Distance in log length."""
        return abs(math.log(self.winners[row].length / self.losers[column].length))

    def window(self, row: int) -> list[int]:
        """Every loser within the caliper, the shortest first; whether it is allowed is not asked."""
        own = math.log(self.winners[row].length)
        return self.order[bisect_left(self.logs, own - self.reach) : bisect_right(self.logs, own + self.reach)]

    def closest(self, row: int, most: int, side: int | None = None) -> list[int]:
        """The ``most`` closest that are allowed; of one ``side`` only: -1 shorter than the winner, 0 as long, 1 longer."""
        winner, found = self.winners[row], []
        for column in self._outwards(row):
            loser = self.losers[column]
            there = (loser.length > winner.length) - (loser.length < winner.length)
            if (side is None or side == there) and self.allowed(winner, loser):
                found.append(column)
                if len(found) == most:
                    break
        return found

    def _outwards(self, row: int) -> Iterator[int]:
        own = math.log(self.winners[row].length)
        right = bisect_left(self.logs, own)
        left = right - 1
        while True:
            below = own - self.logs[left] if left >= 0 else math.inf
            above = self.logs[right] - own if right < len(self.logs) else math.inf
            if min(below, above) > self.reach:
                return
            if below <= above:
                yield self.order[left]
                left -= 1
            else:
                yield self.order[right]
                right += 1


def _answers(debate: Debate) -> Iterator[tuple[list[Reply], list[Reply]]]:
    """Winners and losers that answer the same post or comment: only they may be compared, for their prompt is the same."""
    winners: dict[str, list[Reply]] = defaultdict(list)
    losers: dict[str, list[Reply]] = defaultdict(list)
    for side, replies in ((winners, debate.winners), (losers, debate.losers)):
        for reply in sorted(replies, key=lambda reply: reply.id):
            side[reply.answers].append(reply)
    for answered in sorted(winners):
        if answered in losers:
            yield winners[answered], losers[answered]
