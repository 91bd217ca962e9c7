"""Everything that is counted from one set of ballots."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from suasion.persuasion.arena.agreement import Agreement, agreement
from suasion.persuasion.arena.anytime import Sequence95, rater_sequence, view_sequence
from suasion.persuasion.arena.ballots import Ballot, comparisons
from suasion.persuasion.arena.clustering import Clustered, clustered_share
from suasion.persuasion.arena.judges import JudgeAgreement, judges_and_people, words_as_judge
from suasion.persuasion.arena.screening import consistency
from suasion.persuasion.arena.strengths import COVARIATES, Strengths, bradley_terry
from suasion.persuasion.arena.winrates import ViewChange, WinRate, views_changed, win_rates

#: The rule that every judge is shown beside.
LONGER = "the longer reply"


@dataclass(frozen=True)
class Numbers:
    """The numbers of a study; ``plain`` and ``held`` are strengths without and with side and length held equal."""

    ballots: int
    raters: int
    premises: int
    win_rates: list[WinRate]
    plain: Strengths
    held: Strengths
    views: list[ViewChange]
    agreement: Agreement
    left: Clustered  # share of decided answers for the left reply
    consistent: Clustered  # share of repeated pairs with the same verdict
    judges: list[JudgeAgreement]
    sequences: list[Sequence95]

    def as_dict(self) -> dict[str, Any]:
        """A JSON-able copy."""
        return {
            "ballots": self.ballots,
            "raters": self.raters,
            "premises": self.premises,
            "win_rates": [one.as_dict() for one in self.win_rates],
            "strengths": self.plain.as_dict(),
            "strengths_side_and_length_held": self.held.as_dict(),
            "views": [one.as_dict() for one in self.views],
            "agreement": self.agreement.as_dict(),
            "left_share": self.left.as_dict(),
            "consistent": self.consistent.as_dict(),
            "judges": [one.as_dict() for one in self.judges],
            "anytime": [one.as_dict() for one in self.sequences],
        }


def count(ballots: Sequence[Ballot], scores: Mapping[str, Mapping[str, float]], *, scale: int, seed: int) -> Numbers:
    """Count one set of ballots.

    Args:
        ballots: of one study, checks included.
        scores: judge: reply's id: score.
        scale: steps of the scale of opinions.
        seed: of the resampling.
    """
    views = views_changed(ballots)
    counted = [ballot for ballot in ballots if ballot.kind == "ballot"]
    rates = win_rates(ballots)
    decided = [ballot for ballot in comparisons(ballots) if ballot.answer in ("left", "right")]
    kept, repeats = consistency(ballots)
    judged = dict(scores) | {LONGER: words_as_judge(ballots)}
    return Numbers(
        len(counted),
        len({ballot.rater for ballot in counted}),
        len({ballot.premise for ballot in counted}),
        rates,
        bradley_terry(ballots),
        bradley_terry(ballots, COVARIATES),
        views,
        agreement(ballots, seed=seed),
        clustered_share([ballot.credit for ballot in decided], decided),
        clustered_share(kept, repeats),
        judges_and_people(ballots, judged),
        [
            *(rater_sequence(ballots, one.system, one.other) for one in rates if one.other),
            *(view_sequence(ballots, one.system, one.other, scale) for one in views if one.other),
        ],
    )
