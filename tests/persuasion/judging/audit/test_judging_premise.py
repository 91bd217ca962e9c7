from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from suasion.persuasion.dataset import Pair
from suasion.persuasion.judging.audit.findings import Finding
from suasion.persuasion.judging.audit.premise import PremiseAccuracy, coupled, premise_probe
from suasion.persuasion.judging.audit.scored import score_pairs
from suasion.persuasion.judging.judge import Judge
from tests.persuasion.judging.synthetic import ORACLE, Known, noise, synthetic_pairs, weighs

PAIRS = synthetic_pairs()
WINNERS = {pair.winner for pair in PAIRS}
BLIND = Known(lambda premise, reply: 2.0 * (reply in WINNERS))


def probed(judge: Judge, pairs: list[Pair] = PAIRS) -> tuple[Finding, PremiseAccuracy]:
    return premise_probe(judge, score_pairs(judge, pairs), 0.05, seed=0)


def test_one_that_reads_the_premise_passes() -> None:
    found, accuracies = probed(ORACLE)
    assert found.passed is True and found.estimate.value > 0.3
    assert accuracies.own.value == 1 and accuracies.without.value == 0.5
    assert accuracies.swapped is not None and accuracies.swapped.value < 0.6


def test_one_that_is_always_right_without_reading_the_premise_is_caught() -> None:
    found, accuracies = probed(BLIND)
    assert found.passed is False and found.estimate.value == 0
    assert accuracies.own.value == accuracies.without.value == 1


@pytest.mark.parametrize("unit", [1.0, 1000.0])
def test_what_a_premise_adds_to_all_its_replies_changes_nothing(unit: float) -> None:
    """Only differences between replies to one premise mean anything: a judge may like one premise a hundred times more than the next."""
    plain, _ = probed(ORACLE)
    shifted, _ = probed(Known(lambda premise, reply: unit * (weighs(premise, reply) + 100 * noise(premise, ""))))
    assert shifted.estimate.value == pytest.approx(plain.estimate.value, abs=1e-3)
    assert shifted.passed is True
    blind, _ = probed(Known(lambda premise, reply: unit * (2.0 * (reply in WINNERS) + 100 * noise(premise, ""))))
    assert blind.estimate.value == pytest.approx(0, abs=1e-3) and blind.passed is False


def test_one_that_likes_what_is_off_the_topic_is_caught() -> None:
    found, _ = probed(Known(lambda premise, reply: -weighs(premise, reply)))
    assert found.passed is False and found.estimate.value < 0


def test_a_debate_with_many_pairs_weighs_as_much_as_one_with_few() -> None:
    many = [*PAIRS, *(replace(PAIRS[0], loser_id=f"x{i}", loser=f"Nothing, {i} times.") for i in range(50))]
    shifted, _ = probed(Known(lambda premise, reply: 2.0 * (reply in WINNERS) + 100 * noise(premise, "")), many)
    assert shifted.estimate.value == pytest.approx(0, abs=1e-3)


def test_a_single_debate_answers_nothing() -> None:
    found, accuracies = probed(ORACLE, PAIRS[:1])
    assert found.passed is None and accuracies.swapped is None and accuracies.without.n == 1
    assert np.isnan(found.estimate.value)
    two, _ = probed(ORACLE, PAIRS[:2])
    assert two.passed is None  # one couple: no idea of the spread
    assert accuracies.as_dict()["swapped"] is None


@given(st.lists(st.text(max_size=3), max_size=12), st.integers(0, 3))
def test_couples_are_mutual_and_of_two_debates(debates: list[str], seed: int) -> None:
    partner = coupled(debates, seed)
    assert all(partner[other] == debate != other for debate, other in partner.items())
    assert len(partner) == len(set(debates)) // 2 * 2
