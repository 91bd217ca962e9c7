from __future__ import annotations

import errno
import json
import os
import signal
import stat
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from suasion.errors import SuasionError
from suasion.files import append_jsonl, atomic_path, jsonable, read_json, read_jsonl, sha256_file, sha256_json, write_json, write_text


def _names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    path = write_text(tmp_path / "a.txt", "old")
    for error in (RuntimeError("x"), KeyboardInterrupt()):
        with pytest.raises(type(error)), atomic_path(path) as temporary:
            temporary.write_text("half")
            raise error
    assert path.read_text() == "old" and _names(tmp_path) == ["a.txt"]


def test_a_full_disk_is_told_and_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(handle: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    for write in (lambda: write_text(tmp_path / "a.txt", "new"), lambda: append_jsonl(tmp_path / "b.jsonl", {"a": 1})):
        with pytest.raises(SuasionError, match="No space left") as caught:
            write()
        assert "Free some space" in (caught.value.hint or "")
    assert "a.txt" not in _names(tmp_path)


def test_a_folder_that_cannot_be_made_is_an_error_not_a_traceback(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for write in (
        lambda: write_text(tmp_path / "file" / "a.txt", "x"),
        lambda: append_jsonl(tmp_path / "file" / "a.jsonl", {}),
        lambda: write_text(tmp_path, "a folder"),
        lambda: write_text(tmp_path / ("x" * 300), "x"),
    ):
        with pytest.raises(SuasionError, match="Could not write"):
            write()
    assert _names(tmp_path) == ["file"]


def test_the_true_culprit_is_named(tmp_path: Path) -> None:
    with pytest.raises(SuasionError, match="missing-source"), atomic_path(tmp_path / "a") as temporary:
        temporary.write_bytes((tmp_path / "missing-source").read_bytes())


def test_files_are_as_shareable_as_the_umask_says(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        path = write_text(tmp_path / "a", "x")
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_two_threads_writing_one_file_leave_one_whole(tmp_path: Path) -> None:
    texts = [letter * 200_000 for letter in "abcd"]
    threads = [threading.Thread(target=lambda text=text: [write_text(tmp_path / "x", text) for _ in range(5)]) for text in texts]  # type: ignore[misc]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (tmp_path / "x").read_text() in texts and _names(tmp_path) == ["x"]


def test_a_killed_writer_never_leaves_a_half_file(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from suasion.files import write_text\n"
        "for i in range(10**6): write_text(Path(sys.argv[1]), str(i % 10) * 300000); print(i, flush=True)"
    )
    process = subprocess.Popen([sys.executable, "-c", code, str(tmp_path / "x")], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    for _ in range(4):
        process.stdout.readline()
    process.send_signal(signal.SIGKILL)
    process.wait()
    text = (tmp_path / "x").read_text()
    assert len(text) == 300_000 and len(set(text)) == 1


@pytest.mark.parametrize("text", ["", "{", "nul", "\udcff", "[" * 100_000, "1" * 5000])
def test_what_is_not_json_is_a_clear_error(tmp_path: Path, text: str) -> None:
    (tmp_path / "a.json").write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(SuasionError, match="Cannot read JSON"):
        read_json(tmp_path / "a.json")
    with pytest.raises(SuasionError):
        read_json(tmp_path)


@pytest.mark.parametrize("value", [float("nan"), [float("inf")], {"a": object()}, {(1, 2): 3}])
def test_what_json_cannot_hold_is_refused_and_nothing_is_written(tmp_path: Path, value: object) -> None:
    with pytest.raises(SuasionError, match="cannot be written as JSON"):
        write_json(tmp_path / "a.json", value)
    assert _names(tmp_path) == []


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(st.characters()),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(st.characters(), max_size=4), inner, max_size=3),
    max_leaves=6,
)


@given(value=JSON, row=st.dictionaries(st.text(st.characters(), max_size=4), JSON, max_size=4))
def test_json_comes_back_as_it_was_surrogates_and_line_separators_included(
    tmp_path_factory: pytest.TempPathFactory, value: object, row: dict[str, object]
) -> None:
    folder = tmp_path_factory.mktemp("json")
    assert read_json(write_json(folder / "a.json", value)) == value
    append_jsonl(folder / "a.jsonl", row)
    append_jsonl(folder / "a.jsonl", {"next": 1})
    assert read_jsonl(folder / "a.jsonl") == [row, {"next": 1}]


def test_a_half_emoji_is_written(tmp_path: Path) -> None:
    assert read_json(write_json(tmp_path / "a.json", {"text": "\ud83d"})) == {"text": "\ud83d"}
    assert write_text(tmp_path / "a.txt", "x\ud83d").read_text() == "x\\ud83d"


def test_a_log_torn_anywhere_loses_only_its_torn_line(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    for step in range(3):
        append_jsonl(path, {"step": step, "text": "é\u2028\r\n"})
    whole = path.read_bytes()
    second = whole.index(b"\n", whole.index(b"\n") + 1) + 1
    for cut in range(second + 1, len(whole)):
        path.write_bytes(whole[:cut])
        append_jsonl(path, {"step": 9})
        steps = [row["step"] for row in read_jsonl(path)]
        assert steps == ([0, 1, 2, 9] if cut == len(whole) - 1 else [0, 1, 9])
    assert read_jsonl(tmp_path / "absent") == []
    with pytest.raises(SuasionError):
        read_jsonl(tmp_path)


def test_a_log_survives_numbers_that_explode(tmp_path: Path) -> None:
    append_jsonl(tmp_path / "a", {"loss": float("nan"), "all": np.array([1.0, np.inf]), "n": np.int64(3)})
    assert json.loads((tmp_path / "a").read_text(), parse_constant=lambda name: pytest.fail(name)) == {
        "loss": None,
        "all": [1.0, None],
        "n": 3,
    }


def test_jsonable_knows_what_it_does_not_know() -> None:
    assert jsonable({1: {"b", "a"}, "p": Path("x")}) == {"1": ["a", "b"], "p": "x"}
    for value in (object(), lambda: 1, b"bytes"):
        with pytest.raises(TypeError):
            jsonable([value])


@given(st.dictionaries(st.text(), st.integers()))
def test_a_digest_does_not_depend_on_order(value: dict[str, int]) -> None:
    assert sha256_json(value) == sha256_json(dict(reversed(value.items())))
    assert sha256_json(value | {"one more": 1, "": 0}) != sha256_json(value | {"one more": 2, "": 0})


def test_a_digest_does_not_depend_on_the_process() -> None:
    code = "from suasion.files import sha256_json; print(sha256_json({'s': {'a', 'b', 'c', 'd'}, 'n': [1.5, None, True]}))"
    environments = [os.environ | {"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)} for seed in "123"]
    assert (
        len(
            {
                subprocess.run([sys.executable, "-c", code], env=one, capture_output=True, text=True, check=True).stdout
                for one in environments
            }
        )
        == 1
    )
    with pytest.raises(TypeError):  # its address would be in it
        sha256_json(object())


def test_the_digest_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"abc")
    assert sha256_file(tmp_path / "a") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    for missing in (tmp_path / "b", tmp_path):
        with pytest.raises(SuasionError, match="Cannot read the file"):
            sha256_file(missing)
