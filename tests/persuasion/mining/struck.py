"""``suasion mine`` with small blocks, and told where to be struck: run as a process of its own, so that nothing of it can tidy up."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

BLOCK = 8192


@dataclass(frozen=True)
class Ended:
    """How it ended, and the names of the chunks that it wrote."""

    status: int
    out: str
    err: str
    written: list[str]


def suasion_mine(log: Path, *words: object, strike: str = "", file_limit: int = 0, scanner: bool = True) -> Ended:
    """Run ``suasion mine WORDS``.

    Args:
        log: a file that takes the names of the chunks.
        strike: ``chunk:N`` before chunk N of the dump is given to somebody, ``part:N`` before part N is harvested, ``end`` before the
            counts are written.
        file_limit: the largest size a file may reach, in bytes: what a full disk feels like.
        scanner: whether the scanner may be used where it is installed.
    """
    job = {"words": [str(word) for word in words], "strike": strike, "file_limit": file_limit, "scanner": scanner, "log": str(log)}
    log.write_text("")
    done = subprocess.run(
        [sys.executable, "-m", "tests.persuasion.mining.struck", json.dumps(job)],
        capture_output=True,
        text=True,
        timeout=120,
        cwd=Path(__file__).resolve().parents[3],
    )
    return Ended(done.returncode, done.stdout, done.stderr, sorted(log.read_text().split()))


def _main(job: dict[str, Any]) -> None:
    from suasion.persuasion.mining import chunks, workers
    from suasion.persuasion.mining import mine as mining
    from suasion.persuasion.mining.sources import columns, dumps, lines

    workers.BLOCK = mining.BLOCK = BLOCK  # type: ignore[attr-defined]
    mining._PART, mining._AT_ONCE = 1 << 13, 1
    dumps._SCANNED = BLOCK // 4
    for module in (lines, dumps, columns):
        module.MAX_LINE = BLOCK // 3  # type: ignore[attr-defined]
    if not job["scanner"]:
        workers.machine.functions = lambda: None
    where, _, number = job["strike"].partition(":")
    if where == "chunk":
        chunks.Chunks.done = _struck(chunks.Chunks.done, int(number))  # type: ignore[method-assign]
    elif where == "part":
        mining.harvest = _struck(mining.harvest, int(number))  # type: ignore[attr-defined]
    elif where == "end":
        writes = mining.write_json  # type: ignore[attr-defined]
        strikes = _struck(writes, 0)
        mining.write_json = lambda path, value: (strikes if path.name == "counts.json" else writes)(path, value)  # type: ignore[attr-defined]
    mark = chunks.Chunks._rename

    def noted(self: Any, name: str, suffix: str, write: Callable[[Path], object]) -> None:
        mark(self, name, suffix, write)
        if suffix == "json":
            with open(job["log"], "a") as log:
                log.write(name + "\n")

    chunks.Chunks._rename = noted  # type: ignore[method-assign]
    if job["file_limit"]:
        resource.setrlimit(resource.RLIMIT_FSIZE, (job["file_limit"], resource.RLIM_INFINITY))
    from suasion.cli import main

    sys.argv = ["suasion", "mine", *job["words"]]
    main()


def _struck(function: Callable[..., Any], number: int) -> Callable[..., Any]:
    calls = 0

    def struck(*arguments: Any, **named: Any) -> Any:
        nonlocal calls
        if calls == number:
            os.kill(os.getpid(), signal.SIGKILL)
        calls += 1
        return function(*arguments, **named)

    return struck


if __name__ == "__main__":
    _main(json.loads(sys.argv[1]))
