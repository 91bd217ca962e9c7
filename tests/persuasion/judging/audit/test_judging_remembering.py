from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from suasion.errors import SuasionError
from suasion.models.scoring import Scores
from suasion.persuasion.judging.audit.findings import Example, Finding, failed
from suasion.persuasion.judging.audit.remembering import Remembering
from suasion.progress import track
from suasion.statistics import Estimate
from tests.persuasion.judging.synthetic import Known


class Counting:
    """Keeps what it was asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, str]] = []

    def score(self, premises: Sequence[str], replies: Sequence[str]) -> Scores:
        self.asked += zip(premises, replies, strict=True)
        return np.asarray([len(premise) + 10 * len(reply) for premise, reply in zip(premises, replies, strict=True)], dtype=np.float32)


@given(st.lists(st.tuples(st.text(max_size=3), st.text(max_size=3))), st.lists(st.tuples(st.text(max_size=3), st.text(max_size=3))))
def test_every_text_is_scored_once_and_as_the_judge_scores_it(first: list[tuple[str, str]], second: list[tuple[str, str]]) -> None:
    judge = Counting()
    known = Remembering(judge)
    for texts in (first, second, first):
        premises, replies = [one for one, _ in texts], [other for _, other in texts]
        assert known.score(premises, replies).tolist() == Counting().score(premises, replies).tolist()
    assert len(judge.asked) == len(set(judge.asked)) == known.texts == len({*first, *second})


def test_long_lists_go_in_parts_and_are_counted() -> None:
    with track("Audit", None, "texts") as bar:
        known = Remembering(Counting(), bar)
        known.score(["p"] * 300, [str(number) for number in range(300)])
        assert bar.done == 300
        known.score(["p"] * 300, [str(number) for number in range(300)])
        assert bar.done == 300


@pytest.mark.parametrize("score", [float("nan"), float("inf"), float("-inf")])
def test_scores_that_are_no_numbers_are_refused_with_the_reply(score: float) -> None:
    known = Remembering(Known(lambda premise, reply: score if reply == "bad one" else 1.0))
    with pytest.raises(SuasionError, match="not numbers") as caught:
        known.score(["p", "p"], ["good", "bad one"])
    assert caught.value.hint and "bad one" in str(caught.value)


def test_lists_of_two_lengths_are_refused() -> None:
    with pytest.raises(ValueError, match="zip"):
        Remembering(Counting()).score(["p"], [])


def test_a_finding_told_as_json_keeps_what_is_unknown_apart() -> None:
    estimate = Estimate(float("nan"), float("-inf"), 1.0, 0, 0)
    example = Example("p", "before", "after", 1.0, float("inf"))
    told = Finding("code", "Why?", estimate, "at most 1", None, (example,), {"bound": np.float32(1), "list": (1, 2)}).as_dict()
    assert told["value"] is None and told["low"] is None and told["passed"] is None
    assert told["examples"] == [{"premise": "p", "before": "before", "after": "after", "score_before": 1.0, "score_after": None}]
    assert told["details"] == {"bound": 1.0, "list": [1, 2]}
    plain = Finding("code", "Why?", estimate, "at most 1", False)
    assert "examples" not in plain.as_dict() and "details" not in plain.as_dict()
    assert failed([plain, Finding("other", "Why?", estimate, "", None)]) == [plain]
