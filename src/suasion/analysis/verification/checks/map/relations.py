"""Relations that make no sense: of a node to itself, and for and against the same one."""

from __future__ import annotations

from collections.abc import Iterator

from suasion.analysis.argdown import End, Relation
from suasion.analysis.logic.issues import shown
from suasion.analysis.logic.prover import Prover
from suasion.analysis.verification.case import Case
from suasion.analysis.verification.check import Check
from suasion.analysis.verification.findings import Finding
from suasion.analysis.verification.telling import tell

_FOR = ("support", "entails")
_VERBS = {"support": "supports", "entails": "supports", "attack": "attacks", "undercut": "undercuts"}


def _self(case: Case, prover: Prover) -> Iterator[Finding]:
    for relation in case.map.sketched if case.map else ():
        if relation.source == relation.target:
            verb = _VERBS.get(relation.type, "contradicts")
            message = f"{_named(relation.source)} {verb} itself. Take this relation away."
            yield tell(case, "map", "map.self-relation", message, relation.span)


def _both(case: Case, prover: Prover) -> Iterator[Finding]:
    first: dict[tuple[End, End], Relation] = {}
    for relation in case.map.sketched if case.map else ():
        if relation.source == relation.target or relation.type == "undercut":
            continue
        ways = [(relation.source, relation.target)]
        ways += [(relation.target, relation.source)] if relation.symmetric else []
        for way in ways:
            other = first.setdefault(way, relation)
            if (other.type in _FOR) != (relation.type in _FOR):
                line, _ = case.blocks["map"].place(other.span.line, 1)
                message = f"{_named(way[0])} is both for and against {_named(way[1])} (line {line}). Take one of the two relations away."
                yield tell(case, "map", "map.support-and-attack", message, relation.span)
                break


def _named(end: End) -> str:
    return f"[{shown(end.label)}]" if end.kind == "claim" else f"<{shown(end.label)}>"


CHECKS = (
    Check("map.self-relation", "Let no node support or attack itself.", _self, after=("map.syntax",)),
    Check("map.support-and-attack", "Let no node both support and attack the same one.", _both, after=("map.syntax",)),
)
