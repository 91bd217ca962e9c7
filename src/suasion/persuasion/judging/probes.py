"""The tricks of the audit: each asks in one way whether the judge counts words instead of weighing them.

Every probe returns a :class:`Finding`: an effect with an interval clustered by debate, the limit it is held against, and whether it passed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from suasion.persuasion.dataset import Pair
from suasion.persuasion.judging.judge import RULES, Judge, word_count
from suasion.statistics import Estimate, clustered_mean, clustered_share, clustered_statistic, credit, rank_correlation

#: Says nothing about any premise; long enough to move a judge that counts words.
FILLER = (
    "This is of course something that a lot of people think about, and there is always more that could be said about it from one side "
    "or from the other. In any case it is a subject with many aspects, and all of them are worth a thought at some point or another."
)


@dataclass(frozen=True)
class Finding:
    """One probe's outcome. ``passed`` is ``None`` where the data cannot answer (then it neither passes nor fails a judge)."""

    code: str
    question: str
    estimate: Estimate
    limit: str
    passed: bool | None

    def as_dict(self) -> dict[str, Any]:
        """JSON-able copy."""
        return {"code": self.code, "question": self.question, "limit": self.limit, "passed": self.passed} | self.estimate.as_dict()


@dataclass(frozen=True)
class ScoredPairs:
    """Pairs with the judge's scores of winners and losers, shape (n,) each."""

    pairs: Sequence[Pair]
    winners: NDArray[np.float32]
    losers: NDArray[np.float32]

    @property
    def debates(self) -> list[str]:
        """The debate of each pair."""
        return [pair.debate_id for pair in self.pairs]

    @property
    def correct(self) -> NDArray[np.float64]:
        """1 where the winner is scored higher, 0.5 at a tie, 0 otherwise."""
        return credit(self.winners, self.losers)

    @property
    def scale(self) -> float:
        """The judge's own unit: the root mean square of score(winner) - score(loser)."""
        gaps = np.asarray(self.winners, dtype=np.float64) - self.losers
        return float(np.sqrt(np.mean(gaps**2))) or 1.0

    def replies(self) -> tuple[list[str], list[tuple[str, str]], NDArray[np.float64]]:
        """Every reply once: its debate, (premise, reply), and score."""
        sides = [(pair.winner, score) for pair, score in zip(self.pairs, self.winners, strict=True)]
        sides += [(pair.loser, score) for pair, score in zip(self.pairs, self.losers, strict=True)]
        found = {
            (pair.debate_id, pair.premise, text): float(score)
            for pair, (text, score) in zip([*self.pairs, *self.pairs], sides, strict=True)
        }
        return [key[0] for key in found], [key[1:] for key in found], np.asarray(list(found.values()))


def score_pairs(judge: Judge, pairs: Sequence[Pair]) -> ScoredPairs:
    """Score every reply once, however many pairs it stands in."""
    texts = list(dict.fromkeys((pair.premise, reply) for pair in pairs for reply in (pair.winner, pair.loser)))
    scores = judge.score([premise for premise, _ in texts], [reply for _, reply in texts])
    known = dict(zip(texts, scores, strict=True))
    winners = np.asarray([known[pair.premise, pair.winner] for pair in pairs], dtype=np.float32)
    losers = np.asarray([known[pair.premise, pair.loser] for pair in pairs], dtype=np.float32)
    return ScoredPairs(pairs, winners, losers)


def baselines(pairs: Sequence[Pair]) -> dict[str, Estimate]:
    """How often rules without parameters pick the winner; ``earliest`` only over pairs whose times are known."""
    debates = [pair.debate_id for pair in pairs]
    found = {name: clustered_share(score_pairs(rule, pairs).correct, debates) for name, rule in RULES.items()}
    timed = [
        (pair.debate_id, pair.winner_created, pair.loser_created)
        for pair in pairs
        if pair.winner_created is not None and pair.loser_created is not None
    ]
    if timed:
        in_debates, winners, losers = zip(*timed, strict=True)
        found["earliest"] = clustered_share(credit(losers, winners), in_debates)
    return found


def accuracy(scored: ScoredPairs) -> Finding:
    """Better than chance: the whole interval must lie above one half."""
    estimate = clustered_share(scored.correct, scored.debates)
    return Finding("accuracy", "Does it pick the winner?", estimate, "the interval lies above 0.5", estimate.low > 0.5)


def against_baseline(scored: ScoredPairs, name: str, baseline: Estimate) -> Finding:
    """Better than a rule that reads nothing, on the same pairs: the interval of the accuracy must lie above the rule's accuracy."""
    estimate = clustered_share(scored.correct, scored.debates)
    question = f"Does it beat '{name}', which is right {baseline.value:.0%} of the time?"
    return Finding(f"beats-{name}", question, estimate, f"the interval lies above {baseline.value:.3f}", estimate.low > baseline.value)


def loser_is_longer(scored: ScoredPairs, minimum: float) -> Finding:
    """Accuracy where counting words gives the wrong answer."""
    rows = [i for i, pair in enumerate(scored.pairs) if word_count(pair.loser) > word_count(pair.winner)]
    estimate = clustered_share(scored.correct[rows], [scored.debates[i] for i in rows])
    passed = None if estimate.n == 0 else estimate.value >= minimum
    return Finding("loser-longer", "Does it pick the winner where the loser is longer?", estimate, f"at least {minimum:.2f}", passed)


def length_correlation(scored: ScoredPairs, maximum: float, seed: int) -> Finding:
    """Spearman's correlation of score and words over the replies of one premise (both centred by premise, then pooled)."""
    debates, texts, scores = scored.replies()
    words = centred(np.asarray([word_count(text) for _, text in texts], dtype=np.float64), debates)
    height = centred(scores, debates)
    estimate = clustered_statistic(lambda rows: rank_correlation(height[rows], words[rows]), debates, seed=seed)
    passed = None if not np.isfinite(estimate.value) else abs(estimate.value) <= maximum or estimate.low <= 0 <= estimate.high
    limit = f"within ±{maximum:.2f}, or not told apart from 0"
    return Finding("length-correlation", "Do its scores follow the number of words, within a premise?", estimate, limit, passed)


def padding(judge: Judge, scored: ScoredPairs, maximum: float, seed: int) -> Finding:
    """What filler behind a reply does to its score, in units of the judge's own winner-loser gap."""
    debates, texts, before = scored.replies()
    after = judge.score([premise for premise, _ in texts], [f"{reply} {FILLER}" for _, reply in texts])
    gain = (np.asarray(after, dtype=np.float64) - before) / scored.scale
    estimate = clustered_mean(gain, debates, seed=seed)
    limit = f"at most {maximum:.2f} of its winner-loser gap"
    return Finding("padding", "Does empty filler behind a reply raise its score?", estimate, limit, bool(estimate.value <= maximum))


def centred(values: NDArray[np.float64], groups: Sequence[str]) -> NDArray[np.float64]:
    """Values less their group's mean."""
    _, inverse = np.unique(np.asarray(groups), return_inverse=True)
    means = np.bincount(inverse, weights=values) / np.bincount(inverse)
    return np.asarray(values - means[inverse], dtype=np.float64)
