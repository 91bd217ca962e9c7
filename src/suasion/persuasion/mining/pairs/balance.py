"""Neither "longer" nor "shorter" may predict the winner: a whole split is balanced, in tokens and in words.

The longer reply is made to win exactly as often as the shorter. That is not yet enough: were winners a little longer where they are
longer, and the losers less so, the length alone would still tell a winner from a loser of another debate. So the length-only AUC is
held to 0.5 as well.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import accumulate
from typing import Any, Literal

from suasion.persuasion.mining.pairs.matching import Pair, assign, fits
from suasion.persuasion.mining.pairs.replies import Reply
from suasion.statistics import Estimate, clustered_auc, clustered_share, credit

Measure = Literal["tokens", "words"]
MEASURES: tuple[Measure, ...] = ("tokens", "words")


@dataclass(frozen=True)
class Balanced:
    """The pairs of one split after balancing, and what it cost."""

    pairs: tuple[Pair, ...]
    rematched: int
    """Pairs saved by giving the winner another loser."""
    dropped: int


def length_auc(pairs: Sequence[Pair], measure: Measure, seed: int = 0) -> Estimate:
    """The chance that a random winner is longer than a random loser of the same split (ties half); 0.5: length is of no help.

    Args:
        pairs: of one split.
        measure: unknown lengths in tokens make the estimate unknown (``nan``, interval 0 to 1).
        seed: of the bootstrap over debates.
    """
    sizes = _sizes(pairs, measure)
    if len(sizes) < len(pairs):
        return Estimate(float("nan"), 0.0, 1.0, 0, 0)
    return clustered_auc([won for won, _ in sizes], [lost for _, lost in sizes], [pair.debate_id for pair in pairs], seed=seed)


def longer_share(pairs: Sequence[Pair], measure: Measure) -> Estimate:
    """How often the longer of the two is the winner (ties half). Unknown lengths as in :func:`length_auc`."""
    sizes = _sizes(pairs, measure)
    if len(sizes) < len(pairs):
        return Estimate(float("nan"), 0.0, 1.0, 0, 0)
    return clustered_share(credit([won for won, _ in sizes], [lost for _, lost in sizes]), [pair.debate_id for pair in pairs])


def excess(pairs: Collection[Pair]) -> int:
    """Pairs whose winner is longer, less pairs whose loser is."""
    return sum(_sign(pair) for pair in pairs)


def balance(
    pairs: Sequence[Pair], unused: Mapping[str, Collection[Reply]], caliper: float, seed: int, nameless: Collection[str] = ()
) -> Balanced:
    """Make length say nothing (a single pair that cannot be balanced is kept).

    Args:
        pairs: of one split.
        unused: by debate, losers that no pair holds and that may still enter this split.
        caliper: the length caliper of new pairs.
        seed: orders what is otherwise equal.
        nameless: debates whose source names no authors, see :func:`~suasion.persuasion.mining.pairs.matching.fits`.

    Pairs of the side in excess first get an unused loser from the other side of their winner's length; each such change mends an excess
    of two. What is still in excess is dropped, so that the gaps that are left are as wide on one side as on the other. Where the AUC's
    interval then misses 0.5, the pairs that push it away most go too, until it holds.
    """
    order = sorted(pairs, key=lambda pair: pair.key)
    random.Random(seed).shuffle(order)
    side = 1 if excess(order) > 0 else -1
    surplus = abs(excess(order))
    heavy = [pair for pair in order if _sign(pair) == side]
    changes = _changes(heavy, unused, caliper, side, nameless)[: surplus // 2]
    surplus -= 2 * len(changes)
    replaced = {old.key: new for old, new in changes}
    rest = [pair for pair in heavy if pair.key not in replaced]
    light = [pair for pair in order if _sign(pair) == -side] + [new for _, new in changes]
    stay = {pair.key for pair in _alike(rest, light, len(rest) - (surplus if len(order) > surplus else surplus - 1))}
    even = [replaced.get(pair.key, pair) for pair in order if _sign(pair) != side or pair.key in replaced or pair.key in stay]
    kept = _level(even, seed)
    return Balanced(tuple(sorted(kept, key=lambda pair: pair.key)), len(changes), len(order) - len(kept))


def says_nothing(pairs: Sequence[Pair], measure: Measure, seed: int = 0) -> bool:
    """The intervals of the AUC and of the longer one's share of wins both hold 0.5."""
    return _holds_half(length_auc(pairs, measure, seed)) and _holds_half(longer_share(pairs, measure))


def _holds_half(estimate: Estimate) -> bool:
    return estimate.low <= 0.5 <= estimate.high


def _alike(heavy: Sequence[Pair], light: Sequence[Pair], number: int) -> list[Pair]:
    """So many pairs of the heavy side, neighbours in their gaps, whose mean gap comes closest to that of the light side."""
    ordered = sorted(heavy, key=lambda pair: (abs(pair.log_ratio), pair.key))
    goal = sum(abs(pair.log_ratio) for pair in light)  # where there is a light pair, both sides are equally many
    sums = [0.0, *accumulate(abs(pair.log_ratio) for pair in ordered)]
    starts = range(max(1, len(ordered) - number + 1))
    start = min(starts, key=lambda start: (abs(sums[min(start + number, len(ordered))] - sums[start] - goal), start))
    return ordered[start : start + number]


def _level(pairs: list[Pair], seed: int) -> list[Pair]:
    """Without the pairs that give the length away most, as few as need be; the longer one goes on winning as often as the shorter."""
    while told := [measure for measure in MEASURES if not says_nothing(pairs, measure, seed)]:
        pairs = _without_lopsided(pairs, told[0], seed)
    return pairs


def _without_lopsided(pairs: list[Pair], measure: Measure, seed: int) -> list[Pair]:
    """Fewer pairs, at least one, so that the measure that tells the winner tells it no longer.

    They go two by two, one whose winner is longer and one whose loser is, those that push most first; a tie may go alone.
    """
    by_auc = not _holds_half(length_auc(pairs, measure, seed))
    estimate: Callable[[Sequence[Pair]], Estimate] = (
        partial(length_auc, measure=measure, seed=seed) if by_auc else partial(longer_share, measure=measure)
    )
    side = 1 if estimate(pairs).value > 0.5 else -1
    pushes = _parts_of_auc(pairs, measure) if by_auc else [float((won > lost) - (won < lost)) for won, lost in _sizes(pairs, measure)]
    push = {pair.key: side * part for pair, part in zip(pairs, pushes, strict=True)}
    sides: dict[int, list[Pair]] = {-1: [], 0: [], 1: []}
    for pair in sorted(pairs, key=lambda pair: (-push[pair.key], pair.key)):
        sides[_sign(pair)].append(pair)
    moves: list[tuple[Pair, ...]] = [*zip(sides[1], sides[-1], strict=False), *((pair,) for pair in sides[0])]
    moves.sort(key=lambda move: (-sum(push[pair.key] for pair in move) / len(move), move[0].key))

    def after(number: int) -> list[Pair]:
        gone = {pair.key for move in moves[:number] for pair in move}
        return [pair for pair in pairs if pair.key not in gone]

    def enough(number: int) -> bool:
        # Half way into the interval and not just to its edge: mending one measure then seldom spoils the other, and another seed of the
        # bootstrap says the same.
        left = estimate(after(number))
        return left.value - 0.5 <= (left.value - left.low) / 2 if side > 0 else 0.5 - left.value <= (left.high - left.value) / 2

    few, many = 0, len(moves)  # the fewest moves that are enough, by halving; no pairs at all say nothing
    while many - few > 1:
        middle = (few + many) // 2
        few, many = (few, middle) if enough(middle) else (middle, many)
    return after(many) or [min(pairs, key=lambda pair: (abs(pair.log_ratio), pair.key))]


def _parts_of_auc(pairs: Sequence[Pair], measure: Measure) -> list[float]:
    """What each pair adds to the AUC: the share of losers that its winner outgrows, less the share of winners that its loser outgrows."""
    import numpy as np

    won, lost = np.asarray(_sizes(pairs, measure)).T

    def below(values: Any, among: Any) -> Any:  # the share of them that are smaller, ties half
        ordered = np.sort(among)
        return (np.searchsorted(ordered, values, "left") + np.searchsorted(ordered, values, "right")) / (2 * len(ordered))

    return list(below(won, lost) - below(lost, won))


def _sizes(pairs: Sequence[Pair], measure: Measure) -> list[tuple[int, int]]:
    """Lengths of winner and loser, of the pairs where both are known."""
    if measure == "words":
        return [(pair.winner.words, pair.loser.words) for pair in pairs]
    tokens = [(pair.winner.tokens, pair.loser.tokens) for pair in pairs]
    return [(won, lost) for won, lost in tokens if won is not None and lost is not None]


def _sign(pair: Pair) -> int:
    return (pair.winner.length > pair.loser.length) - (pair.winner.length < pair.loser.length)


def _changes(
    heavy: Sequence[Pair], unused: Mapping[str, Collection[Reply]], caliper: float, side: int, nameless: Collection[str]
) -> list[tuple[Pair, Pair]]:
    """Pairs that can get a loser from the other side of their winner, with the new pair; those that come out closest in length first."""
    by_debate: dict[str, list[Pair]] = defaultdict(list)
    for pair in heavy:
        by_debate[pair.debate_id].append(pair)

    def mends(winner: Reply, loser: Reply, unnamed: bool) -> bool:
        return (loser.length - winner.length) * side > 0 and fits(winner, loser, caliper, unnamed)

    changes = []
    for debate, here in by_debate.items():
        free = sorted(unused.get(debate, ()), key=lambda reply: reply.id)
        assigned = assign([pair.winner for pair in here], free, caliper, partial(mends, unnamed=debate in nameless))
        changes += [(here[row], Pair(debate, here[row].winner, free[column])) for row, column in assigned]
    return sorted(changes, key=lambda change: abs(change[1].log_ratio))
