"""What a check is: a requirement in words, and a small function that finds where it is not met."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from suasion.analysis.logic.prover import Prover
from suasion.analysis.verification.case import Case
from suasion.analysis.verification.findings import Finding


@dataclass(frozen=True, slots=True)
class Check:
    """One named rule.

    Attributes:
        code: ``map.unlabelled-claim``; findings of the check carry it.
        requirement: what is asked for, as a sentence of the prompt: "Label every claim: [Label]: text." The same words stand in the docs.
        find: gives what is wrong. Never raises, whatever the answer; needs no more than what the case holds and, for logic, the prover.
        after: codes of checks without which this one makes no sense: where one of them found something, this one is not asked, so that
            only root causes are told. A code that ends in ``.*`` stands for its family.
    """

    code: str
    requirement: str
    find: Callable[[Case, Prover], Iterable[Finding]]
    after: tuple[str, ...] = ()
