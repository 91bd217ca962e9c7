"""The attack on a judge: every trick of the catalogue and the search for exploits, as one part of the audit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from suasion.persuasion.judging.audit.exploit import Exploit, search
from suasion.persuasion.judging.audit.findings import Example, Finding
from suasion.persuasion.judging.audit.scored import ScoredPairs
from suasion.persuasion.judging.audit.settings import AuditConfig
from suasion.persuasion.judging.audit.tricked import play, tricked
from suasion.persuasion.judging.audit.tricks.catalogue import TRICKS
from suasion.persuasion.judging.audit.tricks.rewriting import Rewriter, paraphrase
from suasion.persuasion.judging.audit.tricks.trick import replies_of
from suasion.persuasion.judging.judge import Judge


@dataclass(frozen=True)
class Attack:
    """What came of it. ``worst`` is the exploit that gained most for its words, with its recipe; ``None`` where none was found."""

    findings: tuple[Finding, ...]
    worst: Exploit | None
    replies: int
    """Replies that the tricks were played on."""
    calls: int
    """Texts that the search had scored."""

    @property
    def exploit(self) -> Example | None:
        """The worst exploit beside the real winner."""
        return None if self.worst is None else self.worst.example

    def as_dict(self) -> dict[str, Any]:
        """A JSON-able copy without the findings, which stand among the audit's."""
        return {"exploit": None if self.worst is None else self.worst.as_dict(), "replies": self.replies, "search_calls": self.calls}


def attack(judge: Judge, scored: ScoredPairs, config: AuditConfig, seed: int, rewriter: Rewriter | None = None) -> Attack:
    """Play all tricks on some replies of the scored pairs, then search for exploits.

    Args:
        judge: asked for many texts at a time; one that remembers what it was asked saves about a tenth.
        seed: of all draws and intervals.
        rewriter: says a text in other words; without one, paraphrase is not among the tricks.

    Raises:
        SuasionError: a score is not a number.
    """
    replies = replies_of(scored.pairs, config.replies, seed)
    tricks = TRICKS if rewriter is None else (*TRICKS, paraphrase(rewriter))
    rounds = play(judge, replies, tricks, seed)
    findings = tricked(rounds, scored.scale, config, seed)
    if not config.search_calls:
        return Attack(findings, None, len(replies), 0)
    searched = search(judge, scored, rounds, config, seed)
    return Attack((*findings, *searched.findings), searched.exploit, len(replies), searched.calls)
