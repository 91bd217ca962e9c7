"""The audit: before a writer practises against a judge, try to fool it. A judge that fails does not get to train a writer.

``audit.json`` (:meth:`Audit.as_dict`) holds, besides ``judge`` (its name):

* ``verdict``: ``pass`` or ``fail``; ``failed`` and ``undecided``: codes of the findings that decided it, and that the data cannot answer;
* ``pairs``, ``debates``, ``ties``: how many held-out pairs, from how many debates, and how many of them with equal scores;
* ``texts``, ``unreadable``: texts the judge was asked about, and how many of them it gave no score that could be read;
* ``findings``: a list of ``{code, question, limit, passed, value, low, high, n, clusters[, examples][, details]}``;
* ``baselines``: name to an estimate ``{value, low, high, n, clusters}`` of its accuracy on the same pairs;
* ``best_of_four``: ``{judge, baselines}``, absent where no debate has a winner and three losers;
* ``length_bins``: a list of ``{label, from, to, …estimate}``, by ln(winner words / loser words); an open end is null;
* ``premise``: accuracy under the ``own`` premise, ``without`` one, and with it ``swapped`` for another debate's;
* ``reliability``: a list of ``{from, to, predicted, …estimate}``; ``calibration``: ``{ece, brier, overconfidence}``;
* ``agreement``: across seeds, absent for a judge of one seed;
* ``transfer``: set to ``{judge, baselines}``;
* ``attack``: what the tricks and the search found, with the worst exploit.

Every interval is one of 95 %, clustered by debate. What cannot be known is null. The same judge, material, limits and seed give the same
audit.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from suasion.errors import SuasionError
from suasion.persuasion.dataset import BestOfFour, Pair
from suasion.persuasion.judging.audit.accuracy import accuracy, lead, rival_accuracies, rival_credits
from suasion.persuasion.judging.audit.agreement import agreement, agreement_finding
from suasion.persuasion.judging.audit.attack import Attack, attack
from suasion.persuasion.judging.audit.best_of_four import BestOfFourAccuracy, best_of_four, best_of_four_finding, quartets
from suasion.persuasion.judging.audit.calibration import Calibration, calibration, overconfidence
from suasion.persuasion.judging.audit.elsewhere import Transfer, transfer_finding, transferred
from suasion.persuasion.judging.audit.findings import Finding, failed
from suasion.persuasion.judging.audit.fixed_content import fixed_content
from suasion.persuasion.judging.audit.length import LengthBin, by_length, length_findings
from suasion.persuasion.judging.audit.material import Material
from suasion.persuasion.judging.audit.premise import PremiseAccuracy, premise_probe
from suasion.persuasion.judging.audit.remembering import Remembering
from suasion.persuasion.judging.audit.scored import ScoredPairs, score_pairs
from suasion.persuasion.judging.audit.settings import AuditConfig
from suasion.persuasion.judging.audit.transfer import sampled
from suasion.persuasion.judging.baselines.fit import fit, fit_one
from suasion.persuasion.judging.judge import Judge
from suasion.progress import track
from suasion.statistics import Estimate

#: Embedding a text costs what scoring it costs; more pairs than these would make a baseline dearer than the audit.
_EMBEDDED_PAIRS = 1000


@dataclass(frozen=True)
class Audit:
    """A judge's audit. ``texts`` counts what the judge was asked, ``unreadable`` what it gave no score for."""

    findings: tuple[Finding, ...]
    scored: ScoredPairs
    texts: int
    unreadable: int
    baselines: Mapping[str, Estimate]
    best_of_four: BestOfFourAccuracy | None
    by_length: tuple[LengthBin, ...]
    premise: PremiseAccuracy
    calibration: Calibration
    agreement: Estimate | None
    transfer: tuple[Transfer, ...]
    attack: Attack

    @property
    def passed(self) -> bool:
        """Whether no probe was failed."""
        return not self.failed

    @property
    def failed(self) -> list[Finding]:
        """The probes that the judge failed."""
        return failed(self.findings)

    @property
    def ties(self) -> int:
        """Pairs whose two scores are equal."""
        return int(np.sum(self.scored.winners == self.scored.losers))

    def as_dict(self) -> dict[str, Any]:
        """What ``audit.json`` holds."""
        told: dict[str, Any] = {
            "verdict": "pass" if self.passed else "fail",
            "failed": [finding.code for finding in self.failed],
            "undecided": [finding.code for finding in self.findings if finding.passed is None],
            "pairs": len(self.scored.pairs),
            "debates": len(set(self.scored.debates)),
            "ties": self.ties,
            "texts": self.texts,
            "unreadable": self.unreadable,
            "findings": [finding.as_dict() for finding in self.findings],
            "baselines": _told(self.baselines),
            "length_bins": [one.as_dict() for one in self.by_length],
            "premise": self.premise.as_dict(),
            "reliability": [one.as_dict() for one in self.calibration.bins],
            "calibration": self.calibration.as_dict(),
            "transfer": {one.name: one.as_dict() for one in self.transfer},
            "attack": self.attack.as_dict(),
        }
        if self.best_of_four is not None:
            told["best_of_four"] = {"judge": self.best_of_four.judge.as_dict(), "baselines": _told(self.best_of_four.baselines)}
        if self.agreement is not None:
            told["agreement"] = self.agreement.as_dict()
        return told


def audit(judge: Judge, material: Material, config: AuditConfig, seed: int) -> Audit:
    """Play every trick on the judge.

    Args:
        seed: of what is drawn, and of the bootstrap intervals.

    Raises:
        SuasionError: there is no pair, or the judge gives scores that are not numbers.
    """
    if not material.pairs:
        raise SuasionError(f"There is no pair in the {config.split} split to audit the judge on.")
    with track("Audit", None, "texts") as bar:

        def probing(what: str) -> None:
            bar.note(probe=what)

        known = Remembering(judge, bar)
        probing("accuracy")
        scored = score_pairs(known, sampled(material.pairs, config.pairs, seed)).readable()
        if not scored.pairs:
            raise SuasionError("The judge gave no readable score for any pair.", hint="Read what it answered, and mend its instructions.")
        probing("baselines")
        rivals = _rivals(material, seed)
        credits = rival_credits(rivals, scored.pairs)
        fours = _fours(material, scored.pairs, config.pairs, seed)
        probing("best of four")
        best = best_of_four(known, rivals, fours) if fours else None
        probing("premise")
        reads, premise = premise_probe(known, scored, config.min_premise_effect, seed)
        probing("length")
        lengths = fixed_content(known, scored, config.replies, config.max_length_slope, seed)
        calibrated = calibration(scored, seed)
        probing("seeds")
        seeds = _agreement(scored, material)
        probing("transfer")
        elsewhere = tuple(
            transferred(known, rivals, name, sampled(others, config.transfer_pairs, seed)) for name, others in material.transfer.items()
        )
        probing("tricks and search")
        attacked = attack(known, scored, config, seed, material.rewriter)

    def findings() -> Iterator[Finding]:
        yield accuracy(scored, config.min_accuracy)
        for name, mine in credits.items():
            yield lead(scored, name, mine, config.min_lead, seed)
        if best is not None:
            yield best_of_four_finding(best, config.min_best_of_four, config.min_debates)
        yield from length_findings(scored, config, seed)
        yield from lengths
        yield reads
        yield overconfidence(calibrated, config.max_overconfidence)
        if seeds is not None:
            yield agreement_finding(seeds, max(2, len(material.others)), config.min_seed_agreement)
        if config.min_transfer_accuracy is not None:
            for one in elsewhere:
                yield transfer_finding(one, config.min_transfer_accuracy)
        yield from attacked.findings

    return Audit(
        findings=tuple(findings()),
        scored=scored,
        texts=known.texts,
        unreadable=known.unreadable,
        baselines=rival_accuracies(credits, scored.debates),
        best_of_four=best,
        by_length=by_length(scored),
        premise=premise,
        calibration=calibrated,
        agreement=seeds,
        transfer=elsewhere,
        attack=attacked,
    )


def _rivals(material: Material, seed: int) -> dict[str, Judge]:
    """The baselines that judge texts: rules, and what is learned from the judge's own training pairs."""
    rivals = fit(material.train, seed)
    if material.embed is not None and material.train:
        rivals["sentences"] = fit_one("sentences", sampled(material.train, _EMBEDDED_PAIRS, seed), seed, material.embed)
    return rivals


def _fours(material: Material, pairs: Sequence[Pair], limit: int, seed: int) -> list[BestOfFour]:
    fours = list(material.fours) or quartets(pairs)
    return fours if len(fours) <= limit else random.Random(f"fours {seed}").sample(fours, limit)


def _agreement(scored: ScoredPairs, material: Material) -> Estimate | None:
    """Among the judges of other seeds; where there is but one, between it and the judge."""
    if not material.others:
        return None
    others = [score_pairs(Remembering(other), scored.pairs) for other in material.others]
    return agreement(others if len(others) > 1 else [scored, *others])


def _told(estimates: Mapping[str, Estimate]) -> dict[str, Any]:
    return {name: one.as_dict() for name, one in estimates.items()}
