"""The whole journey on the nano model and the shipped sample, as a user runs it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from suasion.config import load_config, parse_yaml, validate
from suasion.persuasion.recipe import Recipe
from suasion.runs.run import find_runs
from tests.forks import CommandLine, Ended
from tests.nano import same_weights

RECIPE = """
name: small
seed: 7
base: {{model: {model}}}
rendering: {{prompt_tokens: 160, reply_tokens: 12, total_tokens: 240}}
mine: {{sources: [sample]}}
pairs: {{min_words: 25, max_pairs_per_winner: 2, validation: 0.1, test: 0.3}}
judge: {{max_steps: 3}}
sft: {{max_steps: 3}}
audit: {{replies: 4, search_calls: 40}}
practice: {{max_steps: 2, cut_off: score, allow_failed_audit: true, preflight: {{premises: 1, max_cut_off: 1}}}}
evaluate: {{premises: 6}}
"""
KINDS = ["Mine", "Pairs", "Judge", "Audit", "SFT", "GRPO", "Eval"]


class Ground:
    def __init__(self, folder: Path, model: Path, suasion: CommandLine) -> None:
        self.recipe, self.root, self.suasion = folder / "recipe.yaml", folder / "runs", suasion
        self.recipe.write_text(RECIPE.format(model=model))
        self.first = self.run()

    def run(self, *more: str, root: Path | None = None) -> Ended:
        return self.suasion("run", self.recipe, "-R", root or self.root, *more)


@pytest.fixture(scope="module")
def ground(tmp_path_factory: pytest.TempPathFactory, nano_folder: Path, suasion: CommandLine) -> Ground:
    return Ground(tmp_path_factory.mktemp("journey"), nano_folder, suasion)


def told(ended: Ended, kind: str) -> str:
    """The line in which the stage says what becomes of it."""
    return next(line for line in ended.err.splitlines() if line.startswith(f"{kind}: ") and ("starts" in line or "skipped" in line))


def test_it_ends_with_a_report_and_sound_runs(ground: Ground) -> None:
    assert ground.first.status == 0, ground.first.err
    runs = find_runs(ground.root)
    assert [run.manifest.kind for run in runs] == KINDS
    assert all(run.manifest.status == "done" for run in runs)
    report = Path(ground.first.out.split("report: ")[1].strip())
    assert report == runs[-1].path / "report.html"
    text = report.read_text()
    for word in ("GRPO", "SFT", "base", *(run.name for run in runs)):
        assert word in text
    assert all((run.path / "report.html").is_file() for run in runs)
    assert all(list((run.path / "plots").glob("*.png")) for run in runs if run.manifest.kind not in ("Mine",))
    verified = ground.suasion("runs", "verify", "-R", ground.root)
    assert (verified.status, "nothing wrong" in verified.out) == (0, True), verified.out
    assert "Traceback" not in ground.first.err


def test_every_model_stands_on_one_base(ground: Ground) -> None:
    locks = [run.manifest.base_lock for run in find_runs(ground.root) if run.manifest.kind not in ("Mine", "Pairs")]
    assert len(locks) == 5 and all(lock == locks[0] and lock for lock in locks)
    shown = ground.suasion("runs", "lineage", find_runs(ground.root)[-1].name, "-R", ground.root)
    assert all(run.name in shown.out for run in find_runs(ground.root))


def test_nothing_is_done_twice(ground: Ground) -> None:
    again = ground.run()
    assert again.status == 0
    assert [told(again, kind) for kind in KINDS] == [
        f"{run.manifest.kind}: skipped, done and unchanged in {run.name}" for run in find_runs(ground.root)
    ]
    assert again.out == ground.first.out
    assert len(find_runs(ground.root)) == len(KINDS)


def test_what_changed_and_what_hangs_on_it_is_done_again_and_told(ground: Ground, tmp_path: Path) -> None:
    root = Path(shutil.copytree(ground.root, tmp_path / "runs", symlinks=True))
    changed = ground.run("practice.learning_rate=1e-6", root=root)
    assert changed.status == 0, changed.err
    assert all("skipped, done and unchanged" in told(changed, kind) for kind in KINDS[:-2])
    assert "practice.learning_rate 2e-05 -> 1e-06" in told(changed, "GRPO")
    assert "parent GRPO changed" in told(changed, "Eval")
    assert [run.manifest.kind for run in find_runs(root)] == [*KINDS, "GRPO", "Eval"]


def test_the_same_seed_gives_the_same_numbers_in_another_place(ground: Ground, tmp_path: Path) -> None:
    second = ground.run(root=tmp_path)
    assert second.status == 0, second.err
    ours, theirs = find_runs(ground.root), find_runs(tmp_path)
    for one, other in zip(ours, theirs, strict=True):
        if (one.path / "adapter").is_dir():
            assert same_weights(one.path / "adapter", other.path / "adapter"), one.manifest.kind
        if one.manifest.kind != "Eval":
            told = [{name: value for name, value in run.results.items() if name != "seconds"} for run in (one, other)]
            assert told[0] == told[1]
    first, again = (json.loads((runs[-1].path / "evaluation.json").read_text()) for runs in (ours, theirs))
    assert first == again


def test_a_dry_run_prints_the_recipe_and_does_nothing(ground: Ground, tmp_path: Path) -> None:
    ended = ground.suasion("run", ground.recipe, "--dry-run", "-R", tmp_path / "nothing", "practice.max_steps=9")
    assert ended.status == 0 and ended.err == ""
    assert validate(parse_yaml(ended.out), Recipe) == load_config(ground.recipe, Recipe, ["practice.max_steps=9"])
    assert not (tmp_path / "nothing").exists()


def test_a_failed_audit_stops_the_journey_before_the_writer_is_paid_for(ground: Ground, tmp_path: Path) -> None:
    root = Path(shutil.copytree(ground.root, tmp_path / "runs", symlinks=True))
    for run in find_runs(root)[-3:]:
        shutil.rmtree(run.path)
    ended = ground.run("practice.allow_failed_audit=false", root=root)
    assert ended.status == 1 and "failed its audit" in ended.err and "Traceback" not in ended.err
    assert [run.manifest.kind for run in find_runs(root)] == KINDS[:4]


def test_a_killed_journey_goes_on_where_it_was(ground: Ground, tmp_path: Path) -> None:
    root = Path(shutil.copytree(ground.root, tmp_path / "runs", symlinks=True))
    for run in find_runs(root)[-2:]:
        shutil.rmtree(run.path)
    killed = ground.suasion("run", ground.recipe, "-R", root, kill="step:2")
    assert killed.status < 0 and find_runs(root)[-1].state == "killed"
    ended = ground.run(root=root)
    assert ended.status == 0, ended.err
    assert f"GRPO: takes up {find_runs(root)[-2].name} (killed)" in ended.err
    assert same_weights(find_runs(root)[-2].path / "adapter", find_runs(ground.root)[-2].path / "adapter")
