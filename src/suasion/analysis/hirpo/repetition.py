"""Run-on repetition: a model that got caught in a loop says the same again and again until its answer is cut off.

Handled in one way: where an answer ends in four or more copies of the same piece, two hundred characters in all, everything behind the
first copy is taken off. What is left is judged, so a loop neither hides a good answer nor fills the training pairs with thousands of
equal tokens. A piece is any run of up to 500 characters: a word, a line, a block. Loops that change a number each time are left alone.
"""

from __future__ import annotations

import zlib

import numpy as np

LONGEST_PIECE, COPIES, LEAST = 500, 4, 200
_DENSE = 5  # a loop is compressed at least so many times; nothing else needs a closer look


def without_loop(text: str) -> tuple[str, int]:
    """An answer without the loop at its end, and how many characters were taken off (0: there is none). Runs in linear time."""
    body = text.rstrip()
    end = np.frombuffer(body[-LONGEST_PIECE * COPIES - LONGEST_PIECE :].encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    if len(body) < LEAST or (not _dense(body[-LEAST:]) and not _dense(body[-LONGEST_PIECE * COPIES :])):
        return text, 0
    for period in range(1, min(LONGEST_PIECE, len(end) // COPIES) + 1):
        repeated = _run(end, period)
        if repeated >= max(LEAST, COPIES * period):
            start = _start(body, period, len(body) - repeated)
            line = body.find("\n", start + period, start + 2 * period)  # what stands before a loop may end as its pieces do
            kept = body[: line if line >= 0 else start + period].rstrip()
            return kept, len(text) - len(kept)
    return text, 0


def _dense(text: str) -> bool:
    raw = text.encode("utf-8", "surrogatepass")
    return len(zlib.compress(raw, 1)) * _DENSE <= len(raw) + 100  # the 100: what a header and a first copy weigh in a short text


def _run(end: np.ndarray, period: int) -> int:
    """How many characters at the end repeat with this period."""
    differs = np.flatnonzero(end[period:] != end[:-period])
    return int(len(end) - (differs[-1] + 1 if len(differs) else 0)) if len(end) > period else 0


def _start(body: str, period: int, start: int) -> int:
    """Where the repetition begins, which may be before the stretch that was looked at."""
    while start > 0 and body[start - 1] == body[start - 1 + period]:
        start -= 1
    return start
