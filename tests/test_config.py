from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from suasion.config import Config, all_arguments, changed_arguments, flatten, load_config, nested, parse_yaml, to_yaml, validate
from suasion.errors import SuasionError


class Practice(Config):
    num_generations: int = 4
    learning_rate: float = 1e-5
    strategy: str = "no"


class Recipe(Config):
    practice: Practice = Practice()
    maybe: Practice | None = None
    stages: list[Practice] = []
    table: dict[str, Practice] = {}
    name: str = "x"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("no", "no"), ("off", "off"), ("Yes", "Yes"), ("y", "y"), ("true", True), ("FALSE", False), ("~", None), ("null", None),
        ("1e-4", 1e-4), ("1e5", 1e5), (".5", 0.5), ("1.", 1.0), ("-.inf", float("-inf")), ("1_000", 1000), ("0x10", 16), ("0o17", 15),
        ("1:30", "1:30"), ("010", "010"), ("2026-11-30", "2026-11-30"), ("=", "="), ("1.2.3", "1.2.3"), ("0", 0), ("-3", -3), ("e5", "e5"),
    ],
)  # fmt: skip
def test_words_are_what_they_look_like(text: str, value: Any) -> None:
    read = parse_yaml(text)
    assert read == value and type(read) is type(value)


SCALARS = st.text() | st.sampled_from(
    ["no", "1e5", "010", "1:30", "null", "~", "0o7", ".5", "=", "<<", "2026-11-30", "1_0", "on", "", "\x85"]
)


@given(name=SCALARS, rate=st.floats(allow_nan=False), count=st.integers())
def test_a_resolved_configuration_is_read_back_equal_and_by_other_readers_too(name: str, rate: float, count: int) -> None:
    config = Recipe(name=name, practice=Practice(num_generations=count, learning_rate=rate, strategy=name))
    text = to_yaml(config)
    assert validate(parse_yaml(text), Recipe) == config
    assert yaml.safe_load(text)["name"] == name


def test_all_errors_are_told_at_once_with_the_nearest_key() -> None:
    data = {
        "practise": 1,
        "practice": {"num_generation": 8, "learning_rate": "fast"},
        "stages": [{"strateggy": "x"}],
        "table": {"a": {"zzz": 1}},
        "maybe": {"strategi": 1},
    }
    with pytest.raises(SuasionError) as caught:
        validate(data, Recipe, where="r.yaml")
    text = str(caught.value)
    assert "5 errors" not in text and "6 errors" in text and "r.yaml" in text
    for part in (
        "practise: unknown key; did you mean 'practice'?",
        "practice.num_generation: unknown key; did you mean 'num_generations'?",
        "practice.learning_rate: ",
        "stages.0.strateggy: unknown key; did you mean 'strategy'?",
        "table.a.zzz: unknown key; known here: num_generations, learning_rate, strategy",
        "maybe.strategi: unknown key; did you mean 'strategy'?",
    ):
        assert part in text


def test_overrides_are_laid_over(tmp_path: Path) -> None:
    path = tmp_path / "r.yaml"
    path.write_text("practice: {num_generations: 8, strategy: off}\nname: n")
    config = load_config(path, Recipe, ["practice.num_generations=16", "name=no", "maybe.learning_rate=1e-3"])
    assert (config.practice.num_generations, config.practice.strategy, config.name) == (16, "off", "no")
    assert config.maybe is not None and config.maybe.learning_rate == 1e-3
    for wrong in ("practice", "=3", "a..b=1", ".=1"):
        with pytest.raises(SuasionError, match="not an override"):
            load_config(path, Recipe, [wrong])


@pytest.mark.parametrize(
    "text",
    [
        "a: 1\na: 2",
        "a: [1",
        "? [1, 2]\n: 3",
        "a: *x",
        "a: !!python/object:os.system {}",
        "[" * 5000,
        "a: &x [*x]",
        "\t",
        "a: \x00",
        "x: " + "9" * 5000,
    ],
)
def test_bad_yaml_is_a_clear_error(text: str) -> None:
    with pytest.raises(SuasionError, match="not valid YAML"):
        parse_yaml(text)


def test_a_merged_key_may_be_overridden_and_is_no_duplicate() -> None:
    assert parse_yaml("base: &b {x: 1, y: 2}\nown:\n  <<: *b\n  y: 3")["own"] == {"x": 1, "y": 3}


@pytest.mark.parametrize("data", [[], 3, "text"])
def test_a_recipe_is_a_mapping(data: Any) -> None:
    with pytest.raises(SuasionError, match="mapping"):
        validate(data, Recipe)
    assert validate(None, Recipe) == Recipe()


def test_an_absent_or_binary_recipe_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "b.yaml").write_bytes(b"\xff\xfe\x00")
    for path in (tmp_path / "absent.yaml", tmp_path, tmp_path / "b.yaml"):
        with pytest.raises(SuasionError, match="Cannot read the recipe"):
            load_config(path, Recipe)


def test_passed_and_defaulted_are_told_apart() -> None:
    config = validate({"practice": {"num_generations": 4}}, Recipe)
    assert changed_arguments(config) == {"practice.num_generations": 4}
    assert set(all_arguments(config)) > {"practice.num_generations", "practice.strategy", "name"}


@given(st.recursive(st.integers(), lambda inner: st.dictionaries(st.text("abc", min_size=1), inner, max_size=3), max_leaves=8))
def test_nested_undoes_flatten(value: Any) -> None:
    assert nested(flatten({"root": value})) == {"root": value}
