from __future__ import annotations

from pathlib import Path

import pytest

from suasion.config import parse_yaml
from tests.forks import CommandLine

RECIPES = Path(__file__).resolve().parents[2] / "recipes" / "hirpo"
SEEDS = Path(__file__).resolve().parents[3] / "shared" / "seeds"


@pytest.mark.parametrize("name", ["embedded", "phi-4", "llama3.1-8b"])
def test_a_dry_run_prints_the_resolved_recipe(suasion: CommandLine, name: str) -> None:
    ended = suasion("hirpo", "run", RECIPES / f"{name}.yaml", "epochs=7", "--dry-run")
    assert ended.status == 0, ended.err
    resolved = parse_yaml(ended.out)
    assert (resolved["name"], resolved["epochs"]) == (name, 7)
    assert resolved["training"]["trainer"] == "dpo"  # a default, spelled out


def test_the_published_files_are_taken_as_they_stand(suasion: CommandLine) -> None:
    if not SEEDS.is_dir():
        pytest.skip("needs ../shared/seeds beside the repository")
    files = [SEEDS / "hirpo-data-generation.yaml", "--training", SEEDS / "hirpo-training.yaml"]
    ended = suasion("hirpo", "run", *files, "--dry-run")
    assert ended.status == 0, ended.err
    assert len(parse_yaml(ended.out)["tasks"]) == 19
    assert "old name" in ended.err  # each old key name is told


def test_mistakes_are_told_before_anything_is_loaded(suasion: CommandLine, tmp_path: Path) -> None:
    ended = suasion("hirpo", "run", RECIPES / "embedded.yaml", "training.learning_rat=1", "rehearsal.share=-1")
    assert ended.status == 2 and "Traceback" not in ended.err
    assert "learning_rate" in ended.err and "rehearsal.share" in ended.err
    ended = suasion("hirpo", "run", RECIPES / "embedded.yaml", "--texts", tmp_path, "-R", tmp_path / "runs")
    assert ended.status == 2 and "Traceback" not in ended.err and "microtexts.jsonl" in ended.err
    assert suasion("hirpo", "run", tmp_path / "absent.yaml").status == 2
