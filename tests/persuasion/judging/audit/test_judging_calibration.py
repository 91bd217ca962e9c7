from __future__ import annotations

import numpy as np
import pytest

from suasion.persuasion.judging.audit.agreement import agreement, agreement_finding
from suasion.persuasion.judging.audit.calibration import Calibration, calibration, overconfidence
from suasion.persuasion.judging.audit.scored import ScoredPairs, score_pairs
from tests.persuasion.judging.synthetic import ORACLE, Known, noise, synthetic_pairs

PAIRS = synthetic_pairs(200)


def with_gaps(gaps: list[float]) -> ScoredPairs:
    return ScoredPairs(PAIRS[: len(gaps)], np.asarray(gaps, dtype=np.float32), np.zeros(len(gaps), dtype=np.float32))


def calibrated(gaps: list[float]) -> Calibration:
    return calibration(with_gaps(gaps), seed=0)


def test_one_that_wins_as_often_as_it_says_is_calibrated() -> None:
    """ln 4 says 80 %; it is right in 160 of 200."""
    four = float(np.log(4))
    found = calibrated([four] * 160 + [-four] * 40)
    assert found.ece.value == pytest.approx(0, abs=1e-6) and found.overconfidence.value == pytest.approx(0, abs=1e-6)
    assert found.brier.value == pytest.approx(0.8 * 0.2**2 + 0.2 * 0.8**2)
    [one] = found.bins
    assert one.confidence == pytest.approx(0.8) and one.accuracy.value == 0.8
    assert one.as_dict()["predicted"] == pytest.approx(0.8) and one.as_dict()["n"] == 200
    assert overconfidence(found, 0.25).passed is True


def test_a_tie_says_a_half_and_is_half_right() -> None:
    found = calibrated([0.0] * 50)
    assert (found.ece.value, found.brier.value, found.overconfidence.value) == (0, 0.25, 0)
    assert found.bins[0].accuracy.value == 0.5


def test_one_that_is_sure_and_wrong_is_caught_and_one_that_is_unsure_and_right_is_not() -> None:
    sure = calibrated([50.0] * 110 + [-50.0] * 90)
    assert sure.overconfidence.value == pytest.approx(0.45) and overconfidence(sure, 0.25).passed is False
    unsure = calibrated([0.001] * 200)
    assert unsure.ece.value == pytest.approx(0.5, abs=1e-3) and overconfidence(unsure, 0.25).passed is True


def test_scores_of_any_size_give_probabilities() -> None:
    found = calibrated([1e30, -1e30, 1e-30, 700.0, -800.0])
    assert all(np.isfinite(one.value) for one in (found.ece, found.brier, found.overconfidence))


def test_the_bins_hold_every_pair_once() -> None:
    scored = score_pairs(Known(lambda premise, reply: noise(premise, reply, 8)), PAIRS)
    found = calibration(scored, seed=0)
    assert sum(one.accuracy.n for one in found.bins) == 200
    ece = sum(one.accuracy.n * abs(one.accuracy.value - one.confidence) for one in found.bins) / 200
    assert found.ece.value == pytest.approx(ece) and found.ece.low <= found.ece.value * 1.0001


def test_judges_of_one_mind_agree_and_judges_by_lot_do_so_half_of_the_time() -> None:
    known = score_pairs(ORACLE, PAIRS)
    assert agreement([known, known, known]).value == 1
    lots = [score_pairs(Known(lambda premise, reply, k=k: noise(premise, f"{k}{reply}")), PAIRS) for k in range(2)]
    by_lot = agreement(lots)
    assert by_lot.low < 0.5 < by_lot.high
    assert agreement_finding(by_lot, 2, 0.6).passed is False and agreement_finding(agreement([known, known]), 2, 0.6).passed is True


def test_every_couple_of_judges_counts_and_a_tie_is_a_verdict_of_its_own() -> None:
    a, b, c = with_gaps([1.0, 1.0]), with_gaps([2.0, -1.0]), with_gaps([0.0, 1.0])
    assert agreement([a, b, c]).value == pytest.approx(np.mean([1 / 3, 1 / 3]))
    assert agreement([with_gaps([0.0]), with_gaps([0.0])]).value == 1
