"""All that pairs can be made of, gathered debate by debate: matched as they stream by, without the losers that no pair can need."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field

from suasion.persuasion.mining.pairs.any_loser import AnyLoser
from suasion.persuasion.mining.pairs.matching import (
    Pair,
    any_length,
    assign,
    at_random,
    closest_first,
    fits,
    is_nameless,
    match,
    only_fitting,
)
from suasion.persuasion.mining.pairs.replies import Debate, Funnel
from suasion.persuasion.mining.pairs.settings import PairsConfig
from suasion.progress import track


@dataclass
class Pool:
    """What is held of all debates until they are dealt."""

    debates: list[Debate] = field(default_factory=list)
    """Every usable one, with the losers that may be needed."""
    matched: dict[str, list[Pair]] = field(default_factory=lambda: {"optimal": [], "greedy": [], "random": []})
    """By way of matching; ``optimal`` holds the pairs that are made (with matching "any" those of any length, with "none" those that the
    source states)."""
    would_match: list[Pair] = field(default_factory=list)
    """With matching "any": the pairs that there would be were they matched; those of any length are dealt out as these would be."""
    any_length: int = 0
    """How many pairs there would be were length no matter."""
    any_loser: AnyLoser = field(default_factory=AnyLoser)
    nameless: set[str] = field(default_factory=set)
    """Debates whose source names no authors."""


def gather(debates: Iterable[Debate], config: PairsConfig, funnel: Funnel, seed: int) -> Pool:
    """Take in all debates; ``funnel`` counts what becomes of their winners.

    Args:
        debates: a stream.
        config: the rules of matching.
        funnel: is counted up.
        seed: of the pairs at random.
    """
    pool = Pool()
    with track("finding candidates", None, unit="debates") as progress:
        for debate in debates:
            progress.advance()
            pool.any_loser.add(debate)
            if is_nameless(debate):
                pool.nameless.add(debate.id)
            if config.matching == "none":
                pool.debates.append(debate)
                pool.matched["optimal"] += _stated(debate)
            elif config.matching == "any":
                pool.debates.append(debate)
                pool.matched["optimal"] += _of_any_length(debate, config, funnel, seed)
                pool.would_match += match(debate, config.length_caliper, config.max_pairs_per_winner)
            else:
                pool.debates.append(_matched(debate, config, funnel, seed, pool))
    pool.debates.sort(key=lambda debate: debate.id)  # whatever the order of the source: the same debates give the same files
    for pairs in (*pool.matched.values(), pool.would_match):
        pairs.sort(key=lambda pair: pair.key)
    return pool


def _matched(debate: Debate, config: PairsConfig, funnel: Funnel, seed: int, pool: Pool) -> Debate:
    caliper, most = config.length_caliper, config.max_pairs_per_winner
    pool.any_length += any_length(debate, most)
    pool.matched["random"] += match(debate, caliper, most, at_random(f"{seed} {debate.id}"))
    had_losers = {loser.answers for loser in debate.losers}
    debate = only_fitting(debate, caliper, most)
    pool.matched["greedy"] += match(debate, caliper, most, closest_first)
    pairs = match(debate, caliper, most, assign)
    pool.matched["optimal"] += pairs
    done = {pair.winner.id for pair in pairs}
    for winner in debate.winners:
        if winner.id in done:
            funnel.keep("winners matched")
        elif winner.answers not in had_losers:
            funnel.drop("winners matched", "the debate has no possible loser" if config.unit != "comment" else "no loser answers the same")
        elif not any(fits(winner, loser, caliper, debate.id in pool.nameless) for loser in debate.losers):
            funnel.drop("winners matched", "no loser of about its length")
        else:
            funnel.drop("winners matched", "its losers are taken by other winners")
    return debate


def _of_any_length(debate: Debate, config: PairsConfig, funnel: Funnel, seed: int) -> list[Pair]:
    """Each winner beside losers drawn from all of its debate."""
    pairs = match(debate, math.inf, config.max_pairs_per_winner, at_random(f"{seed} {debate.id}"))
    paired = {pair.winner.id for pair in pairs}
    funnel.keep("winners matched", len(paired))
    if alone := len(debate.winners) - len(paired):
        funnel.drop("winners matched", "no loser is left in its debate", alone)
    return pairs


def _stated(debate: Debate) -> list[Pair]:
    """The pairs that the source itself states, as they stand."""
    winners, losers = ({reply.id: reply for reply in side} for side in (debate.winners, debate.losers))
    return [Pair(debate.id, winners[won], losers[lost]) for won, lost in debate.given]
