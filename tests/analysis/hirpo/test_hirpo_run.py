from __future__ import annotations

import json
import math
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from suasion.analysis.hirpo.records import read_records
from suasion.runs.run import Run, find_runs
from tests.analysis.hirpo import whole
from tests.nano import adapter_weights, same_weights


@pytest.fixture(scope="module")
def done(nano_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Run:
    return whole.run(whole.recipe(nano_folder), tmp_path_factory.mktemp("whole"))


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_every_epoch_leaves_its_record(done: Run) -> None:
    start, epochs = read_records(done.path)
    assert [record["epoch"] for record in epochs] == [1, 2]
    for record in epochs:
        assert sum(record["plan"]["counts"].values()) == 15
        assert sum(record["plan"]["weights"].values()) == pytest.approx(1)
        told = record["training"]
        mixed = sum(sum(kinds.values()) for kinds in record["mix"].values())
        assert told["pairs"] + told["pairs_too_long"] + told["pairs_equal"] == mixed and told["pairs"] > 0
        assert set(record["evaluation"]) == set(record["accuracies"]) == {"argmap", "arganno", "argmap_from_arganno"}
        assert record["retention"]["chat_loss_rise"]["n"] == 3
    assert start["start"]["evaluation"].keys() == epochs[0]["evaluation"].keys()
    assert done.results["steps"] == epochs[-1]["steps"] == max(row["step"] for row in done.metrics())


def test_each_epoch_is_measured_against_the_model_that_wrote_its_answers(done: Run) -> None:
    """The reference is that model, so the preference's own loss begins at ln 2; what is rehearsed comes on top."""
    for epoch in (1, 2):
        first = next(row for row in done.metrics() if row.get("epoch") == epoch)
        assert first["margin"] == pytest.approx(0, abs=1e-5)
        assert first["own_loss"] == pytest.approx(math.log(2), abs=1e-5)
        assert first["rehearsal_loss"] > 0 and first["loss"] > first["own_loss"]
    weights = [adapter_weights(done.path / folder) for folder in ("start/", "epoch-001/adapter", "epoch-002/adapter")]
    assert any((weights[0][name] != weights[1][name]).any() for name in weights[0])
    assert any((weights[1][name] != weights[2][name]).any() for name in weights[0])
    assert same_weights(done.path / "adapter", done.path / "epoch-002/adapter")


def test_loss_without_rehearsal_begins_at_ln_2(nano_folder: Path, tmp_path: Path) -> None:
    config = whole.recipe(nano_folder, epochs=1, **{"rehearsal.share": 0, "tasks": {"argmap": whole.RECIPE["tasks"]["argmap"]}})
    run = whole.run(config, tmp_path)
    assert run.metrics()[0]["loss"] == pytest.approx(math.log(2), abs=1e-5)
    assert "rehearsal_loss" not in run.metrics()[0]


def test_sequential_tasks_ask_the_model_first_for_what_they_start_from(done: Run) -> None:
    inputs = lines(done.path / "epoch-001/inputs.jsonl")
    assert {row["key"].rpartition("/")[0] for row in inputs} == {"argmap_from_arganno"}
    told = json.loads((done.path / "epoch-001/generation.json").read_text(encoding="utf-8"))
    plan = json.loads((done.path / "epoch-001/plan.json").read_text(encoding="utf-8"))
    assert told["tally"]["problems"] == sum(plan["counts"].values()) - told["without_input"]


def test_the_report_shows_the_run_and_escapes_what_the_model_said(done: Run) -> None:
    report = (done.path / "report.html").read_text(encoding="utf-8")
    for title in ("What was learned", "Accuracy", "The curriculum at work", "Pairs", "Retention", "Errors", "Sample answers"):
        assert f"{title}</h2>" in report
    assert {path.stem for path in (done.path / "plots").iterdir()} == {"accuracy", "training", "curriculum", "pairs", "retention"}
    assert "<proposition" not in report and "&lt;proposition" in report
    assert "http://" not in report.replace("http://www.w3.org", "")


def test_cards_come_from_the_record(done: Run) -> None:
    model, pairs = ((done.path / name / "README.md").read_text(encoding="utf-8") for name in ("adapter", "pairs"))
    assert model.startswith("---\n") and "base_model:" in model and "| argmap |" in model
    total = sum(len(lines(file)) for file in (done.path / "pairs").glob("epoch-*.jsonl"))
    assert f"{total:,} pairs" in pairs
    assert [path.name for path in sorted((done.path / "pairs").glob("*.jsonl"))] == ["epoch-001.jsonl", "epoch-002.jsonl"]


def test_pairs_load_as_a_data_set(done: Run) -> None:
    import datasets

    table = datasets.load_dataset(
        "json", data_files=str(done.path / "pairs/epoch-001.jsonl"), split="train", cache_dir=str(done.path.parent)
    )
    assert {"prompt", "chosen", "rejected", "kind"} <= set(table.column_names)
    assert table[0]["chosen"][0]["role"] == "assistant"


def test_the_same_again_is_skipped_and_another_seed_is_not(done: Run, nano_folder: Path) -> None:
    again = whole.run(whole.recipe(nano_folder), done.path.parent)
    assert again.name == done.name
    assert len([run for run in find_runs(done.path.parent) if run.manifest.kind == "Rehearsal"]) == 1


def killed_and_finished(trainer: str, model: Path, root: Path, kills: Sequence[str]) -> Run:
    command = [sys.executable, "-m", "tests.analysis.hirpo.whole", trainer, str(model), str(root)]
    for kill in kills:
        ended = subprocess.run([*command, kill], capture_output=True, text=True, timeout=240)
        assert ended.returncode == -signal.SIGKILL, ended.stderr
    ended = subprocess.run(command, capture_output=True, text=True, timeout=240)
    assert ended.returncode == 0, ended.stderr
    (run,) = [run for run in find_runs(root) if run.manifest.kind == "HIRPO"]
    assert len(run.manifest.resumed) == len(kills) or "Rehearsal" in ended.stderr
    return run


@pytest.mark.parametrize("kills", [("rows:40",), ("step:2", "rows:60")], ids=["while answering", "in training, then in the second epoch"])
def test_a_killed_run_ends_as_one_that_was_not(done: Run, nano_folder: Path, tmp_path: Path, kills: tuple[str, ...]) -> None:
    run = killed_and_finished("dpo", nano_folder, tmp_path, kills)
    for epoch in ("epoch-001", "epoch-002"):
        assert (run.path / epoch / "pairs.jsonl").read_bytes() == (done.path / epoch / "pairs.jsonl").read_bytes()
        assert same_weights(run.path / epoch / "adapter", done.path / epoch / "adapter")
    assert run.results["tasks"] == done.results["tasks"]


def test_learning_from_verdicts_goes_on_after_a_kill_to_the_same_weights(nano_folder: Path, tmp_path: Path) -> None:
    whole_run = whole.run(whole.recipe(nano_folder, **whole.GRPO), tmp_path / "whole")
    run = killed_and_finished("grpo", nano_folder, tmp_path / "killed", ["step:3"])  # checkpoints are made every other step
    assert same_weights(run.path / "epoch-001/adapter", whole_run.path / "epoch-001/adapter")
    assert not same_weights(run.path / "epoch-001/adapter", run.path / "start")
    assert [row["step"] for row in run.metrics()] == [row["step"] for row in whole_run.metrics()] == [1, 2, 3, 4, 5]


def test_pairs_of_ones_own_are_rehearsed_among_the_epochs(done: Run, nano_folder: Path, tmp_path: Path) -> None:
    file = tmp_path / "own.jsonl"
    rows = [{"prompt": f"Say {number}.", "chosen": f"{number}", "rejected": "No."} for number in range(4)]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    own = {"rehearsal.form": "pairs", "rehearsal.source": str(file), "rehearsal.share": 0.5, "epochs": 1}
    run = whole.run(whole.recipe(nano_folder, **own), tmp_path / "runs")
    mixed = sum(sum(kinds.values()) for kinds in read_records(run.path)[1][0]["mix"].values())
    told = json.loads((run.path / "epoch-001/training.json").read_text(encoding="utf-8"))
    assert told["pairs"] + told["pairs_too_long"] + told["pairs_equal"] == mixed + round(mixed / 2)
    assert told["rehearsed_chats"] == 0
    assert (run.path / "epoch-001/pairs.jsonl").read_bytes() == (done.path / "epoch-001/pairs.jsonl").read_bytes()


@pytest.mark.parametrize("on_fall", ["roll_back", "stop"])
def test_an_epoch_that_costs_too_much_is_given_up(nano_folder: Path, tmp_path: Path, on_fall: str) -> None:
    changes = {"epochs": 4, "training.learning_rate": 0.1, "rehearsal.share": 0, "retention.on_fall": on_fall}
    config = whole.recipe(
        nano_folder, **changes, **{"retention.limits.divergence": 0.01, "tasks": {"argmap": whole.RECIPE["tasks"]["argmap"]}}
    )
    run = whole.run(config, tmp_path)
    _, epochs = read_records(run.path)
    given_up = 2 if on_fall == "roll_back" else 1  # twice in a row is once too often
    assert len(epochs) == given_up and all(record["given_up"] and record["fallen"] for record in epochs)
    assert "divergence" in run.results["stopped"]
    assert same_weights(run.path / "adapter", run.path / "start")
    if on_fall == "roll_back":
        first, second = (record["plan"]["counts"] for record in epochs)
        assert first == second == {"argmap": 15}
        prompts = [(run.path / f"epoch-00{number}/answers.jsonl").read_text(encoding="utf-8") for number in (1, 2)]
        assert prompts[0] != prompts[1]  # other problems


def test_all_weights_are_learned_against_a_frozen_copy(nano_folder: Path, tmp_path: Path) -> None:
    config = whole.recipe(
        nano_folder,
        **{"training.weights": "full", "rehearsal.share": 0, "tasks": {"argmap": whole.RECIPE["tasks"]["argmap"]}, "training.epochs": 2},
    )
    run = whole.run(config, tmp_path)
    for epoch in (1, 2):
        first, *_, last = [row for row in run.metrics() if row.get("epoch") == epoch]
        assert first["loss"] == pytest.approx(math.log(2), abs=1e-5) and first["margin"] == pytest.approx(0, abs=1e-5)
        assert last["margin"] != 0
    assert (run.path / "epoch-002/model/model.safetensors").is_file()
    assert (run.path / "adapter/config.json").is_file()
