from __future__ import annotations

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest
import typer
from click.testing import Result
from typer.testing import CliRunner

from suasion.cli.mine import mine_command
from suasion.errors import SuasionError
from suasion.persuasion.mining.sources.forms import FORMS
from tests.persuasion.mining.lines_for_tests import as_lines, thread


def mine(*words: object) -> Result:
    app = typer.Typer()
    app.command()(mine_command)
    answer = CliRunner().invoke(app, [str(word) for word in words], catch_exceptions=False)
    assert answer.exit_code == 0, answer.output
    return answer


@pytest.fixture
def dump(tmp_path: Path) -> Path:
    path = tmp_path / "RC_2015-01"
    path.write_bytes(
        as_lines([row | {"subreddit": "tea"} for row in thread("p1")] + [row | {"subreddit": "changemyview"} for row in thread("p2")])
    )
    return path


def test_a_run_and_its_json(tmp_path: Path) -> None:
    printed = json.loads(mine("sample", "--root", tmp_path / "runs", "--json", "--workers", 0).stdout)
    folder = Path(printed["folder"])
    assert folder.parent == tmp_path / "runs" and "_Mine_" in folder.name
    assert printed["counts"] == json.loads((folder / "counts.json").read_text())
    assert printed["winners"] == len({row["winner_id"] for row in pq.read_table(folder / "awards.parquet").to_pylist() if row["by_author"]})
    assert {path.name for path in folder.glob("*.parquet")} == {"posts.parquet", "comments.parquet", "awards.parquet"}


def test_an_explicit_folder_and_the_table_on_the_terminal(tmp_path: Path) -> None:
    shown = mine("sample", "--out", tmp_path / "here").stdout
    assert "awards by the posts' authors" in shown and (tmp_path / "here/awards.parquet").is_file()


@pytest.mark.parametrize(("subreddit", "posts"), [("changemyview", ["p2"]), ("Tea", ["p1"]), ("any", ["p1", "p2"])])
def test_whose_lines_are_wanted(dump: Path, tmp_path: Path, subreddit: str, posts: list[str]) -> None:
    mine(dump, "--out", tmp_path / "out", "--subreddit", subreddit)
    assert pq.read_table(tmp_path / "out/posts.parquet")["debate_id"].to_pylist() == posts


def test_a_form_that_is_not_known(dump: Path, tmp_path: Path) -> None:
    with pytest.raises(SuasionError) as caught:
        mine(dump, "--form", "reddit", "--root", tmp_path / "runs")
    assert all(form in str(caught.value) for form in FORMS)
    mine(dump, "--form", "dump", "--root", tmp_path / "runs")
