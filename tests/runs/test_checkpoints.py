from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from suasion.errors import SuasionError
from suasion.runs.checkpoints import SEAL, discard_incomplete, is_complete, newest_complete, seal


def _checkpoint(folder: Path, step: int, *, sealed: bool = True) -> Path:
    path = folder / f"checkpoint-{step}"
    (path / "inner").mkdir(parents=True)
    (path / "model.safetensors").write_bytes(b"0123456789")
    (path / "inner" / "trainer_state.json").write_text("{}")
    if sealed:
        seal(path)
    return path


def test_the_newest_is_the_highest_step_not_the_last_in_the_alphabet(tmp_path: Path) -> None:
    assert newest_complete(tmp_path / "absent") is None
    for step in (9, 100, 20):
        _checkpoint(tmp_path, step)
    (tmp_path / "checkpoint-best").mkdir()
    (tmp_path / "checkpoint-999").write_text("a file")
    assert newest_complete(tmp_path) == tmp_path / "checkpoint-100"
    assert discard_incomplete(tmp_path) == []
    assert (tmp_path / "checkpoint-best").exists()


@pytest.mark.parametrize("damage", ["cut", "remove", "grow", "unsealed", "torn seal", "empty seal"])
def test_a_damaged_checkpoint_is_passed_over_and_removed(tmp_path: Path, damage: str) -> None:
    _checkpoint(tmp_path, 2)
    broken = _checkpoint(tmp_path, 4, sealed=damage != "unsealed")
    if damage == "cut":
        (broken / "model.safetensors").write_bytes(b"01234")
    elif damage == "remove":
        (broken / "inner" / "trainer_state.json").unlink()
    elif damage == "grow":
        (broken / "model.safetensors").write_bytes(b"0123456789+")
    elif damage == "torn seal":
        (broken / SEAL).write_text('{"model.safet')
    elif damage == "empty seal":
        (broken / SEAL).write_text("{}")
    assert newest_complete(tmp_path) == tmp_path / "checkpoint-2"
    assert discard_incomplete(tmp_path) == ["checkpoint-4"]
    assert not broken.exists()
    assert (tmp_path / "checkpoint-2" / "model.safetensors").exists()


def test_sealing_again_after_a_rewrite_is_possible_and_sealing_nothing_is_not(tmp_path: Path) -> None:
    path = _checkpoint(tmp_path, 1)
    (path / "model.safetensors").write_bytes(b"longer than before")
    assert not is_complete(path)
    seal(path)
    assert is_complete(path)
    (tmp_path / "checkpoint-2").mkdir()
    for nothing in (tmp_path / "checkpoint-2", tmp_path / "checkpoint-3"):
        with pytest.raises(SuasionError):
            seal(nothing)


WRITER = """
import sys
from pathlib import Path
from suasion.runs.checkpoints import seal
root = Path(sys.argv[1])
for step in range(1, 100000):
    folder = root / f"checkpoint-{step}"
    folder.mkdir()
    for part in "abc":
        (folder / part).write_bytes(step.to_bytes(4, "big") * 20000)
    seal(folder)
    print(step, flush=True)
"""


@pytest.mark.parametrize("delay", [0.0, 0.004, 0.011])
def test_a_kill_in_the_middle_of_writing_never_leaves_a_half_that_looks_whole(tmp_path: Path, delay: float) -> None:
    process = subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    for _ in range(3):
        process.stdout.readline()
    time.sleep(delay)
    process.send_signal(signal.SIGKILL)
    process.wait()
    discard_incomplete(tmp_path)
    newest = newest_complete(tmp_path)
    assert newest is not None
    assert int(newest.name.removeprefix("checkpoint-")) >= 3
    for folder in tmp_path.iterdir():
        step = int(folder.name.removeprefix("checkpoint-"))
        assert all((folder / part).read_bytes() == step.to_bytes(4, "big") * 20000 for part in "abc")
