from __future__ import annotations

import itertools
import math

from hypothesis import given, settings
from hypothesis import strategies as st

from suasion.persuasion.mining.candidates import Debate, Reply
from suasion.persuasion.mining.matching import Pair, assign, balance, fits, match

LENGTHS = st.lists(st.integers(40, 80), max_size=7)
CALIPERS = st.sampled_from([0.0, 0.05, 0.2, 1.0])


def replies(kind: str, lengths: list[int]) -> list[Reply]:
    return [Reply(f"{kind}{number}", f"{kind}-{number}", f"{kind} text {number}", n) for number, n in enumerate(lengths)]


def a_debate(winners: list[int], losers: list[int], name: str = "d") -> Debate:
    return Debate(name, "view", tuple(replies(f"{name}w", winners)), tuple(replies(f"{name}l", losers)))


@given(LENGTHS, LENGTHS, CALIPERS, st.integers(1, 3))
@settings(deadline=None)
def test_a_match_keeps_its_rules(winners: list[int], losers: list[int], caliper: float, most: int) -> None:
    debate = a_debate(winners, losers)
    pairs = match(debate, caliper, most)
    assert len({pair.loser.id for pair in pairs}) == len(pairs)
    assert all(abs(pair.log_ratio) <= caliper + 1e-9 for pair in pairs)
    served = [pair.winner.id for pair in pairs]
    assert all(served.count(one) <= most for one in served)
    assert pairs == match(Debate("d", "view", debate.winners[::-1], debate.losers[::-1]), caliper, most)


@given(st.lists(st.integers(40, 80), max_size=4), st.lists(st.integers(40, 80), max_size=4), CALIPERS)
@settings(deadline=None)
def test_no_other_assignment_has_more_pairs_or_as_many_that_are_closer(winners: list[int], losers: list[int], caliper: float) -> None:
    debate = a_debate(winners, losers)
    pairs = match(debate, caliper)
    cost = sum(abs(pair.log_ratio) for pair in pairs)
    slots = [*debate.losers, *[None] * len(winners)]
    for choice in itertools.permutations(slots, len(winners)):
        taken = [(winner, loser) for winner, loser in zip(debate.winners, choice, strict=True) if loser and fits(winner, loser, caliper)]
        assert len(taken) <= len(pairs)
        if len(taken) == len(pairs):
            assert sum(abs(math.log(winner.words / loser.words)) for winner, loser in taken) >= cost - 1e-9


def test_a_loser_is_not_the_winners_text_or_author() -> None:
    winner = Reply("w", "ann", "same", 50)
    assert not fits(winner, Reply("l", "bob", "same", 50), 1)
    assert not fits(winner, Reply("l", "ann", "other", 50), 1)
    assert not fits(Reply("w", None, "one", 50), Reply("l", None, "two", 50), 1)
    assert fits(winner, Reply("l", None, "other", 50), 0)
    assert assign([winner], [], lambda one, other: True) == []


DEBATES = st.lists(st.tuples(LENGTHS, LENGTHS), max_size=6)


@given(DEBATES, st.sampled_from([0.05, 0.2, 1.0]), st.integers(0, 5))
@settings(deadline=None)
def test_after_balancing_length_says_nothing(sizes: list[tuple[list[int], list[int]]], caliper: float, seed: int) -> None:
    debates = [a_debate(winners, losers, f"d{number}") for number, (winners, losers) in enumerate(sizes)]
    pairs = [pair for debate in debates for pair in match(debate, caliper)]
    used = {pair.loser.id for pair in pairs}
    unused = {debate.id: [loser for loser in debate.losers if loser.id not in used] for debate in debates}
    result = balance(pairs, unused, caliper, seed)
    longer = sum(pair.winner.words > pair.loser.words for pair in result.pairs)
    shorter = sum(pair.winner.words < pair.loser.words for pair in result.pairs)
    assert longer == shorter or (len(result.pairs) == 1 and abs(longer - shorter) == 1)
    assert len(result.pairs) == len(pairs) - result.dropped
    assert bool(result.pairs) == bool(pairs)
    assert len({pair.loser.id for pair in result.pairs}) == len(result.pairs)
    assert all(abs(pair.log_ratio) <= caliper + 1e-9 for pair in result.pairs)
    assert {pair.winner.id for pair in result.pairs} <= {pair.winner.id for pair in pairs}
    assert result == balance(pairs[::-1], unused, caliper, seed)
    excess = abs(sum((pair.log_ratio > 0) - (pair.log_ratio < 0) for pair in pairs))
    assert result.dropped <= excess
    assert 2 * result.rematched <= excess


def test_balancing_prefers_another_loser_to_dropping_and_drops_the_widest_gap() -> None:
    winners, losers = replies("w", [60, 60, 60, 60]), replies("l", [50, 55, 58, 59])
    pairs = [Pair("d", winner, loser) for winner, loser in zip(winners, losers, strict=True)]
    spare = {"d": [Reply("s", "s", "spare", 62)]}
    rescued = balance(pairs, spare, 0.3, 0)
    assert (rescued.rematched, rescued.dropped) == (1, 2)
    assert "l0" not in {pair.loser.id for pair in rescued.pairs}
    bare = balance([*pairs, Pair("d", *replies("x", [50, 60]))], {}, 0.3, 0)
    assert {pair.loser.id for pair in bare.pairs} == {"l3", "x1"}
    assert bare.dropped == 3
