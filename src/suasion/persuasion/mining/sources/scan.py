"""Lines of a dump straight into a table of numbers, by machine code that Numba makes of this file.

One pass over the bytes, without Python's lock and without an object for each row. A line is taken here only if it is a plain comment in
every respect; any surprise makes it *unusual*, and it is left to others (:mod:`scanner`). Addresses are plain integers, and 0 instead of
one says "unusual". Every line ends in a newline, with 64 more bytes that can be read.
"""

from __future__ import annotations

from typing import Any

from numba import carray, cfunc, types

from suasion.persuasion.mining.sources.lines import MAX_LINE
from suasion.persuasion.mining.sources.rawjson import (
    BACKSLASH,
    COMMA,
    END,
    LIST,
    NEWLINE,
    OBJECT,
    QUOTE,
    THREE,
    F,
    N,
    T,
    blank,
    colon,
    compiled,
    skip_nested,
    skip_number,
    skip_plain,
    skip_string,
    spelled,
    string,
    whole_number,
)
from suasion.persuasion.mining.sources.rows import (
    AT_ONCE,
    AUTHOR,
    BY_SUBMITTER,
    CREATED,
    DISTINGUISHED,
    EDITED,
    FLAGS,
    ID,
    LENGTH,
    LINK,
    MOST_KEYS,
    NUMBER,
    PARENT,
    PERHAPS,
    SCORE,
    SCORED,
    TEXT,
    TO_POST,
    TOKEN,
    WIDTH,
)
from suasion.persuasion.mining.sources.simd import byte, copy, differences, ends_of_string, first, newlines, word

_SUBREDDIT, _CREATED, _SCORE, _EDITED, _SUBMITTER, _OTHER = range(6, 12)  # keys, beside those of the strings
_SHORT_KEYS = tuple(
    (key, spelled(name))
    for key, name in ((ID, "id"), (TEXT, "body"), (_SCORE, "score"), (AUTHOR, "author"), (_EDITED, "edited"), (LINK, "link_id"))
)
_LONG_KEYS = tuple(
    (key, spelled(name[:8]), spelled(name[-8:]))
    for key, name in (
        (PARENT, "parent_id"),
        (_SUBREDDIT, "subreddit"),
        (_CREATED, "created_utc"),
        (_SUBMITTER, "is_submitter"),
        (DISTINGUISHED, "distinguished"),
    )
)
_T1, _T3 = spelled("t1_"), spelled("t3_")


@compiled
def _which(p: int, size: int) -> int:
    """The key of ``size`` letters at ``p``, told by its first eight and its last eight letters."""
    if size < 8:
        start = word(p) & ((1 << 8 * size) - 1)
        for key, spelled in _SHORT_KEYS:
            if start == spelled:
                return key
    elif size < 14:
        start, end = word(p), word(p + size - 8)
        for key, first_eight, last_eight in _LONG_KEYS:
            if start == first_eight and end == last_eight:
                return key
    return _OTHER


@compiled
def _is_wanted(p: int, size: int, wanted: Any) -> bool:
    """Whether a subreddit's name is the wanted one (in small letters), or empty."""
    if size and size != len(wanted):
        return False
    for place in range(size):
        letter = byte(p + place)
        if (letter | 0x20 if 0x41 <= letter <= 0x5A else letter) != wanted[place]:
            return False
    return True


@compiled
def _line(p: int, out: int, row: Any, wanted: Any, before: Any, known: int, keys: Any) -> tuple[int, int, int]:
    """One line into a row.

    Most lines repeat most of the line before: where a key that is not wanted begins as it did there, up to the next key, it is skipped.

    Args:
        before: address and kind of the ``known`` keys of an earlier line, shape (MOST_KEYS, 2).
        keys: the same of this line, to be filled in.

    Returns:
        The address of the newline (0 where the line is unusual), where the next strings are to be written, and the number of keys.
    """
    row[:] = 0
    flags = count = 0
    p = blank(p)
    if byte(p) != OBJECT:
        return 0, out, 0
    p = blank(p + 1)
    while True:
        if byte(p) != QUOTE or count == MOST_KEYS:
            return 0, out, 0
        if count + 1 < known and before[count, 1] == _OTHER:
            start = before[count, 0]
            size = before[count + 1, 0] - start
            if size < AT_ONCE and differences(p, start) & ((1 << size) - 1) == 0:
                keys[count, 0], keys[count, 1] = p, _OTHER
                count += 1
                p += size
                continue
        stops = ends_of_string(p + 1)
        size = first(stops) if stops else AT_ONCE
        key = _which(p + 1, size)
        keys[count, 0], keys[count, 1] = p, key
        count += 1
        p += 1 + size
        if byte(p) == BACKSLASH:  # an escape might spell a key that is wanted
            return 0, out, 0
        p = colon(p + 1 if byte(p) == QUOTE else skip_string(p, out))
        if p == 0:
            return 0, out, 0
        letter = byte(p)
        if key == _OTHER:
            p = skip_nested(p, out) if letter in (OBJECT, LIST) else skip_plain(p, out)
        elif key <= _SUBREDDIT:
            start = out
            token = 0
            if letter == QUOTE:
                p, out, token = string(p + 1, out, key == TEXT)
            elif letter == N and (key in (AUTHOR, DISTINGUISHED, _SUBREDDIT)):
                p = skip_plain(p, out)
            else:
                return 0, out, 0
            if key == _SUBREDDIT:
                if len(wanted) and not _is_wanted(start, out - start, wanted):
                    return 0, out, 0
            else:
                if key == TEXT:
                    flags = flags & ~(TOKEN | PERHAPS) | token
                row[key] = start
                row[key + LENGTH] = out - start
        elif letter == N:
            p = skip_plain(p, out)
            if key == _CREATED:
                row[CREATED] = 0
            else:
                flags &= ~(SCORED if key == _SCORE else EDITED if key == _EDITED else BY_SUBMITTER)
        elif key in (_EDITED, _SUBMITTER):
            flag = EDITED if key == _EDITED else BY_SUBMITTER
            if letter in (T, F):
                yes = letter == T
                p = skip_plain(p, out)
            elif key == _EDITED:
                p, _, zero = skip_number(p)
                yes = not zero
            else:
                return 0, out, 0
            flags = flags | flag if yes else flags & ~flag
        else:
            quoted = letter == QUOTE  # in old dumps times are in quotes
            start = p + quoted
            p, whole, _ = skip_number(start)
            if p == 0 or not whole or p - start > (15 if quoted else 18) or (quoted and byte(p) != QUOTE):
                return 0, out, 0  # more digits may not fit; those in quotes are read as floats
            if key == _CREATED:
                row[CREATED] = whole_number(start, p)
            else:
                row[SCORE] = whole_number(start, p)
                flags |= SCORED
            p += quoted
        if p == 0:
            return 0, out, 0
        p = blank(p)
        if byte(p) != COMMA:
            break
        p = blank(p + 1)
    end = blank(p + 1)
    if byte(p) != END or byte(end) != NEWLINE or row[TEXT] == 0:
        return 0, out, 0
    for key in (ID, LINK, PARENT):
        if row[key + LENGTH] >= 3:
            kind = word(row[key]) & THREE
            if kind in (_T1, _T3):
                row[key] += 3
                row[key + LENGTH] -= 3
                flags |= TO_POST * (key == PARENT and kind == _T3)
            elif key == PARENT:  # only a look at the debate's id could tell what is answered
                return 0, out, 0
        elif key == PARENT:
            return 0, out, 0
        if row[key + LENGTH] == 0:
            return 0, out, 0
    row[FLAGS] = flags
    return end, out, count


@compiled
def _scan(start: int, stop: int, number: int, out: int, rows: Any, count: int, unusual: Any, left: int, wanted: Any, keys: Any) -> Any:
    """Scan lines until they end or a table is full.

    Args:
        start, stop: addresses of the lines.
        number: of the first line.
        out: where strings are written, one behind the other; they take as much room as the lines, and 64 bytes.
        rows: table of the comments, int64, shape (any, WIDTH); ``count`` of its rows are filled.
        unusual: table of the other lines: address, size and number, int64, shape (any, 3); ``left`` of its rows are filled.
        wanted: the subreddit's name in small letters, as bytes; empty if all are.
        keys: room for those of two lines, int64, shape (2, MOST_KEYS, 2).

    Returns:
        start, number, out, count and left for the next call.
    """
    known = this = 0
    while start < stop and count < len(rows) and left < len(unusual):
        row = rows[count]
        end, after, found = _line(start, out, row, wanted, keys[1 - this], known, keys[this])
        if end and end - start <= MAX_LINE:
            row[NUMBER] = number
            count += 1
            out = after
            known, this = found, 1 - this
        else:
            end = start
            while newlines(end) == 0:
                end += AT_ONCE
            end += first(newlines(end))
            unusual[left, 0], unusual[left, 1], unusual[left, 2] = start, end - start, number
            left += 1
        start = end + 1
        number += 1
    return start, number, out, count, left


@compiled
def _gather(rows: Any, order: Any, column: int, offsets: Any, out: int) -> None:
    """Write one column's strings in some order, one behind the other and 64 bytes more; ``offsets`` tells where each begins and ends."""
    at = 0
    offsets[0] = 0
    for place in range(len(order)):
        row = order[place]
        start, size = rows[row, column], rows[row, column + LENGTH]
        for done in range(0, size, AT_ONCE):
            copy(out + at + done, start + done)
        at += size
        offsets[place + 1] = at


_NUMBER, _TABLE = types.int64, types.CPointer(types.int64)


@cfunc(types.void(_TABLE, _TABLE, _NUMBER, _TABLE, _NUMBER, types.CPointer(types.uint8), _NUMBER, _TABLE))
def scan(state: Any, rows: Any, most: int, unusual: Any, most_unusual: int, wanted: Any, letters: int, keys: Any) -> None:
    """:func:`_scan` for callers from outside: the tables' addresses and sizes; ``state`` holds what goes in and comes out."""
    now = carray(state, (6,))
    tables = carray(rows, (most, WIDTH)), carray(unusual, (most_unusual, 3)), carray(keys, (2, MOST_KEYS, 2))
    now[0], now[1], now[2], now[3], now[4] = _scan(
        now[0], now[5], now[1], now[2], tables[0], now[3], tables[1], now[4], carray(wanted, (letters,)), tables[2]
    )


@cfunc(types.void(_TABLE, _NUMBER, _TABLE, _NUMBER, _NUMBER, _TABLE, _NUMBER))
def gather(rows: Any, most: int, order: Any, count: int, column: int, offsets: Any, out: int) -> None:
    """:func:`_gather` for callers from outside."""
    _gather(carray(rows, (most, WIDTH)), carray(order, (count,)), column, carray(offsets, (count + 1,)), out)
