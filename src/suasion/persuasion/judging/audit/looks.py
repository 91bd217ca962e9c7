"""Many looks at one judge: how twenty-odd tricks can be held against a limit without failing a good judge by chance.

Of twenty harmless tricks, one shows an excess at 95 % by chance. So a trick fails a judge only where its excess over the limit is more than
chance explains over *all* tricks: one-sided p-values of a t test clustered by debate, adjusted after Holm (1979), "A simple sequentially
rejective multiple test procedure", Scandinavian Journal of Statistics 6. The chance that a judge which keeps within every limit is failed
by any of them is then at most 5 %, however the tricks hang together.

The other error, that a bad judge gets through because few replies show little, is met in two ways. What lies above the limit without being
shown to is reported as undecided, never as passed. And the search (:mod:`suasion.persuasion.judging.audit.exploit`) picks the worst chain
of tricks on one half of the debates and measures it once on the other: one look needs no adjustment, and there the burden is the judge's.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from suasion.statistics import Floats

CHANCE = 0.05
FEWEST_DEBATES = 5
"""Of fewer debates nothing is claimed: they give no idea of how debates differ."""


def excess_p(values: Floats, clusters: Sequence[str], bound: float) -> float:
    """One-sided p-value of "the mean is at most ``bound``", by a t test with the variance between clusters (debates).

    The variance of the mean is ``G/(G-1) Σ (sum of a cluster's residuals)² / n²`` with G clusters, and t has G - 1 degrees of freedom.
    Where every reply gains the same, there is no variance, and the excess is certain or absent. NaN with fewer than two clusters.
    """
    names, inverse = np.unique(np.asarray(clusters), return_inverse=True)
    groups = names.size
    if groups < 2:
        return float("nan")
    excess = float(np.mean(values)) - bound
    residuals = np.bincount(inverse, weights=np.asarray(values, dtype=np.float64) - float(np.mean(values)))
    error = float(np.sqrt(groups / (groups - 1) * float(residuals @ residuals))) / len(values)
    rounding = 1e-9 * max(1.0, abs(bound), float(np.max(np.abs(values))))
    if error <= rounding:
        return 0.0 if excess > rounding else 1.0
    from scipy.special import stdtr

    return float(stdtr(groups - 1, -excess / error))


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's adjusted p-values, in the order given; a NaN (nothing could be asked) stays NaN and does not count as a look.

    The k-th smallest of m is multiplied by m - k + 1, held at 1, and is never below the one before it.
    """
    asked = sorted((index for index, p in enumerate(p_values) if p == p), key=lambda index: p_values[index])
    adjusted = [float("nan")] * len(p_values)
    highest = 0.0
    for rank, index in enumerate(asked):
        highest = adjusted[index] = max(highest, min(1.0, (len(asked) - rank) * p_values[index]))
    return adjusted
