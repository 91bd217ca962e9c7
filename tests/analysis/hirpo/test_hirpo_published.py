"""The published pair of files as they stand, and what is said where a configuration is wrong."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from suasion.analysis.hirpo.published import load_hirpo
from suasion.analysis.hirpo.published_training import translated_training
from suasion.analysis.hirpo.settings import HirpoConfig
from suasion.config import parse_yaml, to_yaml, validate
from suasion.errors import SuasionError

SEEDS = Path(__file__).parents[3].parent / "shared" / "seeds"
GENERATION, TRAINING = SEEDS / "hirpo-data-generation.yaml", SEEDS / "hirpo-training.yaml"
published = pytest.mark.skipif(not GENERATION.is_file(), reason="../shared/seeds is not there")

RECIPE: dict[str, Any] = {
    "profiles": {"arguments": {"training": [{"path": "texts"}]}},
    "tasks": {
        "argmap": {"exercises": ["arguments"]},
        "argmap-l": {"exercises": ["arguments"], "dependencies": ["argmap"], "virtues": ["BalancePreferencePairGenerator"]},
    },
}


def _recipe(**changes: Any) -> HirpoConfig:
    data = yaml.safe_load(yaml.safe_dump(RECIPE))
    for dotted, value in changes.items():
        *path, last = dotted.split("__")
        at = data
        for key in path:
            at = at[key]
        at[last] = value
    return validate(data, HirpoConfig)


@published
def test_the_published_pair_is_accepted_as_it_stands() -> None:
    read = load_hirpo(GENERATION, TRAINING)
    config = read.config
    assert len(config.tasks) == 19 and list(config.profiles) == ["arguments", "debates-handful", "debates"]
    assert [len(config.profiles[name].training) for name in config.profiles] == [4, 3, 5]
    assert {name: config.task_of(name).name for name in config.tasks if name != config.task_of(name).name} == {
        f"{name}-l": name
        for name in ("arganno", "argmap", "argmap_plus_arganno", "argmap_plus_infreco", "argmap_plus_arganno_plus_logreco")
    }
    listed = parse_yaml(GENERATION.read_text(encoding="utf-8"))["tasks"]
    for entry in listed:
        ours = config.tasks[entry["name"]]
        assert len(config.virtues_of(entry["name"])) == len(entry["virtue_preference_pair_generator"])
        assert ours.dependencies == tuple(entry["dependencies"] or ()) and ours.exercises == tuple(entry["exercises"])
        assert ours.floor_weight == entry.get("floor_weight", 0)
        assert (ours.n_solutions, ours.n_revisions, ours.n_feedbacks) == (10, 5, 5)
    assert config.tasks["arganno"].ask_for_invalid == {"annotation.missing": 0.5}
    assert config.tasks["argmap"].ask_for_invalid == {"map.missing": 0.5, "reconstruction.missing": 0.5}
    drawn = config.sampling_of("arganno", "answers")
    assert (drawn.temperature, drawn.max_tokens, drawn.extra_body) == (0.6, 2048, {"min_p": 0.05})
    assert config.sampling_of("argmap", "answers").max_tokens == 8192
    assert config.sampling_of("arganno-l", "feedback").max_tokens == 2048
    assert (config.sampling_of("logreco", "evaluation").top_p, config.sampling_of("logreco", "evaluation").temperature) == (0.95, 0.6)
    training = config.training
    assert (training.learning_rate, training.epochs, training.warmup, training.scheduler) == (5e-7, 2, 0.5, "linear")
    assert (training.batch_size, training.accumulation, training.max_length, training.weights) == (1, 8, 8192, "full")
    assert (training.dpo.loss_type, training.dpo.beta, training.checkpoint_every) == ("sigmoid", 0.1, 0)
    assert (config.base.dtype, config.base.revision, config.seed, config.epochs) == ("bfloat16", "main", 42, 100)
    assert validate(parse_yaml(to_yaml(config)), HirpoConfig) == config


@published
def test_old_names_are_translated_with_a_notice_each_and_no_stays_a_word() -> None:
    told = "\n".join(load_hirpo(GENERATION, TRAINING).notices)
    for old in ("torch_dtype", "use_liger", "warmup_ratio", "max_prompt_length"):
        assert f"{old}" in told
    assert "torch_dtype: an old name; it is called dtype now, and base.dtype in a recipe." in told
    assert "eval_strategy no:" in told and "save_strategy no:" in told and "False" not in told
    listed = parse_yaml(TRAINING.read_text(encoding="utf-8"))
    assert listed["eval_strategy"] == "no"


@published
def test_overrides_are_in_the_words_of_a_recipe() -> None:
    read = load_hirpo(GENERATION, TRAINING, ["epochs=1", "base.model=microsoft/phi-4", "hub.model=me/mine", "training.weights=lora"])
    config = read.config
    assert (config.epochs, config.base.model, config.training.weights) == (1, "microsoft/phi-4", "lora")
    assert config.hub.push and config.hub.private
    assert not any(one.startswith(("base.model", "push_to_hub")) for one in read.notices)
    assert not load_hirpo(GENERATION, TRAINING).config.hub.push


@published
@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("floor_weight: 0.025", "floor_wieght: 0.025", "did you mean 'floor_weight'"),
        ('judge: "arganno.AnnotationJudge"', 'judge: "arganno.AnnotationJugde"', "Did you mean arganno.AnnotationJudge"),
        ('judge: "arganno.AnnotationJudge"', 'judge: "argmap.ArgMapJudge"', "belongs to the task argmap"),
        ('judge: "arganno.AnnotationJudge"', 'judge: "arganno.Annotation"', "is the name of a solution"),
        ("arganno.AnnotationCoveragePreferencePairGenerator", "argmap.BalancePreferencePairGenerator", "no virtue of the task arganno"),
        ("HasAnnotationsHandler", "HasAnotationsHandler", "did you mean 'HasAnnotationsHandler'"),
        ('      - "infreco_from_arganno"', '      - "infreco_from_argano"', "did you mean 'infreco_from_arganno'"),
        ('      - "debates"\n', '      - "debatse"\n', "did you mean 'debates'"),
        ('      - "logreco_from_infreco"\n', '      - "argmap_plus_logreco"\n', "wait for each other"),
        ("  - name: argmap-l\n", "  - name: argmap\n", "stands twice"),
    ],
)
def test_a_mistake_in_the_published_file_is_told_with_the_nearest_name(tmp_path: Path, old: str, new: str, told: str) -> None:
    text = GENERATION.read_text(encoding="utf-8")
    assert old in text
    changed = tmp_path / "changed.yaml"
    changed.write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(SuasionError, match=told):
        load_hirpo(changed)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"learnin_rate": 1}, "learnin_rate: unknown key; did you mean 'learning_rate'"),
        ({"warmup_ratio": 0.1, "warmup_steps": 0.2}, "are the same; keep one"),
        ({"gradient_checkpointing_kwargs": {"use_reentrant": True}}, "only use_reentrant: false"),
        ({"logging_strategy": "epoch"}, "only 'steps'"),
    ],
)
def test_training_keys_that_cannot_be_had_are_errors(given: dict[str, Any], told: str) -> None:
    with pytest.raises(SuasionError, match=told):
        translated_training(given)


def _places(node: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    for key, inner in node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ():
        yield from _places(inner, (*path, key))


@published
@settings(max_examples=200, deadline=None)
@given(st.data())
def test_whatever_stands_in_the_files_no_traceback(data: st.DataObject) -> None:
    files = copy.deepcopy(_read_once())
    at = files[data.draw(st.integers(0, 1))]
    *path, last = data.draw(st.sampled_from(sorted((place for place in _places(at) if place), key=str)))
    for key in path:
        at = at[key]
    junk = data.draw(st.sampled_from([None, 7, -1.5, True, "x", "", "argmap", [], [1], ["argmap"], {}, {"a": 1}, {1: 2}, float("inf")]))
    if data.draw(st.booleans()) or isinstance(at, list):
        at[last] = junk
    else:
        at[data.draw(st.sampled_from(["x", 1, "task", "name", "base.model"]))] = junk
    with patch("suasion.analysis.hirpo.published._read", lambda path: files[path == TRAINING]):
        try:
            assert isinstance(load_hirpo(GENERATION, TRAINING).config, HirpoConfig)
        except SuasionError as error:
            assert str(error).strip()


@cache
def _read_once() -> list[Any]:
    """Both files; to read them takes longer than all else."""
    return [parse_yaml(path.read_text(encoding="utf-8")) for path in (GENERATION, TRAINING)]


def test_checkpoints_follow_the_word() -> None:
    assert translated_training({"save_strategy": "no", "save_steps": 50})[0]["training.checkpoint_every"] == 0
    assert translated_training({"save_strategy": "steps", "save_steps": 50})[0]["training.checkpoint_every"] == 50
    assert "training.checkpoint_every" not in translated_training({})[0]


def test_our_own_spelling(tmp_path: Path) -> None:
    config = _recipe(tasks__argmap__ask_for_invalid={"map.syntax": 0.25, "HasArgdownHandler": 0.5})
    assert config.task_of("argmap-l") is config.task_of("argmap")
    assert [one.name for one in config.virtues_of("argmap-l")] == ["BalancePreferencePairGenerator"]
    assert len(config.virtues_of("argmap")) == 18 and config.prerequisites == {"argmap": (), "argmap-l": ("argmap",)}
    assert config.tasks["argmap"].ask_for_invalid == {"map.syntax": 0.25, "map.missing": 0.5, "reconstruction.missing": 0.5}
    path = tmp_path / "recipe.yaml"
    path.write_text(to_yaml(config), encoding="utf-8")
    assert load_hirpo(path).config == config and not load_hirpo(path).notices
    with pytest.raises(SuasionError, match="says itself how it trains"):
        load_hirpo(path, training=path)


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"tasks__argmap__virtues": ["BalanceGenerator"]}, "no virtue 'BalanceGenerator'"),
        ({"tasks__argmap__exercises": ["argument"]}, "did you mean 'arguments'"),
        ({"tasks__argmap__dependencies": ["argmap-l"]}, "wait for each other"),
        ({"tasks__argmap__floor_weight": 0.6, "tasks__argmap-l__floor_weight": 0.6}, "sum to 1.2"),
        ({"tasks__argmap__ask_for_invalid": {"map.sintax": 0.5}}, "did you mean 'map.syntax'"),
        ({"tasks__argmap__ask_for_invalid": {"map.syntax": 1.5}}, "less than or equal to 1"),
        ({"tasks__argmpa": {"exercises": ["arguments"]}}, "argmap"),
        ({"tasks__argmap__task": "argmap.ArgMapJudge"}, "is the name of a judge"),
        ({"profiles__arguments__most_words": 5, "profiles__arguments__least_words": 6}, "no text has"),
        ({"profiles__arguments__traning": []}, "did you mean 'training'"),
        ({"tasks": {}}, "at least 1 item"),
    ],
)
def test_mistakes_in_a_recipe_are_told(changes: dict[str, Any], told: str) -> None:
    with pytest.raises(SuasionError, match=told):
        _recipe(**changes)
