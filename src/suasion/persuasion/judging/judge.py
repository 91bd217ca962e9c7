"""What a judge is: text in, one float32 number a reply out.

Judges take text, never token ids: the ids of one model's tokenizer mean nothing to another's.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from suasion.models.scoring import Scores


class Judge(Protocol):
    """Anything that scores replies. Only differences between replies to one premise mean anything."""

    def score(self, premises: Sequence[str], replies: Sequence[str]) -> Scores:
        """One number a reply, shape (n,), float32; the same for a reply whatever else is in the batch."""
        ...


@dataclass(frozen=True)
class RuleJudge:
    """A judge without parameters that looks at the reply alone: what every real judge must beat."""

    name: str
    rule: Callable[[str], float]

    def score(self, premises: Sequence[str], replies: Sequence[str]) -> Scores:
        """The rule's value of each reply."""
        return np.asarray([self.rule(reply) for reply in replies], dtype=np.float32)


def word_count(text: str) -> int:
    """White-space separated words: the length that matching, baselines and audit all use."""
    return len(text.split())


#: Judges that count words; can be named wherever a judge run can.
RULES: dict[str, RuleJudge] = {
    "longest": RuleJudge("longest", lambda reply: float(word_count(reply))),
    "shortest": RuleJudge("shortest", lambda reply: -float(word_count(reply))),
}
