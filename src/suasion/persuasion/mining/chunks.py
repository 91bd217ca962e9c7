"""What was read, on disk in small numbered files, dealt by debate: so that memory does not grow with a dump, and a killed run goes on.

A chunk holds what some megabytes of input held: its comments and posts in Arrow files, one record batch a part, and its counts in a JSON
file, which is written last and marks the chunk as done. All comments of a debate are in the same part of every chunk.
"""

from __future__ import annotations

import json
import os
import resource
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import astuple, dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.ipc as ipc

from suasion.errors import SuasionError
from suasion.persuasion.mining.awards import BOT
from suasion.persuasion.mining.debates import POSTS, READ_COMMENTS, Comment, Label, Post
from suasion.persuasion.mining.sources.columns import Batch, collect
from suasion.persuasion.mining.sources.lines import Reading

_THINGS_AT_ONCE = 20_000
_BUFFER = 1 << 16
_MOST_OPEN = min(200, resource.getrlimit(resource.RLIMIT_NOFILE)[0] // 6)  # files of each kind, in each of two threads


@dataclass(frozen=True)
class Chunks:
    """A folder of chunks.

    Attributes:
        folder: where they lie.
        parts: number of parts that debates are dealt into.
    """

    folder: Path
    parts: int

    def done(self, name: str) -> bool:
        """Whether the chunk was written whole."""
        return (self.folder / f"{name}.json").is_file()

    def write(self, name: str, batch: Batch) -> None:
        """Write a chunk."""
        comments = pa.Table.from_batches(batch.comments, READ_COMMENTS)
        posts = pa.Table.from_batches(batch.posts, POSTS)
        self._write_parts(f"{name}.comments", comments)
        self._write_parts(f"{name}.posts", posts)
        said = {
            "posts": len(posts),
            "comments": len(comments),
            "bot": int(pc.sum(pc.equal(pc.ascii_lower(comments["author"]), BOT)).as_py() or 0),
            "labels": [astuple(label) for label in batch.labels],
            "lines": batch.reading.lines,
            "mended": batch.reading.mended,
        }
        self._rename(name, "json", lambda path: path.write_text(json.dumps(said), encoding="utf-8"))

    def totals(self) -> Totals:
        """What all chunks say together."""
        totals = Totals(0, 0, 0, [], Reading())
        for path in sorted(self.folder.glob("*.json")):
            try:
                said = json.loads(path.read_text(encoding="utf-8"))
            except (OSError, ValueError) as error:
                raise _not_read_back(self.folder, error) from error
            totals.posts += said["posts"]
            totals.comments += said["comments"]
            totals.bot += said["bot"]
            totals.labels += [Label(*values) for values in said["labels"]]
            totals.reading.lines.update(said["lines"])
            totals.reading.mended.update(said["mended"])
        return totals

    def write_things(self, prefix: str, things: Iterator[Post | Comment | Label], reading: Reading) -> None:
        """Write a stream of things as chunks, leaving out those that an earlier, killed attempt has written.

        Args:
            prefix: of the chunks' names.
            reading: kept up to date by the stream; its line counts go into the chunks.
        """
        number, counted = 0, Reading()
        waiting: list[Post | Comment | Label] = []

        def flush() -> None:
            nonlocal number, counted
            since = Reading(reading.lines - counted.lines, reading.mended - counted.mended)
            counted = Reading(Counter(reading.lines), Counter(reading.mended))
            if not self.done(f"{prefix}-{number:06}"):
                batch = Batch(reading=since)
                collect(batch, waiting)
                self.write(f"{prefix}-{number:06}", batch)
            number += 1
            waiting.clear()

        for thing in things:
            waiting.append(thing)
            if len(waiting) >= _THINGS_AT_ONCE:
                flush()
        flush()

    def _write_parts(self, name: str, table: pa.Table) -> None:
        if not len(table):
            return
        part = part_of(table["debate_id"], self.parts)
        if (np.diff(part) < 0).any():  # the scanner has dealt them already
            order = np.argsort(part, kind="stable")
            part, table = part[order], table.take(pa.array(order))
        ends = np.searchsorted(part, np.arange(self.parts), side="right")
        dealt = table.combine_chunks().to_batches()[0]

        def write(path: Path) -> None:
            # Buffered: Arrow would call the kernel for each of a thousand small pieces.
            with pa.BufferedOutputStream(pa.OSFile(str(path), "wb"), _BUFFER) as sink, ipc.new_file(sink, table.schema) as writer:
                for start, end in zip([0, *ends[:-1].tolist()], ends.tolist(), strict=True):
                    writer.write_batch(dealt.slice(start, end - start))

        self._rename(name, "arrow", write)

    def _rename(self, name: str, suffix: str, write: Callable[[Path], object]) -> None:
        """Whole or absent. Not fsynced: after a power cut the files may be broken, and the folder is then to be deleted."""
        temporary = self.folder / f"{name}.{suffix}.tmp"
        try:
            write(temporary)
            os.replace(temporary, self.folder / f"{name}.{suffix}")
        except OSError as error:
            with suppress(OSError):
                temporary.unlink()
            raise SuasionError(
                f"Could not write: {os.strerror(error.errno) if error.errno else error}",
                where=self.folder,
                hint="Free some space or choose another folder, and start it again: it goes on.",
            ) from error


class PartReader:
    """Reads parts out of all chunks, for one thread. The files stay open as long as there are not too many of them."""

    def __init__(self, chunks: Chunks) -> None:
        self._folder = chunks.folder
        self._readers: dict[str, Sequence[Callable[[], ipc.RecordBatchFileReader]]] = {}
        for kind in ("posts", "comments"):
            paths = [str(path) for path in sorted(chunks.folder.glob(f"*.{kind}.arrow"))]
            opening = [lambda path=path: ipc.open_file(pa.OSFile(path)) for path in paths]
            try:
                if len(paths) <= _MOST_OPEN:  # opening takes as long as reading
                    opening = [lambda reader=one(): reader for one in opening]  # noqa: B008
            except (OSError, pa.ArrowException) as error:
                raise _not_read_back(chunks.folder, error) from error
            self._readers[kind] = opening

    def read(self, parts: Sequence[int]) -> tuple[pa.Table, pa.Table]:
        """Posts and comments of some parts, one after the other, each in the order of reading."""
        return self._table("posts", parts, POSTS), self._table("comments", parts, READ_COMMENTS)

    def _table(self, kind: str, parts: Sequence[int], schema: pa.Schema) -> pa.Table:
        try:
            return pa.Table.from_batches([reader().get_batch(part) for part in parts for reader in self._readers[kind]], schema)
        except (OSError, pa.ArrowException) as error:
            raise _not_read_back(self._folder, error) from error


def _not_read_back(folder: Path, error: Exception) -> SuasionError:
    return SuasionError(
        f"What was read so far cannot be read back: {error!s:.200}", where=folder, hint="Delete this folder and start it again."
    )


@dataclass
class Totals:
    """Posts, comments and comments by DeltaBot that were read, labels, and what happened to the lines."""

    posts: int
    comments: int
    bot: int
    labels: list[Label]
    reading: Reading


def part_of(debate_ids: pa.ChunkedArray | pa.Array, parts: int) -> np.ndarray:
    """The part of each debate: from its id's last three letters, which differ even where ids are counted upwards. Shape (n,)."""
    column = debate_ids.combine_chunks() if isinstance(debate_ids, pa.ChunkedArray) else debate_ids
    if not len(column):
        return np.empty(0, dtype=np.int64)
    _, offsets, data = column.buffers()
    ends = np.frombuffer(offsets, dtype=np.int64)[column.offset : column.offset + len(column) + 1]
    letters = np.frombuffer(data, dtype=np.uint8) if data is not None and data.size else np.zeros(1, dtype=np.uint8)
    code = np.zeros(len(column), dtype=np.int64)
    for back, weight in ((1, 1), (2, 37), (3, 1373)):
        position = ends[1:] - back
        code += np.where(position >= ends[:-1], letters[np.maximum(position, 0)], 0).astype(np.int64) * weight
    return code % parts


def parts_for(labels: Sequence[Label], parts: int) -> list[list[Label]]:
    """Labels dealt as their debates are."""
    dealt: list[list[Label]] = [[] for _ in range(parts)]
    ids = pa.array([label.debate_id for label in labels], pa.large_string())
    for label, part in zip(labels, part_of(ids, parts).tolist(), strict=True):
        dealt[part].append(label)
    return dealt
