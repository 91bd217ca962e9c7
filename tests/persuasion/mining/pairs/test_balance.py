from __future__ import annotations

import math
import random
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from suasion.persuasion.mining.pairs import balance as module
from suasion.persuasion.mining.pairs.balance import MEASURES, balance, excess, length_auc, longer_share, says_nothing
from suasion.persuasion.mining.pairs.matching import Pair, match
from suasion.persuasion.mining.pairs.replies import Reply
from tests.persuasion.mining.replies_for_tests import LENGTHS, a_debate, replies

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
    assert 2 * result.rematched <= excess
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_level", lambda pairs, seed: pairs)
        even = balance(pairs, unused, caliper, seed)
    assert even.dropped <= excess
    if all(says_nothing(even.pairs, measure, seed) for measure in MEASURES):
        assert result == even  # no more is dropped than need be
    assert len(result.pairs) <= 1 or all(says_nothing(result.pairs, measure, seed) for measure in MEASURES)


def test_balancing_prefers_another_loser_to_dropping_and_leaves_gaps_alike() -> None:
    winners, losers = replies("w", [60, 60, 60, 60]), replies("l", [50, 55, 58, 59])
    pairs = [Pair("d", winner, loser) for winner, loser in zip(winners, losers, strict=True)]
    spare = {"d": [Reply("s", "s", "spare", 62)]}
    rescued = balance(pairs, spare, 0.3, 0)
    assert (rescued.rematched, rescued.dropped) == (1, 2)
    assert "l0" not in {pair.loser.id for pair in rescued.pairs}
    wide = balance([*pairs, Pair("d", *replies("x", [50, 60]))], {}, 0.3, 0)
    assert {pair.loser.id for pair in wide.pairs} == {"l0", "x1"} and wide.dropped == 3
    narrow = balance([*pairs, Pair("d", *replies("x", [59, 60]))], {}, 0.3, 0)
    assert {pair.loser.id for pair in narrow.pairs} == {"l3", "x1"}
    assert {pair.loser.id for pair in balance(pairs, {}, 0.3, 0).pairs} == {"l3"}  # one alone cannot be balanced: the closest


def test_at_scale_only_the_excess_goes() -> None:
    """Winners 5 % longer on average: a quarter of the pairs has the longer loser, so no more than half can stay. Most of that does."""
    draw = random.Random(0)
    pairs = []
    for number in range(3000):
        won = round(draw.lognormvariate(5.2, 0.5)) + 50
        lost = max(20, round(won * math.exp(-draw.gauss(0.05, 0.08))))
        tokens = [round(n * draw.uniform(1.25, 1.35)) for n in (won, lost)]
        sides = [Reply(f"{side}{number}", side, side, n, tokens=t) for side, n, t in zip("wl", (won, lost), tokens, strict=True)]
        pairs.append(Pair(f"d{number // 2}", *sides))
    light = sum(pair.log_ratio < 0 for pair in pairs)
    result = balance(pairs, {}, 9, 0)
    assert all(says_nothing(result.pairs, measure) for measure in MEASURES)
    assert len(result.pairs) > 1.6 * light


PAIRS = st.lists(st.tuples(st.integers(40, 90), st.integers(40, 90), st.integers(-15, 15), st.integers(-15, 15)), max_size=60)


@given(PAIRS, st.integers(0, 2))
@settings(deadline=None, max_examples=40)
def test_no_split_is_left_in_which_length_tells(sizes: list[tuple[int, int, int, int]], seed: int) -> None:
    """Tokens that differ from the words by their own ways: both must say nothing, or nothing more can be dropped for it."""
    pairs = [
        Pair(
            f"d{number}",
            Reply(f"w{number}", f"a{number}", "one", won, tokens=won + more),
            Reply(f"l{number}", f"b{number}", "two", lost, tokens=lost + other),
        )
        for number, (won, lost, more, other) in enumerate(sizes)
    ]
    result = balance(pairs, {}, 9, seed)
    assert abs(excess(result.pairs)) <= (len(result.pairs) == 1)
    assert len(result.pairs) + result.dropped == len(pairs)
    assert bool(result.pairs) == bool(pairs)
    assert all(says_nothing(result.pairs, measure, seed) for measure in MEASURES)


def lopsided(number: int, gap: int) -> list[Pair]:
    """Winners longer by ``gap`` as often as losers by 1: each wins half the time, and yet length tells."""
    pairs = []
    for index in range(number):
        base = 60 + index % 3
        won, lost = (base + gap, base) if index % 2 else (base, base + 1)
        pairs.append(
            Pair(f"d{index}", *(Reply(f"{side}{index}", f"{side}{index}", side, n, tokens=n) for side, n in (("w", won), ("l", lost))))
        )
    return pairs


def test_the_longer_may_win_half_the_time_and_length_still_tell() -> None:
    pairs = lopsided(200, 12)
    assert excess(pairs) == 0 and longer_share(pairs, "words").value == 0.5
    assert length_auc(pairs, "words").low > 0.5
    result = balance(pairs, {}, 1, 0)
    assert 0 < len(result.pairs) < 200 and excess(result.pairs) == 0
    assert all(says_nothing(result.pairs, measure) for measure in MEASURES)
    assert result == balance(pairs[::-1], {}, 1, 0)


def test_no_more_is_dropped_than_needed() -> None:
    pairs = [pair for index, pair in enumerate(lopsided(400, 3)) if index % 8 < 6] + lopsided(6, 30)[1::2]
    pairs = [replace(pair, debate_id=f"e{index}") for index, pair in enumerate(pairs)]
    mild = balance(pairs, {}, 9, 0)
    assert says_nothing(mild.pairs, "words") and len(mild.pairs) > 100


def test_words_count_where_tokens_are_even() -> None:
    pairs = [
        Pair(
            f"d{index}",
            Reply(f"w{index}", "a", "one", 70, tokens=80 + index % 2),
            Reply(f"l{index}", "b", "two", 60, tokens=81 - index % 2),
        )
        for index in range(60)
    ]
    assert excess(pairs) == 0 and not says_nothing(pairs, "words") and says_nothing(pairs, "tokens")
    assert says_nothing(balance(pairs, {}, 9, 0).pairs, "words")


def test_unknown_tokens_are_not_guessed() -> None:
    pairs = [Pair("d", *replies("w", [50, 60]))]
    assert length_auc(pairs, "tokens").n == 0 and longer_share(pairs, "tokens").n == 0
    assert length_auc(pairs, "words").value == 0 and length_auc([], "words").n == 0
