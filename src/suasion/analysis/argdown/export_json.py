"""Documents as JSON: in short for scripts, and in the shape of the official tool's export."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from suasion.analysis.argdown.document import Argument, Claim, Document, End, Relation
from suasion.analysis.argdown.elements import Inference, Node, Paragraph
from suasion.analysis.argdown.maps import MapEdge, MapNode, build_map
from suasion.analysis.argdown.places import Span

_TYPES = {"claim": "equivalence-class", "argument": "argument", "inference": "inference"}
_USES = {
    "premise": "isUsedAsPremise",
    "intermediary-conclusion": "isUsedAsIntermediaryConclusion",
    "main-conclusion": "isUsedAsMainConclusion",
    "top-level-statement": "isUsedAsTopLevelStatement",
    "relation-statement": "isUsedAsRelationStatement",
}


def summary(document: Document) -> dict[str, Any]:
    """What ``suasion argdown check --json`` prints: errors, claims, arguments, relations."""
    return {
        "errors": [{"line": error.line, "column": error.column, "code": error.code, "message": error.message} for error in document.errors],
        "claims": [{"label": claim.label, "texts": claim.texts, "tags": claim.tags} for claim in document.claims.values()],
        "arguments": [
            {
                "label": argument.label,
                "gists": argument.gists,
                "tags": argument.tags,
                "pcs": [{"role": step.role, "label": step.label} for step in argument.pcs],
            }
            for argument in document.arguments.values()
        ],
        "relations": [
            {"type": relation.type, "source": relation.source.label, "target": relation.target.label} for relation in document.relations
        ],
    }


def to_json(document: Document) -> dict[str, Any]:
    """Statements, arguments, relations, map, sections and tags, with the keys of the official tool's export.

    Two things are left out there: ``ranges`` (where bold text and links stand in a member's text), and copies of members inside members.
    """
    drawn = build_map(document)
    made = _Exporter(document)
    tagged = [*document.claims.values(), *document.arguments.values()]
    return {
        "arguments": {label: made.argument(argument) for label, argument in document.arguments.items()},
        "statements": {label: made.claim(claim) for label, claim in document.claims.items()},
        "relations": made.relations,
        "map": {"nodes": _grouped(document, drawn.nodes, drawn.groups), "edges": [_edge(n, edge) for n, edge in enumerate(drawn.edges, 1)]},
        "sections": _sections(document, drawn.groups),
        "tags": {name: {"tag": name} for one in tagged for name in one.tags},
    }


def _known(values: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in values.items() if value is not None}


def _place(span: Span) -> dict[str, int]:
    return {"startLine": span.line, "startColumn": span.column, "endLine": span.end_line, "endColumn": span.end_column}


class _Exporter:
    """Claims and arguments with their members and relations."""

    def __init__(self, document: Document) -> None:
        self.steps = {id(step.node): (step, argument) for argument in document.arguments.values() for step in argument.pcs}
        self.relations = [_relation(relation) for relation in document.relations]
        self.top = {id(block.nodes[0]) for block in document.blocks if isinstance(block, Paragraph)}
        self.related: dict[End, list[dict[str, Any]]] = defaultdict(list)
        for relation, shown in zip(document.relations, self.relations, strict=True):
            for end in dict.fromkeys((relation.source, relation.target)):
                self.related[end].append(shown)

    def claim(self, claim: Claim) -> dict[str, Any]:
        uses = {_USES[role]: True for node in claim.members if (role := self.role(node)) in _USES}
        return self._one("equivalence-class", End("claim", claim.label), claim) | uses

    def argument(self, argument: Argument) -> dict[str, Any]:
        lines = []
        for number, step in enumerate(argument.pcs):
            line = self._member(step.node, step.label)
            if step.inference:
                line["inference"] = self._inference(step.inference, argument.label, number)
            lines.append(line)
        return self._one("argument", End("argument", argument.label), argument) | {"pcs": lines}

    def role(self, node: Node) -> str:
        step, _ = self.steps.get(id(node), (None, None))
        if step:
            return step.role
        if node.kind == "argument":
            return "argument-description"
        return "top-level-statement" if node.relation is None else "relation-statement"

    def _one(self, kind: str, end: End, one: Claim) -> dict[str, Any]:
        shown = {
            "type": kind,
            "title": one.label,
            "relations": self.related.get(end, []),
            "members": [self._member(node, one.label) for node in one.members],
            "tags": list(one.tags) or None,
            "data": one.data,
            "section": None if one.section is None else f"s{one.section + 1}",
        }
        return _known(shown)

    def _member(self, node: Node, title: str) -> dict[str, Any]:
        _, argument = self.steps.get(id(node), (None, None))
        shown = {
            "type": "statement",
            "role": self.role(node),
            "isTopLevel": True if id(node) in self.top else None,
            "title": title,
            "text": node.text or None,
            "isReference": None if node.defines else True,
            "tags": list(node.tags) or None,
            "data": node.data.value if node.data else None,
            "argumentTitle": argument.label if argument else None,
        }
        return _known(shown | _place(node.span))

    def _inference(self, inference: Inference, label: str, number: int) -> dict[str, Any]:
        shown = {
            "type": "inference",
            "inferenceRules": list(inference.rules),
            "data": inference.data.value if inference.data else None,
            "relations": self.related.get(End("inference", label, number), []),
            "argumentTitle": label,
            "conclusionIndex": number,
        }
        return _known(shown | _place(inference.span))


def _relation(relation: Relation) -> dict[str, Any]:
    def named(side: str, end: End) -> dict[str, Any]:
        return {side: end.label, f"{side}Type": _TYPES[end.kind]}

    conclusion = {"conclusionIndex": relation.target.conclusion} if relation.target.kind == "inference" else {}
    return {"type": "relation", "relationType": relation.type} | named("from", relation.source) | named("to", relation.target) | conclusion


def _edge(number: int, edge: MapEdge) -> dict[str, Any]:
    ends = {"fromEquivalenceClass": edge.source_claim, "toEquivalenceClass": edge.target_claim}
    shown = {"id": f"e{number}", "type": "map-edge", "relationType": edge.type, "from": edge.source.id, "to": edge.target.id}
    return shown | _known(ends)


def _grouped(document: Document, nodes: Iterable[MapNode], groups: dict[int, int | None]) -> list[dict[str, Any]]:
    """Groups with their nodes inside, then the nodes without a group."""
    made: dict[int | None, dict[str, Any]] = {}
    children: dict[int | None, list[dict[str, Any]]] = {None: []}
    levels: dict[int | None, int] = {None: 0}
    for number, around in groups.items():
        title, levels[number] = document.sections[number].title, levels[around] + 1
        children[number] = []
        made[number] = {"id": f"s{number + 1}", "title": title, "type": "group-map-node", "level": levels[number], "labelTitle": title}
        made[number] |= ({} if around is None else {"parent": f"s{around + 1}"}) | {"children": children[number]}
    for node in nodes:
        children[node.group].append(_map_node(node))
    for number in reversed(groups):  # inner groups come behind outer ones; empty ones are left out
        if children[number]:
            children[groups[number]].insert(0, made[number])
    return children[None]


def _map_node(node: MapNode) -> dict[str, Any]:
    kind = "argument-map-node" if node.kind == "argument" else "statement-map-node"
    title = node.label if node.titled or not node.text else None
    tags = list(node.tags) or None
    return _known({"id": node.id, "title": node.label, "type": kind, "labelTitle": title, "labelText": node.text, "tags": tags})


def _sections(document: Document, groups: dict[int, int | None]) -> list[dict[str, Any]]:
    made: list[dict[str, Any]] = []
    top: list[dict[str, Any]] = []
    for number, section in enumerate(document.sections):
        one = {"type": "section", "id": f"s{number + 1}", "level": section.level, "title": section.title, "isGroup": number in groups}
        one |= _known({"tags": list(section.tags) or None, "data": section.data}) | {"children": []}
        one |= {"startLine": section.span.line, "startColumn": section.span.column}
        made.append(one)
        if section.parent is None:
            top.append(one)
        else:
            one["parent"] = f"s{section.parent + 1}"
            made[section.parent]["children"].append(one)
    return top
