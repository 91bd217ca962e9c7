"""Two more tables out of the same debates: one winner among four replies, and single replies with a label.

In both, as in the pairs, length may not give the answer away, and no author or text crosses a split.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from suasion.persuasion.mining.pairs.balance import MEASURES, Measure, balance
from suasion.persuasion.mining.pairs.matching import Pair, fits
from suasion.persuasion.mining.pairs.replies import Reply, Turn
from suasion.statistics import Estimate, clustered_share

_CHANCE = 0.25


@dataclass(frozen=True)
class Four:
    """A winner and three losers of about its length, which answer the same."""

    debate_id: str
    context: tuple[Turn, ...]
    replies: tuple[Reply, ...]
    winner: int
    """Its index among the replies."""


@dataclass(frozen=True)
class Single:
    """A reply, and whether it earned an award."""

    debate_id: str
    context: tuple[Turn, ...]
    """Of its pair's prompt: the turns as the winner saw them, so that the prompt is the same for both labels."""
    reply: Reply
    label: bool


@dataclass(frozen=True)
class _Ranked:
    """A row to be: the winner, and three losers of which ``rank`` are shorter than it and the others longer."""

    debate_id: str
    rank: int
    winner: Reply
    losers: tuple[Reply, ...]


def best_of_four(
    winners: Mapping[str, Sequence[Reply]],
    losers: Mapping[str, Sequence[Reply]],
    caliper: float,
    seed: int,
    nameless: Collection[str] = (),
) -> list[Four]:
    """The rows of one split.

    Args:
        winners: by debate.
        losers: by debate, those that may stand in this split; each serves one row at most.
        caliper: the length caliper.
        seed: of the order of replies and of what is otherwise equal.
        nameless: debates whose source names no authors.

    Length says nothing when the winner is as often the longest of the four as the second, the third and the shortest. So a row's losers
    are taken from both sides of the winner's length, the closest first, with the rank that is rarest so far; ranks that remain too
    common are thinned out until both "the longest" and "the shortest" pick the winner in a quarter of the rows (95 % interval).
    """
    rows = _thinned(_ranked(winners, losers, caliper, seed, nameless), seed)
    generator = random.Random(f"{seed} places")
    places = [place for _ in range(len(rows) // 4 + 1) for place in generator.sample(range(4), 4)]
    fours = []
    for row, place in zip(sorted(rows, key=lambda row: (row.debate_id, row.winner.id)), places, strict=False):
        replies = generator.sample(row.losers, 3)
        replies.insert(place, row.winner)
        fours.append(Four(row.debate_id, row.winner.context, tuple(replies), place))
    return fours


def rule_wins(fours: Sequence[Four], rule: str, measure: Measure) -> Estimate:
    """How often the "longest" or the "shortest" of the four is the winner; replies equally long share the win. Chance is 0.25.

    Lengths in tokens that are not known make the estimate unknown (n = 0).
    """
    return _rule_share([(four.debate_id, four.replies, four.winner) for four in fours], rule, measure)


def labelled(pairs: Sequence[Pair], caliper: float, seed: int, nameless: Collection[str] = ()) -> list[Single]:
    """The pairs of one split taken apart: as many replies that earned an award as others, of about the same lengths, each reply once.

    Of the pairs that share a reply the closest in length is taken; what is left is balanced again.
    """
    used: set[tuple[str, str]] = set()
    apart = []
    for pair in sorted(pairs, key=lambda pair: (abs(pair.log_ratio), pair.key)):
        sides = {(pair.debate_id, pair.winner.id), (pair.debate_id, pair.loser.id)}
        if not used & sides:
            used |= sides
            apart.append(pair)
    kept = balance(apart, {}, caliper, seed, nameless).pairs
    singles = [Single(pair.debate_id, pair.winner.context, pair.winner, True) for pair in kept]
    singles += [Single(pair.debate_id, pair.winner.context, pair.loser, False) for pair in kept]
    return sorted(singles, key=lambda one: (one.debate_id, one.reply.id))


def _ranked(
    winners: Mapping[str, Sequence[Reply]],
    losers: Mapping[str, Sequence[Reply]],
    caliper: float,
    seed: int,
    nameless: Collection[str],
) -> list[_Ranked]:
    """A row for each winner with three losers, the rank chosen so that all ranks become equally common; hard ones first."""
    order = [(debate, winner) for debate in sorted(winners) for winner in sorted(winners[debate], key=lambda reply: reply.id)]
    random.Random(f"{seed} winners").shuffle(order)
    sides = {winner.id: _sides(winner, losers.get(debate, ()), caliper, debate in nameless) for debate, winner in order}
    order.sort(key=lambda entry: len(_ranks(sides[entry[1].id], set())))
    common, used, rows = Counter[int](), defaultdict[str, set[str]](set), []
    for debate, winner in order:
        shorter, longer = sides[winner.id]
        if ranks := _ranks(sides[winner.id], used[debate]):
            rank = min(ranks, key=lambda rank: (common[rank], rank))
            chosen = [one for side, number in ((shorter, rank), (longer, 3 - rank)) for one in _free(side, used[debate])[:number]]
            common[rank] += 1
            used[debate].update(one.id for one in chosen)
            rows.append(_Ranked(debate, rank, winner, tuple(chosen)))
    return rows


def _sides(winner: Reply, losers: Sequence[Reply], caliper: float, nameless: bool) -> tuple[list[Reply], list[Reply]]:
    """Losers shorter and longer than the winner, the closest first, each text once."""
    fitting: dict[str, Reply] = {}
    for loser in sorted(losers, key=lambda reply: (abs(reply.length - winner.length), reply.id)):
        if loser.length != winner.length and fits(winner, loser, caliper, nameless):
            fitting.setdefault(loser.text, loser)
    near = list(fitting.values())
    return [one for one in near if one.length < winner.length], [one for one in near if one.length > winner.length]


def _free(side: Sequence[Reply], used: set[str]) -> list[Reply]:
    return [one for one in side if one.id not in used]


def _ranks(sides: tuple[list[Reply], list[Reply]], used: set[str]) -> list[int]:
    shorter, longer = (len(_free(side, used)) for side in sides)
    return [rank for rank in range(4) if shorter >= rank and longer >= 3 - rank]


def _thinned(rows: list[_Ranked], seed: int) -> list[_Ranked]:
    by_rank: dict[int, list[_Ranked]] = {rank: [row for row in rows if row.rank == rank] for rank in range(4)}
    for number, of_rank in enumerate(by_rank.values()):
        of_rank.sort(key=lambda row: (row.debate_id, row.winner.id))
        random.Random(f"{seed} {number}").shuffle(of_rank)
    most = max(map(len, by_rank.values()))
    while most:
        kept = [row for of_rank in by_rank.values() for row in of_rank[:most]]
        if all(share.low <= _CHANCE <= share.high for share in _shares(kept)):
            return kept
        most -= max(1, most // 50)
    return []


def _shares(rows: Sequence[_Ranked]) -> list[Estimate]:
    as_rows = [(row.debate_id, (row.winner, *row.losers), 0) for row in rows]
    return [_rule_share(as_rows, rule, measure) for rule in ("longest", "shortest") for measure in MEASURES]


def _rule_share(rows: Sequence[tuple[str, tuple[Reply, ...], int]], rule: str, measure: Measure) -> Estimate:
    values, clusters = [], []
    for debate, replies, winner in rows:
        sizes = [reply.tokens if measure == "tokens" else reply.words for reply in replies]
        known = [size for size in sizes if size is not None]
        if len(known) == len(sizes):
            extreme = max(known) if rule == "longest" else min(known)
            values.append((known[winner] == extreme) / known.count(extreme))
            clusters.append(debate)
    return clustered_share(values, clusters)
