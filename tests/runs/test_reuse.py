from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from suasion.config import Config
from suasion.runs.manifest import fingerprint
from suasion.runs.reuse import reusable, why_new
from suasion.runs.run import Run

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)
TEXTS = st.dictionaries(st.text(max_size=5), st.text(max_size=5), max_size=4)


def _reversed(value: Any) -> Any:
    """The same value with every mapping in the opposite order."""
    if isinstance(value, dict):
        return {key: _reversed(value[key]) for key in reversed(value)}
    return [_reversed(item) for item in value] if isinstance(value, list) else value


@given(st.dictionaries(st.text(max_size=4), VALUES, max_size=4), TEXTS, TEXTS, st.none() | TEXTS)
def test_the_order_of_mappings_does_not_matter(config: dict[str, Any], parents: dict[str, str], inputs: dict[str, str], lock: Any) -> None:
    mark = fingerprint("SFT", config, parents, inputs, lock)
    assert fingerprint("SFT", _reversed(config), _reversed(parents), _reversed(inputs), _reversed(lock)) == mark


@given(TEXTS, TEXTS, TEXTS, st.sampled_from(["kind", "config", "parents", "inputs", "lock"]))
def test_every_part_matters(config: dict[str, str], parents: dict[str, str], inputs: dict[str, str], part: str) -> None:
    arguments: dict[str, Any] = {"kind": "SFT", "config": config, "parents": parents, "inputs": inputs, "base_lock": {"weights": "1"}}
    changes: dict[str, dict[str, Any]] = {
        "kind": {"kind": "SFT2"},
        "config": {"config": config | {"a new key": "1"}},
        "parents": {"parents": parents | {"a new role": "1"}},
        "inputs": {"inputs": inputs | {"a new label": "1"}},
        "lock": {"base_lock": {"weights": "2"}},
    }
    assert fingerprint(**arguments) != fingerprint(**(arguments | changes[part]))


def test_the_version_matters(monkeypatch: pytest.MonkeyPatch) -> None:
    before = fingerprint("SFT", {}, {}, {}, None)
    monkeypatch.setattr("suasion.__version__", "999")
    assert fingerprint("SFT", {}, {}, {}, None) != before


def test_passed_or_defaulted_is_the_same_work_in_every_process() -> None:
    class Recipe(Config):
        steps: int = 3
        tags: frozenset[str] = frozenset({"a", "b", "c", "d"})

    assert fingerprint("SFT", Recipe(), {}, {}, None) == fingerprint("SFT", Recipe(steps=3), {}, {}, None)
    code = "from suasion.runs.manifest import fingerprint; print(fingerprint('SFT', {'t': frozenset('abcdefgh')}, {}, {}, None))"
    marks = {
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True, env={"PYTHONHASHSEED": seed, "PYTHONPATH": p}
        ).stdout
        for seed in "12"
        for p in [":".join(sys.path)]
    }
    assert len(marks) == 1 and marks != {""}


def test_done_before_unfinished_and_newest_first(root: Path) -> None:
    mark = fingerprint("SFT", {"a": 1}, {}, {}, None)
    assert reusable(root, "SFT", mark) is None
    with Run.start(root, "SFT", config={"a": 1}) as first:
        pass
    with Run.start(root, "SFT", config={"a": 1}) as second:
        pass
    with pytest.raises(RuntimeError), Run.start(root, "SFT", config={"a": 1}) as failed:
        raise RuntimeError
    with Run.start(root, "SFT", config={"a": 2}), Run.start(root, "Judge", config={"a": 1}):
        pass
    assert _name(reusable(root, "SFT", mark)) == second.name
    (second.path / "report.html").unlink()  # what is no longer there cannot be used again
    assert _name(reusable(root, "SFT", mark)) == first.name
    (first.path / "report.html").unlink()
    assert _name(reusable(root, "SFT", mark)) == failed.name


def _name(run: Run | None) -> str | None:
    return None if run is None else run.name


def test_one_line_says_what_is_new(root: Path) -> None:
    def told(config: dict[str, Any], parents: dict[str, Run], inputs: dict[str, str], lock: dict[str, str] | None) -> str:
        return why_new(root, "Judge", config, parents, inputs, lock)

    with Run.start(root, "SFT", config={}) as writer, Run.start(root, "SFT", config={}) as other:
        pass
    assert told({}, {}, {}, None) == "no earlier run"
    config = {"judge": {"max_steps": 30, "lr": 1e-4}, "seed": 0}
    with Run.start(root, "Judge", config=config, parents={"writer": writer}, inputs={"pairs": "1"}, base_lock={"weights": "1"}) as run:
        pass
    same = (config, {"writer": writer}, {"pairs": "1"}, {"weights": "1"})
    assert told(*same) == f"outputs of {run.name} are missing"
    assert told({"judge": {"max_steps": 40, "lr": 1e-4}, "seed": 0}, *same[1:]) == "judge.max_steps 30 -> 40"
    assert told(config, {"writer": other}, *same[2:]) == "parent writer changed"
    assert told(config, same[1], {"pairs": "2"}, {"weights": "2"}) == "input pairs changed, base weights changed"
    everything = told({"judge": {}, "seed": 1}, {}, {}, None)
    assert everything.count(",") == 3 and everything.endswith("and 4 more")
