"""Blocks of a dump's lines into Arrow columns by :mod:`scan`: what :func:`columns.read_block` gives, several times as fast.

An unusual line is read by :func:`columns.read_one`. The comment that it may tell is then written as a plain line and scanned as well: so
all comments of a block come in one batch and in order.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping
from typing import Any

import msgspec
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from suasion.persuasion.mining.awards import may_hold_token
from suasion.persuasion.mining.debates import DELETED, READ_COMMENTS, Comment
from suasion.persuasion.mining.sources import rows as table
from suasion.persuasion.mining.sources.columns import Batch, collect, read_one
from suasion.persuasion.mining.sources.lines import MAX_LINE
from suasion.persuasion.mining.sources.rows import AT_ONCE, LENGTH
from suasion.persuasion.mining.sources.submissions import usual_posts

_ROWS, _UNUSUAL = 1 << 16, 1 << 12  # of the tables: more than a block mostly has, so that it is one batch
_LOOK = 1 << 14
_AT_A_TIME = 400  # submissions: what is decoded of them stays in the processor's cache
_STRINGS = {
    "comment_id": table.ID,
    "debate_id": table.LINK,
    "parent_id": table.PARENT,
    "author": table.AUTHOR,
    "text": table.TEXT,
    "distinguished": table.DISTINGUISHED,
}
_FLAGS = {"parent_is_post": table.TO_POST, "edited": table.EDITED, "by_submitter": table.BY_SUBMITTER}


class Scanner:
    """Reads one block after another, always into the same memory: fresh memory costs more time than all else. For one thread.

    Args:
        functions: of :func:`machine.functions`.
        deal: gives the part of each of some debates' ids; comments come ordered by part, and within a part as in the block.
    """

    def __init__(self, functions: Mapping[str, Callable[..., None]], deal: Callable[[pa.Array], NDArray[np.int64]] | None = None) -> None:
        self._scan, self._gather = functions["scan"], functions["gather"]
        self._deal = deal
        self._rows = np.empty((_ROWS + _UNUSUAL, table.WIDTH), dtype=np.int64)
        self._unusual = np.empty((_UNUSUAL, 3), dtype=np.int64)
        self._keys = np.empty((2, table.MOST_KEYS, 2), dtype=np.int64)
        self._deleted = _padded(DELETED.encode())
        self._memory: dict[str, NDArray[Any]] = {}
        self._count = self._left = self._number = 0

    def read(self, block: memoryview, subreddit: str | None) -> Batch:
        """What :func:`columns.read_block` gives. The batch is good until the next call."""
        batch, whole = Batch(), np.frombuffer(block, dtype=np.uint8)
        cut = _last_line(whole)
        rest = whole[cut:].tobytes()
        last = _padded(rest if rest.endswith(b"\n") else rest + b"\n")
        strings = self._room("strings", len(whole) + 3 * AT_ONCE)
        # No name is of the byte 0xFF: where "" is wanted, all lines that name a subreddit are unusual.
        wanted = _padded(b"" if subreddit is None else subreddit.lower().encode("utf-8", "surrogatepass") or b"\xff")
        out, self._number = _address(strings), 0
        for piece, size in ((whole, cut), (last, len(last) - AT_ONCE)):
            start = _address(piece)
            stop = start + size
            while start < stop:
                start, out = self._fill(start, stop, out, wanted)
                if start < stop:
                    self._flush(batch, subreddit)
                    out = _address(strings)
        self._flush(batch, subreddit)
        return batch

    def _fill(self, start: int, stop: int, out: int, wanted: NDArray[np.uint8], most: int = _ROWS) -> tuple[int, int]:
        """Lines into the tables, until one is full; where to go on, and where the next strings are to be written."""
        state = np.array([start, self._number, out, self._count, self._left, stop])
        tables = _address(self._rows), most, _address(self._unusual), _UNUSUAL
        self._scan(_address(state), *tables, _address(wanted), len(wanted) - AT_ONCE, _address(self._keys))
        start, self._number, out, self._count, self._left, _ = state.tolist()
        return start, out

    def _flush(self, batch: Batch, subreddit: str | None) -> None:
        """Empty the tables into the batch."""
        batch.reading.lines["read"] += self._count
        held = self._read_unusual(batch, subreddit) if self._left else None  # memory of strings: till they are gathered
        if self._count:
            batch.comments.append(self._columns(f"{len(batch.comments)} "))
        del held
        self._count = self._left = 0

    def _read_unusual(self, batch: Batch, subreddit: str | None) -> Any:
        """Add what the unusual lines hold; comments are added to the table of rows. Returns what holds the memory of their strings."""
        comments, numbers = [], []
        for first in range(0, self._left, _AT_A_TIME):
            run = self._unusual[first : min(self._left, first + _AT_A_TIME)]
            if (posts := _usual_posts(run, subreddit)) is not None:
                batch.reading.lines["read"] += len(posts)
                batch.posts.append(posts)
                continue
            others = []
            for address, size, number in run.tolist():
                for thing in read_one(ctypes.string_at(address, size), batch.reading, subreddit):
                    if isinstance(thing, Comment):
                        comments.append(thing)
                        numbers.append(number)
                    else:
                        others.append(thing)
            collect(batch, others)
        if not comments:
            return None
        lines = b"".join(map(_plain_line, comments))
        plain, strings = _padded(lines), np.empty(len(lines) + 3 * AT_ONCE, dtype=np.uint8)
        first, self._left = self._count, 0
        self._fill(_address(plain), _address(plain) + len(lines), _address(strings), _padded(b""), len(self._rows))
        if self._count != first + len(comments):
            raise AssertionError("a comment that was read could not be scanned")
        added = self._rows[first : self._count]
        added[:, table.NUMBER] = numbers
        added[:, table.CREATED] = [one.created_utc or 0 for one in comments]  # these may have more digits than are scanned
        added[:, table.SCORE] = [one.score or 0 for one in comments]
        added[:, table.FLAGS] |= [table.SCORED * (one.score is not None) for one in comments]
        return strings

    def _columns(self, name: str) -> pa.RecordBatch:
        """The rows as columns, dealt by part and in the order of lines."""
        rows = self._rows[: self._count]
        nameless = np.flatnonzero(rows[:, table.AUTHOR + LENGTH] == 0)
        rows[nameless, table.AUTHOR], rows[nameless, table.AUTHOR + LENGTH] = _address(self._deleted), len(DELETED)
        order = np.argsort(rows[:, table.NUMBER], kind="stable")
        if self._deal is not None:
            order = order[np.argsort(self._deal(self._strings(name, table.LINK, order)), kind="stable")]
        columns = {field: self._strings(name + field, column, order) for field, column in _STRINGS.items()}
        created, score, flags = (rows[order, column] for column in (table.CREATED, table.SCORE, table.FLAGS))
        columns["created_utc"] = pa.array(created, mask=created <= 0)
        columns["score"] = pa.array(score, mask=flags & table.SCORED == 0)
        columns |= {field: pa.array(flags & flag != 0) for field, flag in _FLAGS.items()}
        token = flags & table.TOKEN != 0
        for place in np.flatnonzero((flags & table.PERHAPS != 0) & ~token).tolist():
            token[place] = may_hold_token(columns["text"][place].as_py())
        columns["token"] = pa.array(token)
        return pa.record_batch([columns[field] for field in READ_COMMENTS.names], schema=READ_COMMENTS)

    def _strings(self, name: str, column: int, order: NDArray[np.int64]) -> pa.Array:
        """One column's strings, in memory that goes by a name."""
        sizes = self._rows[: len(order), column + LENGTH]
        offsets = self._room(f"{name} offsets", len(order) + 1, np.int64)
        data = self._room(name, int(sizes.sum()) + AT_ONCE)
        self._gather(_address(self._rows), len(self._rows), _address(order), len(order), column, _address(offsets), _address(data))
        known = pa.array(sizes[order] > 0).buffers()[1] if column == table.DISTINGUISHED else None
        return pa.Array.from_buffers(pa.large_string(), len(order), [known, pa.py_buffer(offsets), pa.py_buffer(data)])

    def _room(self, name: str, size: int, kind: Any = np.uint8) -> NDArray[Any]:
        """Memory of at least this size, the same for the same name."""
        if name not in self._memory or len(self._memory[name]) < size:
            self._memory[name] = np.empty(size + size // 4, dtype=kind)
        return self._memory[name]


def _usual_posts(lines: NDArray[np.int64], subreddit: str | None) -> pa.RecordBatch | None:
    """What some lines (address, size, number) hold, if they lie side by side and all are usual submissions."""
    start, size = int(lines[0, 0]), int(lines[:, 1].sum()) + len(lines)
    if lines[-1, 0] + lines[-1, 1] + 1 != start + size or lines[:, 1].max() > MAX_LINE:
        return None
    return usual_posts(memoryview((ctypes.c_ubyte * size).from_address(start)), subreddit)


def _plain_line(comment: Comment) -> bytes:
    """A line that the scanner takes, without the numbers."""
    line = {
        "id": f"t1_{comment.comment_id}",
        "link_id": f"t3_{comment.debate_id}",
        "parent_id": f"{'t3_' if comment.parent_is_post else 't1_'}{comment.parent_id}",
        "author": comment.author,
        "body": comment.text.replace("&", "&amp;"),
        "edited": comment.edited,
        "distinguished": comment.distinguished,
        "is_submitter": comment.by_submitter,
    }
    return msgspec.json.encode(line) + b"\n"


def _padded(data: bytes) -> NDArray[np.uint8]:
    return np.frombuffer(data + bytes(AT_ONCE), dtype=np.uint8)


def _address(array: NDArray[Any]) -> int:
    return int(array.ctypes.data)


def _last_line(block: NDArray[np.uint8]) -> int:
    """Where the first line begins that ends less than 64 bytes before the block does: there the scanner would read past the end."""
    end = max(0, len(block) - AT_ONCE)
    for size in (_LOOK, end):
        start = max(0, end - size)
        found = np.flatnonzero(block[start:end] == 0x0A)
        if len(found):
            return start + int(found[-1]) + 1
    return 0
