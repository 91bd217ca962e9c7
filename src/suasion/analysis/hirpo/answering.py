"""Who answers: the writer in this process, unless a recipe names servers; and plain questions put to it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, TypeAlias

from suasion.models.chat.engine import ChatEngine, ChatSampling, ContextOverflow, Message
from suasion.models.chat.local import LocalModel
from suasion.progress import track

if TYPE_CHECKING:
    from collections.abc import Iterator

    from suasion.analysis.hirpo.writer import Writer
    from suasion.models.rendering import Renderer

Serve: TypeAlias = Callable[["Writer"], AbstractContextManager[ChatEngine]]
"""Gives, for a while, an engine that answers as a writer does."""


def in_this_process(renderer: Renderer, batch_size: int) -> Serve:
    """The writer loaded here; let go of at the end, so that training has the memory."""
    from suasion.analysis.hirpo.writer import memory_freed

    @contextmanager
    def serve(writer: Writer) -> Iterator[ChatEngine]:
        with memory_freed():
            engine = LocalModel(writer.to_answer(), renderer, writer.base.config.model, batch_size=batch_size)
            yield engine
            del engine

    return serve


def answers(engine: ChatEngine, prompts: Sequence[str], sampling: ChatSampling, seed: int, label: str) -> list[str]:
    """One answer to each prompt, in their order; "" where a prompt is too long for the model.

    Args:
        seed: of the whole; each prompt's own follows from it and its place.
        label: on the progress line.
    """

    async def ask_all() -> list[str]:
        room = asyncio.Semaphore(2 * engine.concurrency)
        with track(label, len(prompts), unit="answers") as bar:

            async def ask(number: int, prompt: str) -> str:
                messages: list[Message] = [{"role": "user", "content": prompt}]
                async with room:
                    try:
                        (answer,) = await engine.complete(messages, 1, sampling.model_copy(update={"seed": seed * 1_000_003 + number}))
                    except ContextOverflow:
                        answer = ""
                bar.advance()
                return answer

            try:
                return await asyncio.gather(*(ask(number, prompt) for number, prompt in enumerate(prompts)))
            finally:
                await engine.aclose()

    return asyncio.run(ask_all())
