"""Lines with a word in them, found in raw memory by machine code that Numba makes of this file, without Python's lock."""

from __future__ import annotations

from typing import Any

from numba import carray, cfunc, types

from suasion.persuasion.mining.sources.rawjson import NEWLINE, compiled
from suasion.persuasion.mining.sources.rows import AT_ONCE
from suasion.persuasion.mining.sources.simd import alike, byte, first, newlines


@compiled
def _is_there(p: int, word: Any) -> bool:
    """Whether the word stands at ``p``, in letters of any size."""
    for place in range(len(word)):
        letter = byte(p + place)
        if (letter | 0x20 if 0x41 <= letter <= 0x5A else letter) != word[place]:
            return False
    return True


@compiled
def _pick(p: int, stop: int, word: Any, spans: Any) -> tuple[int, int]:
    """Find lines with a word until there are no more or the table is full.

    Args:
        p, stop: addresses of whole lines; 64 bytes more than the word is long can be read behind them.
        word: in small letters, at least one.
        spans: int64, shape (any, 2), for the addresses at which each line begins and ends (after its newline).

    Returns:
        Where to go on, and how many rows of the table are filled.
    """
    head, tail, last = word[0], word[-1], len(word) - 1
    line = p
    found = 0
    while p < stop and found < len(spans):
        hits = alike(p, head) & alike(p + last, tail)
        hit = 0
        while hits and not hit:
            place = p + first(hits)
            hits &= hits - 1
            hit = place if place + last < stop and _is_there(place, word) else 0
        p += AT_ONCE
        if hit:
            start, p = hit, hit
            while start > line and byte(start - 1) != NEWLINE:
                start -= 1
            while p < stop and newlines(p) == 0:
                p += AT_ONCE
            p = line = min(stop, p + first(newlines(p)) + 1) if p < stop else stop
            spans[found, 0], spans[found, 1] = start, p
            found += 1
    return p, found


_NUMBER, _TABLE = types.int64, types.CPointer(types.int64)


@cfunc(types.void(_TABLE, types.CPointer(types.uint8), _NUMBER, _TABLE, _NUMBER))
def pick(state: Any, word: Any, letters: int, spans: Any, most: int) -> None:
    """:func:`_pick` for callers from outside; ``state`` holds p, stop and the number of rows."""
    now = carray(state, (3,))
    now[0], now[2] = _pick(now[0], now[1], carray(word, (letters,)), carray(spans, (most, 2)))
