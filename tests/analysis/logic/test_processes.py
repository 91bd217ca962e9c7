"""The prover's processes: no zombies, no orphans, nothing shared with a forked child, and Ctrl-C ends it all."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from suasion.analysis.logic.answers import Entailed, Undecided
from suasion.analysis.logic.pool import Limits
from suasion.analysis.logic.prover import Prover
from tests.analysis.logic.test_prover_limits import ENDLESS, easy

ROOT = Path(__file__).resolve().parents[3]


def pids(prover: Prover) -> list[int]:
    assert prover._pool is not None
    return [worker.process.pid for worker in prover._pool._workers]


def is_gone(pid: int) -> bool:
    """Whether the process has ended, within some seconds, and is no zombie of ours."""
    end = time.monotonic() + 20
    stat = Path(f"/proc/{pid}/stat")
    while time.monotonic() < end:
        try:
            os.kill(pid, 0)
            state, parent = stat.read_text().rpartition(")")[2].split()[:2] if stat.exists() else ("", "")
        except (ProcessLookupError, FileNotFoundError):
            return True
        if state == "Z" and int(parent) != os.getpid():
            return True  # an orphan: its new parent's business
        time.sleep(0.05)
    return False


def test_no_zombies_after_a_kill_and_after_the_end() -> None:
    prover = Prover(workers=1, limits=Limits(seconds=1))
    prover.answer(easy(0))
    (first,) = pids(prover)
    os.kill(first, signal.SIGSTOP)  # it hangs
    assert prover.answer(ENDLESS) == Undecided("time")
    assert is_gone(first)
    assert prover.answer(easy(1)) == Entailed()
    (second,) = pids(prover)
    assert second != first
    prover.close()
    assert is_gone(second)
    assert prover.answer(easy(2)) == Entailed()  # closed is not the end
    prover.close()


def test_a_worker_that_was_killed_between_two_batches_is_replaced() -> None:
    with Prover(workers=1) as prover:
        prover.answer(easy(0))
        (pid,) = pids(prover)
        os.kill(pid, signal.SIGKILL)
        assert prover.ask([easy(number) for number in range(1, 30)]) == [Entailed()] * 29


@pytest.mark.skipif(not hasattr(os, "fork"), reason="a system without fork")
def test_a_forked_child_has_workers_of_its_own() -> None:
    with Prover(workers=1) as prover:
        prover.answer(easy(0))
        before = pids(prover)
        held = threading.Event()
        let_go = threading.Event()

        def hold() -> None:
            with prover._lock:  # as in the middle of another thread's batch
                held.set()
                let_go.wait(20)

        thread = threading.Thread(target=hold)
        thread.start()
        held.wait(20)
        child = os.fork()
        if child == 0:
            right = False
            try:
                right = prover.ask([easy(number) for number in range(1, 20)]) == [Entailed()] * 19 and pids(prover) != before
                prover.close()
            finally:
                os._exit(0 if right else 1)
        assert os.waitpid(child, 0)[1] == 0
        let_go.set()
        thread.join()
        assert prover.ask([easy(number) for number in range(20, 40)]) == [Entailed()] * 20
        assert pids(prover) == before


PROGRAM = """
import sys
from suasion.analysis.logic.pool import Limits
from suasion.analysis.logic.prover import Prover
from tests.analysis.logic.test_prover_limits import ENDLESS, easy
from tests.analysis.logic.test_processes import pids

prover = Prover(workers=1, limits=Limits(steps=2_000_000_000, seconds=60))
prover.answer(easy(0))
print(*pids(prover), flush=True)
{then}
"""


def started(then: str) -> tuple[subprocess.Popen[str], int]:
    """A program with a prover in a process group of its own, and its worker's process number."""
    command = [sys.executable, "-c", PROGRAM.format(then=then)]
    pipe = subprocess.PIPE
    program = subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, cwd=ROOT, start_new_session=True)
    assert program.stdout
    return program, int(program.stdout.readline())


def test_ctrl_c_ends_a_batch_and_its_workers() -> None:
    program, worker = started("prover.answer(ENDLESS)")
    time.sleep(0.5)
    os.killpg(program.pid, signal.SIGINT)
    _, errors = program.communicate(timeout=20)
    assert errors.strip().endswith("KeyboardInterrupt")
    assert is_gone(worker)


def test_ctrl_c_that_is_caught_leaves_a_prover_that_works() -> None:
    caught = """
try:
    prover.answer(ENDLESS)
except KeyboardInterrupt:
    print(prover.answer(easy(1)))
"""
    program, worker = started(caught)
    time.sleep(0.5)
    os.killpg(program.pid, signal.SIGINT)
    output, _ = program.communicate(timeout=30)
    assert output.strip() == "Entailed()" and program.returncode == 0
    assert is_gone(worker)


def test_workers_end_when_the_program_is_killed() -> None:
    program, worker = started("sys.stdin.read()")
    program.kill()
    program.communicate(timeout=20)
    assert is_gone(worker)


def test_the_number_of_workers_changes_no_answer() -> None:
    questions = [*map(easy, range(60)), ENDLESS]
    answers = []
    for workers in (0, 1, 3):
        with Prover(workers=workers, limits=Limits(steps=300_000)) as prover:
            answers.append(prover.ask(questions))
    assert answers[0] == answers[1] == answers[2]
    assert answers[0][-1] == Undecided("steps")
