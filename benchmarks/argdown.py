"""Claims: a medium Argdown snippet is read within 3 times of the official parser's time, and 40 times faster than the field's reference
implementation as shipped; 400 nodes in 200 blocks take less than 50 ms; a 3 MB file takes seconds, in linear time.

Rival: the official parser in node, on the same snippets in the same run, where a folder with it is named:

    npm install --prefix FOLDER --ignore-scripts @argdown/core@2.0.1
    python benchmarks/argdown.py FOLDER

Without one, its published figure is cited. The reference implementation may not be taken in here (AGPL): its figure is always cited.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from suasion.analysis.argdown import Document, parse

SNIPPETS, ROUNDS = 1000, 5
REFERENCE_MS, OFFICIAL_MS = 26.0, 0.24  # measured elsewhere on snippets of this kind: cited, not run here
SIZES = (0.1, 0.3, 1.0, 3.0)  # MB


def medium_map(number: int) -> str:
    """A map of 12 nodes below a thesis."""
    nodes = (
        f"    {'+' if i % 2 else '-'} <Argument {number}.{i}>: Because of reason number {i}, which is explained here at length.\n"
        f"        - [Reply {number}.{i}]: That reason does not hold.\n"
        for i in range(6)
    )
    return f"[Thesis {number}]: We should keep dogs as pets.\n" + "".join(nodes)


def medium_reconstruction(number: int) -> str:
    """A reconstruction of 8 items with inline data."""
    premises = (
        f"({i}) Premise number {i} says that dogs are loyal. {{formalization: 'p{i} -> q', declarations: {{'p{i}': 'x', 'q': 'y'}}}}\n"
        for i in range(1, 6)
    )
    return (
        f"<Argument {number}>: Dogs are loyal, so they are good pets.\n\n{''.join(premises)}"
        "-- modus ponens {from: ['1', '2', '3']} --\n(6) Intermediate conclusion.\n(7) Another premise.\n"
        "-- {from: ['6', '7']} --\n(8) [Conclusion]: Dogs are good pets.\n"
    )


def sound(text: str) -> Document:
    """The document; a benchmark of texts with errors would measure something else."""
    document = parse(text)
    assert not document.errors, document.errors  # noqa: S101
    return document


def milliseconds(work: Callable[[], object]) -> float:
    """How long it takes."""
    start = time.perf_counter()
    work()
    return (time.perf_counter() - start) * 1000


def official_median(folder: str, texts: list[str]) -> float:
    """Median milliseconds of the official parser, best of the rounds."""
    with tempfile.TemporaryDirectory() as temporary:
        file = Path(temporary) / "texts.json"
        file.write_text(json.dumps(texts), encoding="utf-8")
        command = ["node", str(Path(__file__).with_name("argdown_node.mjs")), str(Path(folder).resolve()), str(file)]
        done = [subprocess.run(command, capture_output=True, text=True, check=True) for _ in range(ROUNDS)]
    times: list[list[float]] = [json.loads(one.stdout.splitlines()[-1]) for one in done]
    return min(map(statistics.median, times))


def told(claim: str, value: float, limit: float, unit: str) -> None:
    """One line: what was measured, and whether it holds."""
    print(f"{claim:<58} {value:8.3f} {unit:<3} (at most {limit:g}) {'holds' if value <= limit else 'DOES NOT HOLD'}")


def main() -> None:
    """Measure and tell."""
    texts = [medium_map(i) if i % 2 else medium_reconstruction(i) for i in range(SNIPPETS)]
    ours = min(statistics.median(milliseconds(lambda text=text: sound(text)) for text in texts) for _ in range(ROUNDS))  # type: ignore[misc]
    told("medium snippet, median", ours, REFERENCE_MS / 40, "ms")
    print(f"  {REFERENCE_MS / ours:.0f} times the reference implementation as shipped (its {REFERENCE_MS:g} ms cited)")
    if len(sys.argv) > 1:
        official = official_median(sys.argv[1], texts)
        told(f"against the official parser ({official:.3f} ms in this run)", ours / official, 3, "x")
    else:
        told(f"against the official parser ({OFFICIAL_MS} ms, cited)", ours / OFFICIAL_MS, 3, "x")

    blocks = "\n\n".join(f"[Claim {i}]: text of claim {i}.\n    + <Argument {i}>: text of argument {i}." for i in range(200))
    told("400 nodes in 200 blocks", min(milliseconds(lambda: sound(blocks)) for _ in range(ROUNDS)), 50, "ms")

    print("growth:")
    rates = []
    unit = medium_map(0) + "\n" + medium_reconstruction(1)
    for size in SIZES:
        count = int(size * 1e6 / len(unit))
        text = "\n".join(f"{medium_map(i)}\n{medium_reconstruction(i)}" for i in range(count))
        taken = min(milliseconds(lambda text=text: sound(text)) for _ in range(2)) / 1000  # type: ignore[misc]
        rates.append(taken / len(text) * 1e6)
        print(f"  {len(text) / 1e6:5.2f} MB {taken:7.3f} s {rates[-1]:7.3f} s/MB")
    # 1 would be linear and 30 quadratic; Python's garbage collector and the processor's caches make up the difference to 1
    told("seconds a MB at 3 MB against 0.1 MB", rates[-1] / rates[0], 4, "x")
    told("a file of 3 MB", rates[-1] * 3, 6, "s")


if __name__ == "__main__":
    main()
