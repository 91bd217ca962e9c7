"""The argument map of a document: which claims and arguments are shown, in which groups, and what joins them.

The choice is the official tool's default: nodes that nothing joins are left out, as are claims without a label that only serve an
argument as premise or conclusion; then the argument itself stands at the end of the edge. Of the settings in a text, ``isInMap`` and
``isInGroup`` (data of claims and arguments), ``isGroup`` (data of headings) and ``group.groupDepth`` (front matter) are followed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from suasion.analysis.argdown.document import Argument, Claim, Document, End, Relation, RelationType
from suasion.errors import SuasionError

MOST_EDGES = 200_000
_GROUP_DEPTH = 2  # the lowest so many levels of headings make groups, unless the front matter says otherwise
_AS_SEEN: dict[RelationType, RelationType] = {"contradictory": "attack", "contrary": "attack", "entails": "support"}


@dataclass(frozen=True, slots=True)
class MapNode:
    """``id`` is ``n0``, ``n1`` …; ``group`` is the number of the section whose group it stands in."""

    id: str
    kind: str
    label: str
    titled: bool
    text: str | None
    tags: tuple[str, ...]
    group: int | None


@dataclass(frozen=True, slots=True)
class MapEdge:
    """An arrow; ``source_claim`` and ``target_claim`` are the claims it stands for, where it stands for claims."""

    type: RelationType
    source: MapNode
    target: MapNode
    source_claim: str | None = None
    target_claim: str | None = None


@dataclass(frozen=True, slots=True)
class ArgumentMap:
    """Nodes, edges, and the sections (by number) that are groups, each with the group around it."""

    nodes: tuple[MapNode, ...]
    edges: tuple[MapEdge, ...]
    groups: dict[int, int | None]


def build_map(document: Document) -> ArgumentMap:
    """The map of a document.

    Raises:
        SuasionError: it would have more than ``MOST_EDGES`` edges.
    """
    return _Builder(document).build()


class _Builder:
    def __init__(self, document: Document) -> None:
        self.document = document
        self.concluded: dict[str, list[str]] = defaultdict(list)
        self.presupposed: dict[str, list[str]] = defaultdict(list)
        for argument in document.arguments.values():
            for step in argument.pcs:
                if step.role != "intermediary-conclusion":
                    (self.presupposed if step.role == "premise" else self.concluded)[step.label].append(argument.label)
        self.related: dict[End, list[Relation]] = defaultdict(list)
        for relation in document.relations:
            self.related[relation.source].append(relation)
            self.related[relation.target].append(relation)
        self.groups = _groups(document)
        self.claims: dict[str, MapNode] = {}
        self.arguments: dict[str, MapNode] = {}

    def build(self) -> ArgumentMap:
        claims = [claim for claim in self.document.claims.values() if self._shows_claim(claim)]
        shown = {claim.label for claim in claims}
        arguments = [argument for argument in self.document.arguments.values() if self._shows_argument(argument, shown)]
        for number, one in enumerate([*claims, *arguments]):
            node = self._node(f"n{number}", one)
            (self.arguments if isinstance(one, Argument) else self.claims)[one.label] = node
        edges = []
        for edge in [*self._edges()]:
            edges.append(edge)
            if len(edges) > MOST_EDGES:
                raise SuasionError(f"The map would have more than {MOST_EDGES:,} edges.", hint="Draw a map of a part of the text.")
        return ArgumentMap((*self.claims.values(), *self.arguments.values()), tuple(edges), self.groups)

    def _node(self, name: str, one: Claim) -> MapNode:
        group = one.section
        while group is not None and group not in self.groups:
            group = self.document.sections[group].parent
        kind = "argument" if isinstance(one, Argument) else "claim"
        return MapNode(name, kind, one.label, one.labelled, one.text, tuple(one.tags), group)

    def _shows_claim(self, claim: Claim) -> bool:
        wish = _wish(claim)
        if wish is not None:
            return wish
        serves = claim.label in self.concluded or claim.label in self.presupposed
        related = bool(self.related.get(End("claim", claim.label)))
        return (serves or related) and (claim.labelled or not serves)

    def _shows_argument(self, argument: Argument, shown: set[str]) -> bool:
        wish = _wish(argument)
        if wish is not None:
            return wish
        if self.related.get(End("argument", argument.label)):
            return True
        for number, step in enumerate(argument.pcs):
            if self.related.get(End("inference", argument.label, number)):
                return True
            if step.role == "intermediary-conclusion":
                continue
            end = End("claim", step.label)
            premise = step.role == "premise"
            if any(
                relation.symmetric or (relation.target if premise else relation.source) == end for relation in self.related.get(end, ())
            ):
                return True
            if step.label in shown or (self.concluded if premise else self.presupposed).get(step.label):
                return True
        return False

    def _edges(self) -> Iterator[MapEdge]:
        for relation in self.document.relations:
            yield from self._edges_of(relation, relation.source, relation.target)
            if relation.symmetric and relation.source.label not in self.claims:
                yield from self._edges_of(relation, relation.target, relation.source)
        yield from self._edges_of_structures()

    def _edges_of(self, relation: Relation, source: End, target: End) -> Iterator[MapEdge]:
        source_claim = source.label if source.kind == "claim" else None
        target_claim = target.label if target.kind == "claim" else None
        for first in self._at(source, self.concluded):
            for second in self._at(target, self.presupposed):
                between_claims = first.kind == second.kind == "claim"
                kind = relation.type if between_claims else _AS_SEEN.get(relation.type, relation.type)
                yield MapEdge(kind, first, second, source_claim, target_claim)

    def _at(self, end: End, users: dict[str, list[str]]) -> list[MapNode]:
        """The node at an end; for a claim that is not shown, the arguments that it serves."""
        if end.kind != "claim":
            return [self.arguments[end.label]] if end.label in self.arguments else []
        if end.label in self.claims:
            return [self.claims[end.label]]
        return [self.arguments[label] for label in users.get(end.label, ()) if label in self.arguments]

    def _edges_of_structures(self) -> Iterator[MapEdge]:
        """Arguments support their conclusions, premises their arguments."""
        for label, node in self.arguments.items():
            pcs = self.document.arguments[label].pcs
            if pcs and pcs[-1].role == "main-conclusion":
                claim = pcs[-1].label
                for target in dict.fromkeys(self._at(End("claim", claim), self.presupposed)):
                    yield MapEdge("support", node, target, claim, claim)
        for label, node in self.claims.items():
            for user in dict.fromkeys(self.presupposed.get(label, ())):
                if user in self.arguments:
                    yield MapEdge("support", node, self.arguments[user], label, label)


def _wish(one: Claim) -> bool | None:
    """What the data of a claim or an argument says of it: ``isInMap: true`` or ``false``."""
    wish = one.data.get("isInMap") if isinstance(one.data, dict) else None
    return wish if isinstance(wish, bool) else None


def _groups(document: Document) -> dict[int, int | None]:
    """The sections that are groups, with the group around each. A heading's data may say ``isGroup: true`` or ``false``."""
    depth = document.setting("group", "groupDepth")
    depth = depth if isinstance(depth, int) else _GROUP_DEPTH
    lowest = max((section.level for section in document.sections), default=0) - depth + 1
    groups: dict[int, int | None] = {}
    for number, section in enumerate(document.sections):
        wish = section.data.get("isGroup") if isinstance(section.data, dict) else None
        if wish if isinstance(wish, bool) else section.level >= lowest:
            around = section.parent
            while around is not None and around not in groups:
                around = document.sections[around].parent
            groups[number] = around
    return groups
