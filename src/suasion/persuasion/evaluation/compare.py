"""Writers compared on the same held-out premises: judge score, win rate, length, share ended, BLEU and ROUGE-L."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from suasion.models.sampling import Reply
from suasion.persuasion.dataset import Premise
from suasion.persuasion.evaluation.metrics import bleu, rouge_l
from suasion.persuasion.judging.judge import Judge, word_count
from suasion.statistics import Estimate, clustered_mean, clustered_share, credit


@dataclass(frozen=True)
class System:
    """One writer's replies to every premise (n each) and their judge scores, shape (premises, n)."""

    name: str
    replies: list[list[Reply]]
    scores: np.ndarray[Any, np.dtype[np.float32]]


@dataclass(frozen=True)
class Comparison:
    """All numbers of an evaluation; each an estimate clustered by debate."""

    systems: tuple[System, ...]
    table: dict[str, dict[str, Estimate]]
    """System -> number -> estimate."""
    win_rates: dict[tuple[str, str], Estimate]
    """(system, against) -> how often the judge prefers the first, ties half."""
    gains: dict[tuple[str, str], Estimate]
    """(system, against) -> mean difference of the judge's scores within a premise."""

    def as_dict(self) -> dict[str, Any]:
        """What ``evaluation.json`` holds."""
        return {
            "systems": {name: {key: estimate.as_dict() for key, estimate in row.items()} for name, row in self.table.items()},
            "win_rates": [{"system": one, "against": other} | estimate.as_dict() for (one, other), estimate in self.win_rates.items()],
            "score_gains": [{"system": one, "against": other} | estimate.as_dict() for (one, other), estimate in self.gains.items()],
        }


def compare(premises: Sequence[Premise], replies: Mapping[str, list[list[Reply]]], judge: Judge, seed: int) -> Comparison:
    """Score and compare systems.

    Args:
        premises: the held-out premises.
        replies: system -> n replies to each premise, in the order of ``premises``. Later systems are compared with all earlier ones.
        seed: of the bootstrap intervals.
    """
    systems = tuple(System(name, groups, _scores(judge, premises, groups)) for name, groups in replies.items())
    win_rates, gains = {}, {}
    for later, system in enumerate(systems):
        for other in systems[:later]:
            win_rates[system.name, other.name] = win_rate(system, other, premises)
            difference = system.scores.mean(axis=1, dtype=np.float64) - other.scores.mean(axis=1, dtype=np.float64)
            gains[system.name, other.name] = clustered_mean(difference, [premise.debate_id for premise in premises], seed=seed)
    return Comparison(systems, {system.name: _row(system, premises, seed) for system in systems}, win_rates, gains)


def win_rate(system: System, other: System, premises: Sequence[Premise]) -> Estimate:
    """How often the judge prefers ``system``: every reply against every reply of the other to the same premise, ties half."""
    wins = [float(credit(system.scores[i][:, None], other.scores[i][None, :]).mean()) for i in range(len(premises))]
    return clustered_share(wins, [premise.debate_id for premise in premises])


def _scores(judge: Judge, premises: Sequence[Premise], groups: list[list[Reply]]) -> Any:
    texts = [premise.text for premise, group in zip(premises, groups, strict=True) for _ in group]
    scores = judge.score(texts, [reply.text for group in groups for reply in group])
    return np.asarray(scores, dtype=np.float32).reshape(len(premises), -1)


def _row(system: System, premises: Sequence[Premise], seed: int) -> dict[str, Estimate]:
    debates = [premise.debate_id for premise, group in zip(premises, system.replies, strict=True) for _ in group]
    replies = [reply for group in system.replies for reply in group]
    row = {
        "judge_score": clustered_mean(system.scores.ravel(), debates, seed=seed),
        "words": clustered_mean([word_count(reply.text) for reply in replies], debates, seed=seed),
        "ended": clustered_share([float(reply.ended) for reply in replies], debates),
    }
    won = [(premise, group) for premise, group in zip(premises, system.replies, strict=True) if premise.winners]
    with_winner = [premise.debate_id for premise, group in won for _ in group]
    for name, metric in (("bleu", bleu), ("rouge_l", rouge_l)):
        values = [metric(reply.text, premise.winners) for premise, group in won for reply in group]
        row[name] = clustered_mean(values, with_winner, seed=seed)
    return row
