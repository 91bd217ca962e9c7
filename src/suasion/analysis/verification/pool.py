"""Worker processes that judge answers, one a core; killed and replaced when an answer gets out of hand, which touches no other answer.

A thread looks after each process: it hands it a batch and waits. Two lanes keep heavy answers out of the way of others: who is long, takes
more than a moment, or ends a process, goes to the slow lane, with what is left of its batch. There rows are judged one by one, so it is
known which one ends a process; each has its whole allowance, and the processes yield to those of the quick lane.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import islice
from multiprocessing.connection import Connection
from types import TracebackType

import msgspec
from pydantic import PositiveFloat, PositiveInt

from suasion.analysis.verification.findings import Verdict
from suasion.analysis.verification.rows import JudgeRow, Loss, Row, clean, lost
from suasion.analysis.verification.worker import READY, Job, Judged
from suasion.config import Config
from suasion.errors import SuasionError

START = 120.0  # seconds a process may take to come up
LONG = 50_000  # characters of a row that goes to the slow lane at once
YIELDING = 10  # how nice the processes of the slow lane are
_CLOSED = "The pool of workers is closed; not all answers were judged."
PATIENCE, GRACE = 20.0, 20.0  # wall-clock seconds for each of the processor's, and besides, before a process is thought dead


class Limits(Config):
    """What judging one answer may cost. ``moment`` is how long it may take before it has to change lanes; both are the processor's time."""

    moment: PositiveFloat = 0.5
    seconds: PositiveFloat = 20.0
    megabytes: PositiveInt = 2048


@dataclass(slots=True, eq=False)
class _Job:
    """Rows whose verdicts come one by one, in whatever order."""

    rows: Sequence[Row]
    future: Future[list[Verdict]]
    verdicts: dict[int, Verdict] = field(default_factory=dict)
    workers: set[Worker] = field(default_factory=set)

    def stop(self) -> None:
        """End the processes that are at it, where nobody wants the verdicts any more."""
        if self.future.cancelled():
            for worker in list(self.workers):
                worker.kill()

    def settle(self, number: int, verdict: Verdict) -> None:
        self.verdicts[number] = verdict
        if len(self.verdicts) == len(self.rows):
            with contextlib.suppress(Exception):  # nobody waits for it any more
                self.future.set_result([self.verdicts[place] for place in range(len(self.rows))])

    def fail(self, error: BaseException) -> None:
        with contextlib.suppress(Exception):
            self.future.set_exception(error)


@dataclass(frozen=True, slots=True)
class _Lane:
    """Threads, and their processes that have nothing to do; what a row may take here; how much its processes yield."""

    threads: ThreadPoolExecutor
    seconds: float
    nice: int
    idle: deque[Worker] = field(default_factory=deque)


class Pool:
    """Judges answers in processes. May be used from several threads; in a ``with`` block, or closed by hand.

    Args:
        make: a function without arguments, of a module that can be imported, that gives what judges a row; called once in each process.
        workers: processes; by default one a core. As many more serve the slow lane, when there is something for it.
        limits: for each answer.
    """

    def __init__(self, make: Callable[[], JudgeRow], workers: int | None = None, limits: Limits | None = None) -> None:
        self.workers, self.limits = workers or cores(), limits or Limits()
        self._maker = f"{make.__module__}:{make.__qualname__}"
        self._closed = False
        self._lock = threading.Lock()
        self._all: set[Worker] = set()
        self._jobs: set[_Job] = set()
        self._quick = _Lane(ThreadPoolExecutor(self.workers, "verdicts"), self.limits.moment, 0)
        self._slow = _Lane(ThreadPoolExecutor(self.workers, "slow-verdicts"), self.limits.seconds, YIELDING)

    def submit(self, rows: Sequence[Row]) -> Future[list[Verdict]]:
        """The verdicts to come, in the order of the rows. A cancelled future's rows that have not begun are left out.

        The future fails with a :class:`SuasionError` only where no process can be started.
        """
        job = _Job([clean(row) for row in rows], Future())
        if not rows:
            job.future.set_result([])
            return job.future
        short = [number for number, row in enumerate(rows) if row.characters <= LONG]
        long = [number for number, row in enumerate(rows) if row.characters > LONG]
        with self._lock:
            if self._closed:
                raise SuasionError(_CLOSED)
            self._jobs.add(job)
            for lane, numbers in ((self._quick, short), (self._slow, long)):
                if numbers:
                    lane.threads.submit(self._run, job, numbers, lane)
        job.future.add_done_callback(lambda _: self._jobs.discard(job))
        job.future.add_done_callback(lambda _: job.stop())
        return job.future

    def start(self) -> None:
        """Start the processes of the quick lane now, and wait until they are up."""
        lane = self._quick
        lane.idle.extend(list(lane.threads.map(lambda _: self._worker(lane, new=True), range(self.workers))))

    def close(self) -> None:
        """Stop all processes. What has no verdict yet fails."""
        with self._lock:
            self._closed = True
            jobs = list(self._jobs)
            for worker in self._all:
                worker.kill()
        for lane in (self._quick, self._slow):
            lane.threads.shutdown(cancel_futures=True)  # threads that wait for a process see that it is gone
        for job in jobs:
            job.fail(SuasionError(_CLOSED))
        for worker in (*self._quick.idle, *self._slow.idle):
            self._forget(worker)

    def __enter__(self) -> Pool:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    @property
    def processes(self) -> list[int]:
        """The ids of the processes that there are."""
        with self._lock:
            return [worker.pid for worker in self._all]

    def _run(self, job: _Job, numbers: Sequence[int], lane: _Lane) -> None:
        """Judge these rows of a job; what is left when a process is lost goes to the end of the slow lane."""
        left = deque(numbers)
        try:
            worker = self._worker(lane)
        except BaseException as error:
            job.fail(error)
            return
        job.workers.add(worker)
        why: Loss | None = None
        while left and not why and not job.future.cancelled():
            why = worker.judge(job, left, lane.seconds, self.limits, 1 if lane is self._slow else len(left))
        job.workers.discard(worker)
        if not why and not job.future.cancelled():
            lane.idle.append(worker)
            return
        self._forget(worker)
        if self._closed or not why or job.future.cancelled():
            return
        if lane is self._slow:
            job.settle(left.popleft(), lost(why, self.limits.seconds, self.limits.megabytes))
        if left:
            with contextlib.suppress(RuntimeError):  # closed in this moment; so the job fails
                self._slow.threads.submit(self._run, job, left, self._slow)

    def _worker(self, lane: _Lane, new: bool = False) -> Worker:
        """A process of a lane that is up."""
        with contextlib.suppress(IndexError):
            while not new:
                idle = lane.idle.pop()
                if idle.alive:
                    return idle
                self._forget(idle)
        worker = Worker(self._maker, self.limits.megabytes, lane.nice)
        with self._lock:
            self._all.add(worker)
        if self._closed or not worker.wait_until_ready():
            self._forget(worker)
            if self._closed:
                raise SuasionError(_CLOSED)
            raise SuasionError(
                "A worker process for verdicts does not start.",
                hint=f"Run 'python -c \"from {self._maker.replace(':', ' import ')}\"' to see why.",
            )
        return worker

    def _forget(self, worker: Worker) -> None:
        with self._lock:
            self._all.discard(worker)
        worker.stop()


class Worker:
    """One process, for one thread at a time."""

    def __init__(self, maker: str, megabytes: int, nice: int) -> None:
        command = [sys.executable, "-P", "-m", "suasion.analysis.verification.worker", maker, str(megabytes), str(nice)]
        self._process = subprocess.Popen(  # noqa: S603 - this package's own module, with a name and numbers as arguments
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(place for place in sys.path if place)},
            process_group=0,  # Ctrl-C is for the process that asks
        )
        assert self._process.stdin and self._process.stdout  # noqa: S101 - both are pipes
        self._jobs, self._verdicts = (Connection(os.dup(pipe.fileno())) for pipe in (self._process.stdin, self._process.stdout))
        self._process.stdin.close()
        self._process.stdout.close()

    @property
    def pid(self) -> int:
        """The id of the process."""
        return self._process.pid

    @property
    def alive(self) -> bool:
        """Whether it has not ended."""
        return self._process.poll() is None

    def wait_until_ready(self) -> bool:
        """Whether it comes up."""
        with contextlib.suppress(EOFError, OSError):
            return self._verdicts.poll(START) and self._verdicts.recv_bytes() == READY
        return False

    def judge(self, job: _Job, left: deque[int], seconds: float, limits: Limits, count: int) -> Loss | None:
        """Settle the first ``count`` rows of a job whose numbers are ``left``, and take them out of it; or what the process is lost to."""
        behind = len(left) - count
        try:
            self._jobs.send_bytes(_ENCODE(Job([job.rows[number] for number in islice(left, count)], seconds)))
            while len(left) > behind:
                if not self._verdicts.poll(seconds * PATIENCE + GRACE):
                    return "time"
                for verdict in _DECODER.decode(self._verdicts.recv_bytes()).verdicts:
                    whole = Verdict(tuple(verdict.findings), verdict.scores) if verdict else lost("memory", 0, limits.megabytes)
                    job.settle(left.popleft(), whole)
        except (EOFError, OSError):
            return "time" if -self._wait() == signal.SIGPROF else "crash"
        return None

    def kill(self) -> None:
        """End the process; who waits for it sees that it is gone."""
        self._process.kill()

    def stop(self) -> None:
        """End the process, and wait for that: no zombie is left."""
        self.kill()
        self._wait()
        for connection in (self._jobs, self._verdicts):
            with contextlib.suppress(OSError):
                connection.close()

    def _wait(self) -> int:
        """How it ended; it is made to, should it only have closed its pipes."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            return self._process.wait(timeout=5)
        self._process.kill()
        return self._process.wait()


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


_ENCODE = msgspec.msgpack.Encoder().encode
_DECODER = msgspec.msgpack.Decoder(Judged)
