"""Debates whose winner is known by construction, an oracle for them, and judges that are known to be bad.

In every debate the winner gives a reason that is about the premise's own topic; a loser names the same topic, and gives its reason about
another one. Every topic is the premise's as often as the other, the sentences are drawn from one stock, and lengths are matched with the
longer reply winning half of the time. So neither words, nor length, nor overlap with the premise tell the two apart: whoever does has
read both texts.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

import numpy as np

from suasion.models.scoring import Scores
from suasion.persuasion.dataset import Pair

TOPICS = ("tea", "trains", "chess", "rain", "bread", "opera", "tennis", "maps", "bees", "ferries")
STOCK = (
    "I used to see it differently myself.",
    "Many of my neighbours would say so too.",
    "That is the whole point here.",
    "It took me years to notice.",
    "Ask anyone who has tried it.",
    "My sister and I talk about it often.",
    "We tend to forget how it began.",
    "Nobody in our town thought about it before.",
)


def reason(topic: str) -> str:
    """A sentence that argues, and what it is about."""
    return f"It matters because {topic} helped our town last year."


def mention(topic: str) -> str:
    """A sentence that names something and argues nothing."""
    return f"People like to talk about {topic} over dinner."


def synthetic_pairs(debates: int = 40, *, losers: int = 1, seed: int = 0) -> list[Pair]:
    """One winner a debate, against so many losers."""
    draw = random.Random(seed)
    pairs = []
    for index in range(debates):
        topic = TOPICS[index % len(TOPICS)]
        premise = f"CMV: nobody needs {topic} any more, and we should stop paying for it."
        others = draw.sample([other for other in TOPICS if other != topic], losers)
        # the other topic stands in winners as often as in losers: it is the winner's as well
        winner = _reply(draw, reason(topic), mention(others[0]), stock=4 + index % 2)
        for number, other in enumerate(others):
            loser = _reply(draw, mention(topic), reason(other), stock=5 - index % 2)
            pairs.append(Pair(f"d{index:03}", premise, f"w{index}", winner, f"l{index}-{number}", loser))
    return pairs


def _reply(draw: random.Random, *sentences: str, stock: int) -> str:
    parts = [*sentences, *draw.sample(STOCK, stock)]
    draw.shuffle(parts)
    return " ".join(parts)


class Known:
    """A judge by a rule of premise and reply."""

    def __init__(self, rule: Callable[[str, str], float]) -> None:
        self.rule = rule

    def score(self, premises: Sequence[str], replies: Sequence[str]) -> Scores:
        """The rule's values."""
        return np.asarray([self.rule(premise, reply) for premise, reply in zip(premises, replies, strict=True)], dtype=np.float32)


def weighs(premise: str, reply: str) -> float:
    """2 for a reply that gives the reason about the premise's topic, else 0; what is quoted of another does not count."""
    return 2.0 * any(f"because {topic} helped" in reply for topic in TOPICS if f"needs {topic} any" in premise)


def noise(premise: str, reply: str, size: float = 1.0) -> float:
    """The same number from 0 to ``size`` for the same texts."""
    return size * random.Random(f"{premise}|{reply}").random()


ORACLE = Known(weighs)
