"""Agreement across seeds: do judges that differ in nothing but the seed they were trained from give the same verdicts?"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from suasion.persuasion.judging.audit.findings import Finding
from suasion.persuasion.judging.audit.scored import ScoredPairs
from suasion.statistics import Estimate, clustered_share


def agreement(judges: Sequence[ScoredPairs]) -> Estimate:
    """How often two of the judges give the same verdict on a pair (first, second or tie), over all couples of judges.

    Chance is a half. Which reply stands first is arbitrary, so both verdicts are equally frequent by construction, and a chance-corrected
    coefficient such as Krippendorff's alpha is 2 x agreement - 1 (for many pairs without ties): it would say nothing more.

    Args:
        judges: the same pairs, scored by each of two judges or more.
    """
    verdicts = np.stack([np.sign(one.gaps) for one in judges])
    if np.isnan(verdicts).any():
        raise ValueError("every pair must have a score of every judge")
    same = [verdicts[first] == verdicts[second] for first, second in combinations(range(len(judges)), 2)]
    return clustered_share(np.mean(same, axis=0), judges[0].debates)


def agreement_finding(estimate: Estimate, seeds: int, minimum: float) -> Finding:
    """Whether the verdicts hang on the pairs more than on the seed."""
    question = f"Do {seeds} judges from different seeds give the same verdicts?"
    passed = None if estimate.n == 0 else bool(estimate.value >= minimum)
    return Finding(
        "seeds-agree", question, estimate, f"at least {minimum:.2f}", passed, details={"bound": minimum, "unit": "share", "seeds": seeds}
    )
