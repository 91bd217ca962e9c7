"""How far length would tell winners from losers if nothing were matched."""

from __future__ import annotations

import math
import random

from suasion.persuasion.mining.pairs.replies import Debate
from suasion.statistics import Estimate, clustered_share, credit


class AnyLoser:
    """Every winner beside any possible loser of its debate: what length tells before anything is matched.

    Gathered debate by debate, so that losers that fit no winner need not be kept.
    """

    def __init__(self) -> None:
        self.shares: list[float] = []
        """For each winner, how often it is longer than a random loser of its debate: the exact expectation."""
        self.debates: list[str] = []
        """The debate of each winner."""
        self.log_ratios: list[float] = []
        """For each winner, ln(its length / that of one loser, drawn at random)."""

    def add(self, debate: Debate) -> None:
        """Take in one debate, with all its losers."""
        lengths = [loser.length for loser in debate.losers]
        for winner in debate.winners if lengths else ():
            self.shares.append(float(credit([winner.length] * len(lengths), lengths).mean()))
            self.debates.append(debate.id)
            drawn = random.Random(f"{debate.id} {winner.id}").choice(lengths)  # the same whatever the order of the debates
            self.log_ratios.append(math.log(winner.length / drawn))

    def longer_wins(self) -> Estimate:
        """How often the winner is the longer one."""
        return clustered_share(self.shares, self.debates)
