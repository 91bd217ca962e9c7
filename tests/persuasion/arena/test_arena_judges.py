from __future__ import annotations

import json
from pathlib import Path

import pytest

from suasion.errors import SuasionError
from suasion.persuasion.arena.ballots import Ballot, comparisons
from suasion.persuasion.arena.imagined import imagined_study
from suasion.persuasion.arena.judges import judges_and_people, read_scores, words_as_judge
from suasion.persuasion.arena.simulate import World


def ballot(place: int, answer: str, left_words: int = 100, right_words: int = 100) -> Ballot:
    return Ballot(
        f"r{place}", f"p{place}", "a", "b", answer=answer, left_words=left_words, right_words=right_words,  # type: ignore[arg-type]
        left_reply=f"{place}a", right_reply=f"{place}b",
    )  # fmt: skip


def test_a_judge_that_counts_words_is_right_on_one_side_and_wrong_on_the_other() -> None:
    ballots = [ballot(i, "left", 100, 200 if i % 3 else 40) for i in range(60)] + [ballot(60 + i, "tie", 10, 90) for i in range(5)]
    (found,) = judges_and_people(ballots, {"words": words_as_judge(ballots)})
    assert found.shares["people took the longer"].value == 1.0 and found.shares["people took the shorter"].value == 0.0
    assert found.shares["all"].value == pytest.approx(1 / 3) and found.shares["all"].n == 60  # a rater's tie is no verdict
    assert found.shares["about as long"].n == 0 and found.as_dict()["agreement"]["about as long"]["value"] is None


def test_ties_of_the_judge_count_half_and_replies_without_a_score_are_left_out() -> None:
    ballots = [ballot(0, "left"), ballot(1, "right"), ballot(2, "left")]
    (found,) = judges_and_people(ballots, {"judge": {"0a": 1.0, "0b": 1.0, "1a": 0.0, "1b": 3.0, "2a": 1.0}})
    assert found.shares["all"].value == 0.75 and found.shares["all"].n == 2


def test_a_judge_that_knows_the_strengths_agrees_more_than_one_that_does_not() -> None:
    ballots = imagined_study(World(strengths={"grpo": 2.0, "sft": 1.0}), seed=0)
    order = {"base": 0.0, "sft": 1.0, "grpo": 2.0}
    knowing = {reply: order[reply.rpartition("-")[2]] for one in comparisons(ballots) for reply in (one.left_reply, one.right_reply)}
    knows, words = judges_and_people(ballots, {"knows": knowing, "words": words_as_judge(ballots)})
    assert knows.shares["all"].low > 0.6 and words.shares["all"].low < 0.5 < words.shares["all"].high


def test_a_judge_beside_changed_views_compares_two_readers_of_one_premise() -> None:
    falls = {"a": 3, "b": 1, "c": 1}
    ballots = [
        Ballot(
            f"r{premise}{system}", f"p{premise}", system, before=6, after=6 - fall, left_reply=f"{premise}{system}", left_words=len(system)
        )
        for premise in range(6)
        for system, fall in falls.items()
    ]
    knowing = {one.left_reply: one.fall for one in ballots}
    (found,) = judges_and_people(ballots, {"judge": knowing})
    assert found.shares["all"].value == 1.0 and found.shares["all"].n == 12  # a beats b and c; b and c are alike
    assert found.shares["all"].premises == found.shares["all"].raters == 6
    assert words_as_judge(ballots) == dict.fromkeys(knowing, 1.0)


def test_scores_are_read_by_reply(tmp_path: Path) -> None:
    path = tmp_path / "scores.jsonl"
    rows = [
        {"reply": "x", "premise": "text", "words": 12, "practice": 1, "independent": -0.5, "checked": True},
        {"reply": "y", "practice": 2.5},
    ]
    path.write_text("\n".join(map(json.dumps, rows)) + "\n")
    assert read_scores(path, {"x": 0, "y": 0}) == {"practice": {"x": 1.0, "y": 2.5}, "independent": {"x": -0.5}}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"reply": "z", "judge": 1}', "names no reply"),
        ('{"judge": 1}', "names no reply"),
        ("[]", "names no reply"),
        ("{", "not JSON"),
        ('{"reply": "x", "judge": NaN}', "not a finite number"),
        ('{"reply": "x", "judge": "high"}', "no score"),
        ("", "no score"),
    ],
)
def test_a_table_of_scores_that_is_none_is_refused(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "scores.jsonl"
    path.write_text(text)
    with pytest.raises(SuasionError, match=said):
        read_scores(path, {"x": 0})
    with pytest.raises(SuasionError, match="Cannot read"):
        read_scores(tmp_path / "absent.jsonl", {})
