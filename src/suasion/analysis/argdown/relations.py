"""Relations as the official parser gives them, and those that premise-conclusion structures imply."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace

from suasion.analysis.argdown.document import Argument, Document, End, Relation, RelationType


def resolved(document: Document) -> tuple[Relation, ...]:
    """The written relations with their ends moved: see :class:`Document`. Order of the text; each relation once."""
    relations: dict[tuple[RelationType, End, End], Relation] = {}
    move = document.setting("model", "transformArgumentRelations") is not False
    for relation in document.sketched:
        source, target = relation.source, relation.target
        if move and source.kind == "argument" and (pcs := document.arguments[source.label].pcs):
            source = End("claim", pcs[-1].label)
        if move and target.kind == "argument" and relation.type == "undercut" and (pcs := document.arguments[target.label].pcs):
            target = End("inference", target.label, len(pcs) - 1)
        if source is not relation.source or target is not relation.target:
            if source == target:  # an argument's support for its own conclusion says nothing new
                continue
            relation = replace(relation, source=source, target=target)
        relations.setdefault((relation.type, source, target), relation)
    found = list(relations.values())
    return _without_redundant(document, _strict(found) if document.strict else found)


def _strict(relations: list[Relation]) -> list[Relation]:
    """Between claims, support is entailment and attack is contrariety; the latter holds both ways, so it is kept once."""
    found: list[Relation] = []
    contrary: set[frozenset[str]] = set()
    for relation in relations:
        if relation.source.kind == relation.target.kind == "claim":
            if relation.type == "support":
                relation = replace(relation, type="entails")
            elif relation.type == "attack":
                pair = frozenset((relation.source.label, relation.target.label))
                if pair in contrary:
                    continue
                contrary.add(pair)
                relation = replace(relation, type="contrary")
        found.append(relation)
    return found


def _without_redundant(document: Document, relations: list[Relation]) -> tuple[Relation, ...]:
    """A claim's attack on an argument is left out where the claim attacks a premise of it besides."""
    if not any(argument.pcs for argument in document.arguments.values()):
        return tuple(relations)
    against: dict[str, set[str]] = defaultdict(set)  # claim: claims that it attacks or contradicts
    for relation in relations:
        if relation.source.kind == relation.target.kind == "claim" and relation.type in ("attack", "contradictory", "contrary"):
            against[relation.source.label].add(relation.target.label)
            if relation.symmetric:
                against[relation.target.label].add(relation.source.label)
    premises: dict[str, set[str]] = {}

    def redundant(relation: Relation) -> bool:
        if relation.type != "attack" or relation.source.kind != "claim" or relation.target.kind != "argument":
            return False
        label = relation.target.label
        if label not in premises:
            premises[label] = {step.label for step in document.arguments[label].pcs if step.role == "premise"}
        return not against.get(relation.source.label, set()).isdisjoint(premises[label])

    return tuple(relation for relation in relations if not redundant(relation))


def implied_relations(document: Document) -> Iterator[Relation]:
    """What premise-conclusion structures imply beyond ``document.relations``; each relation once.

    A premise supports its argument and an argument supports its conclusion. An argument supports another that has its conclusion as a
    premise. What holds between two claims holds between the arguments that conclude the one or presuppose the other: entailment as
    support, contrariety and contradiction as attack. The number can be the product of the arguments at both ends, so they come one by one.
    """
    concluded: dict[str, list[str]] = defaultdict(list)
    presupposed: dict[str, list[str]] = defaultdict(list)
    for argument in document.arguments.values():
        for step in argument.pcs:
            if step.role != "intermediary-conclusion":
                (presupposed if step.role == "premise" else concluded)[step.label].append(argument.label)
    seen = {(relation.type, relation.source, relation.target) for relation in document.relations}
    for relation in _implied(document, concluded, presupposed):
        key = (relation.type, relation.source, relation.target)
        if key not in seen and relation.source != relation.target:
            seen.add(key)
            yield relation


def _implied(document: Document, concluded: dict[str, list[str]], presupposed: dict[str, list[str]]) -> Iterator[Relation]:
    for argument in document.arguments.values():
        yield from _own(argument)
    for label, authors in concluded.items():
        for author in authors:
            for user in presupposed.get(label, ()):
                yield Relation("support", End("argument", author), End("argument", user))
    for relation in document.relations:
        kind: RelationType = {"entails": "support", "contrary": "attack", "contradictory": "attack"}.get(relation.type, relation.type)  # type: ignore[assignment]
        ways = [(relation.source, relation.target)] + ([(relation.target, relation.source)] if relation.symmetric else [])
        for source, target in ways:
            for first in [source, *_users(source, concluded)]:
                for second in [target, *_users(target, presupposed)]:
                    if (first, second) != (source, target):
                        yield Relation(kind, first, second, relation.span)


def _users(end: End, users: dict[str, list[str]]) -> list[End]:
    return [End("argument", label) for label in users.get(end.label, ())] if end.kind == "claim" else []


def _own(argument: Argument) -> Iterator[Relation]:
    own = End("argument", argument.label)
    for step in argument.pcs:
        if step.role == "premise":
            yield Relation("support", End("claim", step.label), own, step.node.span)
        elif step.role == "main-conclusion":
            yield Relation("support", own, End("claim", step.label), step.node.span)
