"""A second opinion on an evaluation: a language model that no writer practised against compares the writers' replies, in both orders."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from suasion.persuasion.dataset import Premise
from suasion.persuasion.evaluation.compare import System
from suasion.persuasion.judging.llm import Comparison, LlmJudge
from suasion.runs.report import Section, Table


@dataclass(frozen=True)
class Opinion:
    """Verdicts on one system against another; ``debates``, length n, says which debate each premise is of."""

    system: str
    against: str
    judge: str
    comparison: Comparison
    debates: Sequence[str]

    def as_dict(self) -> dict[str, Any]:
        """As it stands in ``evaluation.json``."""
        return {"system": self.system, "against": self.against, "judge": self.judge} | self.comparison.as_dict(self.debates)


def second_opinions(judge: LlmJudge, premises: Sequence[Premise], systems: Sequence[System]) -> list[Opinion]:
    """Each later system against each earlier one, on the first sample to every premise."""
    texts = [premise.text for premise in premises]
    debates = [premise.debate_id for premise in premises]
    firsts = {system.name: [replies[0].text for replies in system.replies] for system in systems}
    opinions = []
    for later, system in enumerate(systems):
        for other in systems[:later]:
            found = judge.compare(texts, firsts[system.name], firsts[other.name])
            opinions.append(Opinion(system.name, other.name, judge.engine.name, found, debates))
    return opinions


def opinions_section(opinions: Sequence[Opinion]) -> Section:
    """Of a report: what the independent judge says, and how far its own verdicts hold when the replies change places."""
    rows = []
    for one in opinions:
        wins, flipped = one.comparison.win_share(one.debates), one.comparison.flipped(one.debates)
        rows.append(
            (
                f"{one.system} against {one.against}",
                f"{wins.value:.0%}  ({wins.interval(percent=True)})" if wins.n else "unknown",
                f"{flipped.value:.0%}  ({flipped.interval(percent=True)})" if flipped.n else "unknown",
                one.comparison.unreadable,
                wins.n,
            )
        )
    table = Table(
        ("systems", "the first wins", "the order changes the verdict", "answers that could not be read", "pairs"),
        rows,
        f"By {opinions[0].judge}, asked in both orders: a win survives the swap, all else is a tie. 95 % intervals, clustered by debate.",
    )
    return Section(
        "A second opinion",
        text=["By a language model that no writer practised against. It may favour replies that sound like its own, and longer ones."],
        tables=[table],
    )
