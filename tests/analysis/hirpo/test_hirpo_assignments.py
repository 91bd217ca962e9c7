from __future__ import annotations

from pathlib import Path

import pytest

from suasion.analysis.hirpo.assignments import choose, for_evaluation, for_inputs, for_training, inputs_of
from suasion.analysis.hirpo.settings import HirpoConfig
from suasion.analysis.hirpo.tries import Assignment, Outcome, Try
from suasion.analysis.tasks import get_task
from suasion.analysis.verification.findings import Finding, Verdict
from tests.analysis.hirpo import whole

EXERCISES = whole.worlds_as_exercises(["worlds"])
COUNTS = {"argmap": 3, "arganno": 0, "argmap_from_arganno": 30}
VALID, INVALID = Verdict(()), Verdict((Finding("annotation.missing", "There is none."),))
MARKED = get_task("arganno").example.answer


@pytest.fixture
def config(nano_folder: Path) -> HirpoConfig:
    return whole.recipe(nano_folder)


def outcome(assignment: Assignment, *texts: tuple[str, Verdict]) -> Outcome:
    return Outcome(assignment, tuple(Try(str(number), text, verdict) for number, (text, verdict) in enumerate(texts)))


def test_texts_are_drawn_without_repetition_until_all_were_taken(config: HirpoConfig) -> None:
    chosen = choose(config, EXERCISES, COUNTS, "training", "1")
    keys = [one.key for one in chosen]
    assert len(set(keys)) == len(keys) == 33 and keys[0] == "argmap/0000"
    texts = [one.exercise.id for one in chosen if one.entry == "argmap_from_arganno"]
    assert len(set(texts[:24])) == 24 and len(set(texts[24:])) == 6  # there are 24 for training
    assert all(one.exercise.split == "training" for one in chosen)
    assert chosen == choose(config, EXERCISES, COUNTS, "training", "1") != choose(config, EXERCISES, COUNTS, "training", "2")


def test_the_first_valid_answer_is_the_input_else_a_flawed_one(config: HirpoConfig) -> None:
    asked = for_inputs(config, choose(config, EXERCISES, COUNTS, "training", "1"), "1")
    assert {one.task for one in asked} == {"arganno"} and len(asked) == 30
    other = MARKED.replace("Cars", "Vans")
    found = [
        outcome(asked[0], ("nothing", INVALID), (other, INVALID), (MARKED, VALID)),
        outcome(asked[1], ("nothing", INVALID), (other, INVALID)),
        outcome(asked[2], ("nothing", INVALID), ("", INVALID)),
    ]
    inputs = inputs_of(found)
    assert list(inputs) == [asked[0].key, asked[1].key]
    assert "Cars make" in inputs[asked[0].key][0] and inputs[asked[0].key][1] is False
    assert "Vans make" in inputs[asked[1].key][0] and inputs[asked[1].key][1] is True
    made = for_training(config, choose(config, EXERCISES, COUNTS, "training", "1"), inputs, "1")
    assert [one.key for one in made if one.entry == "argmap_from_arganno"] == list(inputs)  # without an input there is no problem
    assert "<proposition" in made[-1].prompt and made[-1].problem.flawed


def test_every_state_is_measured_on_the_same_problems(config: HirpoConfig) -> None:
    tests = for_evaluation(config, EXERCISES, "3")
    assert [one.entry for one in tests] == ["argmap"] * 2 + ["arganno"] * 2 + ["argmap_from_arganno"] * 2
    assert tests == for_evaluation(config, EXERCISES, "3")
    trained = {exercise.text for exercise in EXERCISES.of("worlds", "training")}
    assert not {one.problem.source for one in tests} & trained
    assert all(one.critique is None and one.n == 1 for one in tests)
    assert all("<proposition" in one.problem.reference for one in tests[-2:])


def test_styles_are_those_that_the_recipe_allows(config: HirpoConfig) -> None:
    chosen = choose(config, EXERCISES, {"argmap": 20}, "training", "1")
    plain = for_training(config, chosen, {}, "1")
    varied = for_training(config.model_copy(update={"styles": ()}), chosen, {}, "1")
    assert len({one.prompt.partition("```")[0] for one in plain}) == 1
    assert len({one.prompt.partition("```")[0] for one in varied}) > 4


def test_an_unknown_style_is_refused_with_the_nearest(config: HirpoConfig) -> None:
    with pytest.raises(ValueError, match=r"There is no prompt style 'bear'. Did you mean bare\?"):
        HirpoConfig.model_validate(config.model_dump() | {"styles": ["bear"]})
    assert HirpoConfig.model_validate(config.model_dump() | {"styles": ["bare"]}).styles == ("bare",)
