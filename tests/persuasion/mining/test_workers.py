from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import pyarrow as pa
import pytest
import zstandard

from suasion.errors import SuasionError
from suasion.persuasion.mining import chunks, workers
from suasion.persuasion.mining.chunks import Chunks, PartReader
from suasion.persuasion.mining.debates import POSTS, READ_COMMENTS
from suasion.persuasion.mining.sources import columns, dumps, lines, machine
from suasion.persuasion.mining.workers import Readers
from tests.persuasion.mining.lines_for_tests import COMMENT, POST, line

BLOCK = 1 << 14


@pytest.fixture(params=["alone", "a process", "two processes", "two scanners"])
def crew(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """So many workers, of each kind that there is; blocks are small."""
    if "scanners" not in request.param:
        monkeypatch.setattr(machine, "functions", lambda: None)
    elif machine.functions() is None:
        pytest.skip("needs the extra 'fast'")
    small(monkeypatch)
    return {"alone": 0, "a process": 1}.get(request.param, 2)


@pytest.fixture
def processes(monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr(machine, "functions", lambda: None)
    small(monkeypatch)
    return 2


def small(monkeypatch: pytest.MonkeyPatch) -> None:
    # Another test may have imported torch, and processes that are spawned would not know of the small blocks.
    monkeypatch.setattr(workers, "_context", lambda: multiprocessing.get_context("fork"))
    monkeypatch.setattr(workers, "BLOCK", BLOCK)
    for module in (lines, dumps, columns):
        monkeypatch.setattr(module, "MAX_LINE", BLOCK // 3)
    monkeypatch.setattr(dumps, "_SCANNED", BLOCK // 4)


def dump(path: Path, count: int = 2000) -> Path:
    """Posts, comments, and everything that may be wrong with a line."""
    rows = []
    for number in range(count):
        debate = f"p{number % 50}"
        rows.append(line(COMMENT, id=f"c{number}", link_id=f"t3_{debate}", parent_id=f"t3_{debate}", body=f"Reply {number} ∆ &gt;" * 3))
        if number % 40 == 0:
            rows.append(line(POST, id=debate))
        if number % 97 == 0:
            rows += [b"not JSON\n", line(COMMENT, id=5), line(COMMENT, subreddit="AskReddit"), b"\n", line(COMMENT, body="x" * BLOCK)]
            rows += [line(COMMENT, id=f"s{number}", score="7", edited="1400000000"), line(COMMENT, id=f"t1_t{number}")]
            rows += [b'{"id": "u%d", "body": "a\xffb", "link_id": "t3_p1", "parent_id": "t3_p1"}\n' % number]
    data = b"".join(rows)
    path.write_bytes(zstandard.ZstdCompressor().compress(data) if path.suffix == ".zst" else data)
    return path


def parsed(
    source: Path, folder: Path, count: int, subreddit: str | None = "changemyview"
) -> tuple[pa.Table, pa.Table, dict[str, int], dict[str, int]]:
    """All that the chunks hold, in order, and the counts."""
    made, taken = Chunks(folder, 4), []
    folder.mkdir(exist_ok=True)
    readers = Readers(made, count)
    try:
        own, _ = readers.read(source, "000", subreddit, taken.append)
        readers.finish()
    finally:
        readers.close()
    assert sum(taken) == source.stat().st_size
    totals, reader = made.totals(), PartReader(made)
    read = [reader.read([part]) for part in range(4)]
    posts, comments = (pa.concat_tables([pair[place] for pair in read]).combine_chunks() for place in (0, 1))
    assert posts.schema.equals(POSTS) and comments.schema.equals(READ_COMMENTS)
    return posts, comments, dict(+(totals.reading.lines + own.lines)), dict(totals.reading.mended + own.mended)


@pytest.mark.parametrize("name", ["c.ndjson", "c.zst"])
@pytest.mark.parametrize("subreddit", ["changemyview", None])
def test_chunks_are_the_same_whoever_writes_them(tmp_path: Path, crew: int, name: str, subreddit: str | None) -> None:
    source = dump(tmp_path / name)
    found = parsed(source, tmp_path / "crew", crew, subreddit)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(workers, "BLOCK", 24 << 20)
        plain = parsed(source, tmp_path / "plain", 0, subreddit)
    assert len(list((tmp_path / "crew").glob("*.json"))) > 10 > len(list((tmp_path / "plain").glob("*.json")))
    for table, expected in zip(found[:2], plain[:2], strict=True):
        assert table.to_pylist() == expected.to_pylist()
    assert found[2:] == plain[2:]
    assert found[2]["line too long"] == 21 and found[2]["not JSON"] == 21
    assert ("another subreddit" in found[2]) == (subreddit is not None)


def test_a_dump_of_all_of_reddit_is_searched_first(tmp_path: Path, crew: int) -> None:
    source = tmp_path / "RC.zst"
    rows = [line(COMMENT, id=f"c{number}", subreddit=("AskReddit", "tea", "changemyview")[number % 3]) for number in range(3000)]
    source.write_bytes(zstandard.ZstdCompressor().compress(b"".join(rows)))
    _, comments, counts, _ = parsed(source, tmp_path / "work", crew)
    assert comments["comment_id"].to_pylist() == [f"c{number}" for number in range(2, 3000, 3)]
    assert counts == {"read": 3000, "another subreddit": 2000}


def test_what_is_done_is_not_parsed_again(tmp_path: Path, crew: int) -> None:
    source = dump(tmp_path / "c.ndjson")
    whole = parsed(source, tmp_path / "work", crew)
    marks = sorted((tmp_path / "work").glob("*.json"))
    lost = marks[3]
    kept = {path.name: path.stat().st_mtime_ns for path in (tmp_path / "work").iterdir() if not path.name.startswith(lost.stem)}
    lost.unlink()
    again = parsed(source, tmp_path / "work", crew)
    assert {name: (tmp_path / "work" / name).stat().st_mtime_ns for name in kept} == kept
    assert lost.is_file()
    assert [table.to_pylist() for table in again[:2]] == [table.to_pylist() for table in whole[:2]]
    assert again[2:] == whole[2:]


def test_an_error_of_the_disk_is_told_as_one_of_writing(tmp_path: Path, crew: int, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(chunks.os, "replace", full)
    with pytest.raises(SuasionError, match="Could not write: No space left on device") as caught:
        parsed(dump(tmp_path / "c.zst"), tmp_path / "work", crew)
    assert str(tmp_path / "work") in str(caught.value)


def raised_in_a_worker(monkeypatch: pytest.MonkeyPatch, action: Callable[[], Any]) -> None:
    reader, parent = workers.read_block, os.getpid()

    def acts(block: memoryview, subreddit: str | None) -> Any:
        assert os.getpid() != parent
        if b'"c500"' in bytes(block):
            action()
        return reader(block, subreddit)

    monkeypatch.setattr(workers, "read_block", acts)


def test_a_worker_that_the_system_kills_is_told_plainly(tmp_path: Path, processes: int, monkeypatch: pytest.MonkeyPatch) -> None:
    raised_in_a_worker(monkeypatch, lambda: os.kill(os.getpid(), signal.SIGKILL))
    before = psutil.Process().children()  # of other tests
    source = dump(tmp_path / "c.zst")
    with pytest.raises(SuasionError, match="was killed") as caught:
        parsed(source, tmp_path / "work", processes)
    assert "goes on" in str(caught.value.hint) and str(source) in str(caught.value)
    assert set(psutil.Process().children()) <= set(before)


def test_an_error_in_a_worker_ends_all_of_them(tmp_path: Path, processes: int, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails() -> None:
        raise SuasionError("Odd.", where="here", hint="do this")

    raised_in_a_worker(monkeypatch, fails)
    before = psutil.Process().children()
    with pytest.raises(SuasionError, match="Odd") as caught:
        parsed(dump(tmp_path / "c.zst"), tmp_path / "work", processes)
    assert (caught.value.where, caught.value.hint) == ("here", "do this")
    assert set(psutil.Process().children()) <= set(before)


_KILLED = """
import os, signal, sys, time
from pathlib import Path
from suasion.persuasion.mining import workers
from suasion.persuasion.mining.chunks import Chunks

workers.machine.functions = lambda: None
readers = workers.Readers(Chunks(Path(sys.argv[2]), 1), 2)
workers._write = lambda *_: time.sleep(600)
readers._write = workers._write
for _ in range(2):
    readers._pool.submit(time.sleep, 600)
print(*[one for one in readers._pool._processes], flush=True)
time.sleep(600)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells a process of its parent's death")
def test_workers_do_not_outlive_the_process_that_reads(tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", _KILLED, "", str(tmp_path)], stdout=subprocess.PIPE, text=True) as reader:
        assert reader.stdout
        children = [psutil.Process(int(one)) for one in reader.stdout.readline().split()]
        assert len(children) == 2
        time.sleep(0.3)  # until they have begun
        reader.kill()
    _, alive = psutil.wait_procs(children, timeout=5)
    for one in alive:
        one.kill()
    assert not alive


def test_ctrl_c_is_not_answered_by_the_workers(tmp_path: Path, processes: int, capfd: pytest.CaptureFixture[str]) -> None:
    readers = Readers(Chunks(tmp_path, 1), processes)
    assert readers._pool is not None
    waiting = [readers._pool.submit(time.sleep, 0.5) for _ in range(2)]
    time.sleep(0.2)
    for pid in readers._pool._processes:  # type: ignore[attr-defined]
        os.kill(pid, signal.SIGINT)
    assert [one.result() for one in waiting] == [None, None]
    readers.close()
    assert "Traceback" not in capfd.readouterr().err
