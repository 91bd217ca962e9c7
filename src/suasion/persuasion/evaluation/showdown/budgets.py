"""Whether the contenders had the same: judge calls, generated tokens; and where they stood when all had generated equally many."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from suasion.persuasion.evaluation.showdown.practice_curves import Curve, at_tokens, over_seeds
from suasion.runs.report import Table
from suasion.statistics import Estimate


@dataclass(frozen=True)
class Budgets:
    """What was spent."""

    judge_calls: tuple[int, int]
    """Fewest and most of any contender; likewise ``tokens``."""
    tokens: tuple[int, int]
    rewards: Mapping[str, Estimate]
    """Arm -> smoothed reward, over seeds, when each had generated the fewest tokens of any; only arms that draw while they learn."""

    @property
    def equal_calls(self) -> bool:
        """Whether every contender asked the judge equally often."""
        return self.judge_calls[0] == self.judge_calls[1]

    def told(self) -> list[str]:
        """In sentences."""
        calls = (
            f"Each contender asked the judge {self.judge_calls[0]:,} times."
            if self.equal_calls
            else f"The contenders did not ask the judge equally often: {self.judge_calls[0]:,} to {self.judge_calls[1]:,} times."
        )
        fewest, most = self.tokens
        if fewest == most:
            return [calls, f"Each generated {fewest:,} tokens."]
        more = f" ({most / fewest - 1:.0%} more)" if fewest else ""
        return [
            calls,
            f"Replies of different lengths make different numbers of tokens: {fewest:,} to {most:,}{more}. "
            "The second table holds the contenders against one another where each had generated the fewest of them.",
        ]

    def tables(self) -> list[Table]:
        """Of rewards at equal tokens, where the tokens differ."""
        if self.tokens[0] == self.tokens[1] or not self.rewards:
            return []
        rows = [(arm, one.value, one.interval() if one.n > 1 else "unknown (one seed)", one.n) for arm, one in self.rewards.items()]
        caption = (
            f"Practice judge's score of what was drawn, when each contender had generated {self.tokens[0]:,} tokens. "
            "Methods that draw before they learn are not in it: they have no such curve."
        )
        return [Table(("contender", "mean score", "95 % interval over seeds", "seeds"), rows, caption)]

    def as_dict(self) -> dict[str, Any]:
        """JSON-able."""
        return {
            "judge_calls": {"fewest": self.judge_calls[0], "most": self.judge_calls[1], "equal": self.equal_calls},
            "generated_tokens": {"fewest": self.tokens[0], "most": self.tokens[1]},
            "reward_at_fewest_tokens": {arm: one.as_dict() for arm, one in self.rewards.items()},
        }


def budgets_of(curves: Sequence[Curve], arms: Sequence[str], window: int) -> Budgets:
    """Held against one another. A contender that never asked the judge (it learned from people's pairs) counts with 0."""
    calls, tokens = [one.judge_calls for one in curves], [one.generated_tokens for one in curves]
    fewest = min(tokens)
    rewards = {}
    for arm in arms:
        found = [value for one in curves if one.arm == arm and (value := at_tokens(one, fewest, window)) is not None]
        if found:
            rewards[arm] = over_seeds(found)
    return Budgets((min(calls), max(calls)), (fewest, max(tokens)), rewards)
