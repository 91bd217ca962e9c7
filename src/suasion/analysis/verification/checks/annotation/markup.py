"""The tags themselves: closed, quoted, once each."""

from __future__ import annotations

from collections.abc import Iterator

from suasion.analysis.logic.prover import Prover
from suasion.analysis.verification.case import Case
from suasion.analysis.verification.check import Check
from suasion.analysis.verification.findings import Finding


def _of_markup(case: Case, code: str) -> Iterator[Finding]:
    """What the reader of the markup found under this code."""
    if case.annotation:
        yield from (finding for finding in case.annotation.findings if finding.code == code or finding.code.startswith(f"{code}."))


def _markup(case: Case, prover: Prover) -> Iterator[Finding]:
    return _of_markup(case, "annotation.markup")


def _element(case: Case, prover: Prover) -> Iterator[Finding]:
    return _of_markup(case, "annotation.element")


def _attribute(case: Case, prover: Prover) -> Iterator[Finding]:
    return _of_markup(case, "annotation.attribute")


def _nested(case: Case, prover: Prover) -> Iterator[Finding]:
    return _of_markup(case, "annotation.nested")


CHECKS = (
    Check(
        "annotation.markup",
        "Close every tag, and give each attribute once, with its value in quotes.",
        _markup,
    ),
    Check(
        "annotation.element",
        "Mark the argumentative parts of the text with <proposition> … </proposition>; use no other element.",
        _element,
    ),
    Check(
        "annotation.attribute",
        "Use no attributes but id, supports, attacks, argument_label and ref_reco_label.",
        _attribute,
        after=("annotation.markup",),
    ),
    Check(
        "annotation.nested",
        "Do not put a proposition inside another.",
        _nested,
    ),
)
