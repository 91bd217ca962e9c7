"""Many questions put to one engine: a bounded number under way, progress shown, each answer handed over as it comes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass

from suasion.errors import SuasionError
from suasion.models.chat.engine import ChatEngine, ChatSampling, ContextOverflow, Message
from suasion.progress import track


@dataclass(frozen=True)
class Answer:
    """One answer; ``text`` is ``None`` where the question did not fit into the model's context."""

    number: int
    text: str | None


def ask_all(
    engine: ChatEngine,
    questions: Sequence[Sequence[Message]],
    sampling: ChatSampling,
    on_answer: Callable[[Answer], None],
    *,
    label: str = "",
) -> None:
    """Put every question once; ``on_answer`` gets the answers in the order in which they come.

    Args:
        on_answer: called in this thread; what it keeps is kept, should a later question end it all.
        label: of a progress line; none is shown without.

    Raises:
        SuasionError: the engine gives no answer any more. Questions under way are given up.
    """
    if not questions:
        return
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        pass
    else:
        raise SuasionError("Questions cannot be put from within a running event loop.", hint="Call this from another thread.")
    with track(label, len(questions), unit="answers") if label else nullcontext() as bar:

        def handed_over(answer: Answer) -> None:
            on_answer(answer)
            if bar is not None:
                bar.advance()

        asyncio.run(_all(engine, questions, sampling, handed_over))


async def _all(
    engine: ChatEngine, questions: Sequence[Sequence[Message]], sampling: ChatSampling, on_answer: Callable[[Answer], None]
) -> None:
    waiting = iter(enumerate(questions))
    workers = [asyncio.ensure_future(_work(engine, waiting, sampling, on_answer)) for _ in range(min(engine.concurrency, len(questions)))]
    try:
        await asyncio.gather(*workers)
    finally:
        for worker in workers:
            worker.cancel()
        await asyncio.gather(*workers, return_exceptions=True)
        await engine.aclose()


async def _work(
    engine: ChatEngine, waiting: Iterable[tuple[int, Sequence[Message]]], sampling: ChatSampling, on_answer: Callable[[Answer], None]
) -> None:
    """Take questions as long as there are any."""
    for number, messages in waiting:
        try:
            (text,) = await engine.complete(messages, 1, sampling)
        except ContextOverflow:
            on_answer(Answer(number, None))
        else:
            on_answer(Answer(number, text))
