from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from suasion.errors import SuasionError
from suasion.models.chat.engine import ChatSampling, ContextOverflow, Message, as_messages
from suasion.models.chat.several import Several

QUESTION = as_messages("Answer.", "Tea?")


class Engine:
    """Answers with its name; breaks after so many answers."""

    def __init__(self, name: str, concurrency: int = 1, last: int = 10**6, identity: str = "model") -> None:
        self.name, self.concurrency, self.last, self.identity, self.answered, self.closed = name, concurrency, last, identity, 0, False

    async def complete(self, messages: Sequence[Message], n: int, sampling: ChatSampling) -> list[str]:
        if messages[-1]["content"] == "long":
            raise ContextOverflow("too long", where=self.name)
        await asyncio.sleep(0.001)
        if self.answered >= self.last:
            raise SuasionError("The server gave no answer.", where=self.name)
        self.answered += n
        return [self.name] * n

    async def aclose(self) -> None:
        self.closed = True


def ask(engine: Several, number: int) -> list[str]:
    async def all_of_them() -> list[str]:
        found = await asyncio.gather(*(engine.complete(QUESTION, 1, ChatSampling()) for _ in range(number)))
        await engine.aclose()
        return [text for (text,) in found]

    return asyncio.run(all_of_them())


def test_each_gets_its_share_by_its_width() -> None:
    small, large = Engine("small", 2), Engine("large", 6)
    engine = Several([small, large])
    assert engine.concurrency == 8 and engine.identity == "model" and engine.name == "small, large"
    answers = ask(engine, 80)
    assert len(answers) == 80 and (small.answered, large.answered) == (20, 60)
    assert small.closed and large.closed


def test_one_that_breaks_is_left_out_and_its_questions_go_to_the_rest() -> None:
    told: list[str] = []
    broken, whole = Engine("broken", last=3), Engine("whole")
    engine = Several([broken, whole], told=told.append)
    answers = ask(engine, 40)
    assert len(answers) == 40 and broken.answered == 3 and whole.answered == 37
    assert len(told) == 1 and "broken" in told[0] and engine.concurrency == 1


def test_when_none_is_left_the_trouble_is_told() -> None:
    with pytest.raises(SuasionError, match="gave no answer"):
        ask(Several([Engine("a", last=1), Engine("b", last=2)], told=lambda text: None), 10)


def test_a_prompt_that_is_too_long_is_nobody_s_fault() -> None:
    engine = Several([Engine("a"), Engine("b")])
    with pytest.raises(ContextOverflow):
        asyncio.run(engine.complete(as_messages("Answer.", "long"), 1, ChatSampling()))
    assert engine.concurrency == 2


def test_engines_that_are_not_alike_are_refused() -> None:
    with pytest.raises(SuasionError, match="alike"):
        Several([Engine("a"), Engine("b", identity="another model")])
    with pytest.raises(SuasionError, match="no engine"):
        Several([])
