"""Judges for the tests of the pool: an answer says what shall become of the process that judges it."""

from __future__ import annotations

import ctypes
import os
import re
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

from suasion.analysis.verification.findings import Finding, Verdict
from suasion.analysis.verification.rows import Row


def make() -> Callable[[Row], Verdict]:
    """What an answer says is done; then the answer itself is told."""
    return _judge


def make_nothing() -> Callable[[Row], Verdict]:
    """A judge that cannot be made."""
    sys.exit(3)


def _judge(row: Row) -> Verdict:
    word, _, rest = row.answer.partition(" ")
    if word == "spin":
        until = time.process_time() + float(rest)
        while time.process_time() < until:
            pass
    elif word == "backtrack":  # in C, where no Python signal handler runs
        re.fullmatch(r"(a+)+b", "a" * 60)
    elif word == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    elif word == "segfault":
        ctypes.string_at(0)
    elif word == "exit":
        sys.exit(0)
    elif word == "hang-up":
        os.closerange(3, 50)
    elif word == "raise":
        raise RuntimeError("a mistake in a check")
    elif word == "once" and not Path(rest).exists():
        Path(rest).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    elif word == "eat":
        return Verdict((Finding("ate", str(len(bytearray(int(rest))))),))
    elif word == "print":
        os.write(1, b"noise" * 100)
        print("more noise", flush=True)
    return Verdict((Finding("heard", row.answer, 1, 2),), {"process": float(os.getpid()), "length": float(len(row.answer))})
