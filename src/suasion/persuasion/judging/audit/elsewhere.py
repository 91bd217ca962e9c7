"""Transfer: what is left of a judge's accuracy on pairs that were collected by other people, in another place, by another rule."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from suasion.persuasion.dataset import Pair
from suasion.persuasion.judging.audit.accuracy import rival_accuracies, rival_credits
from suasion.persuasion.judging.audit.findings import Finding
from suasion.persuasion.judging.audit.scored import score_pairs
from suasion.persuasion.judging.judge import Judge
from suasion.statistics import Estimate, clustered_share


@dataclass(frozen=True)
class Transfer:
    """Accuracy on one set from elsewhere, with the baselines' (fitted where the judge was trained, not here)."""

    name: str
    accuracy: Estimate
    baselines: Mapping[str, Estimate]

    def as_dict(self) -> dict[str, Any]:
        """JSON-able copy."""
        return {"judge": self.accuracy.as_dict(), "baselines": {name: one.as_dict() for name, one in self.baselines.items()}}


def transferred(judge: Judge, rivals: Mapping[str, Judge], name: str, pairs: Sequence[Pair]) -> Transfer:
    """The judge and the baselines on the same pairs, intervals clustered by debate (of UKPConvArg1: by topic and stance)."""
    scored = score_pairs(judge, pairs).readable()
    baselines = rival_accuracies(rival_credits(rivals, scored.pairs), scored.debates)
    return Transfer(name, clustered_share(scored.correct, scored.debates), baselines)


def transfer_finding(found: Transfer, minimum: float) -> Finding:
    """Only where a recipe sets a limit: people elsewhere were asked something else, and a judge may rightly not know it."""
    passed = None if found.accuracy.n == 0 else bool(found.accuracy.value >= minimum)
    return Finding(
        f"transfer-{found.name}",
        f"Does it pick the winner in '{found.name}'?",
        found.accuracy,
        f"at least {minimum:.2f}",
        passed,
        details={"bound": minimum, "unit": "share"},
    )
