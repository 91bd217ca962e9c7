"""The length trap as a user runs it: on the nano model and the shipped sample, with judges that need no model."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from suasion.config import load_config
from suasion.persuasion.dataset import load_pairs
from suasion.persuasion.recipe import Recipe
from suasion.runs.run import find_runs, open_run
from tests.forks import CommandLine

SHIPPED = Path(__file__).parents[2] / "recipes/length-trap.yaml"
SMALL = [
    *("judge.kind=shallow", "judge.max_steps=0", "judge.checkpoint_every=0", "judge.learning_rate=1e-4"),
    *("rendering.reply_tokens=8", "sft.max_steps=1", "audit.replies=4", "audit.search_calls=0"),
    *("practice.max_steps=2", "practice.premises_per_step=1", "practice.preflight.max_cut_off=1", "practice.preflight.min_spread=0"),
    "arms={trapped: {pairs: {matching: any, bias: {longer_wins: 1.0, cut_to: 0.7}}}, matched: {}}",  # two of its arms
    *("practice.preflight.premises=1", "evaluate.premises=4", "evaluate.samples=2", "comparison.independent={words: {judge.kind: words}}"),
]


def test_the_shipped_recipe_differs_in_nothing_but_the_pairs_of_the_judge() -> None:
    recipe = load_config(SHIPPED, Recipe)
    arms = {name: recipe.arm(name) for name in recipe.arms}
    matched = arms["matched"]
    assert {name: arm.pairs.bias.longer_wins for name, arm in arms.items() if arm.pairs.bias} == {"trapped": 1.0, "half": 0.5}
    assert matched.pairs.bias is None and matched.pairs.matching == "optimal"
    assert all(arm.model_copy(update={"pairs": matched.pairs}) == matched for arm in arms.values())
    assert recipe.practice.cut_off == "score" and recipe.practice.shaping.length is None  # nothing but the judge speaks of length


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory, nano_folder: Path, suasion: CommandLine) -> Path:
    root = tmp_path_factory.mktemp("trap") / "runs"
    ended = suasion("run", SHIPPED, "-R", root, f"base.model={nano_folder}", *SMALL)
    assert ended.status == 0, ended.err
    return root


def test_one_command_ends_in_the_report(root: Path) -> None:
    last = find_runs(root)[-1]
    assert last.manifest.kind == "LengthTrap" and last.manifest.status == "done"
    results = json.loads((last.path / "results.json").read_text())
    assert set(results["arms"]) == {"trapped", "matched"}
    assert results["arms"]["trapped"]["longer_wins"]["value"] == 1 and results["arms"]["matched"]["longer_wins"]["value"] == 0.5
    assert [row["arm"] for row in results["dose_response"]] == ["matched", "trapped"]
    assert set(results["arms"]["trapped"]["gains_in_spreads"]) == {"judge-of-trapped", "judge-of-matched", "words"}
    gains = {name: arm["gains_in_spreads"]["words"]["value"] for name, arm in results["arms"].items()}
    assert all(abs(gain) < 10 for gain in gains.values())  # the judge of that name, and not the number of words
    assert {file.stem for file in (last.path / "plots").iterdir()} >= {"length", "reward", "growth", "seen-by-words"}
    assert results["verdict"]["sentence"] in (last.path / "report.html").read_text().replace("&#39;", "'")


def test_a_judge_of_biased_pairs_is_known_by_its_audit(root: Path) -> None:
    """Logistic regression on shallow features, one of them the length: planted bias is what it finds."""
    last = find_runs(root)[-1]
    arms = last.results["arms"]
    follows = {
        name: next(one for one in arm["probes_of_length"] if one["code"] == "length-correlation")["value"] for name, arm in arms.items()
    }
    assert follows["trapped"] > 0.5 > follows["matched"]


def test_the_writers_share_all_but_the_judge(root: Path) -> None:
    practised = [run for run in find_runs(root) if run.manifest.kind == "GRPO"]
    assert (
        len({run.manifest.parents["writer"] for run in practised}) == 1 and len({run.manifest.parents["pairs"] for run in practised}) == 1
    )
    judges = {run.manifest.parents["judge"] for run in practised}
    assert len(judges) == 2
    for name in judges:
        pairs = open_run(root / open_run(root / name, root).manifest.parents["pairs"], root)
        gaps = [len(pair.winner.split()) - len(pair.loser.split()) for pair in load_pairs(pairs.path, "train")]
        assert all(gap > 0 for gap in gaps) == (pairs.results["longer_wins"]["train"]["value"] == 1)
