"""What is said in maps, annotations and reconstructions, in the order of the text, and how they refer to each other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from suasion.analysis.argdown import Argument, Claim, Document, Step
from suasion.analysis.verification.annotation import Annotation, Proposition


def said(document: Document | None) -> list[str]:
    """Every different text of every claim and gist of every argument, claims first, each in the order of the text."""
    nodes: list[Claim] = [*document.claims.values(), *document.arguments.values()] if document else []
    return [text for node in nodes for text in dict.fromkeys(node.texts)]


def first_texts(nodes: Mapping[str, Claim]) -> list[str]:
    """The first text of each claim or argument that has one."""
    return [texts[0] for node in nodes.values() if (texts := node.texts)]


def reconstructed(document: Document | None) -> list[Argument]:
    """The arguments that have a premise-conclusion structure."""
    return [argument for argument in document.arguments.values() if argument.pcs] if document else []


def steps(document: Document | None) -> Iterator[tuple[Step, str]]:
    """Each line of each structure with its sentence: its own text, else that of its claim."""
    for argument in reconstructed(document):
        for step in argument.pcs:
            claim = document.claims.get(step.label) if document else None
            yield step, step.node.text or (claim.text if claim and claim.text else "")


def sentences(document: Document | None) -> list[str]:
    """The sentences of all lines."""
    return [text for _, text in steps(document) if text]


def conclusions(document: Document | None) -> int:
    """How many conclusions, intermediate and final, the structures have."""
    return sum(step.role != "premise" for argument in reconstructed(document) for step in argument.pcs)


def intermediate(document: Document | None) -> int:
    """How many intermediate conclusions the structures have."""
    return sum(step.role == "intermediary-conclusion" for argument in reconstructed(document) for step in argument.pcs)


def unused(document: Document | None) -> int:
    """Lines, final conclusions aside, that no inference of their argument names in its ``from``."""
    count = 0
    for argument in reconstructed(document):
        used = {
            name for step in argument.pcs if step.inference and step.inference.data for name in listed(step.inference.data.value, "from")
        }
        count += sum(step.number not in used for step in argument.pcs[:-1])
    return count


def listed(data: Any, key: str) -> list[str]:
    """What a list in inline data holds, as words, each once: ``['1', '2']`` for ``{from: [1, 2]}``; empty where there is no such list."""
    value = data.get(key) if isinstance(data, dict) else None
    items = value if isinstance(value, list) else []
    return list(dict.fromkeys(str(item) for item in items if isinstance(item, str | int)))


def by_id(annotation: Annotation | None) -> dict[str, Proposition]:
    """The propositions by their ids; the first of equal ids."""
    found: dict[str, Proposition] = {}
    for one in annotation.propositions if annotation else ():
        if one.id:
            found.setdefault(one.id, one)
    return found


def annotated(annotation: Annotation | None, *, support: bool) -> set[tuple[str, str]]:
    """The supports (or attacks) between propositions that exist, as pairs of ids, each once."""
    there = by_id(annotation)
    found = ((one.id, other) for one in there.values() for other in (one.supports if support else one.attacks))
    return {(first, second) for first, second in found if second in there}


def agreement(first: set[Any], second: set[Any]) -> float:
    """How far two sets agree: twice what they share as a share of both together (F1), in [0, 1]; 0 where there is nothing."""
    total = len(first) + len(second)
    return 2 * len(first & second) / total if total else 0.0


def matching_segments(annotation: Annotation | None, document: Document | None) -> Iterator[tuple[str, str]]:
    """Each annotated passage with each line of a structure that names it in ``annotation_ids``: the passage, and the line's sentence."""
    there = by_id(annotation)
    for step, text in steps(document):
        for name in listed(step.data.value if step.data else None, "annotation_ids"):
            if name in there:
                yield there[name].text, text


def labelled_segments(annotation: Annotation | None, document: Document | None) -> Iterator[tuple[str, str]]:
    """Each annotated passage with what the map says at the node that its ``argument_label`` names: a gist, else a claim's text."""
    for one in annotation.propositions if annotation else ():
        for nodes in (document.arguments, document.claims) if document else ():
            if one.argument_label and one.argument_label in nodes:
                yield one.text, nodes[one.argument_label].text or ""
                break


def same_label_relations(annotation: Annotation | None, *, support: bool) -> set[tuple[str, str]]:
    """The annotated supports (or attacks) as pairs of the argument labels of their propositions, where these differ."""
    there = by_id(annotation)
    pairs = ((there[one].argument_label, there[other].argument_label) for one, other in annotated(annotation, support=support))
    return {(one, other) for one, other in pairs if one and other and one != other}


def nodes_by_id(document: Document | None) -> dict[str, tuple[str, str]]:
    """Which node of a map (kind and label) names an annotated passage in its ``annotation_ids``; the first that does."""
    found: dict[str, tuple[str, str]] = {}
    groups: Sequence[tuple[str, Mapping[str, Claim]]] = (("claim", document.claims), ("argument", document.arguments)) if document else ()
    for kind, nodes in groups:
        for node in nodes.values():
            for name in listed(node.data, "annotation_ids"):
                found.setdefault(name, (kind, node.label))
    return found
