"""Claims: the pipeline keeps an engine of 64 slots at least 95 % busy while logreco answers are judged on two cores; judging them makes an
epoch less than 5 % longer than it would be without any judge; 10⁵ stored pairs are written and read back in memory that does not grow with
their number.

Rivals, in the same run with the same engine, answers and judge: to ask for as many answers as the engine has slots, judge them, and go on;
and to ask for all answers of the epoch first and judge them then. The engine is scripted: it answers after a second, give or take a third.
A server that writes 64 answers a second is a fast one: with 500 tokens each, it writes 32,000 tokens a second. The judge forgets what it
proved after each answer, as if no two answers had a formula in common; what it would save by remembering is not counted in.

No GPU takes part: this says that the processor's work is not in the way, and nothing of how fast a GPU writes.
"""

from __future__ import annotations

import asyncio
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from functools import partial
from pathlib import Path

from ordinary_answers import SOURCE, ordinary

from suasion.analysis.hirpo.pairs import PreferencePair
from suasion.analysis.hirpo.pipeline import Verifier, generate_epoch
from suasion.analysis.hirpo.rowlog import RowLog, rows
from suasion.analysis.hirpo.store import Said, Store
from suasion.analysis.hirpo.tries import Assignment
from suasion.analysis.logic.prover import Prover
from suasion.analysis.tasks import get_task, make_problem, scores
from suasion.analysis.tasks.prompts import problem_prompt
from suasion.analysis.verification.findings import Verdict
from suasion.analysis.verification.pool import Pool
from suasion.analysis.verification.rows import JudgeRow, Row
from suasion.analysis.verification.verify import judge
from suasion.models.chat.engine import ChatSampling, Message

SLOTS, DELAY, PROBLEMS, N, CORES, STORED = 64, 1.0, 256, 10, 2, 100_000
_LOGRECO = next(one for one in ordinary() if one.task == "logreco")


class Paced:
    """An engine that answers after a set delay, valid and invalid by turns, and knows how busy it was."""

    name = identity = "paced"
    concurrency = SLOTS

    def __init__(self) -> None:
        self._free = asyncio.Semaphore(SLOTS)
        self.busy = 0.0
        self.answered = 0

    async def complete(self, messages: Sequence[Message], n: int, sampling: ChatSampling) -> list[str]:
        async with self._free:
            began = time.perf_counter()
            await asyncio.sleep(DELAY * random.Random(sampling.seed).uniform(2 / 3, 4 / 3))
            self.busy += time.perf_counter() - began
            self.answered += 1
            return [f"Answer {self.answered}.\n\n{_LOGRECO.valid if self.answered % 2 else _LOGRECO.invalid}"]

    async def aclose(self) -> None:
        pass


class Nobody:
    """Finds everything valid, in no time."""

    workers = CORES

    def submit(self, rows: Sequence[Row]) -> Future[list[Verdict]]:
        future: Future[list[Verdict]] = Future()
        future.set_result([Verdict(())] * len(rows))
        return future


def forgetful_judge() -> JudgeRow:
    """The judge of worker processes, but for a prover that forgets."""
    prover, task = Prover(workers=0), get_task("logreco")

    def judge_row(row: Row) -> Verdict:
        prover._known.clear()
        return judge(task, [task.case(row.source, row.answer, row.reference)], prover, partial(scores, task))[0]

    judge_row(Row("", "logreco", SOURCE, _LOGRECO.valid))
    return judge_row


def main() -> None:
    """Print every claim with its figure."""
    from hirpo_pipeline import forgetful_judge as make  # worker processes find it by its module's name

    with Pool(make, CORES) as pool:
        pool.start()
        rate = judging(pool)
        print(f"the judge: {rate:,.0f} logreco answers/s on {CORES} cores; the engine: {SLOTS / DELAY:,.0f}/s", flush=True)
        share, seconds = timed("pipeline", lambda engine: pipeline(engine, pool))
        _, without = timed("pipeline without a judge", lambda engine: pipeline(engine, Nobody()))
        by_batch, _ = timed("rival: slots filled, judged, filled again", lambda engine: asyncio.run(in_batches(engine, pool, SLOTS)))
        at_end, _ = timed("rival: all answers first, then judged", lambda engine: asyncio.run(in_batches(engine, pool, PROBLEMS * N)))
    told(f"busy {share:.1%} (claimed: 95 %), against {by_batch:.1%} and {at_end:.1%}", share >= 0.95)
    told(f"judging makes the epoch {seconds / without - 1:+.1%} longer (claimed: less than 5 %)", seconds / without < 1.05)
    storing()


def judging(pool: Pool) -> float:
    """Answers a second of the judge alone."""
    batch = [Row(str(number), "logreco", SOURCE, f"Answer {number}.\n\n{_LOGRECO.valid}") for number in range(10)]
    began = time.perf_counter()
    for future in [pool.submit(batch) for _ in range(40)]:
        assert all(verdict.name == "valid" for verdict in future.result())  # noqa: S101
    return 400 / (time.perf_counter() - began)


def timed(what: str, epoch: Callable[[Paced], None]) -> tuple[float, float]:
    """Share of the slots' time that was spent on answers, from the first question to the last verdict, and the seconds that took."""
    engine = Paced()
    began, used = time.perf_counter(), time.process_time()
    epoch(engine)
    seconds = time.perf_counter() - began
    share = engine.busy / (SLOTS * seconds)
    assert engine.answered == PROBLEMS * N  # noqa: S101
    print(
        f"{what}: {share:.1%} busy, {seconds:.1f} s, of which this process used the processor {time.process_time() - used:.1f} s",
        flush=True,
    )
    return share, seconds


def pipeline(engine: Paced, verifier: Verifier) -> None:
    """An epoch as it is."""
    with tempfile.TemporaryDirectory() as folder, Store(Path(folder, "answers.jsonl")) as store:
        generate_epoch(engine, list(assignments()), store, verifier, seed=1)


async def in_batches(engine: Paced, pool: Pool, size: int) -> None:
    """So many answers, then their verdicts, and so on."""
    todo = [(one, number) for one in assignments() for number in range(N)]
    with tempfile.TemporaryDirectory() as folder, Store(Path(folder, "answers.jsonl")) as store:
        for start in range(0, len(todo), size):
            asked = [
                engine.complete([{"role": "user", "content": one.prompt}], 1, ChatSampling(seed=start + place))
                for place, (one, _) in enumerate(todo[start : start + size])
            ]
            texts = [text for (text,) in await asyncio.gather(*asked)]
            for (one, number), text in zip(todo[start:], texts, strict=False):
                store.keep_said(one.key, str(number), "", Said(text))
            made = [Row("", "logreco", SOURCE, text) for text in texts]
            futures = [pool.submit(made[place : place + N]) for place in range(0, len(made), N)]
            verdicts = [verdict for future in futures for verdict in future.result()]
            for (one, number), verdict in zip(todo[start:], verdicts, strict=False):
                store.keep_verdict(one.key, str(number), verdict)


def assignments() -> Iterator[Assignment]:
    """The epoch's."""
    task = get_task("logreco")
    problem = make_problem(task, SOURCE)
    prompt = problem_prompt(task, problem)
    for number in range(PROBLEMS):
        yield Assignment(f"logreco/{number:06}", "logreco", "logreco", problem, prompt, N, ChatSampling(temperature=0.8, max_tokens=2048))


def storing() -> None:
    """10⁵ pairs, and a tenth of them; each in a process of its own, so that the peak is its own."""
    peaks = {}
    for count in (STORED // 10, STORED):
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        done = subprocess.run(
            [sys.executable, __file__, "store", str(count)], stdout=subprocess.PIPE, text=True, check=True, env=environment
        )
        peak, megabytes, write, read = map(float, done.stdout.split())
        peaks[count] = peak
        print(
            f"{count:,} pairs, {megabytes:,.0f} MB: {count / write:,.0f}/s written, {count / read:,.0f}/s read back, at most {peak:.0f} MB"
        )
    growth = peaks[STORED] / peaks[STORED // 10]
    told(f"memory for ten times as many pairs: {growth:.2f}x (claimed: less than 1.1x)", growth < 1.1)


def store(count: int) -> None:
    """Write so many pairs, read them back, and print the peak in MB, the file's size in MB, and the seconds of both."""
    one = next(assignments())
    asked = ({"role": "user", "content": one.prompt},)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "pairs.jsonl")
        began = time.perf_counter()
        with RowLog(path) as log:
            for number in range(count):
                chosen, rejected = f"Answer {number}.\n\n{_LOGRECO.valid}", f"Answer {number}.\n\n{_LOGRECO.invalid}"
                pair = PreferencePair(f"logreco/{number}", "logreco", "logreco", "validity", asked, chosen, rejected, "0", "1")
                log.append(pair.as_row())
        written = time.perf_counter()
        for number, (_, row) in enumerate(rows(path)):
            assert row["key"] == f"logreco/{number}"  # noqa: S101
        assert number == count - 1  # noqa: S101
        size = path.stat().st_size
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(peak, size / 1e6, written - began, time.perf_counter() - written)


def told(what: str, holds: bool) -> None:
    """One line for a claim."""
    print(f"{'HOLDS' if holds else 'FAILS'}  {what}", flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["store"]:
        store(int(sys.argv[2]))
    else:
        main()
