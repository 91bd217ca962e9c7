"""Ids: each proposition has one of its own, which can be referred to."""

from __future__ import annotations

from collections.abc import Iterator

from suasion.analysis.logic.prover import Prover
from suasion.analysis.verification.case import Case
from suasion.analysis.verification.check import Check
from suasion.analysis.verification.findings import Finding


def _missing(case: Case, prover: Prover) -> Iterator[Finding]:
    for one in case.annotation.propositions if case.annotation else ():
        if not one.id:
            message = f'Proposition {one} has no id. Give it one of its own: <proposition id="…">.'
            yield Finding("annotation.missing-id", message, one.line, one.column)


def _with_blanks(case: Case, prover: Prover) -> Iterator[Finding]:
    for one in case.annotation.propositions if case.annotation else ():
        if len(one.id.split()) > 1:
            message = f"The id {one} holds a blank, so nothing can refer to it. Write “{'_'.join(one.id.split())}”."
            yield Finding("annotation.id-with-blank", message, one.line, one.column)


def _twice(case: Case, prover: Prover) -> Iterator[Finding]:
    first: dict[str, int] = {}
    for one in case.annotation.propositions if case.annotation else ():
        if one.id and one.id in first:
            message = f"The id {one} is that of the proposition in line {first[one.id]} too. Give each proposition an id of its own."
            yield Finding("annotation.duplicate-id", message, one.line, one.column)
        first.setdefault(one.id, one.line)


CHECKS = (
    Check("annotation.missing-id", "Give every proposition an id.", _missing, after=("annotation.markup",)),
    Check("annotation.id-with-blank", "Write ids without blanks.", _with_blanks),
    Check("annotation.duplicate-id", "Give no two propositions the same id.", _twice, after=("annotation.markup",)),
)
