"""Minimum content: something is marked, and every mark holds words."""

from __future__ import annotations

from collections.abc import Iterator

from suasion.analysis.logic.prover import Prover
from suasion.analysis.verification.case import Case
from suasion.analysis.verification.check import Check
from suasion.analysis.verification.findings import Finding


def _none(case: Case, prover: Prover) -> Iterator[Finding]:
    if case.annotation and not case.annotation.propositions:
        message = 'Nothing is annotated. Put <proposition id="…"> and </proposition> around the argumentative parts of the text.'
        yield Finding("annotation.empty", message, *case.blocks["annotation"].place(1, 1))


def _without_words(case: Case, prover: Prover) -> Iterator[Finding]:
    for one in case.annotation.propositions if case.annotation else ():
        if not any(sign.isalnum() for sign in one.text):
            name = f"Proposition “{one.id}”" if one.id else "This proposition"
            message = f"{name} holds no words. Put it around a part of the text, or take it away."
            yield Finding("annotation.empty-proposition", message, one.line, one.column)


CHECKS = (
    Check("annotation.empty", "Mark at least one proposition.", _none, after=("annotation.markup",)),
    Check(
        "annotation.empty-proposition",
        "Put each proposition around words of the text.",
        _without_words,
        after=("annotation.markup", "annotation.nested"),
    ),
)
