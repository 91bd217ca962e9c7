from __future__ import annotations

import json

import numpy as np
import pytest

from suasion.models.sampling import Reply
from suasion.persuasion.dataset import Premise
from suasion.persuasion.evaluation.compare import Comparison, compare
from suasion.persuasion.judging.judge import RuleJudge

BY_NUMBER = RuleJudge("number", lambda reply: float(reply.split()[0]))


def said(*groups: list[float], ended: bool = True) -> list[list[Reply]]:
    return [[Reply(f"{score} and so on", 4, ended) for score in group] for group in groups]


def premises(*debates: str, winners: tuple[str, ...] = ("a winner said so",)) -> list[Premise]:
    return [Premise(debate, f"premise {i}", winners) for i, debate in enumerate(debates)]


def test_wins_gains_and_scores_by_hand() -> None:
    replies = {"base": said([0], [2], [1], [1]), "SFT": said([1], [3], [1], [0]), "GRPO": said([2], [2], [2], [2])}
    found = compare(premises("a", "b", "c", "d"), replies, BY_NUMBER, seed=0)
    assert found.win_rates["SFT", "base"].value == (1 + 1 + 0.5 + 0) / 4
    assert found.win_rates["GRPO", "base"].value == (1 + 0.5 + 1 + 1) / 4
    assert found.win_rates["GRPO", "SFT"].value == (1 + 0 + 1 + 1) / 4
    assert set(found.win_rates) == {("SFT", "base"), ("GRPO", "base"), ("GRPO", "SFT")}
    assert found.gains["GRPO", "base"].value == pytest.approx((2 + 0 + 1 + 1) / 4)
    assert found.table["SFT"]["judge_score"].value == pytest.approx(5 / 4)
    assert found.table["SFT"]["words"].value == 4
    assert found.win_rates["SFT", "base"].clusters == 4


def test_every_reply_meets_every_reply_to_the_same_premise() -> None:
    found = compare(premises("a"), {"base": said([1, 3]), "SFT": said([2, 3])}, BY_NUMBER, seed=0)
    # 2 beats 1 and loses to 3; 3 beats 1 and ties with 3
    assert found.win_rates["SFT", "base"].value == (1 + 0 + 1 + 0.5) / 4


def test_debates_and_not_premises_are_what_is_counted() -> None:
    replies = {"base": said(*[[0]] * 40), "SFT": said(*[[1], [-1]] * 20)}
    one = compare(premises(*["a", "b"] * 20), replies, BY_NUMBER, seed=0).win_rates["SFT", "base"]
    many = compare(premises(*[f"d{i}" for i in range(40)]), replies, BY_NUMBER, seed=0).win_rates["SFT", "base"]
    assert one.value == many.value == 0.5
    assert one.high - one.low > 1.5 * (many.high - many.low)


def test_equal_systems_are_equal() -> None:
    replies = {"base": said([1], [2]), "SFT": said([1], [2])}
    found = compare(premises("a", "b"), replies, BY_NUMBER, seed=0)
    assert found.win_rates["SFT", "base"].value == 0.5
    assert found.gains["SFT", "base"].value == 0


def test_premises_that_nobody_won_have_no_bleu_but_count_elsewhere() -> None:
    mixed = [*premises("a"), *premises("b", winners=())]
    found = compare(mixed, {"base": said([1], [2])}, BY_NUMBER, seed=0)
    assert found.table["base"]["bleu"].n == 1 and found.table["base"]["judge_score"].n == 2
    none = compare(premises("a", "b", winners=()), {"base": said([1], [2])}, BY_NUMBER, seed=0)
    assert none.table["base"]["bleu"].n == 0
    assert none.as_dict()["systems"]["base"]["bleu"]["value"] is None


def test_the_share_that_ended() -> None:
    replies = {"base": [*said([1], [2]), *said([3], [4], ended=False)]}
    assert compare(premises("a", "b", "c", "d"), replies, BY_NUMBER, seed=0).table["base"]["ended"].value == 0.5


def the_same(seed: int) -> Comparison:
    draw = np.random.default_rng(0)
    replies = {name: said(*[[float(score)] for score in draw.normal(size=12)]) for name in ("base", "SFT")}
    return compare(premises(*"aabbccddeeff"), replies, BY_NUMBER, seed)


def test_it_is_json_and_the_same_for_the_same_seed() -> None:
    found = the_same(3).as_dict()
    assert json.loads(json.dumps(found, allow_nan=False)) == found == the_same(3).as_dict()
