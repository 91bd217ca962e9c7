"""Paraphrase: the same thing in other words, by whatever can rewrite a text (a chat engine, say). The score should hardly move."""

from __future__ import annotations

import random
from collections.abc import Callable

from suasion.persuasion.judging.audit.tricks.trick import Reply, Trick

Rewriter = Callable[[str], str]


def paraphrase(rewrite: Rewriter) -> Trick:
    """The trick that lets ``rewrite`` say the reply in other words; a blank answer counts as none."""

    def alter(reply: Reply, draw: random.Random) -> str | None:
        if not reply.text.strip():
            return None
        other = rewrite(reply.text)
        return other if other.strip() and other.strip() != reply.text.strip() else None

    return Trick("paraphrase", "saying the same in other words", alter)
