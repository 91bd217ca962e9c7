"""A Reddit dump as blocks of whole lines: plain NDJSON or zstd, one subreddit's or all of Reddit's."""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Protocol

import msgspec
import numpy as np

from suasion.errors import SuasionError
from suasion.persuasion.mining.sources.frames import MAGIC, ZstdStream
from suasion.persuasion.mining.sources.lines import DELTALOG, MAX_LINE, Reading, is_of

_SNIFFED = 1 << 20
_SCANNED = 4 << 20
_STEP = 1 << 20
_HANDED_OVER = 0.0005  # seconds until Python's lock is handed over: with the usual 5 ms, decompression waits longer than it works
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
    """

    def __init__(self, stream: Stream, reading: Reading, words: tuple[bytes, ...]) -> None:
        self._blocks, self._reading, self._words = LineBlocks(stream, reading), reading, words
        self._buffers = [bytearray(2 * MAX_LINE + _SCANNED) for _ in range(2)]
        self._thread = ThreadPoolExecutor(1, "decompress")
        self._interval = sys.getswitchinterval()
        sys.setswitchinterval(_HANDED_OVER)
        self._ahead = self._thread.submit(self._blocks.fill, memoryview(self._buffers[0]))
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
        sys.setswitchinterval(self._interval)

    def _all_lines(self) -> Iterator[bytes]:
        while used := self._ahead.result():
            buffer = self._buffers[0]
            self._buffers.reverse()
            self._ahead = self._thread.submit(self._blocks.fill, memoryview(self._buffers[0]))
            total, kept = _newlines(buffer, used), 0
            for start, end in _lines_with(buffer, used, self._words):
                kept += 1
                yield bytes(buffer[start:end])
            skipped = total + (buffer[used - 1] != 0x0A) - kept
            self._reading.lines["read"] += skipped
            self._reading.lines["another subreddit"] += skipped


# Both go by small steps: a long one would keep the thread that decompresses waiting for Python's lock.


def _newlines(buffer: bytearray, used: int) -> int:
    letters, hits = np.frombuffer(buffer, dtype=np.uint8, count=used), np.empty(_STEP, dtype=bool)
    steps = (letters[start : start + _STEP] for start in range(0, used, _STEP))
    return sum(int(np.count_nonzero(np.equal(step, 0x0A, out=hits[: len(step)]))) for step in steps)


def _lines_with(buffer: bytearray, used: int, words: tuple[bytes, ...]) -> Iterator[tuple[int, int]]:
    """Start and end of every line of ``buffer[:used]`` that holds one of the words, in order."""
    overlap, done = max(map(len, words)) - 1, 0
    for step in range(0, used, _STEP):
        while True:
            found = [buffer.find(word, max(done, step), min(used, step + _STEP + overlap)) for word in words]
            first = min((position for position in found if position >= 0), default=-1)
            if first < 0:
                break
            start, done = buffer.rfind(b"\n", 0, first) + 1, buffer.find(b"\n", first, used) + 1 or used
            yield start, done


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
def blocks_of(stream: Stream, path: Path, reading: Reading, subreddit: str | None) -> Iterator[LineBlocks | FilteredBlocks]:
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
    blocks = FilteredBlocks(stream, reading, tuple(sorted(name.encode() for name in spellings)))
    try:
        yield blocks
    finally:
        blocks.close()
