"""What propositions say of each other: ``supports`` and ``attacks``."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from suasion.analysis.logic.prover import Prover
from suasion.analysis.verification.annotation import Proposition
from suasion.analysis.verification.case import Case
from suasion.analysis.verification.check import Check
from suasion.analysis.verification.findings import Finding

_IDS = ("annotation.markup", "annotation.missing-id", "annotation.id-with-blank")


def _propositions(case: Case) -> Sequence[Proposition]:
    return case.annotation.propositions if case.annotation else ()


def _unknown(verb: str, targets: Callable[[Proposition], tuple[str, ...]]) -> Callable[[Case, Prover], Iterator[Finding]]:
    def find(case: Case, prover: Prover) -> Iterator[Finding]:
        ids = {one.id for one in _propositions(case)}
        for one in _propositions(case):
            for target in dict.fromkeys(targets(one)):
                if target not in ids:
                    hint = "Separate ids by blanks alone" if "," in target or ";" in target else "Name the id of a proposition"
                    message = f"Proposition {one} {verb} “{target[:60]}”, but there is no such id. {hint}, or take the reference away."
                    yield Finding(f"annotation.unknown-{verb[:-1]}", message, one.line, one.column)

    return find


def _self(case: Case, prover: Prover) -> Iterator[Finding]:
    for one in _propositions(case):
        for verb, targets in (("supports", one.supports), ("attacks", one.attacks)):
            if one.id and one.id in targets:
                message = f"Proposition {one} {verb} itself. Take “{one.id}” out of its {verb}."
                yield Finding("annotation.self-relation", message, one.line, one.column)


def _both(case: Case, prover: Prover) -> Iterator[Finding]:
    for one in _propositions(case):
        attacked = set(one.attacks)
        for target in dict.fromkeys(one.supports):
            if target in attacked and target != one.id:
                message = f"Proposition {one} supports and attacks “{target}”. It can do but one: take the other away."
                yield Finding("annotation.support-and-attack", message, one.line, one.column)


CHECKS = (
    Check(
        "annotation.unknown-support",
        "In supports, list the ids of the propositions that this one supports, separated by blanks.",
        _unknown("supports", lambda one: one.supports),
        after=_IDS,
    ),
    Check(
        "annotation.unknown-attack",
        "In attacks, list the ids of the propositions that this one attacks, separated by blanks.",
        _unknown("attacks", lambda one: one.attacks),
        after=_IDS,
    ),
    Check("annotation.self-relation", "Let no proposition support or attack itself.", _self, after=("annotation.markup",)),
    Check(
        "annotation.support-and-attack",
        "Let no proposition both support and attack the same one.",
        _both,
        after=("annotation.markup",),
    ),
)
