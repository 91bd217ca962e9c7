from __future__ import annotations

from pathlib import Path

import pytest

from suasion.config import parse_yaml, to_yaml, validate
from suasion.errors import SuasionError
from suasion.files import write_json
from suasion.persuasion.dataset import Labelled
from suasion.persuasion.judging.kinds import EncoderJudgeConfig, JudgeConfig
from suasion.persuasion.judging.learn import draw_labelled
from suasion.persuasion.judging.load import EnsembleCard, JudgeCard, load_card, load_judge, save_card
from suasion.persuasion.recipe import Recipe

RIGHT = [
    [],
    ["judge.seeds=3", "judge.combine=mean_minus_spread"],
    ["judge.length_free=off"],
    ["judge.length_free=odin", "judge.odin.length_weight=2", "judge.margin=1"],
    ["judge.length_free=rrm", "judge.rrm.ties=2", "judge.label_smoothing=0.1"],
    ["judge.kind=encoder", "judge.encoder.learns_from=pairs", "judge.seeds=2"],
    ["judge.kind=words"],
]
WRONG = {
    "judge.length_free belong": ["judge.kind=encoder", "judge.length_free=odin"],
    "judge.margin, judge.center_rewards belong": ["judge.kind=words", "judge.margin=1", "judge.center_rewards=0.5"],
    "judge.label_smoothing belong": ["judge.kind=encoder", "judge.label_smoothing=0.1"],
    "judge.encoder belongs to kind 'encoder'": ["judge.encoder.max_tokens=128"],
    "judge.seeds must be 1": ["judge.kind=shallow", "judge.seeds=2"],
    "judge.combine needs several": ["judge.combine=mean_minus_spread"],
    "judge.odin needs": ["judge.length_free=rrm", "judge.odin.length_weight=2"],
    "judge.rrm needs": ["judge.rrm.foreign=2"],
    "batch_size >= 4": ["judge.length_free=odin", "judge.batch_size=2"],
    "judge.kind": ["judge.kind=oracle"],
    "judge.seeds": ["judge.seeds=0"],
}


@pytest.mark.parametrize("overrides", RIGHT, ids=" ".join)
def test_what_belongs_together_is_taken_and_comes_back_from_its_yaml(overrides: list[str]) -> None:
    recipe = validate({}, Recipe, overrides)
    assert validate(parse_yaml(to_yaml(recipe)), Recipe) == recipe


@pytest.mark.parametrize(("told", "overrides"), WRONG.items(), ids=WRONG)
def test_what_does_not_is_refused_and_says_why(told: str, overrides: list[str]) -> None:
    with pytest.raises(SuasionError) as caught:
        validate({}, Recipe, overrides)
    assert told in str(caught.value)


def test_the_word_off_stays_a_word() -> None:
    assert validate(parse_yaml("judge: {length_free: off}"), Recipe).judge.length_free == "off"


def test_all_mistakes_of_the_section_are_told_at_once() -> None:
    with pytest.raises(SuasionError) as caught:
        validate({}, Recipe, ["judge.kind=words", "judge.seeds=2", "judge.margin=1"])
    assert "judge.margin" in str(caught.value) and "judge.seeds must be 1" in str(caught.value)


def labelled(awarded: int, other: int) -> list[Labelled]:
    return [Labelled(f"d{i}", "A view.", f"reply {i}", i < awarded) for i in range(awarded + other)]


@pytest.mark.parametrize(("awarded", "other", "limit", "expected"), [(50, 50, 20, 10), (4, 50, 20, 4), (50, 3, 20, 17), (5, 5, 20, 5)])
def test_single_replies_are_drawn_evenly_as_far_as_they_go(awarded: int, other: int, limit: int, expected: int) -> None:
    table = labelled(awarded, other)
    drawn = draw_labelled(table, EncoderJudgeConfig(replies=limit), 0)
    assert len(drawn) == min(limit, awarded + other) and sum(reply.earned for reply in drawn) == expected
    assert drawn == [reply for reply in table if reply in drawn] == draw_labelled(table, EncoderJudgeConfig(replies=limit), 0)
    assert draw_labelled(table, EncoderJudgeConfig(), 0) == table


def test_the_default_is_the_reward_model() -> None:
    assert JudgeConfig().kind == "reward" and JudgeConfig().seeds == 1


# judge.json


def test_a_card_comes_back(tmp_path: Path) -> None:
    card = JudgeCard(kind="ensemble", ensemble=EnsembleCard(combine="mean", levels=(0.1, -2.0)))
    save_card(tmp_path, card)
    assert load_card(tmp_path) == card


@pytest.mark.parametrize(
    "wrong",
    [
        [],
        "reward",
        {},
        {"kind": "oracle"},
        {"kind": "reward", "path": "/etc"},
        {"kind": "encoder"},
        {"kind": "reward", "ensemble": {"combine": "mean", "levels": [0]}},
        {"kind": "ensemble", "ensemble": {"combine": "mean", "levels": []}},
    ],
    ids=str,
)
def test_a_card_that_makes_no_sense_is_told(tmp_path: Path, wrong: object) -> None:
    write_json(tmp_path / "judge.json", wrong)
    with pytest.raises(SuasionError) as caught:
        load_judge(tmp_path, None, None)
    assert "judge.json" in str(caught.value)


def test_no_judge_and_no_base_are_told(tmp_path: Path) -> None:
    with pytest.raises(SuasionError, match="no judge here"):
        load_judge(tmp_path, None, None)
    save_card(tmp_path, JudgeCard(kind="reward"))
    with pytest.raises(SuasionError, match="stands on a base"):
        load_judge(tmp_path, None, None)
