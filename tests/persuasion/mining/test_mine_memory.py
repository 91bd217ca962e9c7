"""A million comments in one thread, which no dealing into parts makes smaller."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import psutil
import pyarrow.parquet as pq
import pytest
import zstandard

from suasion.files import read_json
from tests.persuasion.mining.lines_for_tests import POST, line

COUNT = 1_000_000
LIMIT = 1536
WORDS = "the view that tea is better than coffee has never been argued so well as here " * 2
CHAIN = 200_000


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A chain of two hundred thousand, and the rest of a hundred replies each."""
    form = '{"id":"c%d","author":"user%d","body":"%d %s","link_id":"t3_p1","parent_id":"%s","created_utc":%d,"score":%d,"edited":false}\n'
    path = tmp_path_factory.mktemp("thread") / "c.zst"
    with path.open("wb") as file, zstandard.ZstdCompressor(1).stream_writer(file) as writer:
        writer.write(line(POST))
        for start in range(0, COUNT, 10_000):
            rows = []
            for number in range(start, start + 10_000):
                above = number - 1 if number < CHAIN else number // 100
                parent = f"t1_c{above}" if number else "t3_p1"
                rows.append(form % (number, number % 5000, number, WORDS, parent, 1400000000 + number, number % 50))
            writer.write("".join(rows).encode())
    return path


_PLAIN = "import suasion.persuasion.mining.workers as w, suasion.cli; w.machine.functions = lambda: None; suasion.cli.main()"


def proportional(process: psutil.Process) -> int:
    """Mebibytes of a process and its children, what they share counted once."""
    total = 0
    for one in (process, *process.children(recursive=True)):
        try:
            rollup = Path(f"/proc/{one.pid}/smaps_rollup").read_text()
            total += int(rollup.split("Pss:")[1].split()[0])
        except (OSError, IndexError):
            continue  # it has ended
    return total >> 10


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
@pytest.mark.parametrize("way", [["-m", "suasion"], ["-c", _PLAIN]], ids=["scanner", "processes"])
def test_a_million_comments_in_one_thread_take_little_memory(source: Path, tmp_path: Path, way: list[str]) -> None:
    command = [sys.executable, *way, "mine", str(source), "-o", str(tmp_path / "out"), "--workers", "2"]
    most = 0
    with subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True) as running:
        process = psutil.Process(running.pid)
        while running.poll() is None:
            most = max(most, proportional(process))
            time.sleep(0.05)
        assert running.returncode == 0, running.stderr.read() if running.stderr else ""
    comments = pq.ParquetFile(tmp_path / "out/comments.parquet")
    assert comments.metadata.num_rows == COUNT
    depths = comments.read(columns=["depth"])["depth"].to_numpy()
    assert depths.min() == 0 and depths.max() >= CHAIN - 1
    assert read_json(tmp_path / "out/counts.json")["comments in trees"] == {"read": COUNT, "kept": COUNT}
    print(f"{most} MiB at most")
    assert most < LIMIT
