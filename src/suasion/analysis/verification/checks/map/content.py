"""Minimum content: nodes and relations; and no endless repetition."""

from __future__ import annotations

from collections.abc import Iterator

from suasion.analysis.logic.prover import Prover
from suasion.analysis.verification.case import Case
from suasion.analysis.verification.check import Check
from suasion.analysis.verification.checks.map._nodes import name_of, nodes
from suasion.analysis.verification.findings import Finding
from suasion.analysis.verification.telling import tell

OFTEN = 10
"""How often one node may be given the same text."""


def _empty(case: Case, prover: Prover) -> Iterator[Finding]:
    if case.map and not case.map.claims and not case.map.arguments:
        message = "The map is empty. Write claims ([Label]: text) and arguments (<Label>: text) with their relations."
        yield Finding("map.empty", message, *case.blocks["map"].place(1, 1))


def _no_relation(case: Case, prover: Prover) -> Iterator[Finding]:
    if case.map and not case.map.relations:
        message = "Nothing in the map supports or attacks anything. Indent a reason below what it is for (<+) or against (<-)."
        yield Finding("map.no-relation", message, *case.blocks["map"].place(1, 1))


def _repeated(case: Case, prover: Prover) -> Iterator[Finding]:
    for node in nodes(case):
        if len(node.texts) > OFTEN and len(set(node.texts)) == 1:
            message = f"{name_of(node)} is given the same text {len(node.texts):,} times. Write it once, and refer to it by its label."
            yield tell(case, "map", "map.repetition", message, node.members[0].span)


CHECKS = (
    Check("map.empty", "Draw a map that holds claims and arguments.", _empty, after=("map.syntax",)),
    Check("map.no-relation", "Show what supports and what attacks what.", _no_relation, after=("map.syntax", "map.empty")),
    Check("map.repetition", "Give each node its text once.", _repeated, after=("map.syntax",)),
)
