"""One problem from the first question to the last verdict: answers, then, where none is valid, criticism and revisions.

The order is that of the published recipe: every invalid answer gets its feedbacks; they are tried in turn, each with its revisions, until
one leads to a valid revision. Everything that does not have to wait for something else is asked at once.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterable, Sequence
from typing import Any, Protocol, TypeVar

from suasion.analysis.hirpo.store import Said
from suasion.analysis.hirpo.tries import (
    Assignment,
    Criticised,
    Critique,
    Feedback,
    Outcome,
    Try,
    answer_chat,
    distinct,
    feedback_chat,
    revision_chat,
)
from suasion.analysis.verification.findings import Verdict
from suasion.models.chat.engine import ChatSampling, Message

T = TypeVar("T")


class Desk(Protocol):
    """Who asks the model and the judge on behalf of one problem."""

    async def say(self, path: str, messages: Sequence[Message], sampling: ChatSampling) -> Said:
        """What the model says to this."""
        ...

    async def judge(self, texts: Sequence[tuple[str, str]]) -> list[Verdict]:
        """Verdicts on texts, each with its path."""
        ...


async def work(assignment: Assignment, desk: Desk) -> Outcome:
    """All that comes of an assignment. Raises what the desk raises."""
    paths = [str(number) for number in range(assignment.n)]
    tries = await _round(desk, paths, answer_chat(assignment), assignment.sampling)
    critique = assignment.critique
    if critique is None or any(_valid(one) for one in tries):
        return Outcome(assignment, tries)
    invalid = [one for one in distinct(tries) if one.verdict and one.verdict.name == "invalid"]
    criticised = await _all(_criticised(assignment, critique, one, desk) for one in invalid[: critique.most])
    return Outcome(assignment, tries, tuple(criticised))


async def _criticised(assignment: Assignment, critique: Critique, answer: Try, desk: Desk) -> Criticised:
    chat = feedback_chat(assignment, answer)
    paths = [f"{answer.path}.f{number}" for number in range(critique.n_feedbacks)]
    said = await _all(desk.say(path, chat, critique.feedback_sampling) for path in paths)
    texts = {one.text: path for path, one in reversed(list(zip(paths, said, strict=True))) if one.text}  # each once, by its first path
    feedbacks = []
    helped = False
    for text, path in sorted(texts.items(), key=lambda pair: paths.index(pair[1])):
        revisions: tuple[Try, ...] = ()
        if not helped:
            names = [f"{path}.r{number}" for number in range(critique.n_revisions)]
            revisions = await _round(desk, names, revision_chat(assignment, answer, text), critique.revision_sampling)
            helped = any(_valid(one) for one in revisions)
        feedbacks.append(Feedback(path, text, revisions))
    return Criticised(answer, tuple(feedbacks))


async def _round(desk: Desk, paths: Sequence[str], chat: Sequence[Message], sampling: ChatSampling) -> tuple[Try, ...]:
    """Draws to the same question, judged together; the very same text is judged once."""
    said = await _all(desk.say(path, chat, sampling) for path in paths)
    first: dict[str, str] = {}
    for path, one in zip(paths, said, strict=True):
        if one.text is not None:
            first.setdefault(one.text, path)
    verdicts = dict(zip(first, await desk.judge([(path, text) for text, path in first.items()]), strict=True))
    return tuple(
        Try(path, "", None)
        if one.text is None
        else Try(path, one.text, verdicts[one.text], None if first[one.text] == path else first[one.text], one.cut)
        for path, one in zip(paths, said, strict=True)
    )


def _valid(one: Try) -> bool:
    return one.verdict is not None and one.verdict.name == "valid"


async def _all(parts: Iterable[Coroutine[Any, Any, T]]) -> list[T]:
    """What all give; when one fails the others are given up, and none is left behind running."""
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(part) for part in parts]
    return [task.result() for task in tasks]
