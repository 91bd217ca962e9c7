"""The local model as a chat engine: questions that wait together are answered in one batch, in a thread beside the event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from suasion.errors import SuasionError
from suasion.models.chat.draws import extras, replies
from suasion.models.chat.engine import ChatSampling, ContextOverflow, Message
from suasion.models.rendering import Renderer
from suasion.models.sampling import stop_ids


@dataclass(frozen=True, eq=False)
class _Waiting:
    """A prompt whose answers are awaited."""

    ids: list[int]
    seeds: list[int]
    sampling: ChatSampling
    answers: asyncio.Future[list[str]]


class LocalModel:
    """A chat engine in this process.

    Args:
        model: a causal language model, with or without an adapter.
        renderer: of its tokenizer; special tokens spelled inside a message are made harmless.
        name: of the model, for messages, and to tell its answers from another's.
        batch_size: answers generated at once.
    """

    def __init__(self, model: Any, renderer: Renderer, name: str, *, batch_size: int = 8) -> None:
        self.model, self.renderer, self.batch_size, self._name = model, renderer, batch_size, name
        self._waiting: list[_Waiting] = []
        self._answering: asyncio.Task[None] | None = None
        self._unseeded = 0

    @property
    def name(self) -> str:
        """As given."""
        return self._name

    @property
    def identity(self) -> str:
        """Its name."""
        return self._name

    @property
    def concurrency(self) -> int:
        """A batch."""
        return self.batch_size

    async def complete(self, messages: Sequence[Message], n: int, sampling: ChatSampling) -> list[str]:
        """``n`` answers. A seed decides them, whatever else is asked meanwhile; without one, the same questions in the same order get the
        same answers of a new engine. Raises as the protocol says."""
        extras(sampling.extra_body, self.name)
        turns = [{"role": turn["role"], "content": self.renderer.harmless(turn["content"])} for turn in messages]
        ids = self.renderer.ids(turns)
        room = getattr(self.model.config, "max_position_embeddings", None)
        if room is not None and len(ids) + sampling.max_tokens > room:
            raise ContextOverflow(
                f"The prompt has {len(ids)} tokens; with {sampling.max_tokens} for an answer it exceeds the model's {room}.",
                where=self.name,
            )
        answers: asyncio.Future[list[str]] = asyncio.get_running_loop().create_future()
        first = self._unseeded if sampling.seed is None else sampling.seed
        self._unseeded += n if sampling.seed is None else 0
        alike = sampling.model_copy(update={"seed": None})
        self._waiting.append(_Waiting(ids, [first + number for number in range(n)], alike, answers))
        if self._answering is None or self._answering.done():
            self._answering = asyncio.ensure_future(self._answer_all())
        return await answers

    async def aclose(self) -> None:
        """Wait for the batch under way, which a thread cannot be torn from."""
        task, self._answering, self._waiting = self._answering, None, []
        if task is not None:
            await asyncio.gather(task, return_exceptions=True)

    async def _answer_all(self) -> None:
        """Batches, until nobody waits."""
        while self._waiting:
            await asyncio.sleep(0)  # let everybody who is about to ask do so
            batch = self._next_batch()
            try:
                answers = await asyncio.to_thread(self._generate, batch) if batch else []
            except Exception as error:  # of torch, mostly memory: those who wait must hear of it
                told = SuasionError(f"The local model could not answer: {error!s:.300}", where=self.name, hint="Lower its batch size.")
                for one in batch:
                    if not one.answers.done():
                        one.answers.set_exception(told)
                continue
            for one, texts in zip(batch, answers, strict=True):
                if not one.answers.done():
                    one.answers.set_result(texts)

    def _next_batch(self) -> list[_Waiting]:
        """The longest waiting question and those that may go with it: drawn alike, and not more than fit."""
        live = [one for one in self._waiting if not one.answers.done()]  # who was cancelled waits no more
        batch: list[_Waiting] = []
        room = self.batch_size
        for one in live:
            if not batch or (one.sampling == batch[0].sampling and len(one.seeds) <= room):
                batch.append(one)
                room -= len(one.seeds)
        self._waiting = [one for one in live if one not in batch]
        return batch

    def _generate(self, batch: Sequence[_Waiting]) -> list[list[str]]:
        """In a thread: the answers to each prompt."""
        stops = stop_ids(self.model, self.renderer)
        self.model.eval()
        rows = replies(
            self.model,
            [one.ids for one in batch for _ in one.seeds],
            [seed for one in batch for seed in one.seeds],
            batch[0].sampling,
            stops=stops,
            pad=int(self.renderer.tokenizer.pad_token_id),
        )
        texts = iter(str(self.renderer.tokenizer.decode(row, skip_special_tokens=True)).strip() for row in rows)
        return [[next(texts) for _ in one.seeds] for one in batch]
