"""A Reddit dump as blocks of whole lines: plain NDJSON or zstd, one subreddit's or all of Reddit's."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import BinaryIO, Protocol

import msgspec
import numpy as np

from suasion.errors import SuasionError
from suasion.persuasion.mining.sources.frames import MAGIC, ZstdStream
from suasion.persuasion.mining.sources.lines import DELTALOG, MAX_LINE, Reading, is_of
from suasion.persuasion.mining.sources.machine import Functions
from suasion.persuasion.mining.sources.rows import AT_ONCE

_SNIFFED = 1 << 20
_SCANNED = 4 << 20
_STEP = 1 << 20
_PICKED = 1 << 12  # lines, until the rest of a block is looked at
_ZSTD = re.compile(rb"\x28\xb5\x2f\xfd|[\x50-\x5f]\x2a\x4d\x18")


class Stream(Protocol):
    """Bytes, decompressed."""

    def readinto(self, view: memoryview) -> int:
        """Fill ``view`` from its start; the number of bytes written, 0 at the end."""


class PlainStream:
    """The bytes of a file that is not compressed."""

    def __init__(self, file: BinaryIO, advance: Callable[[int], None]) -> None:
        self._file, self._advance = file, advance

    def readinto(self, view: memoryview) -> int:
        """As :class:`Stream`."""
        read: int = self._file.readinto(view)  # type: ignore[attr-defined]
        self._advance(read)
        return read


@contextmanager
def open_dump(path: Path, reading: Reading, advance: Callable[[int], None]) -> Iterator[Stream]:
    """The stream of a dump; ``advance`` is told of the bytes taken from the file.

    Raises:
        SuasionError: the file cannot be read, or needs a window larger than 2 GiB.
    """
    try:
        with path.open("rb", buffering=0) as file:
            if not is_zstd(file.read(4)):
                file.seek(0)
                yield PlainStream(file, advance)
                return
        stream = ZstdStream(path, reading, advance)
        try:
            yield stream
        finally:
            stream.close()
    except OSError as error:
        raise SuasionError(f"Cannot be read: {error.strerror or error}", where=path) from error


def is_zstd(start: bytes) -> bool:
    """Whether a file that begins so is compressed with zstd."""
    return _ZSTD.match(start) is not None or start == MAGIC


class LineBlocks:
    """Cuts a stream into blocks of whole lines. A line longer than :data:`MAX_LINE` is left out without being held."""

    def __init__(self, stream: Stream, reading: Reading) -> None:
        self._stream, self._reading = stream, reading
        self._rest = b""
        self._ended = False

    def fill(self, view: memoryview) -> int:
        """Fill ``view`` (more than twice :data:`MAX_LINE`) with whole lines; the number of bytes used, 0 at the end."""
        while True:
            used = len(self._rest)
            view[:used] = self._rest
            self._rest = b""
            while used < len(view) and not self._ended:
                read = self._stream.readinto(view[used:])
                self._ended = read == 0
                used += read
            if self._ended:
                return used
            end = _after_last_line(view, used)
            if used - end <= MAX_LINE:
                self._rest = bytes(view[end:used])
                return end
            self._skip_long_line()
            if end:
                return end

    def _skip_long_line(self) -> None:
        """What stands in the view after its last whole line begins one that is too long: drop what the stream still holds of it."""
        self._reading.lines["read"] += 1
        self._reading.lines["line too long"] += 1
        scratch = memoryview(bytearray(_SCANNED))
        while read := self._stream.readinto(scratch):
            found = bytes(scratch[:read]).find(b"\n")
            if found >= 0:
                self._rest = bytes(scratch[found + 1 : read])
                return
        self._ended = True


def _after_last_line(view: memoryview, used: int) -> int:
    """The end of the last whole line in ``view[:used]``; 0 where none ends in it. Looks at the last few kilobytes first."""
    for size in (1 << 14, 1 << 20, used):
        start = max(0, used - size)
        end = bytes(view[start:used]).rfind(b"\n")
        if end >= 0:
            return start + end + 1
    return 0


class FilteredBlocks:
    """Blocks of those lines of a stream that hold one of some words: a look at bytes, before anything is parsed.

    For files of all of Reddit. The stream is read ahead in a thread, which the decompressor leaves free of Python's lock.

    Args:
        stream: as :class:`LineBlocks` takes it.
        reading: is counted up.
        words: spellings of one name.
        functions: of :func:`machine.functions`, if they can be had: then the lines are found in a quarter of the time.
    """

    def __init__(self, stream: Stream, reading: Reading, words: Sequence[bytes], functions: Functions | None = None) -> None:
        self._blocks, self._reading = LineBlocks(stream, reading), reading
        size = 2 * MAX_LINE + _SCANNED
        self._buffers = [bytearray(size + AT_ONCE + max(map(len, words))) for _ in range(2)]
        self._views = [memoryview(buffer)[:size] for buffer in self._buffers]
        small = {word.lower() for word in words}
        self._lines_with = (
            partial(picked, functions["pick"], small.pop()) if functions and len(small) == 1 else partial(_lines_with, words=words)
        )
        self._thread = ThreadPoolExecutor(1, "decompress")
        self._ahead = self._thread.submit(self._blocks.fill, self._views[0])
        self._lines: Iterator[bytes] = self._all_lines()
        self._waiting = b""

    def fill(self, view: memoryview) -> int:
        """Fill ``view`` with whole lines that hold a word; the number of bytes used, 0 at the end."""
        used = len(self._waiting)
        view[:used] = self._waiting
        self._waiting = b""
        for line in self._lines:
            if used + len(line) > len(view):
                self._waiting = line
                return used
            view[used : used + len(line)] = line
            used += len(line)
        return used

    def close(self) -> None:
        """End the thread, before the stream may be closed."""
        self._thread.shutdown(cancel_futures=True)

    def _all_lines(self) -> Iterator[bytes]:
        while used := self._ahead.result():
            buffer = self._buffers[0]
            self._buffers.reverse()
            self._views.reverse()
            self._ahead = self._thread.submit(self._blocks.fill, self._views[0])
            total, kept = _newlines(buffer, used), 0
            for start, end in self._lines_with(buffer, used):
                kept += 1
                yield bytes(buffer[start:end])
            skipped = total + (buffer[used - 1] != 0x0A) - kept
            self._reading.lines["read"] += skipped
            self._reading.lines["another subreddit"] += skipped


# All go by small steps, or let Python's lock go: else they would keep the thread that decompresses waiting for it.


def _newlines(buffer: bytearray, used: int) -> int:
    letters, hits = np.frombuffer(buffer, dtype=np.uint8, count=used), np.empty(_STEP, dtype=bool)
    steps = (letters[start : start + _STEP] for start in range(0, used, _STEP))
    return sum(int(np.count_nonzero(np.equal(step, 0x0A, out=hits[: len(step)]))) for step in steps)


def picked(pick: Callable[..., None], word: bytes, buffer: bytearray, used: int) -> Iterator[tuple[int, int]]:
    """What :func:`_lines_with` gives, for a word in letters of any size.

    Args:
        pick: of :mod:`pick`.
        word: in small letters.
        buffer: with 64 bytes, and those of the word, behind what is used.
    """
    at = np.frombuffer(buffer, dtype=np.uint8).ctypes.data
    letters, spans = np.frombuffer(word, dtype=np.uint8), np.empty((_PICKED, 2), dtype=np.int64)
    state = np.array([at, at + used, 0])
    while state[0] < at + used:
        pick(state.ctypes.data, letters.ctypes.data, len(letters), spans.ctypes.data, len(spans))
        yield from map(tuple, (spans[: state[2]] - at).tolist())


def _lines_with(buffer: bytearray, used: int, words: Sequence[bytes]) -> Iterator[tuple[int, int]]:
    """Start and end of every line of ``buffer[:used]`` that holds one of the words, in order."""
    overlap, done = max(map(len, words)) - 1, 0
    for step in range(0, used, _STEP):
        stop = min(used, step + _STEP + overlap)
        places = [buffer.find(word, max(done, step), stop) for word in words]
        while (first := min((place for place in places if place >= 0), default=-1)) >= 0:
            start, done = buffer.rfind(b"\n", 0, first) + 1, buffer.find(b"\n", first, used) + 1 or used
            yield start, done
            # Only what lies in this line is searched for again: the rarer word may be far away, and looking for it is what takes the time.
            places = [buffer.find(word, done, stop) if 0 <= place < done else place for word, place in zip(words, places, strict=True)]


class _Subreddit(msgspec.Struct):
    subreddit: object = None


def subreddits_in(path: Path) -> Counter[str]:
    """The subreddits that the first lines of a dump name, as they are spelled there ("" for none), with the numbers of lines."""
    with open_dump(path, Reading(), lambda size: None) as stream:
        buffer = bytearray(_SNIFFED)
        view, used = memoryview(buffer), 0
        while used < len(view) and (read := stream.readinto(view[used:])):
            used += read
    names = Counter[str]()
    for line in bytes(buffer[:used]).split(b"\n"):
        try:
            name = msgspec.json.decode(line, type=_Subreddit).subreddit
        except (msgspec.DecodeError, RecursionError):
            continue
        names[name if isinstance(name, str) else ""] += 1
    return names


@contextmanager
def blocks_of(
    stream: Stream, path: Path, reading: Reading, subreddit: str | None, functions: Functions | None = None
) -> Iterator[LineBlocks | FilteredBlocks]:
    """The blocks of a dump; where its first lines are of several subreddits, only those with the wanted one's name in them.

    Lines that name none (some advertisements of the monthly files do not) are then lost, so there may only be few of them.
    """
    names = Counter[str]() if subreddit is None else subreddits_in(path)
    others = sum(number for name, number in names.items() if not is_of(name, subreddit) and name.lower() != DELTALOG)
    if subreddit is None or others <= names[""]:
        yield LineBlocks(stream, reading)
        return
    # DeltaLog's posts are found as well: they link to the debates of the subreddit.
    spellings = {subreddit, subreddit.lower()} | {name for name in names if name and is_of(name, subreddit)}
    blocks = FilteredBlocks(stream, reading, tuple(sorted(name.encode() for name in spellings)), functions)
    try:
        yield blocks
    finally:
        blocks.close()
