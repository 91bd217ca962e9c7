"""The study's database in use: one connection a thread, writers in line, backups while it runs."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from suasion.errors import SuasionError
from suasion.files import atomic_path
from suasion.persuasion.arena.schema import BUSY_SECONDS, connect


class Database:
    """An open database. Any number of threads read at once; writes wait for each other, other processes' writes too."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._local = threading.local()
        self._opened: list[sqlite3.Connection] = []
        self._writing = threading.RLock()

    def row(self, query: str, *values: Any) -> sqlite3.Row | None:
        """The first row, or none."""
        found: sqlite3.Row | None = self._read(query, values).fetchone()
        return found

    def rows(self, query: str, *values: Any) -> list[sqlite3.Row]:
        """All rows."""
        return self._read(query, values).fetchall()

    def _read(self, query: str, values: tuple[Any, ...]) -> sqlite3.Cursor:
        try:
            return self._connection.execute(query, values)
        except sqlite3.Error as error:
            raise SuasionError(f"The study cannot be read: {error}", where=self.path) from error

    @contextmanager
    def writing(self, *, at_leisure: bool = False) -> Iterator[sqlite3.Connection]:
        """A transaction: on the disk at the end, undone where something is raised; inside another, a part of that.

        Args:
            at_leisure: it outlives the process at once, but reaches the disk only with the next transaction that must: for what may be
                lost when the power fails.

        Raises:
            SuasionError: the database cannot be had or written.
        """
        if not self._writing.acquire(timeout=BUSY_SECONDS):
            raise SuasionError("The study is busy.", where=self.path, hint="Try again.")
        try:
            connection = self._connection
            if connection.in_transaction:
                yield connection
                return
            connection.execute(f"PRAGMA synchronous = {'NORMAL' if at_leisure else 'FULL'}")
            try:
                connection.execute("BEGIN IMMEDIATE")
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise
        except sqlite3.OperationalError as error:
            raise SuasionError(f"The study cannot be written: {error}", where=self.path, hint="Is the disk full?") from error
        finally:
            self._writing.release()

    def backup(self, path: Path) -> Path:
        """Copy it, whole and consistent, while others write; return the path."""
        with atomic_path(path) as temporary, closing(sqlite3.connect(temporary)) as copy:
            self._connection.backup(copy, pages=256, sleep=0.01)
            copy.execute("PRAGMA journal_mode = DELETE")  # one file, without a log beside it
        return path

    def close(self) -> None:
        """Close all connections; the next use opens new ones."""
        with self._writing:
            for connection in self._opened:
                connection.close()
            self._opened.clear()
            self._local = threading.local()

    @property
    def _connection(self) -> sqlite3.Connection:
        connection: sqlite3.Connection | None = getattr(self._local, "connection", None)
        if connection is None:
            connection = self._local.connection = connect(self.path)
            self._opened.append(connection)
        return connection
