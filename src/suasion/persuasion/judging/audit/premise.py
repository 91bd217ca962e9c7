"""Does the judge read the premise at all? The premise is taken away, and exchanged for another debate's."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from suasion.persuasion.judging.audit.findings import Finding
from suasion.persuasion.judging.audit.scored import ScoredPairs, score_pairs
from suasion.persuasion.judging.judge import Judge
from suasion.statistics import Estimate, clustered_mean, clustered_share


@dataclass(frozen=True)
class PremiseAccuracy:
    """Accuracy on the same pairs under their own premise, none, and another debate's (``None`` where there is but one debate).

    Without the premise much of the accuracy may stay: a good argument often shows without it. That is told and not judged; what is judged
    is whether a reply is worth more under the premise it was written for.
    """

    own: Estimate
    without: Estimate
    swapped: Estimate | None

    def as_dict(self) -> dict[str, dict[str, float] | None]:
        """JSON-able copy."""
        return {
            name: one.as_dict() if one else None for name, one in (("own", self.own), ("without", self.without), ("swapped", self.swapped))
        }


def premise_probe(judge: Judge, scored: ScoredPairs, minimum: float, seed: int) -> tuple[Finding, PremiseAccuracy]:
    """Whether a reply's score drops when its premise is exchanged for another debate's.

    A score means something only beside other replies to the *same* premise: a judge may add any number to all replies of a premise and
    stay the same judge. So debates are coupled, and of a reply a to premise A and a reply b to premise B the interaction is taken:
    half of score(A, a) + score(B, b) - score(B, a) - score(A, b), from which whatever belongs to a premise or to a reply alone falls out.
    It is 0 for a judge that does not look at the premise. Every pair of the two debates gives its winners' and its losers' interaction; the
    interval resamples couples of debates. The unit is the judge's gap.
    """
    other = coupled([pair.debate_id for pair in scored.pairs], seed)
    premises = {pair.debate_id: pair.premise for pair in scored.pairs}
    without = score_pairs(judge, [replace(pair, premise="") for pair in scored.pairs]).readable()
    own = clustered_share(scored.correct, scored.debates)
    question = "Does a reply score lower under another debate's premise?"
    limit = f"the interval lies above {minimum:.2f} gaps"
    details = {"bound": minimum, "unit": "gaps"}
    if not other:
        nothing = Estimate(float("nan"), float("nan"), float("nan"), 0, 0)
        accuracies = PremiseAccuracy(own, clustered_share(without.correct, without.debates), None)
        return Finding("reads-premise", question, nothing, limit, None, details=details), accuracies
    kept = scored.chosen([row for row, pair in enumerate(scored.pairs) if pair.debate_id in other])
    swapped = score_pairs(judge, [replace(pair, premise=premises[other[pair.debate_id]]) for pair in kept.pairs])
    drops, couples = _drops(kept, swapped, other)
    estimate = clustered_mean(drops / scored.scale, couples, seed=seed)
    passed = None if estimate.clusters < 2 else bool(estimate.low > minimum)
    swapped = swapped.readable()
    accuracies = PremiseAccuracy(own, clustered_share(without.correct, without.debates), clustered_share(swapped.correct, swapped.debates))
    return Finding("reads-premise", question, estimate, limit, passed, details=details), accuracies


def coupled(debates: Sequence[str], seed: int) -> dict[str, str]:
    """Each debate's partner, drawn by chance, both ways; with an odd number one debate has none. One debate alone: nothing."""
    names = sorted(set(debates))
    random.Random(f"couples {seed}").shuffle(names)
    return {one: two for first, second in zip(names[::2], names[1::2], strict=False) for one, two in ((first, second), (second, first))}


def _drops(own: ScoredPairs, swapped: ScoredPairs, other: dict[str, str]) -> tuple[NDArray[np.float64], list[str]]:
    """Of each couple and side (winners, losers), the interaction; and the couple's name.

    A debate with many pairs counts through its mean, so that what belongs to a premise alone falls out of every couple.
    """
    drops, couples = [], []
    for before, after in ((own.winners, swapped.winners), (own.losers, swapped.losers)):
        loss: dict[str, list[float]] = {}
        for pair, drop in zip(own.pairs, np.asarray(before, dtype=np.float64) - after, strict=True):
            if np.isfinite(drop):
                loss.setdefault(pair.debate_id, []).append(float(drop))
        for debate, mine in loss.items():
            if debate < other[debate] and other[debate] in loss:
                drops.append((np.mean(mine) + np.mean(loss[other[debate]])) / 2)
                couples.append(debate)
    return np.asarray(drops, dtype=np.float64), couples
