"""The published configuration resolves entirely, and its tables are those of the tasks."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from suasion.analysis.tasks import get_task, resolve
from suasion.analysis.tasks.published import Kind
from suasion.errors import SuasionError

FILE = Path(__file__).resolve().parents[4] / "shared" / "seeds" / "hirpo-data-generation.yaml"
there = pytest.mark.skipif(not FILE.is_file(), reason="the published configuration is not here")
KEYS: tuple[Kind, ...] = ("solution", "problem", "problem_generator", "judge", "feedback_generator")


def entries() -> list[dict[str, Any]]:
    tasks: list[dict[str, Any]] = yaml.safe_load(FILE.read_text(encoding="utf-8"))["tasks"]
    return tasks


def names(entry: dict[str, Any]) -> Iterator[tuple[str, Kind]]:
    yield entry["name"], "task"
    yield from ((name, "task") for name in entry["dependencies"] or ())
    yield from ((entry[key], key) for key in KEYS if key in entry)
    yield from ((name, "virtue") for name in entry["virtue_preference_pair_generator"])
    yield from ((name, "error") for name in entry.get("ask_for_invalid_probs", ()))


@there
def test_every_name_resolves() -> None:
    found = {name: (kind, resolve(name)) for entry in entries() for name, kind in names(entry)}
    assert len(found) > 100
    assert all(resolved.kind == kind and resolved.name == name for name, (kind, resolved) in found.items())


@there
def test_a_task_is_judged_and_asked_as_the_configuration_says() -> None:
    for entry in entries():
        one = resolve(entry["name"])
        assert one.task and one.longer == entry["name"].endswith("-l") and one.task is get_task(entry["name"].removesuffix("-l"))
        judge, problem = resolve(entry["judge"]).task, resolve(entry["problem"]).task
        assert judge and judge.name == one.task.target and problem is one.task


@there
def test_a_task_has_the_virtues_that_the_configuration_gives_it() -> None:
    for entry in entries():
        task = resolve(entry["name"]).task
        virtues = [resolve(name).virtue for name in entry["virtue_preference_pair_generator"]]
        assert task and {id(virtue) for virtue in virtues} == {id(virtue) for virtue in task.virtues}, entry["name"]


def test_error_names_mean_codes() -> None:
    assert resolve("HasAnnotationsHandler").codes == ("annotation.missing",)
    assert resolve("map.unlabelled-claim").codes == ("map.unlabelled-claim",)
    for code in (*resolve("HasAnnotationsHandler").codes, *resolve("HasArgdownHandler").codes):
        artefact = code.partition(".")[0]
        (finding,) = get_task({"annotation": "arganno", "map": "argmap", "reconstruction": "infreco"}[artefact]).case("", "").block_findings
        assert finding.code == code


@pytest.mark.parametrize(
    ("name", "nearest"),
    [
        ("argmap.BalancePreferencePairGenerater", "argmap.BalancePreferencePairGenerator"),
        ("argmap-L", "argmap-l"),
        ("ArgMapJudge", "argmap.ArgMapJudge"),
    ],
)
def test_an_unknown_name_is_told_the_nearest(name: str, nearest: str) -> None:
    with pytest.raises(SuasionError) as error:
        resolve(name)
    assert name in error.value.what and error.value.hint == f"Did you mean {nearest}?"
