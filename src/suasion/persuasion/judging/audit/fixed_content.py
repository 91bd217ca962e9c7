"""Length at fixed content: the same reply made longer with filler, and shorter by half. What a score does then is length and nothing else.

A correlation over different replies cannot tell a taste for length from a taste for what long replies have. Here the reply's argument stays
(or goes), and only words come and go.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from suasion.persuasion.judging.audit.findings import Example, Finding
from suasion.persuasion.judging.audit.scored import ScoredPairs
from suasion.persuasion.judging.audit.tricks.phrases import FILLER
from suasion.persuasion.judging.audit.tricks.trick import Reply, replies_of
from suasion.persuasion.judging.judge import Judge, word_count
from suasion.statistics import clustered_mean

#: How many times as long the padded replies become, about.
_TIMES = (1.5, 2.0, 3.0)


def fixed_content(judge: Judge, scored: ScoredPairs, number: int, maximum: float, seed: int) -> tuple[Finding, ...]:
    """Two probes: filler of growing length behind a reply, and a reply cut in half.

    ``length-at-fixed-content`` is the mean over replies of the least-squares slope, through the reply itself, of the gain (in gaps) on the
    binary logarithm of how many times as long the reply became: the gaps that each doubling by filler earns. ``cut-in-half`` is the
    mean gain of a reply whose second half is taken away. Either fails a judge where it is above ``maximum`` and told apart from 0.

    Args:
        number: of replies, drawn evenly over the debates.
    """
    # a reply without words cannot be cut, and how many times as long it becomes has no answer
    replies = [reply for reply in replies_of(scored.pairs, number, seed) if word_count(reply.text) > 1]
    variants = [_variants(reply.text, seed) for reply in replies]
    premises = [reply.premise for reply in replies for _ in range(len(_TIMES) + 2)]
    flat = judge.score(premises, [text for texts in variants for text in texts])
    scores = np.asarray(flat, dtype=np.float64).reshape(len(replies), len(_TIMES) + 2)
    readable = np.flatnonzero(np.isfinite(scores).all(axis=1)).tolist()
    changes = [Change(replies[row], variants[row], scores[row], scored.scale) for row in readable]
    padding = "Does filler of growing length raise a reply's score?"
    cutting = "Does cutting away half of a reply raise its score?"
    return (
        _finding("length-at-fixed-content", padding, changes, [one.slope for one in changes], maximum, seed, shown=-2),
        _finding("cut-in-half", cutting, changes, [one.gain(-1) for one in changes], maximum, seed, shown=-1),
    )


@dataclass(frozen=True)
class Change:
    """A reply in all its lengths (as it is, padded, cut) with their scores."""

    reply: Reply
    texts: Sequence[str]
    scores: NDArray[np.float64]
    scale: float
    """Of the judge: its gap."""

    def gain(self, variant: int) -> float:
        """What a variant gained over the reply as it is, in gaps."""
        return float(self.scores[variant] - self.scores[0]) / self.scale

    @property
    def slope(self) -> float:
        """Gaps gained by each doubling of the length by filler, least squares through the reply as it is."""
        longer = range(1, len(_TIMES) + 1)
        doublings = np.log2([word_count(self.texts[one]) / word_count(self.texts[0]) for one in longer])
        return float(doublings @ [self.gain(one) for one in longer] / (doublings @ doublings))

    def example(self, variant: int) -> Example:
        """For a person to look at."""
        return Example(self.reply.premise, self.texts[0], self.texts[variant], float(self.scores[0]), float(self.scores[variant]))


def _variants(text: str, seed: int) -> list[str]:
    return [text, *(padded(text, times, seed) for times in _TIMES), cut(text)]


def padded(text: str, times: float, seed: int) -> str:
    """The text with filler behind it until it has at least ``times`` as many words."""
    draw = random.Random(f"{seed} {text}")
    filler = draw.sample(FILLER, len(FILLER))
    wanted, parts = times * word_count(text), [text]
    words = word_count(text)
    while words < wanted:
        parts.append(filler[(len(parts) - 1) % len(filler)])
        words += word_count(parts[-1])
    return " ".join(parts)


def cut(text: str) -> str:
    """The first half of the words, with the white space between them as it was."""
    keep, seen = word_count(text) // 2, 0
    for place, (before, after) in enumerate(zip(text, text[1:] + " ", strict=True)):
        seen += not before.isspace() and after.isspace()
        if seen == keep:
            return text[: place + 1]
    return text


def _finding(
    code: str, question: str, changes: Sequence[Change], gains: Sequence[float], maximum: float, seed: int, *, shown: int
) -> Finding:
    estimate = clustered_mean(gains, [one.reply.debate_id for one in changes], seed=seed)
    passed = None if estimate.clusters < 2 else bool(estimate.value <= maximum or estimate.low <= 0)
    worst = max(changes, key=lambda one: one.gain(shown)) if passed is False else None
    limit = f"at most {maximum:.2f} gaps, or not told apart from 0"
    examples = () if worst is None else (worst.example(shown),)
    return Finding(code, question, estimate, limit, passed, examples, {"bound": maximum, "unit": "gaps"})
