from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

import pytest

from suasion.runs.run import Run
from suasion.runs.trackers import Close, Log, open_trackers


@pytest.fixture
def run(root: Path) -> Run:
    return Run.start(root, "SFT", config={})


def _collector(rows: list[tuple[int, dict[str, Any]]], closed: list[bool]) -> Any:
    def opener(run: Run) -> tuple[Log, Close]:
        return lambda step, numbers: rows.append((step, dict(numbers))), lambda: closed.append(True)

    return opener


def test_a_tracker_gets_every_finite_number_and_is_closed_with_the_run(run: Run) -> None:
    rows: list[tuple[int, dict[str, Any]]] = []
    closed: list[bool] = []
    with run:
        run.trackers = open_trackers(["good"], run, openers={"good": _collector(rows, closed)})
        run.log(1, loss=1.0, reward=float("nan"), note="words")
        run.log(2, loss=0.5)
    assert rows == [(1, {"loss": 1.0}), (2, {"loss": 0.5})]
    assert closed == [True]


def _raises(error: BaseException) -> Any:
    def opener(run: Run) -> tuple[Log, Close]:
        raise error

    return opener


@pytest.mark.parametrize("error", [ImportError("no module"), OSError(28, "full"), RuntimeError("login"), SystemExit(1), ValueError()])
def test_one_that_cannot_start_is_told_once_and_left_out(run: Run, error: BaseException, capsys: pytest.CaptureFixture[str]) -> None:
    rows: list[tuple[int, dict[str, Any]]] = []
    with run:
        run.trackers = open_trackers(["bad", "good"], run, openers={"bad": _raises(error), "good": _collector(rows, [])})
        assert run.trackers.names == ["good"]
        run.log(1, loss=1.0)
    assert run.manifest.status == "done" and len(rows) == 1
    assert capsys.readouterr().err.count("The tracker bad is dropped") == 1


def test_one_that_breaks_later_is_told_once(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    def opener(run: Run) -> tuple[Log, Close]:
        def log(step: int, numbers: Any) -> None:
            raise ConnectionError("gone")

        return log, lambda: None

    with run:
        run.trackers = open_trackers(["bad"], run, openers={"bad": opener})
        for step in range(50):
            run.log(step, loss=1.0)
    assert run.manifest.status == "done" and len(run.metrics()) == 50
    assert capsys.readouterr().err.count("The tracker bad is dropped") == 1


def test_one_that_hangs_is_left_behind(run: Run, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def hangs(run: Run) -> tuple[Log, Close]:
        time.sleep(600)
        raise AssertionError

    def hangs_later(run: Run) -> tuple[Log, Close]:
        return lambda step, numbers: time.sleep(600), lambda: None

    monkeypatch.setattr("suasion.runs.trackers._END", 0.2)
    with run:
        run.trackers = open_trackers(["start", "later"], run, openers={"start": hangs, "later": hangs_later}, patience=0.3)
        assert run.trackers.names == ["later"]
        for step in range(2100):  # more than may wait
            run.trackers.log(step, {"loss": 1.0})
    assert run.manifest.status == "done"
    told = capsys.readouterr().err
    assert "start is dropped" in told and "later is dropped" in told


@pytest.mark.parametrize("name", ["wandb", "trackio", "tensorboard"])
def test_those_that_ship_are_left_out_where_they_are_not_installed(run: Run, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch.utils.tensorboard" if name == "tensorboard" else name, None)
    assert open_trackers([name], run).names == []


def test_a_greeting_does_not_end_up_on_stdout(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    def opener(run: Run) -> tuple[Log, Close]:
        print("welcome")
        return lambda step, numbers: None, lambda: print("bye")

    with run:
        run.trackers = open_trackers(["loud"], run, openers={"loud": opener})
    assert capsys.readouterr() == ("", "welcome\nbye\n")


def test_an_unknown_name_is_told_with_the_nearest(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    assert open_trackers(["wandbb"], run).names == []
    assert "did you mean wandb?" in capsys.readouterr().err
