"""A log of JSON rows that many are appended to in a second, and that is read back a row at a time.

Each row goes to the system in one write as it comes, so a killed process loses none; every second what was written is forced onto the
disk, so a machine that goes down loses a second at most. A last line torn by either is closed off by the next writer and left out by
readers.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

from suasion.errors import SuasionError

SYNC = 1.0  # seconds between two times of forcing rows onto the disk


class RowLog:
    """Appends rows to a file, absent at first; in a ``with`` block, or closed by hand. One writer at a time.

    Raises:
        SuasionError: the file cannot be opened.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o666)
            self.size = os.fstat(self._handle).st_size
            """Bytes in the file: where the next row begins."""
            if self.size and os.pread(self._handle, 1, self.size - 1) != b"\n":
                self._write(b"\n")
        except OSError as error:
            raise _failed(path, error) from error
        self._dirty, self._closing = threading.Event(), threading.Event()
        self._trouble: OSError | None = None
        self._syncer = threading.Thread(target=self._sync_again, name="row-log", daemon=True)
        self._syncer.start()

    def append(self, row: Mapping[str, Any]) -> int:
        """Append a row and tell at which byte it begins. Raises SuasionError: the disk is full, say."""
        if self._trouble:
            raise _failed(self.path, self._trouble)
        begins = self.size
        try:
            self._write(_line(row))
        except OSError as error:
            raise _failed(self.path, error) from error
        self._dirty.set()
        return begins

    def read(self, begins: int) -> dict[str, Any]:
        """The row that begins at a byte."""
        line = b""
        while not line.endswith(b"\n"):
            piece = os.pread(self._handle, 1 << 14, begins + len(line))
            if not piece:
                break
            head, found, _ = piece.partition(b"\n")
            line += head + found
        return dict(json.loads(line))

    def close(self) -> None:
        """Force everything onto the disk. Raises SuasionError where that fails."""
        if self._closing.is_set():
            return
        self._closing.set()
        self._dirty.set()
        self._syncer.join()
        try:
            if not self._trouble:
                os.fsync(self._handle)
        except OSError as error:
            self._trouble = error
        finally:
            os.close(self._handle)
        if self._trouble:
            raise _failed(self.path, self._trouble)

    def __enter__(self) -> RowLog:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def _write(self, line: bytes) -> None:
        while line:
            written = os.write(self._handle, line)
            self.size += written
            line = line[written:]

    def _sync_again(self) -> None:
        """In a thread of its own: a slow disk keeps nobody waiting."""
        while not self._closing.wait(SYNC):
            self._dirty.wait()
            self._dirty.clear()
            try:
                os.fsync(self._handle)
            except OSError as error:
                self._trouble = error
                return


def rows(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """The rows of a log, each with the byte at which it begins, one at a time in memory. Torn lines are left out; an absent file has none.

    Raises:
        SuasionError: the file is there and cannot be read.
    """
    begins = 0
    try:
        with path.open("rb") as lines:
            for line in lines:
                try:
                    row = json.loads(line)
                except (ValueError, RecursionError):
                    row = None
                if isinstance(row, dict):
                    yield begins, row
                begins += len(line)
    except FileNotFoundError:
        return
    except OSError as error:
        raise SuasionError(f"Cannot read the log: {error.strerror or error}", where=path) from error


def _line(row: Mapping[str, Any]) -> bytes:
    try:
        return json.dumps(row, ensure_ascii=False, allow_nan=False).encode() + b"\n"
    except UnicodeEncodeError:  # half a surrogate pair: only the escaped form can hold it
        return json.dumps(row, allow_nan=False).encode() + b"\n"


def _failed(path: Path, error: OSError) -> SuasionError:
    return SuasionError(
        f"Could not write: {error.strerror or error}", where=path, hint="Free some space, or check the right to write there."
    )
