from __future__ import annotations

import pytest

from suasion.persuasion.evaluation.metrics import bleu, rouge_l

TEXT = "the cat sat on the mat and looked at the dog"


def test_the_same_text_is_as_alike_as_can_be() -> None:
    assert bleu(TEXT, [TEXT]) == pytest.approx(100)
    assert rouge_l(TEXT, [TEXT]) == 1


def test_nothing_in_common_is_nothing() -> None:
    assert bleu("one two three four", ["five six seven eight"]) == 0
    assert rouge_l("one two three four", ["five six seven eight"]) == 0
    assert bleu("", [TEXT]) == 0 and rouge_l("", [TEXT]) == 0


def test_rouge_l_is_the_f1_of_the_longest_common_subsequence() -> None:
    # common: the cat on mat = 4 of 5 words here, 4 of 6 there
    assert rouge_l("the cat slept on mat", ["the cat sat on the mat"]) == pytest.approx(2 * (4 / 5) * (4 / 6) / (4 / 5 + 4 / 6))


def test_bleu_is_the_one_of_the_paper() -> None:
    # precisions 5/6, 3/5, 1/4 and, smoothed, 1/(2*3); lengths are equal, so no brevity penalty
    expected = 100 * ((5 / 6) * (3 / 5) * (1 / 4) * (1 / 6)) ** 0.25
    assert bleu("the cat sat on a mat", ["the cat sat in the mat"]) != pytest.approx(0)
    assert bleu("the cat is on the mat", ["the cat sat on the mat"]) == pytest.approx(expected, abs=0.1)


def test_the_closest_of_several_winners_counts() -> None:
    assert bleu(TEXT, ["something else altogether it is", TEXT]) == pytest.approx(100)
    assert rouge_l(TEXT, ["something else altogether it is", TEXT]) == 1
