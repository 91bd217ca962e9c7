"""A zstd file as a stream of bytes that survives damage: whatever can be decompressed is given, whatever cannot is noted.

The decompressor of the library takes a file cut off in mid-frame for a whole one, and loses what it had when it meets damage. So the
frames are walked by their headers (RFC 8878, section 3.1.1), which tells where each ends and whether it is whole, and a damaged frame is
read a second time with care.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any

from suasion.errors import SuasionError
from suasion.persuasion.mining.sources.lines import Reading

MAX_WINDOW = 1 << 31  # dumps are written with --long=31
MAGIC = b"\x28\xb5\x2f\xfd"
_SKIPPABLE = b"\x2a\x4d\x18"  # after a byte 0x50 to 0x5f
_CARE = 1 << 13  # bytes given at once where damage is expected: a block of zeros grows thirty-thousandfold
_LONGEST_BLOCK = 1 << 17
_LONGEST_HEADER = 18


class ZstdStream:
    """Decompressed bytes of all frames, in order. After a damaged frame it goes on with the next one that can be found."""

    def __init__(self, path: Path, reading: Reading, advance: Callable[[int], None]) -> None:
        import zstandard

        self._path, self._reading, self._advance = path, reading, advance
        self._decompressor = zstandard.ZstdDecompressor(max_window_size=MAX_WINDOW)
        self._error = zstandard.ZstdError
        self._bytes = _Bytes(path)
        self._pieces = self._all_pieces()
        self._into = memoryview(b"")

    def close(self) -> None:
        """Let go of the file."""
        self._pieces.close()
        self._bytes.close()

    def readinto(self, view: memoryview) -> int:
        """Fill ``view`` from its start with as much as there is at hand; the number of bytes written, 0 at the end."""
        self._into = view
        return next(self._pieces, 0)

    def _all_pieces(self) -> Generator[int, None, None]:
        """How much was written into ``self._into``, each time that the caller has given a new one."""
        start, size = 0, len(self._bytes)
        while start < size:
            head = self._bytes[start : start + 8]
            if _is_skippable(head):
                end, whole = start + 8 + int.from_bytes(head[4:], "little"), len(head) == 8
            elif head[:4] == MAGIC:
                self._check_window(start)
                end, whole = frame_end(self._bytes, start)
                broken = yield from self._frame(start, end)
                end, whole = (end, whole) if broken is None else (broken, False)
            else:
                end, whole = start, False
            if whole and self._is_border(end):
                start = end
                continue
            self._damage_at(end)
            # A wrong length leads past the end of its frame, but by no more than a block or two.
            start = self._next_frame(max(start + 1, min(end, size) - 2 * _LONGEST_BLOCK))

    def _is_border(self, position: int) -> bool:
        """Whether the file ends at a position, or a frame begins."""
        head = self._bytes[position : position + 4]
        return position == len(self._bytes) or head == MAGIC or _is_skippable(head)

    def _frame(self, start: int, end: int) -> Generator[int, None, int | None]:
        """The pieces of one frame; returns where its damage was met, if it was."""
        source = _Slice(self._bytes, start, end, self._advance)
        reader = self._decompressor.stream_reader(source, read_size=1 << 20, read_across_frames=False)  # type: ignore[arg-type]
        given = 0
        try:
            while written := reader.readinto(self._into):
                given += written
                yield written
        except self._error:
            return (yield from self._with_care(start, end, given))
        return None

    def _with_care(self, start: int, end: int, given: int) -> Generator[int, None, int]:
        """What a damaged frame still holds after its first ``given`` bytes; its last block goes in byte by byte. Returns where it ends."""
        position = start
        for behind, piece in self._careful_pieces(start, end):
            position = behind
            if given >= len(piece):
                given -= len(piece)
                continue
            rest, given = memoryview(piece)[given:], 0
            while rest:
                taken = min(len(rest), len(self._into))
                self._into[:taken] = rest[:taken]
                rest = rest[taken:]
                yield taken
        return position

    def _careful_pieces(self, start: int, end: int) -> Iterator[tuple[int, bytes]]:
        """Pieces of a frame, each with the position behind what it was made from."""
        frame, again = self._decompressor.decompressobj(), self._decompressor.decompressobj()
        for position in range(start, end, _CARE):
            block = self._bytes[position : min(end, position + _CARE)]
            try:
                yield position + len(block), frame.decompress(block)
            except self._error:
                break
        else:
            return
        for before in range(start, position, _CARE):
            again.decompress(self._bytes[before : before + _CARE])
        for index in range(len(block)):
            try:
                yield position + index + 1, again.decompress(block[index : index + 1])
            except self._error:
                return

    def _damage_at(self, position: int) -> None:
        self._reading.damaged.setdefault(self._path.name, min(position, len(self._bytes)))

    def _next_frame(self, start: int) -> int:
        """Where the next frame begins, at ``start`` or after: the next magic number that a sound header follows."""
        while (start := self._bytes.find(MAGIC, start)) >= 0:
            window = frame_window(self._bytes[start : start + _LONGEST_HEADER])
            if window is not None and window <= MAX_WINDOW:
                end, whole = frame_end(self._bytes, start)
                if whole or end > start + _LONGEST_HEADER:
                    return start
            start += 1
        return len(self._bytes)

    def _check_window(self, start: int) -> None:
        window = frame_window(self._bytes[start : start + _LONGEST_HEADER])
        if window is not None and window > MAX_WINDOW:
            raise SuasionError(
                f"This zstd file needs a window of {window / 2**30:.3g} GiB; at most {MAX_WINDOW >> 30} GiB are read.",
                where=self._path,
                hint="Compress it again: zstd -dc --ultra --memory=... FILE | zstd --long=31 -o NEW",
            )


class _Bytes:
    """A file's bytes by position. Not mapped into memory: a dump's pages would count as this process's."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("rb", buffering=0)
        self._size = os.fstat(self._file.fileno()).st_size

    def __len__(self) -> int:
        return self._size

    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, slice):
            start, stop, _ = place.indices(self._size)
            return os.pread(self._file.fileno(), max(0, stop - start), start)
        return os.pread(self._file.fileno(), 1, place)[0]

    def find(self, what: bytes, start: int) -> int:
        """The first position of ``what`` from ``start`` on, or -1."""
        while start < self._size:
            piece = self[start : start + (1 << 20)]
            found: int = piece.find(what)
            if found >= 0:
                return start + found
            start += max(1, len(piece) - len(what) + 1)
        return -1

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()


class _Slice:
    """A part of the file as the decompressor reads it, telling of every byte taken."""

    def __init__(self, data: _Bytes, start: int, end: int, advance: Callable[[int], None]) -> None:
        self._data, self._position, self._end, self._advance = data, start, end, advance

    def read(self, size: int) -> bytes:
        stop = min(self._end, self._position + size)
        piece: bytes = self._data[self._position : stop]
        if len(piece) < stop - self._position:
            raise OSError("it became shorter while it was read")
        self._position += len(piece)
        self._advance(len(piece))
        return piece


def _is_skippable(head: bytes) -> bool:
    return head[1:4] == _SKIPPABLE and 0x50 <= head[0] <= 0x5F


def frame_window(header: bytes) -> int | None:
    """The window that a frame needs, in bytes; None where its header makes no sense. (The library reads no windows over 2 GiB.)"""
    descriptor = header[4] if len(header) > 4 else 0b1000
    single_segment, content_flag = descriptor >> 5 & 1, descriptor >> 6
    if descriptor & 0b1000 or len(header) < 6:  # the bit is reserved
        return None
    if not single_segment:
        exponent, mantissa = header[5] >> 3, header[5] & 7
        return (1 << 10 + exponent) // 8 * (8 + mantissa)
    start = 5 + (0, 1, 2, 4)[descriptor & 3]
    return int.from_bytes(header[start : start + (1, 2, 4, 8)[content_flag]], "little") + 256 * (content_flag == 1)


def frame_end(data: Any, start: int) -> tuple[int, bool]:
    """Where the frame that begins at ``start`` ends, and whether it is all there.

    Args:
        data: bytes-like, with ``len`` and slices.
        start: of the frame's magic number.

    A frame cut off, or with a block header that makes no sense, ends where the file or its sense does.
    """
    size = len(data)
    if start + 5 > size:
        return size, False
    descriptor = data[start + 4]
    single_segment, has_checksum = descriptor >> 5 & 1, descriptor >> 2 & 1
    dictionary_bytes = (0, 1, 2, 4)[descriptor & 3]
    content_bytes = (1 if single_segment else 0, 2, 4, 8)[descriptor >> 6]
    position = start + 5 + (not single_segment) + dictionary_bytes + content_bytes
    while position + 3 <= size:
        header = int.from_bytes(data[position : position + 3], "little")
        last, kind, length = header & 1, header >> 1 & 3, header >> 3
        if kind == 3 or length > _LONGEST_BLOCK:
            return position, False
        position += 3 + (1 if kind == 1 else length)
        if last:
            position += 4 * has_checksum
            return min(position, size), position <= size
    return size, False
