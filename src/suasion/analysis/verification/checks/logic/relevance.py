"""Nothing is there that the conclusion does not need."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from suasion.analysis.logic.answers import Undecided
from suasion.analysis.logic.issues import shown
from suasion.analysis.logic.prover import Prover
from suasion.analysis.logic.questions import conjuncts
from suasion.analysis.logic.writing import to_text
from suasion.analysis.verification.case import Case
from suasion.analysis.verification.check import Check
from suasion.analysis.verification.checks.logic._order import PROVABLE
from suasion.analysis.verification.checks.logic._proved import Argument, proved, undecided
from suasion.analysis.verification.findings import Finding
from suasion.analysis.verification.telling import tell

PREMISE, SOURCE, CONJUNCT = "logic.irrelevant-premise", "logic.redundant-reference", "logic.irrelevant-conjunct"


def _irrelevant(argument: Argument) -> tuple[int, ...]:
    """Premises that the conclusion follows without, one at a time; ``()`` where that is no fault of theirs, without those that no
    inference names (which is told elsewhere)."""
    if argument.trivial or argument.begs:
        return ()
    named = {source for several in argument.one.sources.values() for source in several}
    return tuple(place for place in (argument.proofs.needed.no if argument.sound else argument.proofs.separate) if place in named)


def find_premises(case: Case, prover: Prover) -> Iterator[Finding]:
    """Premises that the conclusion does not need."""
    for argument in proved(case, prover):
        end = argument.name(argument.end)
        for place in _irrelevant(argument):
            why = "follows without it" if argument.sound else "has no symbol in common with it, nor has anything else"
            message = (
                f"The premise {argument.name(place)} is not needed: {end} {why}. Take it away, or mend the formulas so that it is needed."
            )
            yield tell(case, "reconstruction", PREMISE, message, argument.span(place))
        if argument.sound and not argument.trivial:
            for place in argument.proofs.needed.undecided:
                yield undecided(argument, PREMISE, f"{end} needs the premise {argument.name(place)}", None, argument.span(place))


def find_sources(case: Case, prover: Prover) -> Iterator[Finding]:
    """Lines that an inference names without need."""
    for argument in proved(case, prover):
        if not argument.sound or argument.trivial or argument.has_gap:
            continue
        told = set(_irrelevant(argument))
        for place, parts in argument.proofs.used.items():
            if place == argument.end and argument.begs:
                continue
            superfluous = [source for source in parts.no if source not in told]
            name = argument.name(place)
            if superfluous:
                which = argument.names(superfluous)
                message = (
                    f"The inference to {name} names {which} without need: {name} follows without. Take it "
                    "out of from, or mend the formulas."
                )
                yield tell(case, "reconstruction", SOURCE, message, argument.inference(place))
            elif parts.undecided and not isinstance(argument.proofs.steps[place], Undecided):
                yield undecided(argument, SOURCE, f"{name} needs {argument.names(parts.undecided)}", None, argument.inference(place))


def find_conjuncts(case: Case, prover: Prover) -> Iterator[Finding]:
    """Parts of premises that the conclusion does not need."""
    for argument in proved(case, prover):
        if not argument.sound or argument.trivial or argument.begs:
            continue
        told = set(_irrelevant(argument))
        for place, numbers in _by_premise(argument.proofs.conjuncts.yes).items():
            formula = argument.one.lines[place].formula
            if place in told or formula is None:
                continue
            part = shown(to_text(conjuncts(formula)[numbers[0]]))
            message = (
                f"The premise {argument.name(place)} says more than {argument.name(argument.end)} needs: "
                f"{part} is not used. Take that part away."
            )
            yield tell(case, "reconstruction", CONJUNCT, message, argument.span(place))
        for place in _by_premise(argument.proofs.conjuncts.undecided):
            what = f"every part of {argument.name(place)} is needed"
            yield undecided(argument, CONJUNCT, what, None, argument.span(place))


def _by_premise(pairs: tuple[tuple[int, int], ...]) -> Mapping[int, list[int]]:
    found: dict[int, list[int]] = {}
    for place, number in pairs:
        found.setdefault(place, []).append(number)
    return found


CHECKS = (
    Check(
        PREMISE, "Use only premises that the conclusion needs: without any one of them it must not follow.", find_premises, after=PROVABLE
    ),
    Check(SOURCE, "Name in from only lines without which that conclusion would not follow.", find_sources, after=PROVABLE),
    Check(
        CONJUNCT, "Let premises say no more than is needed: no part of a conjunction may be superfluous.", find_conjuncts, after=PROVABLE
    ),
)
