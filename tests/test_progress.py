from __future__ import annotations

import io
import sys

import pytest

from suasion.progress import say, track


class Clock:
    """Seconds that go on when they are told to."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_plain_lines_come_first_last_and_every_ten_seconds(capsys: pytest.CaptureFixture[str]) -> None:
    clock = Clock()
    with track("SFT", 100, "steps", clock=clock) as progress:
        for step in range(100):
            clock.now += 0.5
            progress.advance()
            progress.note(loss=1 / (step + 3), cut_off=0)
    out, err = capsys.readouterr()
    lines = err.splitlines()
    assert out == ""
    assert len(lines) == 1 + 5 + 1
    assert lines[0] == "SFT: 0/100 steps"
    assert lines[1] == "SFT: 20/100 steps, 2 steps/s, 0:40 left, loss 0.04762, cut off 0"
    assert lines[-1] == "SFT: 100/100 steps, 2 steps/s, took 0:50, loss 0.009804, cut off 0"


def test_slow_work_is_told_in_seconds_and_what_was_done_before_does_not_count_for_the_rate(capsys: pytest.CaptureFixture[str]) -> None:
    clock = Clock()
    with track("GRPO", 20, "steps", done=10, clock=clock) as progress:
        clock.now += 20
        progress.advance(2)
    assert capsys.readouterr().err.splitlines()[1] == "GRPO: 12/20 steps, 10 s/step, 1:20 left"


def test_a_failure_says_stopped_and_goes_on(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(RuntimeError), track("x", None) as progress:
        progress.advance(3)
        raise RuntimeError
    last = capsys.readouterr().err.splitlines()[-1]
    assert last.startswith("x: 3, ") and "stopped after 0:00" in last


def test_a_terminal_gets_a_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "120")
    with track("a [bold] name", 2, "steps") as progress:
        progress.advance()
        progress.note(loss=0.5)
        progress.advance()
    shown = terminal.getvalue()
    assert "a [bold] name" in shown and "2/2" in shown and "loss 0.5" in shown


@pytest.mark.parametrize(
    "error", [BrokenPipeError(), ValueError("I/O operation on closed file"), UnicodeEncodeError("ascii", "é", 0, 1, "no")]
)
def test_a_broken_stderr_stops_nothing(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    class Broken(io.StringIO):
        def write(self, text: str) -> int:
            raise error

    monkeypatch.setattr(sys, "stderr", Broken())
    say("hello")
    with track("x", 3) as progress:
        progress.advance()
    assert progress.done == 1
