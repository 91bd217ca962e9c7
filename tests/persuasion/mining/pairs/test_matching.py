from __future__ import annotations

import itertools
import math
import random
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from suasion.persuasion.mining.pairs.matching import any_length, assign, at_random, closest_first, fits, is_nameless, match, only_fitting
from suasion.persuasion.mining.pairs.replies import Debate, Reply
from tests.persuasion.mining.replies_for_tests import CALIPERS, LENGTHS, a_debate


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
    assert not fits(winner, Reply("l", "bob", "other", 50, answers="another comment"), 1)
    assert fits(Reply("w", None, "one", 50), Reply("l", None, "two", 50), 1, nameless=True)
    assert not fits(winner, Reply("l", "ann", "other", 50), 1, nameless=True)
    assert assign([winner], [], 1, lambda one, other: True) == []


def test_the_caliper_is_on_tokens_where_they_are_known() -> None:
    winner, near, far = Reply("w", "a", "x", 60, tokens=80), Reply("l", "b", "y", 90, tokens=82), Reply("m", "c", "z", 60, tokens=140)
    assert fits(winner, near, 0.1) and not fits(winner, far, 0.1)
    assert match(Debate("d", "view", (winner,), (near, far)), 0.1)[0].log_ratio == math.log(80 / 82)


def test_only_answers_to_the_same_comment_meet() -> None:
    winners = (Reply("w1", "a", "one", 50, answers="p"), Reply("w2", "b", "two", 50, answers="q"))
    losers = (Reply("l1", "c", "three", 50, answers="q"), Reply("l2", "d", "four", 50, answers="r"))
    (pair,) = match(Debate("d", "view", winners, losers), 0.2)
    assert (pair.winner.id, pair.loser.id) == ("w2", "l1")


@given(LENGTHS, LENGTHS, CALIPERS, st.integers(1, 2), st.integers(0, 3))
@settings(deadline=None)
def test_no_other_way_keeps_more(winners: list[int], losers: list[int], caliper: float, most: int, seed: int) -> None:
    debate = a_debate(winners, losers)
    best = match(debate, caliper, most)
    for way in (closest_first, at_random(f"{seed}")):
        other = match(debate, caliper, most, way)
        assert other == match(debate, caliper, most, way)
        assert len({pair.loser.id for pair in other}) == len(other)
        assert all(fits(pair.winner, pair.loser, caliper) for pair in other)
        if most == 1:
            assert len(other) <= len(best)
            # neither leaves two standing that could still go together
            served, used = {pair.winner.id for pair in other}, {pair.loser.id for pair in other}
            left = [(w, lost) for w in debate.winners for lost in debate.losers if w.id not in served and lost.id not in used]
            assert not any(fits(w, lost, caliper) for w, lost in left)
    assert len(best) <= any_length(debate, most) == len(match(debate, 100, most))


@given(st.lists(st.booleans(), max_size=5), st.lists(st.booleans(), max_size=5))
@settings(deadline=None)
def test_deleted_accounts_are_counted_right_where_length_is_no_matter(winners: list[bool], losers: list[bool]) -> None:
    debate = a_debate([50] * len(winners), [50] * len(losers))
    won = tuple(replace(one, author=one.author if named else None) for one, named in zip(debate.winners, winners, strict=True))
    lost = tuple(replace(one, author=one.author if named else None) for one, named in zip(debate.losers, losers, strict=True))
    assert any_length(Debate("d", "view", won, lost)) == len(match(Debate("d", "view", won, lost), 1))


def test_greedy_can_keep_fewer() -> None:
    debate = a_debate([50, 54], [53, 57])  # greedy puts 54 beside 53, and 50 is left with 57
    assert len(match(debate, 0.1)) == 2
    assert len(match(debate, 0.1, 1, closest_first)) == 1


@given(st.lists(st.integers(20, 400), max_size=4), st.lists(st.integers(20, 400), max_size=80), CALIPERS, st.integers(1, 2))
@settings(deadline=None)
def test_leaving_out_losers_that_cannot_be_needed_changes_nothing(winners: list[int], losers: list[int], caliper: float, most: int) -> None:
    debate = a_debate(winners, losers)
    small = only_fitting(debate, caliper, most)
    assert {one.id for one in small.losers} <= {one.id for one in debate.losers}
    assert all(any(fits(winner, loser, caliper) for winner in debate.winners) for loser in small.losers)
    whole, less = match(debate, caliper, most), match(small, caliper, most)
    assert len(whole) == len(less)
    if most == 1:
        assert math.isclose(sum(abs(pair.log_ratio) for pair in whole), sum(abs(pair.log_ratio) for pair in less), abs_tol=1e-9)


def test_a_huge_debate_is_matched_without_a_huge_table() -> None:
    generator = random.Random(0)
    debate = a_debate([generator.randint(100, 300) for _ in range(200)], [generator.randint(30, 600) for _ in range(20_000)])
    small = only_fitting(debate, 0.1)
    assert len(match(small, 0.1)) == 200
    lone = a_debate([100], [100 + number % 10 for number in range(5000)])
    assert len(only_fitting(lone, 0.2).losers) == 2 * 21  # as long, and longer; none is shorter


def test_a_table_without_names_is_told_from_one_of_deleted_accounts() -> None:
    winner, loser = Reply("w", None, "one", 50), Reply("l", None, "two", 50)
    assert match(Debate("d", "view", (winner,), (loser,)), 0.2) == []
    ready = Debate("d", "view", (winner,), (loser,), given=(("w", "l"),))
    assert is_nameless(ready) and len(match(ready, 0.2)) == 1
    assert not is_nameless(replace(ready, losers=(replace(loser, author="ann"),)))
