"""The premises can be true together, and the conclusions follow."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from suasion.analysis.logic.answers import No, NotEntailed, Undecided
from suasion.analysis.logic.describing import describe
from suasion.analysis.logic.prover import Prover
from suasion.analysis.verification.case import Case
from suasion.analysis.verification.check import Check
from suasion.analysis.verification.checks.logic._order import PROVABLE
from suasion.analysis.verification.checks.logic._proved import Argument, proved, undecided
from suasion.analysis.verification.findings import Finding
from suasion.analysis.verification.telling import sentence, tell

INCONSISTENT, INVALID, GAP = "logic.inconsistent-premises", "logic.not-valid", "logic.step-not-valid"
LONGEST = 400  # characters of a world in words


def find_inconsistent(case: Case, prover: Prover) -> Iterator[Finding]:
    """Premises that contradict each other."""
    for argument in proved(case, prover):
        answer, place = argument.proofs.consistent, argument.one.premises[0]
        if isinstance(answer, No):
            what = "cannot be true together" if len(argument.one.premises) > 1 else "contradicts itself"
            message = f"{sentence(argument.premises)} {what}, so anything at all would follow. Change a formula, or drop a premise."
            yield tell(case, "reconstruction", INCONSISTENT, message, argument.span(place))
        elif isinstance(answer, Undecided) and not isinstance(argument.proofs.valid, Undecided):
            yield undecided(argument, INCONSISTENT, f"{argument.premises} can be true together", answer, argument.span(place))


def find_invalid(case: Case, prover: Prover) -> Iterator[Finding]:
    """Conclusions that do not follow from the premises."""
    for argument in proved(case, prover):
        answer, end = argument.proofs.valid, argument.name(argument.end)
        if isinstance(argument.proofs.consistent, No):
            continue
        if isinstance(answer, NotEntailed):
            gaps = [place for place, step in argument.proofs.steps.items() if isinstance(step, NotEntailed)]
            where = f" The gap is in the inference to {argument.name(gaps[0])}." if gaps and gaps[0] != argument.end else ""
            shows = _world(argument, answer, argument.one.premises, argument.end)
            message = f"{end} does not follow from {argument.premises}.{shows}{where} Add the premise that is missing, or mend a formula."
            yield tell(case, "reconstruction", INVALID, message, argument.span(argument.end))
        elif isinstance(answer, Undecided):
            yield undecided(argument, INVALID, f"{end} follows from {argument.premises}", answer, argument.span(argument.end))


def find_gaps(case: Case, prover: Prover) -> Iterator[Finding]:
    """Conclusions that do not follow from what their inference names, in arguments that are valid as a whole."""
    for argument in proved(case, prover):
        if not argument.sound:
            continue
        for place, answer in argument.proofs.steps.items():
            name, sources = argument.name(place), argument.one.sources[place]
            if isinstance(answer, NotEntailed):
                shows = _world(argument, answer, sources, place)
                message = (
                    f"{name} does not follow from {argument.names(sources)} alone.{shows} Name in from "
                    "what else it needs, or mend a formula."
                )
                yield tell(case, "reconstruction", GAP, message, argument.inference(place))
            elif isinstance(answer, Undecided):
                yield undecided(argument, GAP, f"{name} follows from {argument.names(sources)}", answer, argument.inference(place))


def _world(argument: Argument, answer: NotEntailed, sources: Sequence[int], place: int) -> str:
    """A world that shows it, in words."""
    if answer.countermodel is None:
        return ""
    words = describe(answer.countermodel, argument.case.formal.declarations)
    if len(words) > LONGEST:
        return ""
    return f" {words} Then {argument.names(sources)} {'are' if len(sources) > 1 else 'is'} true, and {argument.name(place)} is not."


CHECKS = (
    Check(INCONSISTENT, "Choose premises that can all be true together.", find_inconsistent, after=PROVABLE),
    Check(
        INVALID,
        "Make each argument deductively valid: as formalised, its conclusion follows from its premises.",
        find_invalid,
        after=PROVABLE,
    ),
    Check(GAP, "Let each conclusion follow from the lines that its inference names in from.", find_gaps, after=PROVABLE),
)
