from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from suasion.config import Config, load_config
from suasion.errors import SuasionError
from suasion.runs.lock import LOCK_FILE, Lock, is_locked
from suasion.runs.manifest import read_manifest
from suasion.runs.reuse import reusable
from suasion.runs.run import Run, find_runs, open_run, resume


class Section(Config):
    lr: float = 1e-4
    steps: int = 3


class Recipe(Config):
    sft: Section = Section()
    seed: int = 0


def test_a_run_writes_down_what_it_was_made_from(root: Path) -> None:
    config = Recipe(sft=Section(steps=9))
    with Run.start(root, "SFT", config=config, inputs={"pairs": "f" * 64}, seeds={"data": 3}) as run:
        assert read_manifest(run.path).status == "running"
        (run.path / "model").mkdir()
        (run.path / "model" / "weights.bin").write_bytes(b"12")
        run.checkpoints.mkdir()
        (run.checkpoints / "big.bin").write_bytes(b"34")
        run.log(1, loss=2.0)
        run.results = {"loss": float("nan"), "n": 3}
    manifest = read_manifest(run.path)
    assert (manifest.status, manifest.error, manifest.id, manifest.kind) == ("done", None, run.path.name, "SFT")
    assert manifest.arguments.passed == {"sft.steps": 9}
    assert manifest.arguments.defaulted == {"sft.lr": 1e-4, "seed": 0}
    assert manifest.inputs == {"pairs": "f" * 64}
    assert manifest.seeds == {"data": 3}
    assert manifest.results == {"loss": None, "n": 3}
    assert set(manifest.outputs) == {"config.yaml", "metrics.jsonl", "model/weights.bin", "plots/metrics.png", "report.html"}
    assert manifest.started < (manifest.finished or "")
    assert load_config(run.path / "config.yaml", Recipe) == config


def test_the_manifest_keeps_no_secret(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WANDB_API_KEY", "s3cr3t-env")
    monkeypatch.setattr(
        sys, "argv", ["suasion", "engine.api_key=s3cr3t-a", "--hf-token", "s3cr3t-b", "--password=s3cr3t-c", "max_tokens=8"]
    )
    with Run.start(root, "SFT", config={}) as run:
        pass
    assert "s3cr3t" not in "".join(path.read_text(errors="replace") for path in run.path.rglob("*") if path.is_file())
    assert run.manifest.command[-1] == "max_tokens=8"


def test_without_git_nothing_fails(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    assert Run.start(root, "SFT", config={}).manifest.git.commit is None


def test_a_done_run_is_never_written_to_again(root: Path) -> None:
    with Run.start(root, "SFT", config={}) as run:
        run.log(1, loss=1.0)
    before = {path: path.read_bytes() for path in run.path.rglob("*") if path.is_file()}
    for write in (lambda: run.log(2, loss=0.5), run.finish, lambda: resume(run), lambda: resume(open_run(run.name, root)), run.__enter__):
        with pytest.raises(SuasionError, match="done"):
            write()
    assert {path: path.read_bytes() for path in run.path.rglob("*") if path.is_file()} == before


def test_an_opened_run_is_read_only(root: Path) -> None:
    run = Run.start(root, "SFT", config={})
    with pytest.raises(SuasionError, match="cannot be written"):
        open_run(run.name, root).log(1, loss=1.0)
    run.log(1, loss=1.0)


def test_an_exception_marks_the_run_failed_and_goes_on(root: Path) -> None:
    with pytest.raises(ZeroDivisionError), Run.start(root, "SFT", config={}) as run:
        run.results = {"so_far": 1}
        1 / 0  # noqa: B018
    manifest = read_manifest(run.path)
    assert (manifest.status, manifest.results) == ("failed", {"so_far": 1})
    assert "ZeroDivisionError" in (manifest.error or "")
    assert not is_locked(run.path)


def test_control_c_marks_it_interrupted(root: Path) -> None:
    with pytest.raises(KeyboardInterrupt), Run.start(root, "SFT", config={}) as run:
        raise KeyboardInterrupt
    assert read_manifest(run.path).status == "interrupted"


def test_the_first_error_is_the_one_that_is_raised(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Even when the manifest cannot be written, on a full disk say."""
    with pytest.raises(ZeroDivisionError), Run.start(root, "SFT", config={}) as run:
        (run.path / "manifest.json").unlink()
        (run.path / "manifest.json").mkdir()  # a rename onto it fails
        1 / 0  # noqa: B018
    assert "Could not mark" in capsys.readouterr().err


def test_metrics_forgive_a_torn_line_and_keep_the_last_of_a_step(root: Path) -> None:
    run = Run.start(root, "SFT", config={})
    run.log(1, loss=1.0)
    run.log(2, loss=0.9, reward=5)
    with (run.path / "metrics.jsonl").open("ab") as file:
        file.write(b'{"step": 3, "lo')  # killed here
    run.log(2, loss=0.8)  # resumed from step 1
    run.log(3, loss=float("inf"))
    assert run.metrics() == [{"step": 1, "loss": 1.0}, {"step": 2, "loss": 0.8, "reward": 5}, {"step": 3, "loss": None}]
    for line in (run.path / "metrics.jsonl").read_text().splitlines()[:2]:
        json.loads(line)


def test_a_parent_on_another_base_is_refused(root: Path, lock: dict[str, str]) -> None:
    """The second accident: two versions of "the same" model did not match, and the scores drifted."""
    with Run.start(root, "SFT", config={}, base_lock=lock) as writer, Run.start(root, "Pairs", config={}) as pairs:
        pass
    other = lock | {"weights": "d" * 64, "quantization": "nf4"}
    with pytest.raises(SuasionError) as caught:
        Run.start(root, "GRPO", config={}, parents={"writer": writer, "pairs": pairs}, base_lock=other)
    refused = find_runs(root)[-1]
    text = str(caught.value)
    assert refused.manifest.kind == "GRPO"
    assert writer.name in text and refused.name in text
    assert "weights" in text and "a" * 12 in text and "d" * 12 in text and "quantization" in text
    assert "tokenizer" not in text and "chat_template" not in text and "a" * 13 not in text
    assert refused.manifest.status == "failed"
    assert refused.manifest.error == caught.value.what
    with pytest.raises(SuasionError, match="same base"):  # taking it up again is no way round the check
        resume(refused)
    Run.start(root, "GRPO", config={}, parents={"writer": writer, "pairs": pairs}, base_lock=lock)


KILLED = """
import os, signal, sys
from pathlib import Path
from suasion.runs.run import Run
run = Run.start(Path(sys.argv[1]), "SFT", config={"steps": 5})
for step in range(3):
    run.log(step, loss=1.0 - step)
if len(sys.argv) > 2:
    child = os.fork()
    if child == 0:
        os.write(1, b"child %d\\n" % os.getpid())  # one write: the two processes share the pipe
        signal.pause()
os.write(1, f"ready {run.name}\\n".encode())
signal.pause()
"""


def _start_victim(root: Path, *extra: str) -> tuple[subprocess.Popen[str], dict[str, str]]:
    process = subprocess.Popen([sys.executable, "-c", KILLED, str(root), *extra], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    said = dict(process.stdout.readline().split() for _ in range(1 + len(extra)))
    return process, said


def test_a_killed_run_frees_its_lock_and_is_resumed(root: Path) -> None:
    process, said = _start_victim(root)
    try:
        run = open_run(said["ready"], root)
        assert run.state == "running"
        with pytest.raises(SuasionError, match=rf"{said['ready']} is held by process {process.pid} on "):
            resume(run)
        assert reusable(root, "SFT", run.manifest.fingerprint) is None
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert run.state == "killed"
    found = reusable(root, "SFT", run.manifest.fingerprint)
    assert found is not None and found.name == run.name
    with resume(found) as again:
        assert again.resumed
        assert again.metrics()[-1] == {"step": 2, "loss": -1.0}
        assert read_manifest(again.path).status == "running"
        again.log(3, loss=0.0)
    manifest = read_manifest(run.path)
    assert (manifest.status, len(manifest.resumed), manifest.id) == ("done", 1, run.name)
    assert (run.path / "config.yaml").read_text() == "steps: 5\n"


def test_a_forked_worker_that_outlives_its_killed_parent_holds_no_lock(root: Path) -> None:
    process, said = _start_victim(root, "fork")
    try:
        process.send_signal(signal.SIGKILL)
        process.wait()
        os.kill(int(said["child"]), 0)  # the worker lives
        with resume(open_run(said["ready"], root)):
            pass
    finally:
        os.kill(int(said["child"]), signal.SIGKILL)


def test_looking_does_not_take_the_lock_away_and_a_glance_does_not_block(tmp_path: Path) -> None:
    lock = Lock.take(tmp_path)
    assert is_locked(tmp_path)
    with pytest.raises(SuasionError, match=f"process {os.getpid()}"):
        Lock.take(tmp_path)
    probe = [sys.executable, "-c", f"from suasion.runs.lock import *; print(is_locked(Path({str(tmp_path)!r})))"]
    assert subprocess.run(probe, capture_output=True, text=True, check=True).stdout == "True\n"
    lock.release()
    assert not is_locked(tmp_path)
    assert subprocess.run(probe, capture_output=True, text=True, check=True).stdout == "False\n"
    Lock.take(tmp_path).release()


def test_a_program_started_by_the_run_does_not_inherit_the_lock(tmp_path: Path) -> None:
    lock = Lock.take(tmp_path)
    child = subprocess.Popen(["sleep", "60"], close_fds=False)
    lock.release()
    try:
        Lock.take(tmp_path).release()
    finally:
        child.kill()
        child.wait()


def test_a_lock_file_with_rubbish_in_it_is_no_traceback(tmp_path: Path) -> None:
    lock = Lock.take(tmp_path)
    (tmp_path / LOCK_FILE).write_bytes(b"\xff[]")
    with pytest.raises(SuasionError, match="held by another process"):
        Lock.take(tmp_path)
    lock.release()


def test_an_explicit_folder_is_made_and_used(tmp_path: Path, root: Path) -> None:
    folder = tmp_path / "new" / "out"
    with Run.start(root, "Mine", config={"a": 1}, path=folder) as run:
        pass
    assert (folder / "report.html").exists() and not root.exists()
    assert open_run(folder, root).name == run.name
    with Run.start(root, "Mine", config={"a": 1}, path=tmp_path / "other" / "out") as twin:
        pass
    assert twin.name != run.name
    with pytest.raises(SuasionError, match="finished run"):
        Run.start(root, "Mine", config={"a": 1}, path=folder)


def test_an_explicit_folder_with_other_things_is_left_alone(tmp_path: Path, root: Path) -> None:
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(SuasionError, match="not empty"):
        Run.start(root, "Mine", config={}, path=tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]
    with pytest.raises(SuasionError, match="Cannot use this folder"):
        Run.start(root, "Mine", config={}, path=tmp_path / "thesis.txt")


def test_an_explicit_folder_resumes_the_same_unfinished_work_only(tmp_path: Path, root: Path) -> None:
    with pytest.raises(RuntimeError), Run.start(root, "Mine", config={"a": 1}, path=tmp_path) as run:
        run.log(1, rows=3)
        raise RuntimeError("disk")
    (tmp_path / ".posts.parquet.0123456789ab.tmp").write_text("left by a kill")
    with pytest.raises(SuasionError, match="other work"):
        Run.start(root, "Mine", config={"a": 2}, path=tmp_path)
    with Run.start(root, "Mine", config={"a": 1}, path=tmp_path) as again:
        assert again.resumed and again.name == run.name
        assert again.metrics() == [{"step": 1, "rows": 3}]
    assert read_manifest(tmp_path).error is None
    assert not list(tmp_path.glob("*.tmp")) and not list(tmp_path.glob(".*.tmp"))


def test_an_unknown_name_names_the_nearest(root: Path) -> None:
    with pytest.raises(SuasionError, match="no runs here yet"):
        open_run("x", root)
    run = Run.start(root, "SFT", config={})
    with pytest.raises(SuasionError, match=run.name):
        open_run(run.name.replace("SFT", "SFTT"), root)
    with pytest.raises(SuasionError):
        open_run("", run.path)


def test_unreadable_manifests_are_named_and_skipped_with_a_count(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good = Run.start(root, "SFT", config={})
    for number, text in enumerate(["", "{", "[]", '{"id": 3}', '{"version": 99}', "\udcff"], 10):
        folder = root / f"2026-01-01_SFT_Run{number}"
        folder.mkdir()
        (folder / "manifest.json").write_bytes(text.encode("utf-8", "surrogateescape"))
        with pytest.raises(SuasionError, match=folder.name):
            open_run(folder.name, root)
    (root / "2026-01-01_SFT_Run20").mkdir()  # claimed, then killed
    (root / "notes").mkdir()
    assert [run.name for run in find_runs(root)] == [good.name]
    assert "7 folder" in capsys.readouterr().err


def test_runs_are_found_in_the_order_of_their_start(root: Path) -> None:
    assert find_runs(root) == []
    names = []
    for kind in ("SFT", "Audit", "SFT", "Eval"):
        names.append(Run.start(root, kind, config={}).name)
        time.sleep(0.001)
    assert [run.name for run in find_runs(root)] == names


def test_the_stages_own_report_stands(root: Path) -> None:
    with Run.start(root, "Eval", config={}) as run:
        (run.path / "report.html").write_text("mine")
    assert (run.path / "report.html").read_text() == "mine"
    assert "report.html" in run.manifest.outputs
