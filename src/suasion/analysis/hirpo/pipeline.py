"""An epoch's answers and their verdicts: the model writes while the cores judge, and everything is kept as it comes.

A problem is taken up as soon as fewer than twice as many requests are under way as the engine works on at once; so there is always one
waiting where one ends. Each problem's answers are judged when its last one is there, while other problems are being answered. Nothing
piles up: problems that are open are bounded, and so are the batches before the judge; where the judge is slower than the model, the
model waits.

Resuming is doing it all again with the answers and verdicts that were kept, so a killed epoch goes the very way that it would have gone.
Each request's seed follows from the epoch's seed and from which request it is, so the order in which answers come changes nothing.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Iterable, Iterator, Sequence, Sized
from concurrent.futures import Future
from contextlib import nullcontext
from typing import Protocol

from suasion.analysis.hirpo.repetition import without_loop
from suasion.analysis.hirpo.rounds import work
from suasion.analysis.hirpo.store import Known, Said, Store, checked, digest, digest_of_chat
from suasion.analysis.hirpo.tally import Tally
from suasion.analysis.hirpo.tries import Assignment, Outcome
from suasion.analysis.verification.findings import Verdict
from suasion.analysis.verification.rows import Row, clean_text
from suasion.analysis.verification.stream import AHEAD
from suasion.errors import SuasionError
from suasion.models.chat.engine import ChatEngine, ChatSampling, ContextOverflow, Message
from suasion.progress import Progress, track

WAITING = 2  # requests under way or waiting before the engine, for each that it works on
OPEN = 2  # problems that may be open, for each of these requests


class Verifier(Protocol):
    """Judges answers elsewhere: :class:`~suasion.analysis.verification.pool.Pool`, or ``RayPool`` on a cluster."""

    workers: int

    def submit(self, rows: Sequence[Row]) -> Future[list[Verdict]]:
        """The verdicts to come, in the order of the rows."""
        ...


def generate_epoch(
    engine: ChatEngine, assignments: Iterable[Assignment], store: Store, verifier: Verifier, *, seed: int, label: str = ""
) -> Tally:
    """Get all answers, verdicts, feedbacks and revisions of an epoch into a store; those that are there already are not asked for again.

    Args:
        assignments: read as they are taken up; the same ones when an epoch is resumed.
        seed: the epoch's; no two epochs of a run should have the same.
        label: of a progress line; none is shown without.

    Raises:
        SuasionError: the engine gives no answer any more, no process that judges can be started, the store cannot be written or is of
            other work. What is kept is kept: call this again.
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        pass
    else:
        raise SuasionError("An epoch cannot be generated from within a running event loop.", hint="Call this from another thread.")
    total = len(assignments) if isinstance(assignments, Sized) else None
    with track(label, total, unit="problems") if label else nullcontext() as bar:
        try:
            return asyncio.run(_Line(engine, store, verifier, seed, bar).run(assignments))
        except BaseExceptionGroup as group:
            raise _first(group) from None


def outcomes(store: Store, assignments: Iterable[Assignment], *, seed: int) -> Iterator[Outcome]:
    """What came of each assignment, in their order, one at a time in memory.

    Raises:
        SuasionError: the epoch is not finished, or the store is of other work.
    """
    with asyncio.Runner() as runner:
        for assignment in assignments:
            try:
                outcome = runner.run(work(assignment, _Kept(store, assignment, seed)))
            except BaseExceptionGroup as group:
                raise _first(group) from None
            yield outcome


def request_seed(seed: int, key: str, path: str) -> int:
    """A request's seed, from the epoch's and from which request it is; of 31 bits, which every server takes."""
    return int.from_bytes(hashlib.sha256(f"{seed}\n{key}\n{path}".encode("utf-8", "backslashreplace")).digest()[:4]) >> 1


class _Kept:
    """The desk of a problem that has only what was kept."""

    def __init__(self, store: Store, assignment: Assignment, seed: int) -> None:
        self.store, self.assignment, self.seed = store, assignment, seed
        self.known: Known = store.known(assignment.key)
        self._chat: tuple[Sequence[Message], str] = ((), "")

    async def say(self, path: str, messages: Sequence[Message], sampling: ChatSampling) -> Said:
        seeded = sampling.model_copy(update={"seed": request_seed(self.seed, self.assignment.key, path)})
        if self._chat[0] is not messages:  # all draws of a round put the same one
            self._chat = (messages, digest_of_chat(messages))
        asked = digest(self._chat[1], seeded)
        said = checked(self.known, path, asked, self.store.path)
        return said if said is not None else await self.new(path, messages, seeded, asked)

    async def judge(self, texts: Sequence[tuple[str, str]]) -> list[Verdict]:
        missing = [(path, text) for path, text in texts if text not in self.known.verdicts]
        if missing:
            self.known.verdicts |= dict(zip((text for _, text in missing), await self.verdicts(missing), strict=True))
        return [self.known.verdicts[text] for _, text in texts]

    async def new(self, path: str, messages: Sequence[Message], sampling: ChatSampling, asked: str) -> Said:
        raise self._missing(path)

    async def verdicts(self, texts: Sequence[tuple[str, str]]) -> list[Verdict]:
        raise self._missing(texts[0][0])

    def _missing(self, path: str) -> SuasionError:
        what = f"The epoch is not finished: answer {path} to {self.assignment.key} or its verdict is not there."
        return SuasionError(what, where=self.store.path, hint="Let it be generated to its end first.")


class _Desk(_Kept):
    """The desk of a problem that asks for what was not kept, and keeps it."""

    def __init__(self, line: _Line, assignment: Assignment) -> None:
        super().__init__(line.store, assignment, line.seed)
        self.line = line
        line.tally.kept += len(self.known.said)

    async def new(self, path: str, messages: Sequence[Message], sampling: ChatSampling, asked: str) -> Said:
        said = await self.line.ask(messages, sampling)
        self.store.keep_said(self.assignment.key, path, asked, said)
        return said

    async def verdicts(self, texts: Sequence[tuple[str, str]]) -> list[Verdict]:
        problem = self.assignment.problem
        rows = [Row(path, self.assignment.task, problem.source, text, problem.reference) for path, text in texts]
        verdicts = await self.line.verify(rows)
        for (path, _), verdict in zip(texts, verdicts, strict=True):
            self.store.keep_verdict(self.assignment.key, path, verdict)
        return verdicts


class _Line:
    """The running of one epoch, in one event loop."""

    def __init__(self, engine: ChatEngine, store: Store, verifier: Verifier, seed: int, bar: Progress | None) -> None:
        self.engine, self.store, self.verifier, self.seed, self.bar = engine, store, verifier, seed, bar
        self.tally = Tally()
        self._wanted = WAITING * engine.concurrency
        self._under_way = self._open = 0
        self._room = asyncio.Event()
        self._judging = asyncio.Semaphore(AHEAD * verifier.workers)

    async def run(self, assignments: Iterable[Assignment]) -> Tally:
        try:
            async with asyncio.TaskGroup() as group:
                for assignment in assignments:
                    await self._until_there_is_room()
                    self._open += 1
                    group.create_task(self._work(assignment))
        finally:
            await self.engine.aclose()
        return self.tally

    async def ask(self, messages: Sequence[Message], sampling: ChatSampling) -> Said:
        self._under_way += 1
        try:
            (text,) = await self.engine.complete(messages, 1, sampling)
        except ContextOverflow:
            return Said(None)
        finally:
            self._under_way -= 1
            self._room.set()
        self.tally.asked += 1
        return Said(*without_loop(clean_text(text).strip()))

    async def verify(self, rows: Sequence[Row]) -> list[Verdict]:
        async with self._judging:
            return await asyncio.wrap_future(self.verifier.submit(rows))

    async def _work(self, assignment: Assignment) -> None:
        self.tally.add(await work(assignment, _Desk(self, assignment)))
        self._open -= 1
        self._room.set()
        if self.bar is not None:
            tally = self.tally
            self.bar.note(answers=tally.answers, valid=tally.valid, undecided=tally.undecided, revisions=tally.revisions)
            self.bar.advance()

    async def _until_there_is_room(self) -> None:
        for _ in range(3):  # until the problem taken up last has put its questions
            await asyncio.sleep(0)
        while self._under_way >= self._wanted or self._open >= OPEN * self._wanted:
            self._room.clear()
            await self._room.wait()


def _first(group: BaseExceptionGroup[BaseException]) -> BaseException:
    """What went wrong first, out of all that came of it."""
    inner: BaseException = group
    while isinstance(inner, BaseExceptionGroup):
        inner = inner.exceptions[0]
    return inner
