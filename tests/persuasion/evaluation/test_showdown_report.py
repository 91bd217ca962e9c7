from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from suasion.config import validate
from suasion.files import jsonable
from suasion.persuasion.evaluation.contest import PRACTICE_JUDGE
from suasion.persuasion.evaluation.showdown.report import write_showdown
from suasion.persuasion.recipe import Recipe
from suasion.runs.run import Run
from tests.persuasion.evaluation.contests import Kept, Level, made_up


def practice(arm: str, rise: float, tokens: int) -> Kept:
    """A run whose reward rises by ``rise`` in 12 steps."""
    draw = np.random.default_rng(len(arm) + tokens)
    rows = [
        {
            "step": step,
            "judge_score": float(rise * step / 12 + draw.normal(0, 0.1)),
            "judge_calls": 16 * step,
            "generated_tokens": tokens * step,
            "elapsed": 3.0 * step,
        }
        for step in range(1, 13)
    ]
    return Kept(f"{arm}-run", rows)


def told(folder: Path, arms: dict[str, Level], seeds: int = 3, **more: Any) -> tuple[dict[str, Any], str, Run]:
    recipe = validate({"name": "made up <b>", "arms": {arm: {} for arm in arms}, "comparison": {"window": 3}}, Recipe)
    with Run.start(folder, "Showdown", config={}) as run:
        contest = made_up(arms, seeds=seeds, recipe=recipe, run=run, **more)
        run.results = write_showdown(contest)
    return run.results, (run.path / "report.html").read_text(), run


def test_the_report_and_the_results_say_the_same(tmp_path: Path) -> None:
    runs = {"grpo": practice("grpo", 1.0, 800), "ppo": practice("ppo", 0.2, 900)}
    found, text, run = told(tmp_path, {"grpo": (1.5, 0), "ppo": (0, 0)}, runs=runs)
    assert json.loads(json.dumps(jsonable(found))) == jsonable(found)
    assert "grpo beats ppo" in found["verdict"] and "grpo beats ppo" in text
    assert found["budgets"]["generated_tokens"] == {"fewest": 9600, "most": 10800}
    assert "12% more" in text and "judge calls equal" in text
    assert found["pace"]["target"] is not None
    assert [one["step"] is not None for one in found["pace"]["reached"]["grpo"]] == [True] * 3
    assert {path.name for path in (run.path / "plots").glob("*.png")} == {
        "reward-by-tokens.png",
        "reward-by-seconds.png",
        f"scores-{PRACTICE_JUDGE}.png",
        f"against-{PRACTICE_JUDGE}.png",
        f"pairs-{PRACTICE_JUDGE}.png",
    }
    assert "made up <b>" not in text and "made up &lt;b&gt;" in text


@pytest.mark.parametrize("seeds", [1, 2])
def test_few_seeds_and_methods_without_a_curve_give_a_report_too(tmp_path: Path, seeds: int) -> None:
    found, text, _ = told(tmp_path, {"dpo": (0, 0), "orpo": (0, 0)}, seeds=seeds, premises=4)
    assert "no difference between the contenders that 4 premises" in found["verdict"]
    assert found["pace"] == {"target": None, "reached": {}, "roughness": {}}
    assert "no curves" in text


def test_a_single_arm_is_held_against_base_and_parent_only(tmp_path: Path) -> None:
    found, _, _ = told(tmp_path, {"grpo": (2, 0)}, runs={"grpo": practice("grpo", 1.0, 100)})
    assert {(one["system"], one["against"]) for one in found["duels"]} == {("grpo", "base"), ("grpo", "sft")}
    assert "one contender" in found["verdict"] and all(one["winner"] == "grpo" for one in found["duels"])
