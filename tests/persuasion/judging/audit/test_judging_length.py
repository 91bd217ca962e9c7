from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from suasion.persuasion.dataset import Pair
from suasion.persuasion.judging.audit.findings import Finding
from suasion.persuasion.judging.audit.fixed_content import cut, fixed_content, padded
from suasion.persuasion.judging.audit.length import by_length, length_findings
from suasion.persuasion.judging.audit.scored import score_pairs
from suasion.persuasion.judging.audit.settings import AuditConfig
from suasion.persuasion.judging.judge import RULES, Judge, word_count
from tests.persuasion.judging.synthetic import ORACLE, Known, synthetic_pairs, weighs

PAIRS = synthetic_pairs()


def found(judge: Judge, pairs: list[Pair] = PAIRS) -> dict[str, Finding]:
    return {finding.code: finding for finding in length_findings(score_pairs(judge, pairs), AuditConfig(), seed=0)}


def fixed(judge: Judge) -> dict[str, Finding]:
    return {one.code: one for one in fixed_content(judge, score_pairs(judge, PAIRS), 32, 0.25, seed=0)}


def sized(winner: int, loser: int) -> Pair:
    return Pair(f"d{winner}-{loser}", "p", "w", " ".join(["yes"] * winner), "l", " ".join(["no"] * loser))


def test_one_that_knows_passes_and_one_that_counts_is_caught_in_both_directions() -> None:
    assert {code: one.passed for code, one in found(ORACLE).items() if code != "equal-length"} == {
        "loser-longer": True,
        "length-correlation": True,
    }
    for rule, sign in (("longest", 1), ("shortest", -1)):
        caught = found(RULES[rule])
        assert caught["length-correlation"].passed is False
        assert caught["length-correlation"].estimate.value == pytest.approx(sign)
    assert found(RULES["longest"])["loser-longer"].passed is False


def test_a_few_debates_neither_pass_nor_fail() -> None:
    assert found(ORACLE, PAIRS[:10])["loser-longer"].passed is None
    assert found(ORACLE, [sized(20, 10)] * 30)["equal-length"].estimate.n == 0


def test_equal_scores_have_no_correlation_to_tell() -> None:
    assert found(Known(lambda premise, reply: 1.0))["length-correlation"].passed is None


def test_bins_hold_every_pair_once_and_say_what_they_are() -> None:
    pairs = [sized(10, 30), sized(10, 12), sized(100, 101), sized(12, 10), sized(10, 10), sized(30, 10)]
    bins = by_length(score_pairs(RULES["longest"], pairs))
    assert [(one.label, one.estimate.n, one.estimate.value) for one in bins] == [
        ("winner over 39 % shorter", 1, 0),
        ("winner 5–18 % shorter", 1, 0),
        ("about equal", 2, 0.25),
        ("winner 5–22 % longer", 1, 1),
        ("winner over 65 % longer", 1, 1),
    ]
    assert bins[0].as_dict()["from"] is None and bins[0].as_dict()["to"] == -0.5


def test_filler_that_pays_is_caught_whatever_the_unit_of_the_scores() -> None:
    for unit in (1e-3, 1.0, 1e3):
        judge = Known(lambda premise, reply, unit=unit: unit * (weighs(premise, reply) + 0.05 * word_count(reply)))
        assert fixed(judge)["length-at-fixed-content"].passed is False
    assert fixed(ORACLE)["length-at-fixed-content"].estimate.value == 0
    assert fixed(ORACLE)["length-at-fixed-content"].passed is True


def test_the_slope_is_in_gaps_a_doubling() -> None:
    """A judge that adds the binary logarithm of the words has the slope 1 in its own scores."""
    import math

    judge = Known(lambda premise, reply: 10 * weighs(premise, reply) + 4 * math.log2(max(1, word_count(reply))))
    scale = score_pairs(judge, PAIRS).scale
    assert fixed(judge)["length-at-fixed-content"].estimate.value == pytest.approx(4 / scale)


def test_a_judge_that_likes_them_short_is_caught_by_the_cut_and_shown() -> None:
    caught = fixed(RULES["shortest"])
    assert caught["cut-in-half"].passed is False and caught["length-at-fixed-content"].passed is True
    [example] = caught["cut-in-half"].examples
    assert example.before.startswith(example.after) and example.score_after > example.score_before
    assert fixed(RULES["longest"])["cut-in-half"].passed is True
    assert fixed(ORACLE)["cut-in-half"].examples == ()


def test_replies_of_a_word_are_left_alone() -> None:
    pairs = [Pair("d", "p", "w", "yes", "l", ""), Pair("e", "p", "w", "no", "l", " ")]
    for one in fixed_content(ORACLE, score_pairs(ORACLE, pairs), 32, 0.25, seed=0):
        assert one.passed is None and one.estimate.n == 0


@given(st.text(), st.integers(0, 5))
def test_padding_keeps_the_text_and_reaches_the_length(text: str, seed: int) -> None:
    longer = padded(text, 2.0, seed)
    assert longer.startswith(text) and word_count(longer) >= 2 * word_count(text)
    assert longer == padded(text, 2.0, seed)


@given(st.text())
def test_a_cut_keeps_the_first_half_of_the_words(text: str) -> None:
    words = text.split()
    if len(words) > 1:
        assert cut(text).split() == words[: len(words) // 2] and text.startswith(cut(text))
