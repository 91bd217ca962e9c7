"""The process that proves: questions in, answers out, one after the other, under limits that hold whatever a question
does.

Started by :mod:`suasion.analysis.logic.pool` as ``python -m suasion.analysis.logic.worker STEPS SECONDS MEGABYTES
SECOND``. Memory is limited by the system (address space). Time is limited by an alarm that ends the process even in the
middle of z3; it counts the processor's time, so a machine that is busy or asleep makes nothing undecided. The asking
process looks at the wall clock. When that process is gone, so is the input, and this one ends.
"""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import sys
from array import array
from multiprocessing.connection import Connection

import msgspec

from suasion.analysis.logic.encoding import decode
from suasion.analysis.logic.engine import Engine, Found
from suasion.analysis.logic.second import second_opinion

READY = b"ready"


def main() -> None:
    """Answer questions until the input ends. A question is one byte (1: with a model) and the encoded numbers."""
    steps, seconds, megabytes, second = int(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3]), sys.argv[4] == "1"
    questions, answers = Connection(os.dup(0)), Connection(os.dup(1))
    # whatever a solver may print must not end up among the answers
    os.dup2(2, 1)
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    _limit_memory(megabytes)

    def opinion(triples: array[int]) -> bool | None:
        return second_opinion(triples, seconds=seconds * 0.2)

    engine = Engine(steps, None, opinion if second else None, megabytes)
    encode = msgspec.msgpack.Encoder().encode
    with contextlib.suppress(EOFError, BrokenPipeError, ConnectionResetError):
        answers.send_bytes(READY)
        while True:
            message = questions.recv_bytes()
            signal.setitimer(signal.ITIMER_PROF, seconds)
            try:
                found = engine.ask(decode(message[1:]), message[0] == 1)
            except MemoryError:
                engine.close()
                found = Found(None, "memory")
            signal.setitimer(signal.ITIMER_PROF, 0)
            answers.send_bytes(encode(found))


def _limit_memory(megabytes: int) -> None:
    with contextlib.suppress(ValueError, OSError):  # not every system has these
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        # what libraries have mapped already comes on top, and cvc5 needs room to give up in good order
        resource.setrlimit(resource.RLIMIT_AS, ((megabytes + 1024) * 2**20,) * 2)


if __name__ == "__main__":
    main()
