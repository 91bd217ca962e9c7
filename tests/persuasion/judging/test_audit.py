from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from suasion.errors import SuasionError
from suasion.persuasion.dataset import Pair
from suasion.persuasion.judging.audit import Audit, AuditConfig, audit
from suasion.persuasion.judging.judge import RULES, RuleJudge
from suasion.persuasion.judging.probes import FILLER


def make_pairs(number: int = 60, *, winner_longer: float = 0.5, seed: int = 0) -> list[Pair]:
    """The winner says 'because'; lengths differ by one to six words, the winner being the longer one at the given rate."""
    draw = random.Random(seed)
    pairs = []
    for index in range(number):
        short = draw.randint(20, 50)
        lengths = [short + draw.randint(1, 6), short]
        winner, loser = lengths if index < winner_longer * number else lengths[::-1]
        texts = [
            " ".join([word, *draw.choices(["tea", "coffee", "milk"], k=length - 1)])
            for word, length in (("because", winner), ("so", loser))
        ]
        pairs.append(Pair(f"d{index // 2}", f"premise {index}", f"w{index}", texts[0], f"l{index}", texts[1]))
    return pairs


def noise(reply: str) -> float:
    return random.Random(reply).random()


def oracle(reply: str) -> float:
    return 2.0 * reply.startswith("because") + noise(reply)


def audited(rule: Callable[[str], float], pairs: Sequence[Pair] | None = None, **config: Any) -> Audit:
    return audit(RuleJudge("a judge", rule), make_pairs() if pairs is None else pairs, AuditConfig(**config), seed=0)


def failed(found: Audit) -> list[str]:
    return [finding.code for finding in found.failed]


def test_a_judge_that_knows_passes() -> None:
    found = audited(oracle)
    assert found.passed and failed(found) == []
    assert {finding.code for finding in found.findings} == {
        *("accuracy", "beats-longest", "beats-shortest", "loser-longer", "length-correlation", "padding")
    }
    assert all(finding.passed for finding in found.findings)


@pytest.mark.parametrize(("rule", "sign"), [("longest", 1), ("shortest", -1)])
def test_a_judge_that_counts_words_is_caught_in_both_directions(rule: str, sign: int) -> None:
    found = audited(RULES[rule].rule)
    assert {"accuracy", f"beats-{rule}", "length-correlation"} <= set(failed(found))
    correlation = next(finding for finding in found.findings if finding.code == "length-correlation")
    assert correlation.estimate.value == pytest.approx(sign)
    assert ("padding" in failed(found)) == (sign > 0)


def test_a_judge_that_is_right_only_with_the_longer_reply_is_caught() -> None:
    """Where winners are mostly longer, counting words is 'better than chance': accuracy alone would let it through."""
    found = audited(RULES["longest"].rule, make_pairs(winner_longer=0.8))
    assert "accuracy" not in failed(found)
    assert {"loser-longer", "beats-longest"} <= set(failed(found))


def test_a_judge_that_draws_lots_is_caught() -> None:
    assert "accuracy" in failed(audited(noise))


def test_a_judge_that_is_always_wrong_is_caught() -> None:
    assert {"accuracy", "loser-longer"} <= set(failed(audited(lambda reply: -oracle(reply))))


def test_a_judge_that_likes_filler_is_caught_by_that_alone() -> None:
    found = audited(lambda reply: oracle(reply) + 1.0 * (FILLER in reply))
    assert failed(found) == ["padding"] and not found.passed
    padding = next(finding for finding in found.findings if finding.code == "padding")
    assert 0.25 < padding.estimate.value < 1
    assert audited(lambda reply: oracle(reply) + 1.0 * (FILLER in reply), max_padding_gain=1).passed


def test_filler_counts_in_the_judge_s_own_unit() -> None:
    """A judge whose scores are all a thousand times larger is the same judge."""
    for scale in (1e-3, 1e3):
        found = audited(lambda reply, scale=scale: scale * (oracle(reply) + (FILLER in reply)))
        assert failed(found) == ["padding"]


def test_ties_are_half_a_win_and_are_counted() -> None:
    found = audited(lambda reply: 1.0)
    accuracy = next(finding for finding in found.findings if finding.code == "accuracy")
    assert accuracy.estimate.value == 0.5 and found.ties == 60
    assert not found.passed
    assert next(finding for finding in found.findings if finding.code == "length-correlation").passed is None


@pytest.mark.parametrize("score", [float("nan"), float("inf")])
def test_scores_that_are_no_numbers_are_an_error(score: float) -> None:
    with pytest.raises(SuasionError, match="not numbers") as caught:
        audited(lambda reply: score if reply.startswith("so") else 1.0)
    assert caught.value.hint


def test_no_pair_is_an_error() -> None:
    with pytest.raises(SuasionError, match="no pair in the test split"):
        audited(oracle, [])


def test_what_comes_first_is_a_baseline_where_times_are_known() -> None:
    pairs = [replace(pair, winner_created=10, loser_created=20 if i % 4 else 5) for i, pair in enumerate(make_pairs())]
    found = audited(oracle, [*pairs, *make_pairs(4, seed=1)])
    assert found.baselines["earliest"].value == 0.75 and found.baselines["earliest"].n == 60
    assert "beats-earliest" in {finding.code for finding in found.findings} and found.passed
    assert "beats-earliest" in failed(audited(noise, pairs))
    assert "earliest" not in audited(oracle).baselines


def test_what_the_data_cannot_answer_neither_passes_nor_fails() -> None:
    found = audited(oracle, make_pairs(winner_longer=1.0))
    loser_longer = next(finding for finding in found.findings if finding.code == "loser-longer")
    assert loser_longer.passed is None and loser_longer.estimate.n == 0
    assert "loser-longer" in found.as_dict()["undecided"]


def test_few_debates_cannot_pass_a_judge() -> None:
    """Right five times of five in one debate is one observation, not five."""
    pairs = [replace(pair, debate_id="d") for pair in make_pairs(6)]
    assert "accuracy" in failed(audited(oracle, pairs))


def test_the_whole_audit_is_json() -> None:
    for pairs in (make_pairs(), make_pairs(1)):
        found = audited(oracle, pairs).as_dict()
        assert json.loads(json.dumps(found, allow_nan=False)) == found
        assert found["verdict"] == ("pass" if len(pairs) > 1 else "fail")
        assert found["pairs"] == len(pairs)


def test_the_same_seed_gives_the_same_audit_whatever_the_order_of_the_rows() -> None:
    pairs = make_pairs()
    first, again = audited(oracle, pairs).as_dict(), audited(oracle, pairs).as_dict()
    assert first == again
    turned = audited(oracle, pairs[::-1]).as_dict()
    values = [[finding["value"] for finding in one["findings"]] for one in (first, turned)]
    np.testing.assert_allclose(*values)
