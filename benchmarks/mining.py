"""Claims: mining goes at five times the pace of the plain script and at half the pace of ``zstd -dc FILE | wc -l``, on two processors;
a file of all of Reddit goes at four fifths of the pace of decompression; memory stays below 1.5 GiB whatever the dump's size.

    python benchmarks/mining.py [--gigabytes 4.2] [--folder FOLDER]

Makes a dump (kept in FOLDER for the next time) and mines it three ways, each in a process of its own, the fastest of three rounds.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from synthetic_dump import write_dump

ROUNDS = 3
HERE = Path(__file__).parent
_MINE = """
import sys
from pathlib import Path
from suasion.persuasion.mining.mine import mine

mined = mine([Path(sys.argv[1])], Path(sys.argv[2]))
print(f"{mined.comments} comments, {mined.awards} awards")
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--gigabytes", type=float, default=4.2, help="of comments before compression")
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "suasion-benchmark")
    parser.add_argument("--no-plain", action="store_true", help="leave the plain script out (it holds everything in memory)")
    arguments = parser.parse_args()
    one, month = (_dump(arguments.folder, arguments.gigabytes, elsewhere) for elsewhere in (0.0, 0.99))

    zstd, lines = _best(lambda: _zstd(next(one.glob("*comments.zst"))))
    print(f"{arguments.gigabytes:g} GB of comments, {lines.strip()} lines")
    print(f"zstd -dc | wc -l        {zstd:6.2f} s")
    ours, said = _best(lambda: _mine(one))
    peak = _peak(lambda watch: _mine(one, watch))
    print(f"suasion mine            {ours:6.2f} s, {peak:,.0f} MiB at its peak, all processes together: {said.strip()}")
    print(f"  pace against zstd     {zstd / ours:6.2f}   (claim: at least 0.5)")
    if not arguments.no_plain:
        plain, found = _best(lambda: _python([str(HERE / "plain_miner.py"), str(one)]), rounds=1)
        print(f"plain script            {plain:6.2f} s: {found.strip()} awards")
        print(f"  pace against it       {plain / ours:6.2f}   (claim: at least 5)")
    zstd, lines = _best(lambda: _zstd(next(month.glob("*comments.zst"))))
    ours, said = _best(lambda: _mine(month))
    print(f"all of Reddit, 1 % of {lines.strip()} lines wanted: zstd {zstd:.2f} s, suasion mine {ours:.2f} s: {said.strip()}")
    print(f"  pace against zstd     {zstd / ours:6.2f}   (claim: at least 0.8)")


def _dump(folder: Path, gigabytes: float, elsewhere: float) -> Path:
    """The folder of a dump of this size, made where it is not there yet."""
    place = folder / f"{gigabytes:g}-{'month' if elsewhere else 'one'}"
    if not (place / "done").is_file():
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir(parents=True)
        print(f"making {place} ...", file=sys.stderr)
        write_dump(place, int(gigabytes * 1e9), elsewhere=elsewhere)
        (place / "done").touch()
    return place


def _best(run: Callable[[], tuple[float, str]], rounds: int = ROUNDS) -> tuple[float, str]:
    return min(run() for _ in range(rounds))


def _zstd(path: Path) -> tuple[float, str]:
    started = time.perf_counter()
    with subprocess.Popen(["zstd", "-dc", "--long=31", path], stdout=subprocess.PIPE) as zstd:
        counted = subprocess.run(["wc", "-l"], stdin=zstd.stdout, capture_output=True, text=True, check=True)
    return time.perf_counter() - started, counted.stdout


def _mine(folder: Path, watch: Callable[[int], None] | None = None) -> tuple[float, str]:
    return _python(["-c", _MINE, str(folder)], watch)


def _python(arguments: Sequence[str], watch: Callable[[int], None] | None = None) -> tuple[float, str]:
    """Seconds and output of a Python process that writes to a folder of its own; ``watch`` is called with its id while it runs."""
    with tempfile.TemporaryDirectory() as out:
        started = time.perf_counter()
        process = subprocess.Popen([sys.executable, *arguments, out], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        while watch and process.poll() is None:
            watch(process.pid)
            time.sleep(0.05)
        said, _ = process.communicate()
        seconds = time.perf_counter() - started
    if process.returncode:
        sys.exit(f"{arguments} failed")
    return seconds, said


def _peak(run: Callable[[Callable[[int], None]], object]) -> float:
    """Peak memory in MiB of a process and its children, each shared page counted once. A round of its own: looking takes time."""
    held = [0]

    def watch(pid: int) -> None:
        with suppress(OSError):
            children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
            held.append(sum(_held(one) for one in (str(pid), *children)))

    run(watch)
    return max(held) / 2**20


def _held(pid: str) -> int:
    try:
        rows = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return next((int(row.split()[1]) << 10 for row in rows if row.startswith("Pss:")), 0)


if __name__ == "__main__":
    main()
