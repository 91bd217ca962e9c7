"""Dumps read by several at once: one decompresses into shared memory, the others parse what lies there and write chunks.

The others are threads where the scanner can be had (the extra ``fast``), for it needs no lock of Python's; else they are processes.
"""

from __future__ import annotations

import ctypes
import gc
import mmap
import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.context import BaseContext
from pathlib import Path
from typing import Any

import numpy as np

from suasion.errors import SuasionError
from suasion.persuasion.mining.chunks import Chunks, part_of
from suasion.persuasion.mining.memory import keep_freed_memory
from suasion.persuasion.mining.sources import machine
from suasion.persuasion.mining.sources.columns import read_block
from suasion.persuasion.mining.sources.dumps import blocks_of, open_dump
from suasion.persuasion.mining.sources.lines import Reading
from suasion.persuasion.mining.sources.scanner import Scanner

BLOCK = 24 << 20
"""Bytes of lines in a chunk. Three times the longest line, and small enough that a few of them are no burden."""

_HANDED_OVER = 0.0005  # seconds until Python's lock is handed over: with the usual 5 ms, decompression waits longer than it works
_DIE_WITH_PARENT = 1  # of prctl(2)
_shared: Sequence[memoryview] = ()


class Readers:
    """A pool that parses; with ``workers`` 0 the calling process does it all (a small dump is read before a pool is up)."""

    def __init__(self, chunks: Chunks, workers: int) -> None:
        self._chunks = chunks
        self._pool: Executor | None = None
        self._write: Callable[..., None] = _write
        slots = 2 * workers if workers else 1
        self._functions = machine.functions() if workers else None
        if self._functions:
            threads = max(1, workers - 1)  # one keeps up with the decompressor, which needs a whole processor
            slots = threads + 3
            self._pool = ThreadPoolExecutor(threads, "parse")
            self._slots = [np.empty(BLOCK, dtype=np.uint8).data for _ in range(slots)]
            self._write = _Scanning(self._slots, self._functions)
        elif workers:
            context = _context()
            buffer = _shared_memory(context, slots * BLOCK)
            self._pool = ProcessPoolExecutor(workers, context, _start, (buffer, os.getpid()))
            self._slots = _in_slots(buffer)
        else:
            self._slots = _in_slots(bytearray(BLOCK))
        self._free = list(range(slots))
        self._interval = sys.getswitchinterval()
        sys.setswitchinterval(_HANDED_OVER)
        self._busy: dict[Future[None], int] = {}

    def read(
        self, path: Path, prefix: str, subreddit: str | None, advance: Callable[[int], None]
    ) -> tuple[Reading, Sequence[Future[None]]]:
        """Write a dump's chunks; those that an earlier, killed attempt wrote are only read over.

        Returns:
            What the reading process saw, and the chunks that are still being written: meanwhile the next dump can be read.

        Raises:
            SuasionError: the file cannot be read, or a process was killed.
        """
        reading = Reading()
        try:
            with open_dump(path, reading, advance) as stream, blocks_of(stream, path, reading, subreddit, self._functions) as blocks:
                number = 0
                while True:
                    slot = self._free_slot()
                    used = blocks.fill(self._slots[slot])
                    if not used:
                        self._free.append(slot)
                        break
                    name = f"{prefix}-{number:06}"
                    number += 1
                    if self._chunks.done(name):
                        self._free.append(slot)
                    elif self._pool is None:
                        self._chunks.write(name, read_block(self._slots[slot][:used], subreddit))
                        self._free.append(slot)
                    else:
                        future = self._pool.submit(self._write, self._chunks, name, slot, used, subreddit)
                        self._busy[future] = slot
        except BrokenProcessPool as error:
            raise _killed(path) from error
        return reading, list(self._busy)

    def finish(self) -> None:
        """Wait until everything is written.

        Raises:
            SuasionError: as :meth:`read` does.
        """
        try:
            while self._busy:
                self._wait()
        except BrokenProcessPool as error:
            raise _killed(None) from error

    def close(self) -> None:
        """End the processes; what they have not begun is given up."""
        sys.setswitchinterval(self._interval)
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)

    def _free_slot(self) -> int:
        while not self._free:
            self._wait()
        return self._free.pop()

    def _wait(self) -> None:
        ready, _ = wait(self._busy, return_when=FIRST_COMPLETED)
        for future in ready:
            self._free.append(self._busy.pop(future))
            future.result()


class _Scanning:
    """What :func:`_write` does, in a thread: each has a scanner of its own."""

    def __init__(self, slots: Sequence[memoryview], functions: machine.Functions) -> None:
        self._slots, self._functions, self._own = slots, functions, threading.local()

    def __call__(self, chunks: Chunks, name: str, slot: int, used: int, subreddit: str | None) -> None:
        if not hasattr(self._own, "scanner"):
            self._own.scanner = Scanner(self._functions, lambda debate_ids: part_of(debate_ids, chunks.parts))
        chunks.write(name, self._own.scanner.read(self._slots[slot][:used], subreddit))


def _killed(path: Path | None) -> SuasionError:
    return SuasionError(
        "A process that parsed the dump was killed, perhaps for want of memory.", where=path, hint="Start it again: it goes on."
    )


def _in_slots(buffer: Any) -> list[memoryview]:
    view = memoryview(buffer).cast("B")
    return [view[start : start + BLOCK] for start in range(0, len(view), BLOCK)]


def _context() -> BaseContext:
    """Forking starts at once, but a process with torch in it has threads that a fork would lose in mid-work."""
    return multiprocessing.get_context("fork" if sys.platform == "linux" and "torch" not in sys.modules else "spawn")


def _shared_memory(context: BaseContext, size: int) -> Any:
    """Memory that processes share: without a name where they are forked, for named memory is scarce in containers."""
    try:
        return mmap.mmap(-1, size) if context.get_start_method() == "fork" else context.RawArray("b", size)
    except OSError as error:
        raise SuasionError(
            f"There is no memory for processes that parse: {error.strerror or error}", hint="Mine without them: --workers 0."
        ) from error


def _start(buffer: Any, parent: int) -> None:
    global _shared
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C strikes all processes; the one that reads ends the others
    if sys.platform == "linux":
        # Else they would wait for work for ever once the reading process is killed, and write into a folder that another has taken up.
        ctypes.CDLL(None).prctl(_DIE_WITH_PARENT, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(1)
    _shared = _in_slots(buffer)
    keep_freed_memory()
    gc.disable()  # rows hold no cycles, and millions of them would be looked through again and again
    if hasattr(os, "nice"):
        os.nice(1)  # the process that decompresses sets the pace


def _write(chunks: Chunks, name: str, slot: int, used: int, subreddit: str | None) -> None:
    chunks.write(name, read_block(_shared[slot][:used], subreddit))
