"""Order: the same sentences in another order. The words stay, the line of thought goes; a score that does not fall has not followed it."""

from __future__ import annotations

import random

from suasion.persuasion.judging.audit.tricks.sentences import sentences
from suasion.persuasion.judging.audit.tricks.trick import Reply, Trick

_TRIES = 8


def _shuffled(reply: Reply, draw: random.Random) -> str | None:
    """Another order that reads differently: of "So." and "So. So." every order reads the same."""
    said = sentences(reply.text)
    orders = [draw.sample(said, len(said)) for _ in range(_TRIES)]
    return next((text for order in [*orders, said[::-1]] if (text := " ".join(order)) != " ".join(said)), None)


ORDER = (Trick("shuffle", "shuffling its sentences", _shuffled, spoils=True),)
