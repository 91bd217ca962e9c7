"""What a hostile question can do: be undecided. The worker is replaced, the others are answered, memory and time stay
bounded."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from suasion.analysis.logic import parse
from suasion.analysis.logic.answers import Entailed, Undecided
from suasion.analysis.logic.pool import Limits
from suasion.analysis.logic.prover import Prover
from suasion.analysis.logic.questions import Consistent, Entails, Tautology
from suasion.analysis.logic.syntax import Atom, Formula, Not

ROOT = Path(__file__).resolve().parents[3]


def formula(text: str) -> Formula:
    found = parse(text).formula
    assert found is not None, text
    return found


def easy(number: int) -> Entails:
    """A valid argument; no two numbers (below 1024) give one of the same form, so each has to be proved."""
    bits = " & ".join(f"{'-' if number >> bit & 1 else ''}s{bit}" for bit in range(10))
    return Entails((formula(f"p -> q & F(a) & {bits}"), formula("p")), formula("F(a) | r"))


# only infinite worlds show that p does not follow, so z3 never ends by itself
ENDLESS = Entails(
    tuple(map(formula, ("all x.exists y.R(x, y)", "all x.-R(x, x)", "all x y z.(R(x, y) & R(y, z) -> R(x, z))"))),
    formula("p"),
)


def test_a_hostile_question_is_cut_off_and_the_others_are_answered() -> None:
    with Prover(workers=2, limits=Limits(steps=2_000_000_000, seconds=2)) as prover:
        questions = [*map(easy, range(10)), ENDLESS, *map(easy, range(10, 40))]
        answers = prover.ask(questions)
    assert answers[10] == Undecided("time")
    assert [answer for number, answer in enumerate(answers) if number != 10] == [Entailed()] * 40


def test_steps_end_a_question_at_the_same_point_everywhere() -> None:
    with Prover(workers=1, limits=Limits(steps=200_000, seconds=60)) as prover:
        assert [prover.answer(ENDLESS) for _ in range(2)] == [Undecided("steps")] * 2


def _interfere(prover: Prover, what: Callable[[int], None], wait: float = 0.6) -> threading.Thread:
    """Do something to the worker process while it is at a question."""

    def run() -> None:
        end = time.monotonic() + 20
        while time.monotonic() < end:
            pool = prover._pool
            assert pool is not None
            busy = [worker.process.pid for worker in pool._workers if worker.ready and worker.given]
            if busy:
                time.sleep(wait)
                what(busy[0])
                return
            time.sleep(0.01)

    thread = threading.Thread(target=run)
    thread.start()
    return thread


def test_a_worker_that_hangs_is_killed_and_replaced() -> None:
    with Prover(workers=1, limits=Limits(steps=2_000_000_000, seconds=3)) as prover:
        thread = _interfere(prover, lambda pid: os.kill(pid, signal.SIGSTOP))
        answers = prover.ask([ENDLESS, easy(1), easy(2)])
        thread.join()
        assert answers == [Undecided("time"), Entailed(), Entailed()]
        assert prover.answer(easy(3)) == Entailed()


def test_a_worker_that_dies_is_replaced_and_its_question_asked_once_more() -> None:
    with Prover(workers=1, limits=Limits(steps=2_500_000, seconds=20)) as prover:
        thread = _interfere(prover, lambda pid: os.kill(pid, signal.SIGKILL), wait=0.3)
        answers = prover.ask([ENDLESS, easy(1), easy(2)])
        thread.join()
        assert answers == [Undecided("steps"), Entailed(), Entailed()]


def test_the_alarm_ends_a_worker_in_the_middle_of_z3() -> None:
    long = formula(" & ".join(f"(p{number} | -p{number + 1})" for number in range(6000)))
    with Prover(workers=1, limits=Limits(seconds=0.01)) as prover:
        assert prover.answer(Tautology(long)) == Undecided("time")
        assert prover._pool is not None and prover._pool._workers == []  # the worker ended, so it did not just give up


def cpu_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="a system without /proc")
def test_a_machine_that_stands_still_makes_nothing_undecided() -> None:
    program = """
from suasion.analysis.logic import parse
from suasion.analysis.logic.pool import Limits
from suasion.analysis.logic.prover import Prover
from suasion.analysis.logic.questions import Tautology

texts = [" & ".join(f"(p{number} | -p{number + apart})" for number in range(5000)) for apart in range(1, 9)]
questions = [Tautology(parse(text).formula) for text in texts]
with Prover(workers=1, models=False, limits=Limits(seconds=2)) as prover:
    prover.answer(questions[0])
    print(prover._pool._workers[0].process.pid, flush=True)
    print(*{str(answer) for answer in prover.ask(questions)})
"""
    running = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, cwd=ROOT)
    assert running.stdout
    worker = int(running.stdout.readline())
    begun = cpu_seconds(worker)
    while cpu_seconds(worker) < begun + 0.2:  # until it is busy
        time.sleep(0.01)
    for pid in (running.pid, worker):
        os.kill(pid, signal.SIGSTOP)
    time.sleep(4)
    for pid in (running.pid, worker):
        os.kill(pid, signal.SIGCONT)
    assert running.communicate(timeout=200)[0].strip() == "No(model=None)"


def test_little_memory_is_undecided_and_does_not_grow() -> None:
    letters = [f"F{number}" for number in range(40)]
    grown = [f"all x y z.({one}(f(x, y)) | R(x, g(y, z)) | R(f(x, g(z, {one.lower()})), y))" for one in letters]
    question = Entails((*map(formula, grown), *ENDLESS.premises), formula("p"))
    with Prover(workers=1, limits=Limits(steps=2_000_000_000, seconds=200, megabytes=48)) as prover:
        assert prover.answer(question) == Undecided("memory")
        assert prover.answer(easy(1)) == Entailed()


def test_a_formula_of_100_kilobytes_gets_an_answer() -> None:
    long = formula(" & ".join(f"(p{number} | -p{number})" for number in range(8000)))
    with Prover(workers=1) as prover:
        answer = prover.answer(Tautology(long))
        assert type(answer).__name__ in ("Yes", "Undecided")
        assert prover.answer(easy(1)) == Entailed()


def test_a_tree_built_deeper_than_the_parser_allows_is_undecided() -> None:
    deep: Formula = Atom("p")
    for _ in range(20_000):
        deep = Not(deep)
    assert Prover(workers=0).answer(Consistent((deep,))) == Undecided("size")
    while isinstance(deep, Not):  # taken apart by hand: Python's own clean-up of so deep a tree is not what is tested
        deep = deep.body


def test_an_interrupted_batch_leaves_nothing_for_the_next() -> None:
    class Stop(Exception):
        pass

    def stop() -> None:
        raise Stop

    with Prover(workers=1) as prover:
        with pytest.raises(Stop):
            prover.ask([easy(number) for number in range(20)], done=stop)
        assert prover.ask([easy(number) for number in range(20, 25)]) == [Entailed()] * 5


def test_threads_share_one_prover() -> None:
    with Prover(workers=2) as prover:
        results: dict[int, object] = {}

        def work(number: int) -> None:
            results[number] = prover.ask([easy(20 * number + one) for one in range(20)])

        threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert results == {number: [Entailed()] * 20 for number in range(6)}


def test_nothing_is_asked_twice() -> None:
    asked = []
    with Prover(workers=0) as prover:
        question = Entails((formula("p -> q & F(a)"), formula("p")), formula("F(a) | r"))
        prover.ask([question, question], done=lambda: asked.append(1))
        assert len(asked) == 1
        renamed = Entails((formula("good -> bad & Nice(rex)"), formula("good")), formula("Nice(rex) | fine"))
        prover.ask([renamed], done=lambda: asked.append(1))
        assert len(asked) == 1  # the same question in other words
        prover.ask([*map(easy, range(20))], done=lambda: asked.append(1))
        assert len(asked) == 21


def test_workers_end_with_the_prover() -> None:
    prover = Prover(workers=1)
    prover.answer(easy(1))
    assert prover._pool is not None
    process = prover._pool._workers[0].process
    del prover
    assert process.wait(20) is not None
