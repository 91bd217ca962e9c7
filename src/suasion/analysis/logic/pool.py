"""Worker processes, one a core, that are asked many questions each, and killed and replaced when a question gets out of
hand."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
import weakref
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from typing import Any

import msgspec
from pydantic import PositiveFloat, PositiveInt

from suasion.analysis.logic.engine import Found
from suasion.analysis.logic.worker import READY
from suasion.config import Config
from suasion.errors import SuasionError

START = 60.0  # seconds a worker may take to come up
AHEAD, AHEAD_BYTES = (
    16,
    16_384,
)  # questions given to a worker before its answers; few enough never to fill a pipe both ways
GRACE = 1.0  # seconds after the alarm that a worker sets itself
GLANCE = 0.25  # seconds between two looks at the clock


class Limits(Config):
    """What one question may cost. ``steps`` are z3's resource units (about three million a second), the same on every
    machine."""

    steps: PositiveInt = 2_000_000
    seconds: PositiveFloat = 10.0
    megabytes: PositiveInt = 1024


@dataclass(slots=True)
class _Worker:
    process: subprocess.Popen[bytes]
    questions: Connection
    answers: Connection
    given: deque[tuple[int, int]] = field(default_factory=deque)  # number of the question, bytes
    since: float = field(default_factory=time.monotonic)  # when it began with the first of these
    ready: bool = False

    def stop(self) -> None:
        """End the process, and wait for that: no zombie is left."""
        self.hang_up()
        self.process.kill()
        self.process.wait()

    def hang_up(self) -> None:
        """Close our ends of the pipes. An idle worker ends when nobody has these ends any more."""
        for connection in (self.questions, self.answers):
            with contextlib.suppress(OSError):
                connection.close()


class Pool:
    """Processes that answer encoded questions. Not for several threads at once.

    Args:
        workers: how many processes at most; they start when there is work.
        limits: for each question.
        second: ask cvc5 where z3 is undecided.
    """

    def __init__(self, workers: int, limits: Limits, second: bool) -> None:
        self.size, self.limits, self.second = workers, limits, second
        self._workers: list[_Worker] = []
        # also when nobody closes the pool: at the end of the program, or when it is forgotten
        self._finalizer = weakref.finalize(self, _stop_all, self._workers)

    def close(self) -> None:
        """Stop all processes; a later question starts new ones."""
        _stop_all(self._workers)

    def forget(self) -> None:
        """Let go of all processes without stopping them: they are those of the process that this one was forked
        from."""
        while self._workers:
            worker = self._workers.pop()
            worker.hang_up()
            worker.process.returncode = 0  # nothing for us to wait for

    def ask(self, questions: Sequence[bytes], done: Callable[[], None] = lambda: None) -> list[Found]:
        """Answers in the order of the questions. A question that ends its worker is asked once more, alone; then it is
        undecided.

        Args:
            questions: each one byte (1: with a model, 0: without) and the encoded numbers.
            done: called after each answer.

        Raises:
            SuasionError: no worker can be started.
        """
        found: dict[int, Found] = {}
        again: set[int] = set()
        waiting = deque(range(len(questions)))
        try:
            while len(found) < len(questions):
                while len(self._workers) < min(self.size, len(questions) - len(found)):
                    self._workers.append(self._start())
                for worker in self._workers:
                    self._feed(worker, waiting, questions, again)
                for worker in self._heard():
                    lost = self._hear(worker, found, done)
                    if lost:
                        self._lose(worker, lost, waiting, found, again, done)
        except BaseException:
            self.close()  # answers still on their way must not be taken for those of the next batch
            raise
        return [found[number] for number in range(len(questions))]

    def _start(self) -> _Worker:
        limits = self.limits
        numbers = (limits.steps, limits.seconds, limits.megabytes, int(self.second))
        command = [sys.executable, "-P", "-m", "suasion.analysis.logic.worker", *map(str, numbers)]
        path = os.pathsep.join(place for place in sys.path if place)
        process = subprocess.Popen(  # noqa: S603 - this package's own module, with numbers as arguments
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": path},
            process_group=0,  # Ctrl-C is for the process that asks
        )
        assert process.stdin and process.stdout  # noqa: S101 - both are pipes
        questions, answers = Connection(os.dup(process.stdin.fileno())), Connection(os.dup(process.stdout.fileno()))
        process.stdin.close()
        process.stdout.close()
        return _Worker(process, questions, answers)

    def _feed(self, worker: _Worker, waiting: deque[int], questions: Sequence[bytes], again: set[int]) -> None:
        while waiting and worker.ready and len(worker.given) < AHEAD:
            number = waiting[0]
            size = len(questions[number])
            alone = number in again or (worker.given and worker.given[-1][0] in again)
            if worker.given and (alone or size + sum(given for _, given in worker.given) > AHEAD_BYTES):
                return
            waiting.popleft()
            with contextlib.suppress(OSError):  # a worker that is gone is noticed where it is heard
                worker.questions.send_bytes(questions[number])
            if not worker.given:
                worker.since = time.monotonic()
            worker.given.append((number, size))

    def _heard(self) -> list[_Worker]:
        """Workers that said something, are gone, or are out of time; waits a moment for the first."""
        started = time.monotonic()
        busy = {worker.answers: worker for worker in self._workers if worker.given or not worker.ready}
        ready = wait(list(busy), timeout=GLANCE)
        overslept = time.monotonic() - started - GLANCE
        if overslept > GRACE:  # the whole machine stood still, and the workers with it
            for worker in busy.values():
                worker.since += overslept
        late = [worker for worker in busy.values() if time.monotonic() >= worker.since + self._allowed(worker)]
        heard = [worker for connection, worker in busy.items() if connection in ready]
        return heard + [worker for worker in late if worker not in heard]

    def _allowed(self, worker: _Worker) -> float:
        return self.limits.seconds + GRACE if worker.ready else START

    def _hear(self, worker: _Worker, found: dict[int, Found], done: Callable[[], None]) -> str:
        """Take all answers that are there; what a lost worker was lost to, else nothing."""
        try:
            while worker.answers.poll():
                message = worker.answers.recv_bytes()
                worker.since = time.monotonic()
                if message == READY:
                    worker.ready = True
                    return ""
                found[worker.given.popleft()[0]] = _DECODER.decode(message)
                done()
        except (EOFError, OSError):
            status = worker.process.wait()
            return "time" if -status == signal.SIGPROF else "crash"
        return "time" if time.monotonic() >= worker.since + self._allowed(worker) else ""

    def _lose(
        self,
        worker: _Worker,
        why: Any,
        waiting: deque[int],
        found: dict[int, Found],
        again: set[int],
        done: Callable[[], None],
    ) -> None:
        """Replace a worker. The question it was at is to blame: undecided at the second time, or at once when it ran
        out of time."""
        self._workers.remove(worker)
        worker.stop()
        if not worker.ready:
            raise SuasionError(
                "The prover's worker process does not start.",
                hint="Try 'python -m suasion.analysis.logic.worker 1 1 512 0' to see why.",
            )
        waiting.extendleft(number for number, _ in reversed(list(worker.given)[1:]))
        if worker.given:
            blamed = worker.given[0][0]
            if why == "time" or blamed in again:
                found[blamed] = Found(None, why)
                done()
            else:
                again.add(blamed)
                waiting.appendleft(blamed)


def _stop_all(workers: list[_Worker]) -> None:
    while workers:
        workers.pop().stop()


_DECODER = msgspec.msgpack.Decoder(Found)
