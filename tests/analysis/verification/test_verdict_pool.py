"""Worker processes: order, limits, and that a lost process touches no other answer."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from concurrent.futures import wait
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from suasion.analysis.verification.findings import Verdict
from suasion.analysis.verification.pool import Limits, Pool
from suasion.analysis.verification.rows import Row
from suasion.errors import SuasionError
from tests.analysis.verification import hostile_judge

LIMITS = Limits(moment=0.3, seconds=0.8, megabytes=200)
LOST = {
    "spin 30": "limit.time",
    "backtrack": "limit.time",
    "kill": "limit.crash",
    "segfault": "limit.crash",
    "exit": "limit.crash",
    "hang-up": "limit.crash",
    "raise": "limit.crash",
    f"eat {2**30}": "limit.memory",
}


@pytest.fixture(scope="module")
def pool() -> Iterator[Pool]:
    with Pool(hostile_judge.make, 2, LIMITS) as made:
        yield made


def rows(*answers: str) -> list[Row]:
    return [Row(str(number), "argmap", "", answer) for number, answer in enumerate(answers)]


def told(verdicts: list[Verdict]) -> list[str]:
    """What was heard of each answer, or the limit that it ran into."""
    return [one.findings[0].message if one.findings[0].code == "heard" else one.findings[0].code for one in verdicts]


def test_verdicts_come_whole_and_in_order(pool: Pool) -> None:
    answers = [f"answer {number}" for number in range(50)]
    verdicts = pool.submit(rows(*answers)).result()
    assert told(verdicts) == answers
    first = verdicts[0]
    assert (first.name, first.findings[0].line, first.findings[0].column, first.scores["length"]) == ("invalid", 1, 2, 8.0)
    assert isinstance(first.findings, tuple)
    assert os.getpid() not in {one.scores["process"] for one in verdicts}
    assert pool.submit([]).result() == []


@pytest.mark.parametrize("bad", LOST)
def test_a_lost_process_touches_no_other_answer(pool: Pool, bad: str) -> None:
    before, behind = [f"before {number}" for number in range(5)], [f"behind {number}" for number in range(5)]
    verdicts = pool.submit(rows(*before, bad, *behind)).result()
    assert told(verdicts) == [*before, LOST[bad], *behind]
    assert verdicts[5].name == "undecided"
    assert verdicts[5].findings[0].message.endswith(".")


def test_all_of_a_batch_may_be_bad(pool: Pool) -> None:
    answers = ["kill", "spin 30", "exit", "good", "kill"]
    assert told(pool.submit(rows(*answers)).result()) == ["limit.crash", "limit.time", "limit.crash", "good", "limit.crash"]


@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.sampled_from(["good", "fine", "kill", "exit", "print", "spin 0.05"]), min_size=1, max_size=8))
def test_any_mix_gets_its_own_verdicts(pool: Pool, answers: list[str]) -> None:
    expected = [LOST.get(answer, answer) for answer in answers]
    assert told(pool.submit(rows(*answers)).result()) == expected


def test_who_crashes_once_is_tried_again(pool: Pool, tmp_path: Path) -> None:
    answer = f"once {tmp_path / 'was-here'}"
    assert told(pool.submit(rows("a", answer, "b")).result()) == ["a", answer, "b"]


def test_a_slow_answer_gets_the_whole_allowance_in_the_slow_lane(pool: Pool) -> None:
    assert told(pool.submit(rows("spin 0.5")).result()) == ["spin 0.5"]


def test_slow_answers_do_not_keep_others_waiting(pool: Pool) -> None:
    pool.start()
    slow = [pool.submit(rows("spin 30")) for _ in range(6)]  # 0.3 s each, and then 0.8 s in the slow lane
    assert told(pool.submit(rows("good")).result()) == ["good"]
    assert wait(slow, timeout=0).not_done
    assert {told(one.result())[0] for one in slow} == {"limit.time"}


def test_noise_on_stdout_does_no_harm(pool: Pool) -> None:
    assert told(pool.submit(rows("print", "good")).result()) == ["print", "good"]


def test_half_surrogates_are_replaced(pool: Pool) -> None:
    assert told(pool.submit(rows("half \ud800 of one", "\U0001f600")).result()) == ["half � of one", "\U0001f600"]


def test_processes_are_kept_and_replaced(pool: Pool) -> None:
    first = {one.scores["process"] for _ in range(4) for one in pool.submit(rows("a")).result()}
    assert first <= set(map(float, pool.processes))
    for process in pool.processes:
        os.kill(process, signal.SIGKILL)
    assert told(pool.submit(rows("good")).result()) == ["good"]


def test_closing_stops_all_and_lets_nobody_wait() -> None:
    pool = Pool(hostile_judge.make, 1, Limits(moment=600, seconds=600))
    futures = [pool.submit(rows("spin 600")), pool.submit(rows("good"))]
    while not pool.processes:
        time.sleep(0.01)
    processes = pool.processes
    pool.close()
    for future in futures:
        with pytest.raises(SuasionError, match="closed"):
            future.result(timeout=5)
    for process in processes:
        with pytest.raises(ProcessLookupError):
            os.kill(process, 0)
    with pytest.raises(SuasionError, match="closed"):
        pool.submit(rows("good"))
    pool.close()


def test_what_is_cancelled_is_not_judged() -> None:
    with Pool(hostile_judge.make, 1, Limits(moment=600, seconds=600)) as pool:
        first = pool.submit(rows("spin 0.5"))
        second = pool.submit(rows("spin 400"))
        second.cancel()
        assert told(pool.submit(rows("good")).result()) == ["good"]
        assert told(first.result()) == ["spin 0.5"]


def test_a_judge_that_cannot_be_made_is_told() -> None:
    with Pool(hostile_judge.make_nothing, 1) as pool:
        with pytest.raises(SuasionError, match="does not start"):
            pool.submit(rows("good")).result()
        with pytest.raises(SuasionError, match="does not start"):
            pool.start()
