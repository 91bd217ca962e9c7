"""What the lines say: something, and the conclusion something else than the premises."""

from __future__ import annotations

from collections.abc import Iterator

from suasion.analysis.argdown import Document
from suasion.analysis.logic.prover import Prover
from suasion.analysis.verification.case import Case
from suasion.analysis.verification.check import Check
from suasion.analysis.verification.checks.reconstruction._form import READABLE
from suasion.analysis.verification.findings import Finding
from suasion.analysis.verification.telling import claim_name, same_words, step_name, tell

EMPTY, PETITIO = "reconstruction.empty-proposition", "reconstruction.petitio"


def find_empty(case: Case, prover: Prover) -> Iterator[Finding]:
    """Lines that are mere labels of what is said nowhere."""
    if not case.reconstruction:
        return
    told: set[str] = set()
    texts = _texts(case, case.reconstruction)
    for argument in case.reconstruction.arguments.values():
        for step in argument.pcs:
            if step.label in texts and step.label not in told and not texts[step.label]:
                told.add(step.label)
                name = claim_name(case.reconstruction.claims[step.label])
                message = f"{name} says nothing anywhere. Write its sentence behind the label: {name}: …"
                yield tell(case, "reconstruction", EMPTY, message, step.node.span)


def find_petitio(case: Case, prover: Prover) -> Iterator[Finding]:
    """Conclusions that stand among their own argument's premises."""
    if not case.reconstruction:
        return
    texts = _texts(case, case.reconstruction)
    arguments = [argument for argument in case.reconstruction.arguments.values() if argument.pcs]
    for argument in arguments:
        last = argument.pcs[-1]
        for step in argument.pcs[:-1]:
            same = step.label == last.label or (texts.get(last.label) and texts.get(step.label) == texts[last.label])
            if step.role == "premise" and same:
                first, second = (step_name(one, argument, len(arguments) > 1) for one in (last, step))
                message = f"The conclusion {first} is the premise {second} over again. Argue for it from other premises."
                yield tell(case, "reconstruction", PETITIO, message, last.node.span)


def _texts(case: Case, document: Document) -> dict[str, str]:
    """What claims say, in the reconstruction or else in the map that goes with it."""
    texts = {}
    for label, claim in document.claims.items():
        text = claim.text
        if text is None and claim.labelled and case.map and label in case.map.claims:
            text = case.map.claims[label].text
        texts[label] = same_words(text)
    return texts


CHECKS = (
    Check(EMPTY, "Write every premise and every conclusion as a sentence.", find_empty, after=READABLE),
    Check(PETITIO, "Let no premise say the same as the conclusion.", find_petitio, after=READABLE),
)
