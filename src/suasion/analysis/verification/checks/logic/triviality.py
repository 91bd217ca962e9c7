"""Arguments that are valid for the wrong reasons."""

from __future__ import annotations

from collections.abc import Iterator

from suasion.analysis.logic.answers import Undecided
from suasion.analysis.logic.prover import Prover
from suasion.analysis.verification.case import Case
from suasion.analysis.verification.check import Check
from suasion.analysis.verification.checks.logic._order import PROVABLE
from suasion.analysis.verification.checks.logic._proved import proved, undecided
from suasion.analysis.verification.findings import Finding
from suasion.analysis.verification.telling import tell

TAUTOLOGY, PETITIO, JOINED = "logic.tautology", "logic.petitio", "logic.trivial-conjunction"


def find_tautologies(case: Case, prover: Prover) -> Iterator[Finding]:
    """Conclusions that are true come what may."""
    for argument in proved(case, prover):
        answer, name = argument.proofs.tautology, argument.name(argument.end)
        if not argument.sound:
            continue
        if argument.trivial:
            message = (
                f"The conclusion {name} is true whatever the premises say: its formula is a tautology. "
                "Conclude something that could be false."
            )
            yield tell(case, "reconstruction", TAUTOLOGY, message, argument.span(argument.end))
        elif isinstance(answer, Undecided):
            yield undecided(argument, TAUTOLOGY, f"the conclusion {name} is a tautology", answer, argument.span(argument.end))


def find_petitio(case: Case, prover: Prover) -> Iterator[Finding]:
    """Premises that say the same as the conclusion."""
    for argument in proved(case, prover):
        if not argument.sound or argument.trivial:
            continue
        name = argument.name(argument.end)
        for place in argument.proofs.begging.yes:
            message = f"The premise {argument.name(place)} begs the question: its formula is equivalent to that of the conclusion {name}."
            yield tell(case, "reconstruction", PETITIO, f"{message} Argue from other premises.", argument.span(place))
        for place in argument.proofs.begging.undecided:
            what = f"{argument.name(place)} is equivalent to the conclusion {name}"
            yield undecided(argument, PETITIO, what, None, argument.span(place))


def find_joined(case: Case, prover: Prover) -> Iterator[Finding]:
    """Conclusions that only list premises."""
    for argument in proved(case, prover):
        if argument.sound and not argument.trivial and not argument.proofs.begging.yes and argument.proofs.only_joins:
            message = (
                f"The conclusion {argument.name(argument.end)} only joins premises by 'and'. Conclude "
                "something that they say together, and none alone."
            )
            yield tell(case, "reconstruction", JOINED, message, argument.span(argument.end))


CHECKS = (
    Check(TAUTOLOGY, "Conclude something that could be false: no tautology.", find_tautologies, after=PROVABLE),
    Check(
        PETITIO,
        "Beg no question: no premise's formula may be equivalent to that of the conclusion.",
        find_petitio,
        after=(*PROVABLE, "reconstruction.petitio"),
    ),
    Check(JOINED, "Conclude more than a mere list of premises.", find_joined, after=PROVABLE),
)
