from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from suasion.persuasion.judging.audit.accuracy import accuracy, lead, rival_accuracies, rival_credits
from suasion.persuasion.judging.audit.scored import score_pairs
from suasion.persuasion.judging.judge import RULES
from tests.persuasion.judging.synthetic import ORACLE, Known, noise, synthetic_pairs, weighs

PAIRS = synthetic_pairs()


def test_one_that_knows_is_above_chance_and_one_that_draws_lots_is_not() -> None:
    assert accuracy(score_pairs(ORACLE, PAIRS), 0.5).passed is True
    lots = [Known(lambda premise, reply, k=k: noise(premise, f"{k}{reply}")) for k in range(80)]
    assert sum(accuracy(score_pairs(judge, PAIRS), 0.5).passed is True for judge in lots) <= 5  # one in forty by luck
    assert accuracy(score_pairs(Known(lambda premise, reply: -weighs(premise, reply)), PAIRS), 0.5).passed is False


def test_the_limit_of_the_recipe_counts() -> None:
    scored = score_pairs(ORACLE, PAIRS)
    assert accuracy(scored, 0.9).passed is True
    assert accuracy(scored, 0.95).passed is False  # 40 of 40 debates: Wilson's interval begins at 0.912


def test_a_tie_is_half_a_win() -> None:
    scored = score_pairs(Known(lambda premise, reply: 1.0), PAIRS)
    assert accuracy(scored, 0.5).estimate.value == 0.5 and accuracy(scored, 0.5).passed is False


def test_the_earlier_reply_is_a_baseline_where_times_are_known() -> None:
    timed = [replace(pair, winner_created=10, loser_created=20 if i % 4 else 5) for i, pair in enumerate(PAIRS[:20])]
    credits = rival_credits(dict(RULES), [*PAIRS[20:], *timed])
    assert np.isnan(credits["earliest"][:20]).all() and credits["earliest"][20:].mean() == 0.75
    found = rival_accuracies(credits, [pair.debate_id for pair in [*PAIRS[20:], *timed]])
    assert (found["earliest"].value, found["earliest"].n, found["longest"].n) == (0.75, 20, 40)
    assert "earliest" not in rival_credits(dict(RULES), PAIRS)


def test_the_lead_is_taken_pair_by_pair() -> None:
    """Right on the same pairs and on a few more: the interval of the difference sees it, where two intervals would overlap."""
    right = np.asarray([1.0] * 24 + [0.0] * 16)
    better = np.asarray([1.0] * 32 + [0.0] * 8)
    scored = score_pairs(Known(lambda premise, reply: 0.0), PAIRS)
    scored = replace(scored, winners=np.where(better > 0, 1, -1).astype(np.float32), losers=np.zeros(40, dtype=np.float32))
    found = lead(scored, "rival", right, 0.0, seed=0)
    assert found.passed is True and found.estimate.value == pytest.approx(0.2)
    assert found.details["judge"] == 0.8 and found.details["baseline"] == 0.6
    alone = accuracy(scored, 0.5).estimate
    assert alone.low < 0.7 < rival_accuracies({"rival": right}, scored.debates)["rival"].high
    assert lead(scored, "rival", right, 0.1, seed=0).passed is False


def test_nobody_beats_itself() -> None:
    scored = score_pairs(ORACLE, PAIRS)
    found = lead(scored, "itself", scored.correct, 0.0, seed=0)
    assert found.estimate.value == 0 and found.passed is False


def test_what_a_baseline_has_no_word_on_is_left_out_of_the_comparison() -> None:
    credits = np.full(40, np.nan)
    credits[:10] = 0
    found = lead(score_pairs(ORACLE, PAIRS), "rival", credits, 0.0, seed=0)
    assert (found.estimate.n, found.estimate.value, found.passed) == (10, 1.0, True)
