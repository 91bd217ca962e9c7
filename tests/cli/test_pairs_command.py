from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from suasion.cli.pairs import pairs_app
from suasion.errors import SuasionError
from suasion.models.base import Base
from suasion.persuasion.mining.pairs.splits import SPLITS
from suasion.persuasion.mining.pairs.tables import read_rows
from suasion.persuasion.stages.pairs import token_counter
from tests.persuasion.mining.tables_for_tests import Rows, debate, together, words, write


def many(n: int = 12) -> Rows:
    return together(*(debate(f"d{number:02}", [60 + number, 90], [58, 62, 64 + number, 85, 95, 120]) for number in range(n)))


def run_command(*arguments: object) -> Any:
    app = typer.Typer()
    app.add_typer(pairs_app, name="pairs")
    app.command("other")(lambda: None)
    return CliRunner().invoke(app, ["pairs", *map(str, arguments)])


@pytest.fixture
def base(nano_folder: Path, own_cache: None) -> str:
    return f"base.model={nano_folder}"


def table(path: Path, number: int = 20) -> Path:
    rows = [{side: words((index, side), 60) for side in ("prompt", "chosen", "rejected")} for index in range(number)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_the_command_writes_a_run_and_prints_json(tmp_path: Path, base: str) -> None:
    source, out = write(tmp_path / "mined", many()), tmp_path / "out"
    recipe = tmp_path / "recipe.yaml"
    recipe.write_text("seed: 5\npairs:\n  max_pairs_per_winner: 2\n")
    result = run_command(source, base, "pairs.length_caliper=0.3", "-o", out, "--recipe", recipe, "--json")
    assert result.exit_code == 0, result.output
    told = json.loads(result.stdout)
    rows = [row for split in SPLITS for row in read_rows(out / f"{split}.parquet")]
    assert sum(told["pairs"].values()) == len(rows) > 0 and told["leaks"] == 0
    assert all(row["winner_tokens"] > row["winner_words"] for row in rows)  # made-up words are several tokens
    assert set(told["matching_cost"]) == {"optimal", "greedy", "random", "uncalipered"}
    manifest = json.loads((out / "manifest.json").read_text())
    assert manifest["base_lock"]["tokenizer"]
    assert (out / "report.html").is_file()
    card = json.loads((out / "datacard.json").read_text())
    assert (card["seed"], card["config"]["max_pairs_per_winner"], card["config"]["length_caliper"]) == (5, 2, 0.3)
    assert run_command("verify", out).exit_code == 0


@pytest.mark.parametrize(("argument", "message"), [("pairs.min_word=3", "did you mean 'min_words'"), ("pairs.min_words=few", "min_words")])
def test_the_command_refuses_wrong_settings_before_it_starts(tmp_path: Path, argument: str, message: str) -> None:
    result = run_command(write(tmp_path / "mined", many()), argument, "-o", tmp_path / "out")
    assert isinstance(result.exception, SuasionError)
    assert message in str(result.exception)
    assert not (tmp_path / "out").exists()


def test_a_ready_table_is_taken_too(tmp_path: Path, base: str) -> None:
    source = table(tmp_path / "some.jsonl")
    result = run_command(source, base, "-o", tmp_path / "out", "pairs.matching=none")
    assert result.exit_code == 0, result.output
    assert sum(len(read_rows(tmp_path / "out" / f"{split}.parquet")) for split in SPLITS) == 20
    assert list(json.loads((tmp_path / "out" / "manifest.json").read_text())["inputs"]) == ["some.jsonl"]


def test_a_longer_opt_out_list_is_another_input(tmp_path: Path, base: str) -> None:
    source, listed = table(tmp_path / "some.jsonl"), tmp_path / "out.txt"
    inputs = []
    for name in ("ann", "bob"):
        listed.write_text(f"{name}\n")
        assert run_command(source, base, f"pairs.opt_out_file={listed}", "-o", tmp_path / name).exit_code == 0
        inputs.append(json.loads((tmp_path / name / "manifest.json").read_text())["inputs"])
    assert inputs[0].keys() == inputs[1].keys() == {"some.jsonl", "opt_out_file"}
    assert inputs[0]["opt_out_file"] != inputs[1]["opt_out_file"]
    missing = run_command(source, base, "pairs.opt_out_file=nowhere.txt", "-o", tmp_path / "third")
    assert isinstance(missing.exception, SuasionError) and "nowhere.txt" in str(missing.exception.where)


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("nowhere", "There is no run 'nowhere'"),
        ("{folder}/nowhere", "There is no run"),
        ("{folder}", "holds no posts.parquet"),
        ("{folder}/text.txt", "no table of pairs"),
        ("{folder}/other.jsonl", "no table of pairs"),
    ],
)
def test_what_is_not_there_or_something_else_is_named(tmp_path: Path, base: str, source: str, message: str) -> None:
    (tmp_path / "text.txt").write_text("just text")
    (tmp_path / "other.jsonl").write_text('{"a": 1}\n')
    result = run_command(source.format(folder=tmp_path), base, "-R", tmp_path / "runs")
    assert isinstance(result.exception, SuasionError), result.output
    assert message in str(result.exception)


def test_a_data_set_that_cannot_be_had_is_named(tmp_path: Path, base: str, monkeypatch: pytest.MonkeyPatch) -> None:
    import datasets

    def offline(*arguments: Any, **named: Any) -> Any:
        raise ConnectionError("no network")

    monkeypatch.setattr(datasets, "load_dataset", offline)
    result = run_command("owner/name", base, "-R", tmp_path / "runs")
    assert isinstance(result.exception, SuasionError)
    assert "no network" in str(result.exception)


def test_the_help_teaches_both(tmp_path: Path) -> None:
    for words_ in (["--help"], ["-h"], ["some", "--help"]):
        shown = run_command(*words_)
        assert shown.exit_code == (2 if words_ == ["-h"] else 0), shown.output
        if not shown.exit_code:
            assert "MINED" in shown.output and "--recipe" in shown.output and "suasion pairs verify FOLDER" in shown.output
    assert "--near-duplicate" in run_command("verify", "--help").output
    missing = run_command()
    assert missing.exit_code == 2 and "MINED" in missing.output


def test_a_folder_called_verify_is_reached_with_its_path(tmp_path: Path, base: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "verify", many())
    assert run_command("./verify", base, "-o", "out").exit_code == 0
    assert run_command("verify").exit_code == 2  # the command, which wants a folder


def leaking(folder: Path) -> Path:
    """A folder whose train and test share a text."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    folder.mkdir()
    for split in SPLITS:
        row = {"prompt": words((split, "p"), 30), "chosen": words((split != "validation", "c"), 30), "rejected": words((split, "r"), 30)}
        pq.write_table(pa.Table.from_pylist([row]), folder / f"{split}.parquet")
    return folder


def test_verify_says_no_where_something_leaks(tmp_path: Path) -> None:
    folder = leaking(tmp_path / "pairs")
    shown = run_command("verify", folder)
    assert shown.exit_code == 1
    assert "LEAK (text): a text is in train and test" in shown.output and "1 leak." in shown.output
    assert "note: train.parquet has no debate_id" in shown.output and "length in words, train: AUC" in shown.output
    told = run_command("verify", folder, "--json")
    assert told.exit_code == 1
    found = json.loads(told.stdout)
    assert (
        found["clean"] is False
        and [leak["kind"] for leak in found["leaks"]] == ["text"]
        and found["leaks"][0]["where"] == ["train", "test"]
    )
    assert found["near_duplicate"] == 0.8 and found["rows"]["train.parquet"] == 1


def test_verify_takes_what_counts_as_a_copy(tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    tmp_path.joinpath("pairs").mkdir()
    for split, tail in (("train", ""), ("test", " and more")):  # Jaccard 56 / 58
        row = {"prompt": words((split, "p"), 30), "chosen": words("same", 60) + tail, "rejected": words((split, "r"), 30)}
        pq.write_table(pa.Table.from_pylist([row]), tmp_path / "pairs" / f"{split}.parquet")
    assert run_command("verify", tmp_path / "pairs").exit_code == 1
    assert run_command("verify", tmp_path / "pairs", "--near-duplicate", "1").exit_code == 0


@pytest.mark.parametrize("there", ["nothing", "empty", "torn"])
def test_verify_says_what_it_cannot_read(tmp_path: Path, there: str) -> None:
    folder = tmp_path / "pairs"
    if there != "nothing":
        folder.mkdir()
    if there == "torn":
        (folder / "train.parquet").write_bytes(b"PAR1 torn")
    error = run_command("verify", folder).exception
    assert isinstance(error, SuasionError) and error.exit_status == 2
    assert str(folder) in str(error.where)


def test_tokens_are_counted_as_they_stand_inside_a_conversation(nano: Base) -> None:
    count = token_counter(nano.tokenizer)
    texts = ["", "One thing.", "half an emoji \ud83d", *(f"reply {number}" for number in range(2500))]
    counts = count(texts)
    assert len(counts) == len(texts) and min(counts) == 1
    assert counts[1] == len(nano.tokenizer("One thing.", add_special_tokens=False)["input_ids"])
    assert counts[3:] == [count([text])[0] for text in texts[3:4]] + counts[4:]
    assert count([]) == []
