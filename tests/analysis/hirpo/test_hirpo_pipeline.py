from __future__ import annotations

import asyncio
import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

import pytest

from suasion.analysis.hirpo.engine import EngineConfig
from suasion.analysis.hirpo.judges import judges
from suasion.analysis.hirpo.pipeline import OPEN, WAITING, generate_epoch, outcomes, request_seed
from suasion.analysis.hirpo.rowlog import rows as log_rows
from suasion.analysis.hirpo.store import Store
from suasion.analysis.hirpo.tries import feedback_chat, revision_chat
from suasion.analysis.tasks import all_tasks
from suasion.analysis.verification.findings import Finding, Verdict
from suasion.analysis.verification.rows import Row
from suasion.errors import SuasionError
from suasion.models.chat.engine import ChatSampling, ContextOverflow, Message
from tests.analysis.hirpo.epochs import KILLED, assignments, pairs_of, run_epoch
from tests.analysis.hirpo.scripted import Scripted


class Judge:
    """Judges in this process: valid is what a function says is."""

    workers = 1

    def __init__(self, valid: Callable[[str], bool] = lambda text: "valid" in text) -> None:
        self.valid, self.batches = valid, []

    def submit(self, rows: Sequence[Row]) -> Future[list[Verdict]]:
        self.batches.append([row.answer for row in rows])
        future: Future[list[Verdict]] = Future()
        future.set_result([Verdict(() if self.valid(row.answer) else (Finding("map.missing", "There is no map."),)) for row in rows])
        return future


class Saying(Scripted):
    """Says what a function makes of the messages and the seed."""

    def __init__(self, say: Callable[[Sequence[Message], int], str], **named: object) -> None:
        super().__init__(**named)  # type: ignore[arg-type]
        self.say = say

    async def complete(self, messages: Sequence[Message], n: int, sampling: ChatSampling) -> list[str]:
        await super().complete(messages, n, sampling)
        return [self.say(messages, sampling.seed or 0)]


def test_an_epoch_asks_judges_and_keeps_everything(tmp_path: Path) -> None:
    todo = assignments(("argmap", "logreco_from_infreco"), 6)
    engine = Scripted(slots=8)
    with Store(tmp_path / "answers.jsonl") as store:
        tally = run_epoch(engine, todo, store)
        found = list(outcomes(store, todo, seed=7))
    assert tally.problems == 12 and tally.answers == 48 and tally.valid + tally.invalid + tally.undecided == 48
    assert tally.asked == len(engine.asked) == 48 + tally.feedbacks + tally.revisions
    assert tally.valid and tally.feedbacks and tally.valid_revisions
    assert [one.assignment for one in found] == todo
    for outcome in found:
        assert [one.path for one in outcome.tries] == ["0", "1", "2", "3"]
        assert not (outcome.criticised and any(one.verdict and one.verdict.name == "valid" for one in outcome.tries))


def test_the_judge_is_the_task_s_own(tmp_path: Path) -> None:
    todo = assignments([task.name for task in all_tasks()], 1, n=2, critique=False)
    with Store(tmp_path / "answers.jsonl") as store:
        assert run_epoch(Scripted(mood="good"), todo, store, workers=2).valid == 28


@pytest.mark.parametrize("where", ["cores", pytest.param("ray", marks=pytest.mark.skipif(find_spec("ray") is None, reason="needs ray"))])
def test_answers_are_judged_where_the_recipe_says(tmp_path: Path, where: Literal["cores", "ray"], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAY_AUTH_MODE", "disabled")  # nothing is written to the user's folder
    todo = assignments(("argmap",), 3, n=2, critique=False)
    with Store(tmp_path / "answers.jsonl") as store, judges(EngineConfig(judge_on=where, judges=1)) as verifier:
        assert generate_epoch(Scripted(mood="good"), todo, store, verifier, seed=7).valid == 6


def test_each_request_is_sent_as_configured_with_a_seed_of_its_own(tmp_path: Path) -> None:
    todo = assignments(("argmap",), 3, critique=False)
    engine = Scripted()
    with Store(tmp_path / "answers.jsonl") as store:
        generate_epoch(engine, todo, store, Judge(), seed=3)
    seeds = [sampling.seed for _, sampling in engine.asked]
    assert set(seeds) == {request_seed(3, one.key, str(number)) for one in todo for number in range(4)} and len(set(seeds)) == 12
    assert all(sampling.model_copy(update={"seed": None}) == todo[0].sampling for _, sampling in engine.asked)
    assert engine.asked[0][1].extra_body == {"min_p": 0.05}


def test_only_where_no_answer_is_valid_answers_are_criticised_and_feedbacks_tried_in_turn(tmp_path: Path) -> None:
    helps = "Feedback 2"

    def say(messages: Sequence[Message], seed: int) -> str:
        if len(messages) == 1:
            return f"answer {seed}" + (" valid" if messages[0]["content"] == good.prompt else "")
        if len(messages) == 3:
            return f"Feedback {seeds.index(seed) % 3}"
        return f"revision {seed}" + (" valid" if messages[3]["content"] == helps else "")

    good, bad = assignments(("argmap",), 2, n=2, feedbacks=3, revisions=2)
    seeds = [request_seed(1, bad.key, f"{answer}.f{feedback}") for answer in range(2) for feedback in range(3)]
    with Store(tmp_path / "answers.jsonl") as store:
        engine = Saying(say)
        generate_epoch(engine, [good, bad], store, Judge(), seed=1)
        first, second = outcomes(store, [good, bad], seed=1)
    assert first.criticised == () and len(second.criticised) == 2
    for criticised in second.criticised:
        assert [feedback.text for feedback in criticised.feedbacks] == ["Feedback 0", "Feedback 1", "Feedback 2"]
        assert [len(feedback.revisions) for feedback in criticised.feedbacks] == [2, 2, 2]
        chats = [messages for messages, _ in engine.asked]
        assert feedback_chat(bad, criticised.answer) in chats
        assert revision_chat(bad, criticised.answer, "Feedback 1") in chats
    with Store(tmp_path / "others.jsonl") as store:
        helps = "Feedback 0"
        generate_epoch(Saying(say), [bad], store, Judge(), seed=1)
        (outcome,) = outcomes(store, [bad], seed=1)
    assert [len(feedback.revisions) for feedback in outcome.criticised[0].feedbacks] == [2, 0, 0], "the first one helped"


def test_the_same_text_is_judged_once_and_counted_each_time(tmp_path: Path) -> None:
    (todo,) = assignments(("argmap",), 1, n=6, critique=False)
    judge = Judge()
    texts = iter(["a", " a\n", "", "valid", "a", "valid"])
    with Store(tmp_path / "answers.jsonl") as store:
        tally = generate_epoch(Saying(lambda messages, seed: next(texts)), [todo], store, judge, seed=1)
        (outcome,) = outcomes(store, [todo], seed=1)
    assert judge.batches == [["a", "", "valid"]]
    assert (tally.answers, tally.duplicates, tally.empty, tally.valid, tally.invalid) == (6, 3, 1, 2, 4)
    assert [one.same_as for one in outcome.tries] == [None, "0", None, None, "0", "3"]
    assert [one.path for one in outcome.distinct] == ["0", "3"]


def test_run_on_repetition_is_taken_off_and_counted(tmp_path: Path) -> None:
    (todo,) = assignments(("argmap",), 1, n=2, critique=False)
    with Store(tmp_path / "answers.jsonl") as store:
        tally = generate_epoch(Saying(lambda messages, seed: f"valid {seed}\n" + "I go on. " * 500), [todo], store, Judge(), seed=1)
        (outcome,) = outcomes(store, [todo], seed=1)
    assert tally.loops == 2 and all(one.text.endswith("\nI go on.") and one.cut > 4000 for one in outcome.tries)


def test_a_prompt_that_is_too_long_is_no_answer(tmp_path: Path) -> None:
    def say(messages: Sequence[Message], seed: int) -> str:
        if len(messages) > 1 or messages[0]["content"] == long.prompt:
            raise ContextOverflow("too long")
        return "no map"

    long, short = assignments(("argmap",), 2, n=2)
    with Store(tmp_path / "answers.jsonl") as store:
        tally = generate_epoch(Saying(say), [long, short], store, Judge(), seed=1)
        again = Saying(say)
        assert generate_epoch(again, [long, short], store, Judge(), seed=1).asked == 0 == len(again.asked)
        first, second = outcomes(store, [long, short], seed=1)
    assert tally.too_long == 2 and first.distinct == () and first.criticised == ()
    assert [criticised.feedbacks for criticised in second.criticised] == [()]


def test_the_engine_is_kept_busy_and_nothing_piles_up(tmp_path: Path) -> None:
    """Never are fewer requests under way than the engine works on while problems are left, and never many more."""

    class Counting(Saying):
        now, most = 0, 0

        async def complete(self, messages: Sequence[Message], n: int, sampling: ChatSampling) -> list[str]:
            type(self).now += 1
            type(self).most = max(self.most, self.now)
            try:
                return await super().complete(messages, n, sampling)
            finally:
                seen.append((self.now, len(taken)))
                type(self).now -= 1

    seen: list[tuple[int, int]] = []
    taken = []

    def reading() -> object:
        for one in assignments(("argmap",), 100, n=4, critique=False):
            taken.append(one)
            yield one

    class Slow(Judge):
        def submit(self, rows: Sequence[Row]) -> Future[list[Verdict]]:
            done = super().submit(rows)
            later: Future[list[Verdict]] = Future()
            threading.Timer(0.005, lambda: later.set_result(done.result())).start()
            return later

    engine = Counting(lambda messages, seed: f"valid {seed}", slots=4, delay=0.002)
    with Store(tmp_path / "answers.jsonl") as store:
        generate_epoch(engine, reading(), store, Slow(), seed=1)  # type: ignore[arg-type]
    assert engine.most <= WAITING * 4 + 2 * 4
    assert all(now >= 4 for now, so_far in seen if so_far < 98)
    finished_late = max(so_far - number // 4 for number, (_, so_far) in enumerate(seen))
    assert finished_late <= OPEN * WAITING * 4 + 1, "problems are taken up as they are needed"


def test_trouble_ends_the_epoch_and_what_was_had_is_kept(tmp_path: Path) -> None:
    class Breaking(Scripted):
        async def complete(self, messages: Sequence[Message], n: int, sampling: ChatSampling) -> list[str]:
            if len(self.asked) >= 30:
                raise SuasionError("The server gave no answer.", where="a server")
            return await super().complete(messages, n, sampling)

    todo = assignments(("argmap",), 20)
    with Store(tmp_path / "answers.jsonl") as store:
        with pytest.raises(SuasionError, match="gave no answer"):
            generate_epoch(Breaking(slots=4), todo, store, Judge(), seed=7)
        with pytest.raises(SuasionError, match="not finished"):
            list(outcomes(store, todo, seed=7))
        tally = generate_epoch(Scripted(slots=4), todo, store, Judge(), seed=7)
        assert tally.kept >= 26 and tally.problems == 20
        with pytest.raises(SuasionError, match="other prompts, sampling settings or seeds"):
            generate_epoch(Scripted(), todo, store, Judge(), seed=8)
        hotter = [replace(one, sampling=one.sampling.model_copy(update={"temperature": 1.0})) for one in todo]
        with pytest.raises(SuasionError, match="other prompts, sampling settings or seeds"):
            generate_epoch(Scripted(), hotter, store, Judge(), seed=7)


def test_a_judge_that_breaks_is_told(tmp_path: Path) -> None:
    class Broken(Judge):
        def submit(self, rows: Sequence[Row]) -> Future[list[Verdict]]:
            future: Future[list[Verdict]] = Future()
            future.set_exception(SuasionError("A worker process for verdicts does not start."))
            return future

    with Store(tmp_path / "answers.jsonl") as store, pytest.raises(SuasionError, match="does not start"):
        generate_epoch(Scripted(), assignments(("argmap",), 3), store, Broken(), seed=7)


def test_it_is_not_for_a_running_event_loop(tmp_path: Path) -> None:
    async def inside(store: Store) -> None:
        generate_epoch(Scripted(), [], store, Judge(), seed=1)

    with Store(tmp_path / "answers.jsonl") as store, pytest.raises(SuasionError, match="event loop"):
        asyncio.run(inside(store))


def test_slots_and_order_change_nothing(tmp_path: Path) -> None:
    todo = assignments(("argmap", "arganno"), 8)
    found = []
    for number, (slots, delay) in enumerate([(1, 0.0), (16, 0.001)]):
        with Store(tmp_path / f"{number}.jsonl") as store:
            run_epoch(Scripted(slots=slots, delay=delay), todo, store)
            found.append(list(outcomes(store, todo, seed=7)))
    assert found[0] == found[1]


@pytest.fixture
def children() -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-m", "tests.analysis.hirpo.epochs"]
    root = Path(__file__).resolve().parents[3]
    process = subprocess.Popen(command, cwd=root, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    yield process
    process.kill()
    process.wait()


def test_killed_ten_times_an_epoch_ends_with_the_same_pairs(tmp_path: Path, children: subprocess.Popen[str]) -> None:
    todo = assignments(KILLED["tasks"], KILLED["problems"])  # type: ignore[arg-type]
    with Store(tmp_path / "whole.jsonl") as store:
        total = run_epoch(Scripted(slots=8), todo, store).asked
        expected = pairs_of(store, todo)
    assert len(expected) > 50 and len({json.loads(line)["kind"] for line in expected}) >= 6
    path, chance = tmp_path / "killed.jsonl", random.Random(11)
    assert children.stdin and children.stdout
    for kill in range(10):
        before = _asked(path)
        children.stdin.write(f"{path} 0.02\n")
        children.stdin.flush()
        child = int(children.stdout.readline())
        until = before + chance.randint(1, (total - before) // (11 - kill))
        while _asked(path) < until:
            time.sleep(chance.uniform(0, 0.02))
        os.kill(child, signal.SIGKILL)
        assert int(children.stdout.readline()) == -signal.SIGKILL, "it was still at it"
    with Store(path) as store:
        again = run_epoch(Scripted(slots=8), todo, store)
        assert pairs_of(store, todo) == expected
    assert again.kept > total // 3 and again.kept + again.asked == total, "what was had is not asked for again"
    kept = Counter((row["key"], row["path"], "asked" in row) for _, row in log_rows(path))
    assert max(kept.values()) == 1, "nothing is there twice"


def _asked(path: Path) -> int:
    return path.read_bytes().count(b'"asked"') if path.exists() else 0
