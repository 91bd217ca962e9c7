"""Length among different replies: is the judge right whichever is longer, and do its scores follow the number of words?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from suasion.persuasion.judging.audit.findings import Finding
from suasion.persuasion.judging.audit.scored import ScoredPairs, centred
from suasion.persuasion.judging.audit.settings import AuditConfig
from suasion.persuasion.judging.judge import word_count
from suasion.statistics import Estimate, clustered_share, clustered_statistic, rank_correlation

#: Of ln(winner words / loser words). Within ±0.05, replies are about equally long.
_EDGES = (-np.inf, -0.5, -0.2, -0.05, 0.05, 0.2, 0.5, np.inf)
_EQUAL = 0.05


@dataclass(frozen=True)
class LengthBin:
    """Accuracy where ln(winner words / loser words) lies from ``low`` (included) to ``high``."""

    low: float
    high: float
    estimate: Estimate

    @property
    def label(self) -> str:
        """As a reader wants it: ``winner 5–18 % shorter``."""
        if self.low < 0 < self.high:
            return "about equal"
        near, far = sorted((abs(self.low), abs(self.high)))
        side = "longer" if self.low > 0 else "shorter"
        ends = [abs(np.expm1(end if side == "longer" else -end)) * 100 for end in (near, far)]
        return f"winner over {ends[0]:.0f} % {side}" if np.isinf(far) else f"winner {ends[0]:.0f}–{ends[1]:.0f} % {side}"

    def as_dict(self) -> dict[str, Any]:
        """JSON-able copy; an open end is ``None``."""
        ends = {name: float(end) if np.isfinite(end) else None for name, end in (("from", self.low), ("to", self.high))}
        return {"label": self.label} | ends | self.estimate.as_dict()


def by_length(scored: ScoredPairs) -> tuple[LengthBin, ...]:
    """Accuracy by how much longer the winner is; bins without a pair are left out."""
    place = np.digitize(_log_ratios(scored), _EDGES[1:-1])
    return tuple(
        LengthBin(_EDGES[index], _EDGES[index + 1], _accuracy(scored, place == index))
        for index in range(len(_EDGES) - 1)
        if np.any(place == index)
    )


def length_findings(scored: ScoredPairs, config: AuditConfig, seed: int) -> tuple[Finding, ...]:
    """The three probes of length among different replies."""
    ratios = _log_ratios(scored)
    longer, equal, least = config.min_accuracy_loser_longer, config.min_accuracy_equal_length, config.min_debates
    where_longer = "Does it pick the winner where the loser is longer?"
    where_equal = "Does it pick the winner where both are about equally long?"
    return (
        _slice("loser-longer", where_longer, scored, ratios < 0, longer, least),
        _slice("equal-length", where_equal, scored, np.abs(ratios) <= _EQUAL, equal, least),
        length_correlation(scored, config.max_length_correlation, seed),
    )


def length_correlation(scored: ScoredPairs, maximum: float, seed: int) -> Finding:
    """Spearman's correlation of score and words over the replies of one premise (both centred by premise, then pooled)."""
    debates, texts, scores = scored.replies()
    words = centred(np.asarray([word_count(text) for _, text in texts], dtype=np.float64), debates)
    height = centred(scores, debates)
    estimate = clustered_statistic(lambda rows: rank_correlation(height[rows], words[rows]), debates, seed=seed)
    passed = None if not np.isfinite(estimate.value) else abs(estimate.value) <= maximum or estimate.low <= 0 <= estimate.high
    limit = f"within ±{maximum:.2f}, or not told apart from 0"
    question = "Do its scores follow the number of words, within a premise?"
    return Finding("length-correlation", question, estimate, limit, passed, details={"bound": maximum, "unit": "correlation"})


def _slice(code: str, question: str, scored: ScoredPairs, chosen: NDArray[np.bool_], minimum: float, min_debates: int) -> Finding:
    estimate = _accuracy(scored, chosen)
    passed = None if estimate.clusters < min_debates else bool(estimate.value >= minimum)
    return Finding(code, question, estimate, f"at least {minimum:.2f}", passed, details={"bound": minimum, "unit": "share"})


def _accuracy(scored: ScoredPairs, chosen: NDArray[np.bool_]) -> Estimate:
    rows = np.flatnonzero(chosen)
    return clustered_share(scored.correct[rows], [scored.debates[row] for row in rows])


def _log_ratios(scored: ScoredPairs) -> NDArray[np.float64]:
    """ln(winner words / loser words) of each pair; a reply without a word counts as one word."""
    winners = np.asarray([max(1, word_count(pair.winner)) for pair in scored.pairs], dtype=np.float64)
    losers = np.asarray([max(1, word_count(pair.loser)) for pair in scored.pairs], dtype=np.float64)
    return np.asarray(np.log(winners / losers), dtype=np.float64)
