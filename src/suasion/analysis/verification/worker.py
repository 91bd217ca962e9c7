"""The process that judges: rows in, verdicts out, under limits that hold whatever an answer does.

Started by :mod:`suasion.analysis.verification.pool` as ``python -m suasion.analysis.verification.worker MODULE:NAME MEGABYTES NICE``, where
the name is of a function without arguments that gives a judge. Memory is limited by the system (address space). Time is limited by an alarm
that ends the process even in the middle of z3 or of a regular expression; it counts the processor's time, so a machine that is busy or
asleep makes nothing undecided. When the pool is gone, so is the input, and the process ends.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import resource
import signal
import sys
import time
from collections.abc import Sequence
from multiprocessing.connection import Connection
from typing import Any

import msgspec

from suasion.analysis.verification.findings import Verdict
from suasion.analysis.verification.rows import Row

READY = b"ready"
FLUSH = 0.02  # seconds that verdicts are kept back, to be sent together


class Job(msgspec.Struct, frozen=True):
    """Rows to judge, and the processor's seconds that each may take."""

    rows: Sequence[Row]
    seconds: float


class Judged(msgspec.Struct, frozen=True):
    """Verdicts on the next rows; ``None`` where one needs more memory than there is."""

    verdicts: list[Verdict | None]


def main() -> None:
    """Judge until the input ends."""
    maker, megabytes, nice = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    os.nice(nice)
    jobs, verdicts = Connection(os.dup(0)), Connection(os.dup(1))
    os.dup2(2, 1)  # what anything may print must not end up among the verdicts
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    module, _, name = maker.partition(":")
    judge = getattr(importlib.import_module(module), name)()
    _limit_memory(megabytes)
    decoder, encode = msgspec.msgpack.Decoder(Job), msgspec.msgpack.Encoder().encode
    with contextlib.suppress(EOFError, BrokenPipeError, ConnectionResetError):
        verdicts.send_bytes(READY)
        while True:
            job = decoder.decode(jobs.recv_bytes())
            ready: list[Verdict | None] = []
            sent = time.monotonic()
            for row in job.rows:
                signal.setitimer(signal.ITIMER_PROF, job.seconds)
                ready.append(_judged(judge, row))
                signal.setitimer(signal.ITIMER_PROF, 0)
                if time.monotonic() - sent > FLUSH:
                    verdicts.send_bytes(encode(Judged(ready)))
                    ready, sent = [], time.monotonic()
            if ready:
                verdicts.send_bytes(encode(Judged(ready)))


def _judged(judge: Any, row: Row) -> Verdict | None:
    try:
        return judge(row)  # type: ignore[no-any-return]
    except MemoryError:
        return None


def _limit_memory(megabytes: int) -> None:
    with contextlib.suppress(ValueError, OSError):  # not every system has these
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_AS, (_mapped() + megabytes * 2**20,) * 2)


def _mapped() -> int:
    """Bytes of address space that are taken already: libraries, mostly."""
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[0]) * resource.getpagesize()


if __name__ == "__main__":
    main()
