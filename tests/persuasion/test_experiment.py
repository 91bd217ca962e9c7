"""A recipe with arms, as a user runs it: on the nano model and the shipped sample."""

from __future__ import annotations

import json
import signal
from pathlib import Path

import pytest

from suasion.config import load_config, parse_yaml, to_yaml, validate
from suasion.errors import SuasionError
from suasion.persuasion.recipe import Recipe
from suasion.runs.run import Run, find_runs
from tests.forks import CommandLine, Ended
from tests.nano import same_weights

RECIPE = """
name: small
seed: 7
base: {{model: {model}}}
rendering: {{prompt_tokens: 160, reply_tokens: 8, total_tokens: 240}}
mine: {{sources: [sample]}}
pairs: {{min_words: 25, max_pairs_per_winner: 2, validation: 0.1, test: 0.3}}
judge: {{kind: shallow}}
sft: {{max_steps: 2}}
audit: {{replies: 4, search_calls: 40}}
practice: {{max_steps: 2, premises_per_step: 1, batch_size: 4, cut_off: score, learning_rate: 1e-3, allow_failed_audit: true,
           preflight: {{premises: 1, max_cut_off: 1, min_spread: 0}}}}
evaluate: {{premises: 5, samples: 2}}
arms:
  grpo: {{practice.method: grpo}}
  dpo: {{practice.method: dpo, practice.dpo.pairs: judged, practice.batch_size: 1}}
arm_seeds: [1, 2]
comparison: {{window: 1, independent: {{words: {{judge.kind: words}}}}}}
"""
pytestmark = pytest.mark.timeout(600)
SHARED = ["Mine", "Pairs", "Judge", "Audit", "Judge", "SFT"]
CONTENDERS = ["grpo-seed1", "grpo-seed2", "dpo-seed1", "dpo-seed2"]


class Ground:
    def __init__(self, folder: Path, model: Path, suasion: CommandLine) -> None:
        self.recipe, self.root, self.suasion = folder / "recipe.yaml", folder / "runs", suasion
        self.recipe.write_text(RECIPE.format(model=model))
        # killed while the third contender practises, and in the comparison's report; then to the end
        self.kills = [self.run(kill=kill) for kill in ("step:2@3",)]
        self.last = self.run()

    def run(self, *more: str, kill: str = "") -> Ended:
        return self.suasion("run", self.recipe, "-R", self.root, *more, kill=kill)

    @property
    def comparison(self) -> Run:
        return find_runs(self.root)[-1]


@pytest.fixture(scope="module")
def ground(tmp_path_factory: pytest.TempPathFactory, nano_folder: Path, suasion: CommandLine) -> Ground:
    return Ground(tmp_path_factory.mktemp("experiment"), nano_folder, suasion)


def test_a_killed_experiment_goes_on_and_ends_in_its_comparison(ground: Ground) -> None:
    assert [one.status for one in ground.kills] == [-signal.SIGKILL], ground.kills[0].err
    assert ground.last.status == 0, ground.last.err
    runs = find_runs(ground.root)
    assert [run.manifest.kind for run in runs] == [*SHARED, "GRPO", "DPO", "GRPO", "DPO", "Showdown"]
    assert all(run.manifest.status == "done" for run in runs)
    assert "Traceback" not in ground.last.err
    skipped = [line for line in ground.last.err.splitlines() if "skipped, done and unchanged" in line]
    assert any(line.startswith("SFT") for line in skipped) and any(line.startswith("GRPO") for line in skipped)
    assert "takes up" in ground.last.err


def test_what_arms_share_is_one_run_and_seeds_differ(ground: Ground) -> None:
    practised = [run for run in find_runs(ground.root) if run.manifest.kind in ("GRPO", "DPO")]
    for role in ("writer", "judge", "pairs", "audit"):
        assert len({run.manifest.parents[role] for run in practised}) == 1
    assert [run.manifest.seeds for run in practised] == [{"GRPO": 1}, {"DPO": 1}, {"GRPO": 2}, {"DPO": 2}]
    assert not same_weights(practised[0].path / "adapter", practised[2].path / "adapter")


def test_budgets_are_equal_and_counted(ground: Ground) -> None:
    practised = [run for run in find_runs(ground.root) if run.manifest.kind in ("GRPO", "DPO")]
    assert [run.results["judge_calls"] for run in practised] == [2 * 1 * 4] * 4
    assert all(0 < run.results["generated_tokens"] <= 8 * 8 for run in practised)
    found = ground.comparison.results["budgets"]
    assert found["judge_calls"] == {"fewest": 8, "most": 8, "equal": True}


def test_the_comparison_says_everything_twice(ground: Ground) -> None:
    """In the report for people, in results.json and --json for scripts."""
    results = json.loads((ground.comparison.path / "results.json").read_text())
    assert results == ground.comparison.results
    assert list(results["contenders"]) == CONTENDERS
    assert {name: row["practised_by"] for name, row in results["judges"].items()} == {"practice-judge": ["grpo", "dpo"], "words": []}
    assert results["verdict"].startswith("By words: ")
    assert len(results["duels"]) == 2 * (4 + 1)
    text = (ground.comparison.path / "report.html").read_text()
    for part in ("smallest visible", "grpo against dpo", "judge calls equal", *results["contenders"].values()):
        assert part in text
    printed = json.loads(ground.run("--json").out)
    assert printed["verdict"] == results["verdict"] and printed["run"] == ground.comparison.name


def test_the_arena_takes_its_samples(ground: Ground, tmp_path: Path) -> None:
    files = {path.name for path in ground.comparison.path.glob("replies-*.jsonl")}
    assert files == {f"replies-{name}.jsonl" for name in ("base", "sft", *CONTENDERS)}
    made = ground.suasion("arena", "create", tmp_path / "arena", "--replies", ground.comparison.name, "-R", ground.root)
    assert "Traceback" not in made.err
    assert made.status == 0 or "premise" in made.err, made.err


def test_nothing_is_done_twice(ground: Ground) -> None:
    before = [run.name for run in find_runs(ground.root)]
    again = ground.run()
    assert again.status == 0 and [run.name for run in find_runs(ground.root)] == before
    assert again.out == ground.last.out


def test_a_dry_run_shows_the_arms_and_comes_back_as_the_recipe(ground: Ground, tmp_path: Path) -> None:
    ended = ground.suasion("run", ground.recipe, "--dry-run", "-R", tmp_path / "nothing")
    assert ended.status == 0 and not (tmp_path / "nothing").exists()
    assert validate(parse_yaml(ended.out), Recipe) == load_config(ground.recipe, Recipe)
    assert "# arm dpo, seeds 1, 2: practice.method=dpo practice.dpo.pairs=judged practice.batch_size=1" in ended.out


def test_a_mistake_in_an_arm_is_told_before_anything_runs(ground: Ground, tmp_path: Path) -> None:
    root = tmp_path / "nothing"
    ended = ground.suasion("run", ground.recipe, "-R", root, "arms.ppo={practice.method: ppo, practice.ppo.clipp: 1, sft.epochs: 2}")
    assert ended.status == 2 and not root.exists()
    for part in ("2 errors", "arms.ppo: practice.ppo.clipp: unknown key; did you mean 'clip'", "arms.ppo: sft.epochs: only pairs, judge"):
        assert part in ended.err


def test_a_judge_that_is_practised_against_is_not_independent(ground: Ground) -> None:
    ended = ground.run("comparison.independent={twin: {judge.kind: shallow}}")
    assert ended.status == 2 and "against which an arm practises" in ended.err and "Traceback" not in ended.err


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"arms": {"Base": {}}}, "'Base' is no name for an arm"),
        ({"arms": {"sft": {}}}, "and not base, sft"),
        ({"arms": {"a-seed1": {}}}, "ends in -seed and a number"),
        ({"arms": {"a/b": {}}}, "lower-case letters"),
        ({"arms": {"a": {"seed": 3}}}, "arms.a: seed: only pairs, judge, audit, practice"),
        ({"arms": {"a": None}}, "arms.a"),
        ({"arms": {"a": {}}, "arm_seeds": [1, 1]}, "each named once"),
        ({"arm_seeds": [1]}, "there are no arms"),
        ({"arms": {"a": {}}, "comparison": {"independent": {"b": {"practice.max_steps": 3}}}}, "only pairs, judge, lora, seed"),
        ({"arms": {"a": {"practice": 3}}}, "arms.a: practice"),
    ],
)
def test_arms_that_make_no_sense_are_refused(wrong: dict[str, object], said: str) -> None:
    with pytest.raises(SuasionError) as caught:
        validate(wrong, Recipe)
    assert said in str(caught.value)


def test_an_arm_is_the_recipe_with_its_changes() -> None:
    changes = {"a": {"practice.method": "dpo", "practice": {"max_steps": 7}, "judge": {}}, "b": {}}
    recipe = validate({"seed": 3, "practice": {"learning_rate": 1e-3}, "arms": changes, "arm_seeds": [4]}, Recipe)
    arm = recipe.arm("a")
    assert (arm.practice.method, arm.practice.max_steps, arm.practice.learning_rate, arm.seed) == ("dpo", 7, 1e-3, 3)
    assert not arm.arms and recipe.arm("b") == validate({"seed": 3, "practice": {"learning_rate": 1e-3}}, Recipe)
    assert validate(parse_yaml(to_yaml(recipe)), Recipe) == recipe
