from __future__ import annotations

import numpy as np
import pytest

from suasion.persuasion.dataset import BestOfFour, Pair
from suasion.persuasion.judging.audit.best_of_four import best_of_four, best_of_four_finding, credits, quartets
from suasion.persuasion.judging.judge import RULES
from tests.persuasion.judging.synthetic import ORACLE, Known, synthetic_pairs


def test_a_winner_meets_the_three_losers_that_are_closest_in_length() -> None:
    losers = {f"l{words}": " ".join(["no"] * words) for words in (1, 9, 10, 12, 30)}
    pairs = [Pair("d", "p", "w", " ".join(["yes"] * 10), name, text) for name, text in losers.items()]
    [four] = quartets(pairs)
    assert four.replies[four.winner] == pairs[0].winner
    assert sorted(len(reply.split()) for reply in four.replies[1:]) == [9, 10, 12]


def test_too_few_losers_make_no_quartet_and_a_winner_is_nobody_s_loser() -> None:
    assert quartets(synthetic_pairs(6, losers=2)) == []
    pairs = [Pair("d", "p", "w", "won", f"l{i}", text) for i, text in enumerate(("a", "b", "also won"))]
    assert quartets([*pairs, Pair("d", "p", "w2", "also won", "l0", "a")]) == []
    assert len(quartets(synthetic_pairs(6, losers=3))) == 6


@pytest.mark.parametrize(
    ("scores", "earned"),
    [((3, 2, 1, 0), 1), ((2, 3, 1, 0), 0), ((2, 2, 1, 0), 1 / 2), ((2, 2, 2, 0), 1 / 3), ((1, 1, 1, 1), 1 / 4), ((0, 1, 1, 1), 0)],
)
def test_who_shares_the_top_shares_the_credit(scores: tuple[float, ...], earned: float) -> None:
    judge = Known(lambda premise, reply: scores[int(reply)])
    assert credits(judge, [BestOfFour("d", "p", ("0", "1", "2", "3"), 0)]) == pytest.approx([earned])
    turned = BestOfFour("d", "p", ("1", "2", "3", "0"), 3)
    assert credits(judge, [turned]) == pytest.approx([earned])


def test_chance_is_a_quarter_and_one_that_knows_is_above_it() -> None:
    fours = quartets(synthetic_pairs(40, losers=3))
    found = best_of_four(ORACLE, dict(RULES), fours)
    assert found.judge.value == 1 and set(found.baselines) == {"longest", "shortest"}
    assert best_of_four_finding(found, 0.25, 8).passed is True
    coin = best_of_four(Known(lambda premise, reply: hash(reply) * 0.0), {}, fours)
    assert coin.judge.value == 0.25 and best_of_four_finding(coin, 0.25, 8).passed is False


def test_few_debates_answer_nothing() -> None:
    fours = quartets(synthetic_pairs(4, losers=3))
    assert best_of_four_finding(best_of_four(ORACLE, {}, fours), 0.25, 8).passed is None
    assert np.isnan(best_of_four(ORACLE, {}, []).judge.value)
