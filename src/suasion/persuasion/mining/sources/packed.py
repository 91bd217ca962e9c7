"""The content of a file of others as blocks and lines: plain, gzip or bzip2, told apart by content. At damage all before it is given."""

from __future__ import annotations

import bz2
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO, Protocol

from suasion.errors import SuasionError
from suasion.persuasion.mining.sources.lines import Reading

Advance = Callable[[int], None]

BLOCK = 1 << 20
_PACKED_BLOCK = 1 << 14
_PACKINGS = {b"\x1f\x8b": "gzip", b"BZh": "bzip2"}
_FOREIGN = {b"\x28\xb5\x2f\xfd": "zstd", b"\xfd7zXZ": "xz", b"PK\x03\x04": "zip", b"PAR1": "Parquet", b"\x89HDF": "HDF5"}


def blocks(path: Path, reading: Reading, advance: Advance) -> Iterator[bytes]:
    """The unpacked content of a file in blocks of at most a mebibyte.

    Raises:
        SuasionError: the file cannot be opened, or is packed in a way that is not known.
    """
    try:
        with path.open("rb") as file:
            magic = file.read(8)
            file.seek(0)
            for start, kind in _FOREIGN.items():
                if magic.startswith(start):
                    raise SuasionError(
                        f"This is a {kind} file, which is not read here.",
                        where=path,
                        hint="Unpack it, or pack it with gzip or bzip2." if kind in ("zstd", "xz", "zip") else "Give JSON lines.",
                    )
            packing = next((kind for start, kind in _PACKINGS.items() if magic.startswith(start)), None)
            if packing:
                yield from _unpacked(file, path, _Gunzip if packing == "gzip" else bz2.BZ2Decompressor, reading, advance)
                return
            while block := file.read(BLOCK):
                advance(len(block))
                yield block
    except OSError as error:
        raise SuasionError(f"Cannot be read: {error.strerror or error}", where=path) from error


def lines(content: Iterator[bytes], limit: int) -> Iterator[bytes | None]:
    """Lines without their ends; ``None`` for one of more than ``limit`` bytes."""
    rest: list[bytes] = []
    length = 0
    for block in content:
        *ended, unended = block.split(b"\n")
        for piece in ended:
            yield b"".join([*rest, piece]) if length + len(piece) <= limit else None
            rest, length = [], 0
        length += len(unended)
        if length <= limit:
            rest.append(unended)
        else:
            rest.clear()
    if length:
        yield b"".join(rest) if length <= limit else None


class _Unpacker(Protocol):
    @property
    def eof(self) -> bool: ...
    @property
    def needs_input(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, max_length: int = -1) -> bytes: ...


class _Gunzip:
    """``zlib`` in the manner of ``bz2.BZ2Decompressor``: bounded output, so that a bomb cannot fill the memory."""

    def __init__(self) -> None:
        self._machine = zlib.decompressobj(31)
        self.eof, self.needs_input, self.unused_data = False, True, b""

    def decompress(self, data: bytes, max_length: int = -1) -> bytes:
        text = self._machine.decompress(self._machine.unconsumed_tail + data, max_length)
        self.eof, self.unused_data = self._machine.eof, self._machine.unused_data
        self.needs_input = not self._machine.unconsumed_tail and len(text) < max_length
        return text


def _unpacked(file: BinaryIO, path: Path, new: Callable[[], _Unpacker], reading: Reading, advance: Advance) -> Iterator[bytes]:
    """All streams of a packed file. At damage the rest is given up and noted.

    ``bz2.open`` would be shorter, but ignores garbage behind a stream and loses what it had unpacked of the block with the damage.
    """
    machine, start, position = new(), 0, 0  # of the current stream, of the file
    while block := file.read(_PACKED_BLOCK):
        advance(len(block))
        while block:
            if position == start and (padding := block.lstrip(b"\0")) != block:
                position = start = position + len(block) - len(padding)
                block = padding
                continue
            given = 0
            try:
                for piece in _outputs(machine, block):
                    given += len(piece)
                    yield piece
            except (OSError, zlib.error):
                yield from _before_damage(new(), file, start, position, block, given)
                reading.damaged[path.name] = position
                return
            position += len(block)
            block = b""
            if machine.eof:
                block = machine.unused_data
                position -= len(block)
                machine, start = new(), position
    if position > start:
        reading.damaged[path.name] = position


def _outputs(machine: _Unpacker, block: bytes) -> Iterator[bytes]:
    while True:
        if piece := machine.decompress(block, BLOCK):
            yield piece
        if machine.needs_input or machine.eof:
            return
        block = b""


def _before_damage(machine: _Unpacker, file: BinaryIO, start: int, position: int, block: bytes, given: int) -> Iterator[bytes]:
    """What ``block`` holds before its damage beyond the ``given`` bytes: the stream is read again, and its last block byte by byte."""
    file.seek(start)
    while file.tell() < position:
        for _ in _outputs(machine, file.read(min(_PACKED_BLOCK, position - file.tell()))):
            pass
    try:
        for index in range(len(block)):
            for piece in _outputs(machine, block[index : index + 1]):
                skipped = min(given, len(piece))
                given -= skipped
                yield piece[skipped:]
    except (OSError, zlib.error, EOFError):
        return
