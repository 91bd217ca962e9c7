"""What checks of logic share: the proofs of a case, and how to tell what could not be decided."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from suasion.analysis.argdown import Span
from suasion.analysis.logic.answers import Entailed, No, NotEntailed, Undecided, Yes
from suasion.analysis.logic.prover import Prover
from suasion.analysis.verification.case import Case
from suasion.analysis.verification.findings import Finding
from suasion.analysis.verification.formal import Reconstructed
from suasion.analysis.verification.proofs import ArgumentProofs, proofs_of
from suasion.analysis.verification.telling import listed, step_name, tell


class Argument:
    """A reconstruction with what was proved of it, and its words for lines."""

    def __init__(self, case: Case, one: Reconstructed, proofs: ArgumentProofs, several: bool) -> None:
        self.case, self.one, self.proofs, self.several = case, one, proofs, several

    @property
    def sound(self) -> bool:
        """Whether the premises may be true together and the conclusion follows: only then is it asked for finer faults."""
        return not isinstance(self.proofs.consistent, No) and isinstance(self.proofs.valid, Entailed)

    @property
    def trivial(self) -> bool:
        """Whether the conclusion is true come what may, so that no premise matters."""
        return isinstance(self.proofs.tautology, Yes)

    @property
    def begs(self) -> bool:
        """Whether a premise says what the conclusion says, so that nothing else is needed."""
        return bool(self.proofs.begging.yes)

    @property
    def has_gap(self) -> bool:
        """Whether some conclusion does not follow from what its inference names."""
        return any(isinstance(answer, NotEntailed) for answer in self.proofs.steps.values())

    @property
    def premises(self) -> str:
        """What to call the premises."""
        places = self.one.premises
        return f"the premise{'s' if len(places) > 1 else ''} {self.names(places)}"

    def name(self, place: int) -> str:
        """What to call a line."""
        return step_name(self.one.lines[place].step, self.one.argument, self.several)

    def names(self, places: Sequence[int]) -> str:
        """What to call several lines."""
        if not self.several or len(places) == 1:
            return listed([self.name(place) for place in places])
        numbers = listed([f"({self.one.lines[place].step.number})" for place in places])
        return f"{numbers} of {self.name(places[0]).partition(' of ')[2]}"

    def span(self, place: int) -> Span:
        """Where a line stands."""
        return self.one.lines[place].step.node.span

    def inference(self, place: int) -> Span:
        """Where the inference to a line stands."""
        inference = self.one.lines[place].step.inference
        return inference.span if inference else self.span(place)

    @property
    def end(self) -> int:
        """The place of the conclusion."""
        return len(self.one.lines) - 1


def proved(case: Case, prover: Prover) -> Iterator[Argument]:
    """The arguments whose every line has a formula, with their proofs."""
    arguments = case.formal.arguments
    proofs = proofs_of(case.formal, prover).arguments
    for label, found in proofs.items():
        yield Argument(case, arguments[label], found, len(arguments) > 1)


def undecided(argument: Argument, code: str, what: str, answer: object, span: Span) -> Finding:
    """A finding that says what could not be decided, and why."""
    why = answer.message if isinstance(answer, Undecided) else "the prover gave up"
    message = f"It could not be decided whether {what}: {why}. Write simpler formulas."
    return tell(argument.case, "reconstruction", f"{code}.undecided", message, span, undecided=True)
