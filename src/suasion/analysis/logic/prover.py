"""The prover: questions in batches, each asked once, answered by worker processes that no question can harm for
long."""

from __future__ import annotations

import os
import threading
import weakref
from array import array
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from hashlib import blake2b
from types import TracebackType
from typing import Any

from suasion.analysis.logic.answers import Answer
from suasion.analysis.logic.encoding import Encoded, decode, encode
from suasion.analysis.logic.engine import Engine, Found
from suasion.analysis.logic.models import named_model
from suasion.analysis.logic.pool import Limits, Pool
from suasion.analysis.logic.questions import Formulas, Question, Together, shows_world

REMEMBERED = 50_000  # answers kept; the oldest half goes when there are more
LARGE = 250  # lines in a world that is too large to be remembered
_WORLD, _PLAIN = b"\1", b"\0"  # before the numbers of a question: whether a world is wanted
CHUNK = 32 * 2**20  # bytes of encoded questions held at a time; a question whose parts take more is undecided


class Prover:
    """Answers questions about formulas (:mod:`suasion.analysis.logic.questions`) with z3.

    Processes start with the first question and stay. Answers are remembered by form: questions that differ only in
    names are one. May be used from several threads, one batch at a time, and in a process forked from this one (which
    starts workers of its own); in a ``with`` block, or closed by hand, or at the end of the program.

    Args:
        workers: processes; by default one a core. With 0 it proves in this process: nothing to start, but only steps
            are limited, and memory and time not strictly; for formulas of your own.
        limits: what one set of formulas may cost. Questions about parts ask once for each part.
        models: look for worlds that show why something does not follow.
        second_opinion: ask cvc5 too where z3 is undecided (the package cvc5 must be installed).

    Raises:
        SuasionError: z3 or cvc5 is needed and not installed; also from :meth:`ask`.
    """

    def __init__(
        self,
        workers: int | None = None,
        limits: Limits | None = None,
        models: bool = True,
        second_opinion: bool = False,
    ) -> None:
        self.models = models
        limits = limits or Limits()
        self._lock = threading.Lock()
        self._known: dict[bytes, Found] = {}
        self._pool: Pool | None = None
        self._engine: Engine | None = None
        second = _second() if second_opinion else None
        if workers == 0:
            self._engine = Engine(limits.steps, limits.seconds, second)
        else:
            self._pool = Pool(workers or _cores(), limits, second_opinion)
        _PROVERS.add(self)

    def ask(self, questions: Sequence[Question], done: Callable[[], None] = lambda: None) -> list[Answer]:
        """Answers in the order of the questions. Never raises for what is in them; undecided is an answer.

        Args:
            questions: any mix of the kinds in :mod:`suasion.analysis.logic.questions`.
            done: called after each set of formulas that had to be proved, to show progress.
        """
        answers: dict[int, Answer] = {}
        plans = [question.plan() for question in questions]
        asked: deque[tuple[int, Iterable[Formulas]]] = deque((number, next(plan)) for number, plan in enumerate(plans))
        while asked:
            chunk: list[tuple[int, list[Encoded | None]]] = []
            size = 0
            while asked and size < CHUNK:
                number, sets = asked.popleft()
                chunk.append((number, list(_encoded(sets))))
                size += sum(len(one.numbers) for one in chunk[-1][1] if one)
            wanted = [shows_world(questions[number]) for number, several in chunk for _ in several]
            found = iter(self._together([one for _, several in chunk for one in several], wanted, done))
            for number, several in chunk:
                results = [next(found) for _ in several]
                try:
                    asked.append((number, plans[number].send(results)))
                except StopIteration as end:
                    answers[number] = end.value
        return [answers[number] for number in range(len(questions))]

    def answer(self, question: Question) -> Any:
        """The answer to one question; its type is told with the question."""
        return self.ask([question])[0]

    def close(self) -> None:
        """Stop the processes and free memory. A later question starts them again."""
        with self._lock:
            if self._pool:
                self._pool.close()
            if self._engine:
                self._engine.close()

    def __enter__(self) -> Prover:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def _together(self, sets: Sequence[Encoded | None], wanted: Sequence[bool], done: Callable[[], None]) -> list[Together]:
        """Whether each set can be true together; sets of the same form are looked at once.

        Args:
            wanted: whether a world is, for each set. Where one is known or asked for anyway, that will do for those that want none.
        """
        with self._lock:
            shown = [_digest(_WORLD, one) for one in sets]
            asked_for = {key for key, want in zip(shown, wanted, strict=True) if want} if self.models else set()
            keys, new, also = [], {}, {}
            for one, key in zip(sets, shown, strict=True):
                flag = _WORLD
                if key not in asked_for and key not in self._known:
                    flag, key, also_key = _PLAIN, _digest(_PLAIN, one), key
                    also[key] = also_key
                keys.append(key)
                if one and key not in self._known:
                    new[key] = flag + one.numbers
            found = dict(zip(new, self._prove(list(new.values()), done), strict=True))
            answers = [
                _named(found.get(key) or self._known[key], one) if one else Together(None, None, "size")
                for key, one in zip(keys, sets, strict=True)
            ]
            lasting = {key: one for key, one in found.items() if _is_lasting(one)}
            self._known |= lasting | {also[key]: one for key, one in lasting.items() if one.possible is False and key in also}
            if len(self._known) > REMEMBERED:
                self._known = dict(list(self._known.items())[-REMEMBERED // 2 :])
        return answers

    def _prove(self, questions: Sequence[bytes], done: Callable[[], None]) -> list[Found]:
        if self._pool:
            return self._pool.ask(questions, done)
        assert self._engine  # noqa: S101 - a prover has the one or the other
        found = []
        for question in questions:
            found.append(self._engine.ask(decode(question[1:]), question[0] == 1))
            done()
        return found

    def _begin_anew(self) -> None:
        """In a process just forked: the lock may be held by a thread that is not here, the workers are the parent's."""
        self._lock = threading.Lock()
        if self._pool:
            self._pool.forget()


_PROVERS: weakref.WeakSet[Prover] = weakref.WeakSet()


def _after_fork() -> None:
    for prover in list(_PROVERS):
        prover._begin_anew()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def _encoded(sets: Iterable[Formulas]) -> Iterator[Encoded | None]:
    """Each set in numbers; ``None`` where they are too many to ask."""
    left = CHUNK
    for formulas in sets:
        if left <= 0:
            yield None
            continue
        try:
            one = encode(formulas)
        except RecursionError:  # built by hand, and deeper than the parser allows
            yield None
            continue
        left -= len(one.numbers)
        yield one


def _is_lasting(found: Found) -> bool:
    """Whether to remember it: what the clock or the machine ended may go better next time."""
    if found.model:
        return sum(map(len, found.model.functions.values())) + sum(map(len, found.model.predicates.values())) <= LARGE
    return found.reason not in ("time", "crash", "memory")


def _digest(flag: bytes, one: Encoded | None) -> bytes:
    return blake2b(flag + one.numbers, digest_size=16).digest() if one else b""


def _named(found: Found, encoded: Encoded) -> Together:
    return Together(found.possible, named_model(found.model, encoded) if found.model else None, found.reason)


def _cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _second() -> Callable[[array[int]], bool | None]:
    from suasion.analysis.logic.second import installed, second_opinion

    installed()
    return second_opinion
