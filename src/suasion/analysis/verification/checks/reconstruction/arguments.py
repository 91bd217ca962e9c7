"""Something is reconstructed, and has a title."""

from __future__ import annotations

from collections.abc import Iterator

from suasion.analysis.logic.prover import Prover
from suasion.analysis.verification.case import Case
from suasion.analysis.verification.check import Check
from suasion.analysis.verification.checks.reconstruction._form import READABLE
from suasion.analysis.verification.findings import Finding
from suasion.analysis.verification.telling import tell

ANY, UNTITLED = "reconstruction.no-argument", "reconstruction.no-title"


def find_any(case: Case, prover: Prover) -> Iterator[Finding]:
    """A document without any premise-conclusion structure."""
    document = case.reconstruction
    if document and not any(argument.pcs for argument in document.arguments.values()):
        message = "No argument is reconstructed here. Write its premises as (1), (2), …, then an inference (----) and the conclusion."
        yield tell(case, "reconstruction", ANY, message)


def find_untitled(case: Case, prover: Prover) -> Iterator[Finding]:
    """Reconstructions without a title above."""
    for argument in case.reconstruction.arguments.values() if case.reconstruction else ():
        if not argument.labelled:
            message = "This argument has no title. Write <Title>: and its gist above it, with an empty line between."
            yield tell(case, "reconstruction", UNTITLED, message, argument.pcs_span)


CHECKS = (
    Check(
        ANY,
        "Reconstruct an argument: numbered premises, then an inference, then a numbered conclusion.",
        find_any,
        after=("reconstruction.syntax",),
    ),
    Check(UNTITLED, "Give each argument a title, in angle brackets, directly above its premises.", find_untitled, after=READABLE),
)
