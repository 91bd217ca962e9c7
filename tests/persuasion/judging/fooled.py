"""Debates made for the tests of the attack, a judge that knows, and judges that can be fooled."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

import numpy as np

from suasion.persuasion.dataset import Pair
from suasion.persuasion.judging.audit.scored import ScoredPairs, score_pairs
from suasion.persuasion.judging.judge import Judge, RuleJudge

WORDS = ("tea", "coffee", "milk", "houses", "evidence", "the", "of", "people", "I", "however")


def debates(number: int = 40, *, seed: int = 0) -> list[Pair]:
    """One pair a debate, of equal lengths: the winner gives the reason that belongs to the premise's topic, the loser another topic's."""
    draw = random.Random(seed)

    def said(reason: int, topic: int) -> str:
        some = [" ".join(draw.choices(WORDS, k=count)) for count in (12, 8, 10)]
        return f"{some[0]}. {some[1]} topic{topic} reason{reason} too. {some[2]}."

    return [
        Pair(
            f"d{index}",
            f"I think topic{index} is bad. It ought to be stopped for what it does.",
            f"w{index}",
            said(index, index),
            f"l{index}",
            said((index + 1) % number, index),
        )
        for index in range(number)
    ]


class Knowing:
    """Looks for the reason that belongs to the premise's topic, beside the topic: no phrase and no word of the premise supplies it."""

    def score(self, premises: Sequence[str], replies: Sequence[str]) -> np.ndarray:
        scores = []
        for premise, reply in zip(premises, replies, strict=True):
            topic = next((word for word in premise.split() if word.startswith("topic")), "topic")
            plain = " ".join(reply.lower().replace("*", "").split())
            scores.append(2.0 * (f"{topic} reason{topic.removeprefix('topic')} " in plain))
        return np.asarray(scores, dtype=np.float32)


def rule(score: Callable[[str], float]) -> RuleJudge:
    """A judge that looks at the reply alone."""
    return RuleJudge("a rule", score)


def scored_by(judge: Judge, number: int = 40) -> ScoredPairs:
    """The debates with this judge's scores."""
    return score_pairs(judge, debates(number))


LENGTH = rule(lambda reply: float(len(reply.split())))
KEYWORD = rule(lambda reply: float(reply.lower().split().count("evidence")))
LAYOUT = rule(lambda reply: 3.0 * (reply.startswith("- ") or "\n- " in reply) + 2.0 * ("**" in reply) + random.Random(reply).random())
LOTS = rule(lambda reply: random.Random(reply).random())
CONSTANT = rule(lambda reply: 1.0)
