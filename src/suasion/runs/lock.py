"""One live writer a run: a file held with ``flock`` for the life of the process. The kernel lets go of it when the process is killed."""

from __future__ import annotations

import errno
import fcntl
import json
import os
import platform
import time
from pathlib import Path

from suasion.errors import SuasionError

LOCK_FILE = ".lock"
_PATIENCE = 0.5  # seconds; somebody who only looks (is_locked) holds a shared lock for an instant

_held: dict[Path, Lock] = {}


class Lock:
    """A held lock; make one with :meth:`take`."""

    def __init__(self, folder: Path, descriptor: int) -> None:
        self._folder, self._descriptor = folder, descriptor

    @classmethod
    def take(cls, folder: Path) -> Lock:
        """Hold the lock of a run's folder.

        Raises:
            SuasionError: another live process (or this one) holds it, named by host and process id; or the file system has no locks.
        """
        folder = folder.resolve()
        if folder in _held:
            raise _busy(folder)
        descriptor = _open(folder, os.O_RDWR | os.O_CREAT)
        try:
            deadline = time.monotonic() + _PATIENCE
            while not _flock(descriptor, fcntl.LOCK_EX, folder):
                if time.monotonic() > deadline:
                    raise _busy(folder)
                time.sleep(0.02)
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, json.dumps({"host": platform.node(), "pid": os.getpid()}).encode(), 0)
        except OSError as error:
            os.close(descriptor)
            raise SuasionError(f"Cannot write the run's lock: {error.strerror or error}", where=folder) from error
        except BaseException:
            os.close(descriptor)
            raise
        lock = cls(folder, descriptor)
        _held[folder] = lock
        return lock

    def release(self) -> None:
        """Let go; the file stays, because removing it could break the lock of whoever opens it at that instant."""
        if _held.pop(self._folder, None) is self:
            os.close(self._descriptor)

    def forget(self) -> None:
        """Close this process's copy of the descriptor (after a fork); the parent's lock stands."""
        os.close(self._descriptor)


def is_locked(folder: Path) -> bool:
    """Whether a live process holds the lock of this folder."""
    folder = folder.resolve()
    # Asked of ourselves, never by opening the file again: on NFS closing any descriptor of a file drops the process's lock on it.
    if folder in _held:
        return True
    try:
        descriptor = _open(folder, os.O_RDONLY)
    except SuasionError:
        return (folder / LOCK_FILE).exists()  # there, but not ours to open: take it for held, so that nobody tries to resume it
    try:
        return not _flock(descriptor, fcntl.LOCK_SH, folder)
    finally:
        os.close(descriptor)


def _open(folder: Path, flags: int) -> int:
    try:
        return os.open(folder / LOCK_FILE, flags | os.O_CLOEXEC, 0o666)
    except OSError as error:
        raise SuasionError(f"Cannot open the run's lock: {error.strerror or error}", where=folder / LOCK_FILE) from error


def _flock(descriptor: int, mode: int, folder: Path) -> bool:
    try:
        fcntl.flock(descriptor, mode | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in (errno.EWOULDBLOCK, errno.EACCES):
            return False
        raise SuasionError(
            f"This file system gives no locks: {error.strerror or error}", where=folder, hint="Put the runs on a file system that has them."
        ) from error
    return True


def _busy(folder: Path) -> SuasionError:
    try:
        holder = json.loads((folder / LOCK_FILE).read_text())
        who = f"process {holder['pid']} on {holder['host']}"
    except (OSError, ValueError, KeyError, TypeError):
        who = "another process"
    return SuasionError(f"The run {folder.name} is held by {who}.", where=folder, hint="Wait until it ends, or start a run of your own.")


def _let_go_in_child() -> None:
    # A forked worker (a data loader's, say) that outlives a killed trainer must not keep the trainer's lock.
    for lock in _held.values():
        lock.forget()
    _held.clear()


os.register_at_fork(after_in_child=_let_go_in_child)
