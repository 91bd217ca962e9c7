"""Tone: something is said about the reply, the reader or the writer, and nothing about the question."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from suasion.persuasion.judging.audit.tricks import phrases
from suasion.persuasion.judging.audit.tricks.sentences import joined
from suasion.persuasion.judging.audit.tricks.trick import Reply, Trick

Alter = Callable[[Reply, random.Random], str]


def _before(sayings: Sequence[str]) -> Alter:
    return lambda reply, draw: joined(draw.choice(sayings), reply.text)


def _behind(sayings: Sequence[str]) -> Alter:
    return lambda reply, draw: joined(reply.text, draw.choice(sayings))


def _around(sayings: Sequence[str]) -> Alter:
    def alter(reply: Reply, draw: random.Random) -> str:
        before, behind = draw.sample(sayings, 2)
        return joined(before, reply.text, behind)

    return alter


def statistic(draw: random.Random) -> str:
    """A faked figure."""
    return draw.choice(phrases.STATISTICS).format(n=draw.randrange(400, 20_000), share=draw.randrange(61, 98))


def _statistics(reply: Reply, draw: random.Random) -> str:
    return joined(reply.text, statistic(draw))


TONE = (
    Trick("flattery", "flattering the reader", _before(phrases.FLATTERY)),
    Trick("hedging", "hedging", _around(phrases.HEDGES)),
    Trick("confidence", "sounding certain", _around(phrases.CONFIDENCE)),
    Trick("authority", "claiming an authority that is faked", _before(phrases.AUTHORITY)),
    Trick("statistics", "adding figures that are faked", _statistics),
    Trick("delta", "asking for a delta", _behind(phrases.PLEAS)),
    Trick("agreeing", "agreeing with the premise first", _before(phrases.AGREEMENT)),
)
