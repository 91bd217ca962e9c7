from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from suasion.persuasion.mining.pairs.balance import MEASURES, balance, length_auc
from suasion.persuasion.mining.pairs.choices import Four, best_of_four, labelled, rule_wins
from suasion.persuasion.mining.pairs.matching import Pair, fits, match
from suasion.persuasion.mining.pairs.replies import Debate, Reply, Turn
from tests.persuasion.mining.replies_for_tests import LENGTHS, a_debate

MANY = st.lists(st.tuples(LENGTHS, st.lists(st.integers(40, 80), max_size=14)), max_size=10)


def sides(debates: list[Debate]) -> tuple[dict[str, tuple[Reply, ...]], dict[str, tuple[Reply, ...]]]:
    return {one.id: one.winners for one in debates}, {one.id: one.losers for one in debates}


def says_nothing(fours: list[Four]) -> bool:
    shares = [rule_wins(fours, rule, measure) for rule in ("longest", "shortest") for measure in MEASURES]
    return all(share.low <= 0.25 <= share.high for share in shares)


@given(MANY, st.sampled_from([0.1, 0.3, 1.0]), st.integers(0, 3))
@settings(deadline=None)
def test_four_replies_keep_their_rules(sizes: list[tuple[list[int], list[int]]], caliper: float, seed: int) -> None:
    debates = [a_debate(winners, losers, f"d{number}") for number, (winners, losers) in enumerate(sizes)]
    fours = best_of_four(*sides(debates), caliper, seed)
    won = {reply.id for debate in debates for reply in debate.winners}
    for four in fours:
        assert [reply.id in won for reply in four.replies] == [place == four.winner for place in range(4)]
        winner = four.replies[four.winner]
        assert all(fits(winner, reply, caliper) for reply in four.replies if reply is not winner)
        assert all(reply.id.startswith(four.debate_id) for reply in four.replies)
    assert len({reply.id for four in fours for reply in four.replies}) == 4 * len(fours)
    places = Counter(four.winner for four in fours)
    assert not fours or max(places.values()) - min(places[place] for place in range(4)) <= 1
    assert says_nothing(fours)
    assert fours == best_of_four(*sides(debates[::-1]), caliper, seed)


def corpus(number: int, longer: int, seed: int = 0) -> list[Debate]:
    """Debates whose winners are longer than their losers by ``longer`` words on average."""
    draw = random.Random(seed)
    return [
        a_debate([draw.randint(100, 200) + longer], [draw.randint(80, 220) for _ in range(12)], f"d{number:03}") for number in range(number)
    ]


@pytest.mark.parametrize("longer", [0, 25])
def test_neither_the_longest_nor_the_shortest_is_the_winner(longer: int) -> None:
    debates = corpus(300, longer)
    fours = best_of_four(*sides(debates), 0.4, 0)
    assert len(fours) > 100
    for rule in ("longest", "shortest"):
        share = rule_wins(fours, rule, "words")
        assert share.low <= 0.25 <= share.high and share.n == len(fours)
    thirds = Counter(sorted(reply.length for reply in four.replies).index(four.replies[four.winner].length) for four in fours)
    assert set(thirds) == {0, 1, 2, 3}
    # the three closest losers, taken without a look at their side, would tell in the second corpus
    naive = []
    for debate in debates:
        near = sorted(debate.losers, key=lambda reply: abs(reply.length - debate.winners[0].length))[:3]
        naive.append(Four(debate.id, (), (debate.winners[0], *near), 0))
    assert longer == 0 or not says_nothing(naive)


def test_where_no_loser_is_longer_the_rows_are_few() -> None:
    debates = [a_debate([100], [90, 91, 92, 93], f"d{number:03}") for number in range(200)]
    assert len(best_of_four(*sides(debates), 0.4, 0)) < 20  # the longest would win them all


def test_another_measure_may_not_tell_either() -> None:
    debates = []
    for debate in corpus(200, 0):
        winners = tuple(replace(one, tokens=one.words, words=one.words + 60) for one in debate.winners)
        debates.append(replace(debate, winners=winners, losers=tuple(replace(one, tokens=one.words) for one in debate.losers)))
    fours = best_of_four(*sides(debates), 0.4, 0)
    assert says_nothing(fours) and len(fours) < 20  # in words the winner is always the longest


def test_unknown_tokens_give_no_share() -> None:
    fours = best_of_four(*sides(corpus(20, 0)), 0.4, 0)
    assert rule_wins(fours, "longest", "tokens").n == 0 and rule_wins(fours, "longest", "words").n == len(fours) > 0


@given(MANY, st.integers(1, 3), st.integers(0, 3))
@settings(deadline=None)
def test_single_replies_are_half_and_half(sizes: list[tuple[list[int], list[int]]], most: int, seed: int) -> None:
    debates = [a_debate(winners, losers, f"d{number}") for number, (winners, losers) in enumerate(sizes)]
    pairs = list(balance([pair for debate in debates for pair in match(debate, 0.2, most)], {}, 0.2, seed).pairs)
    singles = labelled(pairs, 0.2, seed)
    assert sum(one.label for one in singles) * 2 == len(singles) == len({one.reply.id for one in singles})
    won = {pair.winner.id for pair in pairs}
    assert all(one.label == (one.reply.id in won) for one in singles)
    apart = [Pair(one.debate_id, one.reply, other.reply) for one in singles if one.label for other in singles if not other.label][:1]
    assert bool(apart) == bool(pairs)
    if most == 1:
        assert {one.reply.id for one in singles} == {reply.id for pair in pairs for reply in (pair.winner, pair.loser)}
    as_pairs = [
        Pair(won.debate_id, won.reply, lost.reply)
        for won, lost in zip([one for one in singles if one.label], [one for one in singles if not one.label], strict=True)
    ]
    auc = length_auc(as_pairs, "words")
    assert auc.low <= 0.5 <= auc.high or len(singles) <= 2


def test_both_labels_stand_below_the_same_turns() -> None:
    """A loser's own view of the turns above it (none of them its own) would tell it from the winner."""
    winner = Reply("w", "a", "one", 50, context=(Turn(True, "mine"), Turn(False, "theirs")))
    loser = Reply("l", "b", "two", 50, context=(Turn(False, "mine"), Turn(False, "theirs")))
    singles = labelled([Pair("d", winner, loser)], 0.2, 0)
    assert {one.context for one in singles} == {winner.context}
