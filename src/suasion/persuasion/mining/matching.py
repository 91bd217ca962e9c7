"""Winners beside losers of about their length, so that a judge has to learn something better than counting words.

First each debate is matched by an optimal assignment under a length caliper; then a whole split is balanced, so that the longer
reply is the winner exactly as often as the loser. Both are pure functions.
"""

from __future__ import annotations

import math
import random
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from suasion.persuasion.mining.candidates import Debate, Reply


@dataclass(frozen=True)
class Pair:
    """A winner and a loser of the same debate."""

    debate_id: str
    winner: Reply
    loser: Reply

    @property
    def log_ratio(self) -> float:
        """``ln(winner words / loser words)``: above 0 where the winner is longer."""
        return math.log(self.winner.words / self.loser.words)

    @property
    def key(self) -> tuple[str, str, str]:
        """What tells this pair from every other."""
        return self.debate_id, self.winner.id, self.loser.id


@dataclass(frozen=True)
class Balanced:
    """The pairs of one split after balancing, and what it cost."""

    pairs: tuple[Pair, ...]
    rematched: int
    """Pairs saved by giving the winner another loser."""
    dropped: int


def fits(winner: Reply, loser: Reply, caliper: float) -> bool:
    """The two may stand in a pair: about equally long, not the same text, not perhaps the same (deleted) author."""
    if winner.text == loser.text or winner.author == loser.author:
        return False
    return abs(math.log(winner.words / loser.words)) <= caliper + 1e-12


def assign(winners: Sequence[Reply], losers: Sequence[Reply], allowed: Callable[[Reply, Reply], bool]) -> list[tuple[int, int]]:
    """Indices of winners and losers put together: as many as possible, then as close in log length as possible; each used once at most."""
    import numpy as np
    from scipy.optimize import linear_sum_assignment

    if not winners or not losers:
        return []
    # A forbidden cell costs more than all allowed ones of an assignment together, so it is taken only where nothing else is left.
    cost = np.abs(np.log([[one.words] for one in winners]) - np.log([[one.words for one in losers]]))
    forbidden = (float(cost.max()) + 1) * (min(len(winners), len(losers)) + 1)
    mask = np.asarray([[allowed(winner, loser) for loser in losers] for winner in winners])
    rows, columns = linear_sum_assignment(np.where(mask, cost, forbidden))
    return [(int(row), int(column)) for row, column in zip(rows, columns, strict=True) if mask[row, column]]


def match(debate: Debate, caliper: float, max_pairs_per_winner: int = 1) -> list[Pair]:
    """The pairs of one debate. Every round gives each winner one more loser at most; a loser serves a single winner."""
    winners = sorted(debate.winners, key=lambda reply: reply.id)
    unused = sorted(debate.losers, key=lambda reply: reply.id)
    pairs: list[Pair] = []
    for _ in range(max_pairs_per_winner):
        assigned = assign(winners, unused, lambda winner, loser: fits(winner, loser, caliper))
        if not assigned:
            break
        pairs += [Pair(debate.id, winners[row], unused[column]) for row, column in assigned]
        used = {column for _, column in assigned}
        unused = [loser for index, loser in enumerate(unused) if index not in used]
    return pairs


def balance(pairs: Sequence[Pair], unused: Mapping[str, Collection[Reply]], caliper: float, seed: int) -> Balanced:
    """Make the winner the longer one as often as the shorter one (a single pair that cannot be balanced is kept).

    Args:
        pairs: of one split.
        unused: by debate, losers that no pair holds and that may still enter this split.
        caliper: the length caliper of new pairs.
        seed: orders what is otherwise equal.

    Pairs of the side in excess first get an unused loser from the other side of their winner's length; each such change mends an excess
    of two. What is still in excess is dropped, the largest length gap first.
    """
    order = sorted(pairs, key=lambda pair: pair.key)
    random.Random(seed).shuffle(order)
    sign = 1 if _excess(order) > 0 else -1
    excess = abs(_excess(order))
    heavy = [pair for pair in order if pair.log_ratio * sign > 0]
    changes = _changes(heavy, unused, caliper, sign)[: excess // 2]
    excess -= 2 * len(changes)
    replaced = {old.key: new for old, new in changes}
    rest = sorted((pair for pair in heavy if pair.key not in replaced), key=lambda pair: -abs(pair.log_ratio))
    dropped = {pair.key for pair in rest[: excess if len(order) > excess else excess - 1]}
    kept = [replaced.get(pair.key, pair) for pair in order if pair.key not in dropped]
    return Balanced(tuple(sorted(kept, key=lambda pair: pair.key)), len(changes), len(dropped))


def _excess(pairs: Sequence[Pair]) -> int:
    """Pairs whose winner is longer, less pairs whose loser is."""
    return sum((pair.log_ratio > 0) - (pair.log_ratio < 0) for pair in pairs)


def _changes(heavy: Sequence[Pair], unused: Mapping[str, Collection[Reply]], caliper: float, sign: int) -> list[tuple[Pair, Pair]]:
    """Pairs that can get a loser from the other side of their winner, with the new pair; those that come out closest in length first."""
    by_debate: dict[str, list[Pair]] = defaultdict(list)
    for pair in heavy:
        by_debate[pair.debate_id].append(pair)
    changes = []
    for debate, here in by_debate.items():
        free = sorted(unused.get(debate, ()), key=lambda reply: reply.id)
        assigned = assign(
            [pair.winner for pair in here],
            free,
            lambda winner, loser: fits(winner, loser, caliper) and (loser.words - winner.words) * sign > 0,
        )
        changes += [(here[row], Pair(debate, here[row].winner, free[column])) for row, column in assigned]
    return sorted(changes, key=lambda change: abs(change[1].log_ratio))
