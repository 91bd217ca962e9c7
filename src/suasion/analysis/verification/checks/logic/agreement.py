"""A sentence has one formula; and there is not more than can be proved."""

from __future__ import annotations

from collections.abc import Iterator

from suasion.analysis.logic.answers import Undecided, Yes
from suasion.analysis.logic.prover import Prover
from suasion.analysis.verification.case import Case
from suasion.analysis.verification.check import Check
from suasion.analysis.verification.checks.logic._order import INFERENCES, SYMBOLS
from suasion.analysis.verification.findings import Finding
from suasion.analysis.verification.proofs import LARGEST, LONGEST, proofs_of
from suasion.analysis.verification.telling import tell

TWICE, LARGE = "logic.formalised-twice", "logic.too-large"


def find_large(case: Case, prover: Prover) -> Iterator[Finding]:
    """More than a prover is asked about."""
    if proofs_of(case.formal, prover).too_large:
        message = (
            f"This is too much to prove: at most {LARGEST} lines (and parts of conjunctions), with {LONGEST:,} characters of formulas, are "
            "looked at. Nothing was proved. Write less."
        )
        yield tell(case, "reconstruction", LARGE, message, undecided=True)


def find_twice(case: Case, prover: Prover) -> Iterator[Finding]:
    """One sentence with two formulas that differ in meaning."""
    for before, writing, answer in proofs_of(case.formal, prover).twice:
        if isinstance(answer, Yes):
            continue
        data = writing.node.data
        span = data.span if data else writing.node.span
        first, second = case.formal.name(before), case.formal.name(writing)
        if isinstance(answer, Undecided):
            message = (
                f"It could not be decided whether the formulas of {first} and {second} are equivalent: "
                f"{answer.message}. Write the same one."
            )
            yield tell(case, "reconstruction", f"{TWICE}.undecided", message, span, undecided=True)
        else:
            message = (
                f"{first} and {second} are one sentence with two formulas that are not equivalent. Formalise a sentence alike everywhere."
            )
            yield tell(case, "reconstruction", TWICE, message, span)


CHECKS = (
    Check(LARGE, "", find_large, after=(*INFERENCES, *SYMBOLS)),
    Check(TWICE, "Give one sentence the same formula wherever it stands.", find_twice, after=(*INFERENCES, *SYMBOLS, LARGE)),
)
