from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from suasion.errors import SuasionError
from suasion.persuasion.recipe import MineConfig, Recipe
from suasion.persuasion.stages.common import Journey
from suasion.persuasion.stages.mine import mine_stage
from suasion.runs.run import find_runs
from tests.persuasion.mining.lines_for_tests import as_lines, line, thread
from tests.persuasion.mining.sources.test_forms import OP_TASK, PAIR, PAIR_TASK, corpus, packed, tan_folder


def journey(root: Path, **settings: object) -> Journey:
    return Journey(Recipe(mine=MineConfig.model_validate(settings)), root)


@pytest.fixture
def dump(tmp_path: Path) -> Path:
    (tmp_path / "dump").mkdir()
    rows = thread()
    (tmp_path / "dump/submissions.ndjson").write_bytes(as_lines(rows[:1]))
    (tmp_path / "dump/comments.ndjson").write_bytes(as_lines(rows[1:]))
    return tmp_path / "dump"


def test_a_mined_run_tells_what_came_out_and_of_what(dump: Path, tmp_path: Path) -> None:
    run = mine_stage(journey(tmp_path / "runs"), [str(dump)])
    assert run.manifest.results == {"posts": 1, "comments": 5, "awards": 1, "by_author": 1, "winners": 1, "truncated": []}
    assert run.manifest.inputs.keys() == {"submissions.ndjson", "comments.ndjson"}
    assert {path.suffix for path in run.path.iterdir() if not path.name.startswith(".")} == {".parquet", ".json", ".yaml", ".html"}
    assert set(run.manifest.outputs) >= {"posts.parquet", "comments.parquet", "awards.parquet", "counts.json"}
    assert not any(".mining" in name for name in run.manifest.outputs)


def test_the_content_decides_and_not_where_it_lies(dump: Path, tmp_path: Path) -> None:
    run = mine_stage(journey(tmp_path / "runs"), [str(dump)])
    moved = Path(shutil.move(dump, tmp_path / "elsewhere"))
    assert mine_stage(journey(tmp_path / "runs"), [str(moved)], workers=1).name == run.name
    assert mine_stage(journey(tmp_path / "runs", subreddit=None), [str(moved)]).name != run.name
    with (moved / "comments.ndjson").open("ab") as file:
        file.write(line({**thread()[1], "id": "new"}))
    assert mine_stage(journey(tmp_path / "runs"), [str(moved)]).results["comments"] == 6


def test_files_of_one_name_are_told_apart(dump: Path, tmp_path: Path) -> None:
    other = Path(shutil.copytree(dump, tmp_path / "other"))
    run = mine_stage(journey(tmp_path / "runs"), [str(dump), str(other)])
    assert len(run.manifest.inputs) == 4
    assert run.results["comments"] == 5  # copies of one another


def test_the_sample_goes_beside_other_sources(dump: Path, tmp_path: Path) -> None:
    run = mine_stage(journey(tmp_path / "runs"), ["sample", str(dump)])
    assert run.results["posts"] > 30


@pytest.mark.parametrize(
    "kind", ["pairs", "pair-file", "op-file", "pair-task", "op-task", "table-folder", "gzip", "other", "absent", "none", "form"]
)
def test_what_holds_no_debates_is_refused_before_a_run_is_started(tmp_path: Path, kind: str) -> None:
    place, form = tmp_path / "source", None
    if kind in ("pairs", "pair-file", "op-file", "gzip"):
        place = tmp_path / "comments.jsonl"
        place.write_bytes(
            {"pairs": line(PAIR), "pair-file": packed(PAIR_TASK), "op-file": packed(OP_TASK), "gzip": b"\x1f\x8b" + bytes(9)}[kind]
        )
    elif kind.endswith("-task"):
        tan_folder(place, kind.replace("-", "_"))
    elif kind == "table-folder":
        place.mkdir()
        (place / "train.jsonl").write_bytes(line(PAIR))
    elif kind == "other":
        place.mkdir()
    elif kind == "form":
        corpus(place)
        form = "tan"
    with pytest.raises(SuasionError) as caught:
        mine_stage(journey(tmp_path / "runs", form=form), [str(place)] if kind != "none" else [])
    assert not find_runs(tmp_path / "runs") and not (tmp_path / "runs").exists()
    assert ("suasion pairs" in str(caught.value)) == (kind in ("pairs", "pair-file", "op-file", "pair-task", "op-task", "table-folder"))


def test_a_dump_without_debates_is_a_failed_run(dump: Path, tmp_path: Path) -> None:
    (dump / "comments.ndjson").unlink()
    with pytest.raises(SuasionError, match="no comments in the source"):
        mine_stage(journey(tmp_path / "runs"), [str(dump)])
    [run] = find_runs(tmp_path / "runs")
    assert run.manifest.status == "failed"
    assert not list(run.path.glob("*.parquet")) and not (run.path / ".mining").exists()
