from __future__ import annotations

import pytest

from suasion.config import validate
from suasion.errors import SuasionError
from suasion.persuasion.practice.settings import FROM_PAIRS, WRITERS, PracticeConfig
from suasion.persuasion.recipe import Recipe

METHODS = ["grpo", "ppo", "rloo", "dpo", "orpo"]
#: One setting of each method's own.
OWN = {"grpo": "updates=2", "ppo": "clip=0.3", "rloo": "scale=true", "dpo": "beta=0.3", "orpo": "start=fresh"}


def practice(*overrides: str) -> PracticeConfig:
    return validate({}, Recipe, [f"practice.{override}" for override in overrides]).practice


@pytest.mark.parametrize("method", METHODS)
def test_a_method_takes_its_own_settings_and_refuses_those_of_others(method: str) -> None:
    settings = practice(f"method={method}", f"{method}.{OWN[method]}", "max_steps=3", "learning_rate=1e-4")
    assert settings.kind == method.upper() and settings.kind in WRITERS
    assert settings.asks_the_judge == (method not in FROM_PAIRS)
    for other in METHODS:
        if other != method:
            with pytest.raises(
                SuasionError, match=rf"practice\.{other} belongs to practice\.method={other}, .*stands in practice\.{method}"
            ):
                practice(f"method={method}", f"{other}.{OWN[other]}")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("clip=0.1", "did you mean 'ppo.clip'"),
        ("loss_type=grpo", "did you mean 'grpo.loss_type' or 'dpo.loss_type'"),
        ("start=fresh", "did you mean 'orpo.start'"),
        ("grpo.clip=0.1", "known here: loss_type, updates"),
        ("ppo.epoch=1", "did you mean 'epochs'"),
        ("method=sft", "'grpo', 'ppo', 'rloo', 'dpo' or 'orpo'"),
        ("shaping.no_end=0.1", "margin = 0"),
    ],
)
def test_a_misplaced_setting_is_told_its_place(given: str, said: str) -> None:
    with pytest.raises(SuasionError) as error:
        practice(given)
    assert said in str(error.value)


def test_what_has_no_effect_is_known() -> None:
    assert practice("method=dpo", "num_generations=2", "beta=0.5").without_effect() == ["practice.num_generations", "practice.beta"]
    assert practice("num_generations=2", "beta=0.5", "batch_size=4").without_effect() == []
    assert practice("method=orpo", "max_steps=2").without_effect() == []


def test_groups_need_not_fill_batches_where_there_are_none() -> None:
    assert practice("method=dpo", "batch_size=3").batch_size == 3
    with pytest.raises(SuasionError, match="multiple of batch_size"):
        practice("method=rloo", "batch_size=3")


def test_only_a_fresh_start_needs_no_writer() -> None:
    assert not practice("method=orpo", "orpo.start=fresh").needs_a_writer
    assert all(practice(f"method={method}").needs_a_writer for method in METHODS)


@pytest.mark.parametrize("method", FROM_PAIRS)
def test_judged_pairs_ask_the_judge_and_need_no_full_batches(method: str) -> None:
    settings = practice(f"method={method}", f"{method}.pairs=judged", "batch_size=3", "num_generations=4")
    assert settings.asks_the_judge and not settings.draws_every_step and settings.without_effect() == []
    assert practice(f"method={method}", f"{method}.pairs=judged", "beta=0.5").without_effect() == ["practice.beta"]
    with pytest.raises(SuasionError, match="judged pairs are drawn by the parent"):
        practice("method=orpo", "orpo.start=fresh", "orpo.pairs=judged")
