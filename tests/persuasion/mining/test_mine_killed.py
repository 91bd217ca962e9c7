"""Mining that is killed, or whose disk is full, as a user starts it and starts it again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import psutil
import pytest

from suasion.files import read_json
from tests.persuasion.mining.struck import suasion_mine
from tests.persuasion.mining.test_mine import big, raw

KILLED = -9


class Ground:
    def __init__(self, folder: Path) -> None:
        self.source = big(folder / "dump")
        ended = suasion_mine(folder / "log", self.source, "-o", folder / "whole", "--workers", 0)
        assert ended.status == 0, ended.err
        self.tables, self.written = raw(folder / "whole"), ended.written
        assert len(self.written) > 20


@pytest.fixture(scope="module")
def ground(tmp_path_factory: pytest.TempPathFactory) -> Ground:
    return Ground(tmp_path_factory.mktemp("struck"))


def tables_of(out: Path) -> list[str]:
    return [path.name for path in out.glob("*.parquet")]


@pytest.mark.parametrize(
    ("strike", "workers", "scanner"),
    [
        ("chunk:0", 0, False),
        ("chunk:9", 0, False),
        ("chunk:15", 2, False),
        ("chunk:15", 2, True),
        ("part:0", 0, False),
        ("part:3", 2, False),
        ("end", 0, False),
    ],
)
def test_a_killed_run_goes_on_where_it_was(ground: Ground, tmp_path: Path, strike: str, workers: int, scanner: bool) -> None:
    out, log = tmp_path / "out", tmp_path / "log"
    words = [ground.source, "-o", out, "--workers", workers]
    before = len(psutil.pids())
    first = suasion_mine(log, *words, strike=strike, scanner=scanner)
    assert first.status == KILLED, first.err
    assert not (out / "counts.json").exists()
    second = suasion_mine(log, *words, scanner=scanner)
    assert second.status == 0, second.err
    assert "goes on" in second.err
    assert raw(out) == ground.tables
    assert sorted(first.written + second.written) == ground.written  # none is parsed twice
    if not strike.startswith("chunk"):
        assert not second.written
    assert not (out / ".mining").exists() and not list(out.glob(".*.tmp"))
    assert read_json(out / "manifest.json")["status"] == "done"
    assert len(psutil.pids()) < before + 20  # no crowd of workers is left


def test_a_killed_run_below_a_root_is_taken_up_by_its_content(ground: Ground, tmp_path: Path) -> None:
    words = [ground.source, "-R", tmp_path / "runs", "--workers", 0]
    assert suasion_mine(tmp_path / "log", *words, strike="chunk:9").status == KILLED
    second = suasion_mine(tmp_path / "log", *words, "--json")
    assert second.status == 0, second.err
    [run] = (tmp_path / "runs").glob("*_Mine_*")
    assert "takes up" in second.err and json.loads(second.out)["folder"] == str(run)
    assert raw(run) == ground.tables


def test_twice_killed_in_either_pass(ground: Ground, tmp_path: Path) -> None:
    words = [ground.source, "-o", tmp_path / "out", "--workers", 0]
    written: list[str] = []
    for strike in ("chunk:5", "chunk:12", "part:1", "end"):
        ended = suasion_mine(tmp_path / "log", *words, strike=strike)
        assert ended.status == KILLED
        written += ended.written
    assert suasion_mine(tmp_path / "log", *words).status == 0
    assert raw(tmp_path / "out") == ground.tables
    assert sorted(written) == ground.written


def test_a_folder_of_other_work_is_not_taken_up(ground: Ground, tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert suasion_mine(tmp_path / "log", ground.source, "-o", out, strike="chunk:5").status == KILLED
    other = suasion_mine(tmp_path / "log", ground.source, "-o", out, "--subreddit", "tea")
    assert other.status == 2 and "other work" in other.err and "Traceback" not in other.err


@pytest.mark.parametrize(("limit", "workers"), [(3000, 0), (3000, 2), (60_000, 0)])
def test_a_full_disk_is_told_and_leaves_no_half_table(ground: Ground, tmp_path: Path, limit: int, workers: int) -> None:
    """In the first pass, in it by other processes, and in the second."""
    out, log = tmp_path / "out", tmp_path / "log"
    words: list[Any] = [ground.source, "-o", out, "--workers", workers]
    full = suasion_mine(log, *words, file_limit=limit, scanner=False)
    assert full.status == 2, full.err
    assert "Could not write: " in full.err and "File too large" in full.err and "Traceback" not in full.err
    assert "submissions" not in full.err.split("Could not write")[1]  # it is not the dump that is at fault
    assert not tables_of(out) and not list(out.glob(".*.tmp"))
    assert (len(full.written) == len(ground.written)) == (limit > 10_000)
    again = suasion_mine(log, *words)
    assert again.status == 0, again.err
    assert raw(out) == ground.tables
