from __future__ import annotations

from pathlib import Path

import pytest

from suasion.config import all_arguments, changed_arguments, load_config, parse_yaml, to_yaml, validate
from suasion.errors import SuasionError
from suasion.persuasion.recipe import Recipe

RECIPES = sorted(path for path in (Path(__file__).parents[2] / "recipes").rglob("*.yaml") if path.parent.name not in ("hirpo", "cluster"))


def test_there_are_recipes() -> None:
    assert "quickstart.yaml" in {path.name for path in RECIPES}


@pytest.mark.parametrize("path", RECIPES, ids=lambda path: path.name)
def test_every_shipped_recipe_is_valid_and_comes_back_from_its_own_yaml(path: Path) -> None:
    recipe = load_config(path, Recipe)
    assert validate(parse_yaml(to_yaml(recipe)), Recipe) == recipe
    assert recipe.description


def test_the_defaults_are_what_the_seeds_ask_for() -> None:
    recipe = Recipe()
    assert (recipe.lora.rank, recipe.rendering.premise_words, recipe.rendering.total_tokens) == (64, 470, 768)
    assert (recipe.rendering.prompt_tokens, recipe.rendering.reply_tokens) == (512, 256)
    assert (recipe.practice.num_generations, recipe.evaluate.premises) == (4, 100)
    assert not recipe.practice.allow_failed_audit


def test_all_mistakes_are_told_at_once_with_the_nearest_key() -> None:
    wrong = {"practise": {}, "sft": {"lerning_rate": 1}, "lora": {"rank": "many"}, "judge": {"batch_size": 0}}
    with pytest.raises(SuasionError) as caught:
        validate(wrong, Recipe)
    told = str(caught.value)
    for part in ("4 errors", "did you mean 'practice'", "did you mean 'learning_rate'", "lora.rank", "judge.batch_size"):
        assert part in told


def test_a_stage_depends_on_its_own_sections_only() -> None:
    plain, changed = Recipe(), validate({}, Recipe, ["practice.learning_rate=1e-6", "seed=3"])
    assert all_arguments(plain.only("base", "sft")) == all_arguments(changed.only("base", "sft"))
    assert all_arguments(plain.only("seed", "practice")) != all_arguments(changed.only("seed", "practice"))
    assert changed_arguments(changed.only("seed", "practice", "sft")) == {"practice.learning_rate": 1e-6, "seed": 3}


@pytest.mark.parametrize(
    "senseless",
    [
        "rendering.prompt_tokens=0",
        "rendering.reply_tokens=0",
        "rendering.premise_words=0",
        "lora.rank=0",
        "lora.dropout=1.5",
        "lora.alpha=0",
    ],
)
def test_numbers_that_make_no_sense_are_refused_before_a_model_is_loaded(senseless: str) -> None:
    with pytest.raises(SuasionError, match=senseless.split("=")[0]):
        validate({}, Recipe, [senseless])
