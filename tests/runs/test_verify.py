from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from suasion.cli.runs import runs_app
from suasion.errors import SuasionError
from suasion.runs.run import Run
from suasion.runs.verify import run_folders, verify


@pytest.fixture
def pair(root: Path, lock: dict[str, str]) -> tuple[Run, Run]:
    with Run.start(root, "SFT", config={"sft": {"steps": 3}}, base_lock=lock) as parent:
        (parent.path / "model.bin").write_bytes(b"weights")
        parent.results = {"loss": 0.5}
    with Run.start(root, "GRPO", config={}, parents={"writer": parent}, base_lock=lock) as child:
        pass
    return parent, child


def _edit(run: Run, **changes: object) -> None:
    path = run.path / "manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


def test_sound_runs_have_no_faults(root: Path, pair: tuple[Run, Run]) -> None:
    assert [verify(run.path, root) for run in pair] == [[], []]


def test_each_fault_is_found_and_named(root: Path, pair: tuple[Run, Run], lock: dict[str, str]) -> None:
    parent, child = pair
    (parent.path / "model.bin").write_bytes(b"Weights")
    (parent.path / "config.yaml").unlink()
    (parent.path / "extra.txt").write_text("")
    assert verify(parent.path, root) == ["config.yaml is missing", "model.bin was changed", "extra.txt was added after the end"]
    _edit(parent, base_lock=lock | {"weights": "e" * 64}, status="failed")
    assert verify(child.path, root) == [
        f"its parent writer {parent.name} is not done but failed",
        f"its weights is {'a' * 12}, that of its parent writer {parent.name} is {'e' * 12}",
    ]
    shutil.rmtree(parent.path)
    assert verify(child.path, root) == [f"its parent writer {parent.name} has vanished"]
    (child.path / "manifest.json").write_text("{")
    assert "cannot be read" in verify(child.path, root)[0]


def test_a_renamed_folder_is_told(root: Path, pair: tuple[Run, Run]) -> None:
    pair[1].path.rename(root / "2020-01-01_GRPO_Run7")
    assert any("its folder is named" in problem for problem in verify(root / "2020-01-01_GRPO_Run7", root))
    assert len(run_folders(root)) == 2


def test_the_command_says_no_with_status_one(root: Path, pair: tuple[Run, Run]) -> None:
    runner = CliRunner()
    assert runner.invoke(runs_app, ["verify", "-R", str(root)]).exit_code == 0
    (pair[0].path / "model.bin").write_bytes(b"Weights")
    result = runner.invoke(runs_app, ["verify", "-R", str(root)])
    assert result.exit_code == 1
    assert f"{pair[0].name}: model.bin was changed" in result.stdout
    assert runner.invoke(runs_app, ["verify", pair[1].name, "-R", str(root)]).exit_code == 0
    (pair[1].path / "manifest.json").write_text("{")
    assert runner.invoke(runs_app, ["verify", pair[1].name, "-R", str(root)]).exit_code == 1
    assert isinstance(runner.invoke(runs_app, ["verify", "nobody", "-R", str(root)]).exception, SuasionError)


def test_list_and_show_print_json_on_stdout_only(root: Path, pair: tuple[Run, Run]) -> None:
    (root / "2026-01-01_SFT_Run9").mkdir()
    runner = CliRunner()
    listed = runner.invoke(runs_app, ["list", "--json"], env={"SUASION_RUNS": str(root)})
    assert [run["id"] for run in json.loads(listed.stdout)] == [run.name for run in pair]
    assert "2026-01-01_SFT_Run9" in listed.stderr
    shown = json.loads(runner.invoke(runs_app, ["show", pair[0].name, "--json", "-R", str(root)]).stdout)
    assert (shown["state"], shown["results"], shown["arguments"]["passed"]) == ("done", {"loss": 0.5}, {"sft.steps": 3})


def test_people_can_read_list_show_and_lineage(root: Path, pair: tuple[Run, Run]) -> None:
    runner = CliRunner()
    assert "No runs" in runner.invoke(runs_app, ["list", "-R", str(root / "none")]).stdout
    assert pair[0].name in runner.invoke(runs_app, ["list", "-R", str(root)]).stdout
    assert "0.5" in runner.invoke(runs_app, ["show", pair[0].name, "-R", str(root)]).stdout
    assert f"writer: {pair[0].name}" in runner.invoke(runs_app, ["lineage", pair[1].name, "-R", str(root)]).stdout
