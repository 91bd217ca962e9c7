"""From blocks to what they say together: members under their labels, premise-conclusion structures, relations as they are written."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from suasion.analysis.argdown.document import Argument, Claim, End, Relation, RelationType, Role, Section, Step
from suasion.analysis.argdown.elements import Block, Comment, Heading, Kind, Listing, Node, Paragraph, Reconstruction, Tag
from suasion.analysis.argdown.places import NOWHERE, Span

_TYPES: dict[str, tuple[RelationType, bool]] = {  # sign: (type, whether it runs from the lower node to the upper one)
    "+": ("support", True),
    "<+": ("support", True),
    "+>": ("support", False),
    "-": ("attack", True),
    "<-": ("attack", True),
    "->": ("attack", False),
    "_": ("undercut", True),
    "<_": ("undercut", True),
    "_>": ("undercut", False),
    "><": ("contradictory", False),
}


class Said(NamedTuple):
    """What the blocks of a text say together."""

    claims: dict[str, Claim]
    arguments: dict[str, Argument]
    sketched: tuple[Relation, ...]
    sections: tuple[Section, ...]


def resolve(blocks: Iterable[Block], report: Callable[[int, str], None]) -> Said:
    """Put together what blocks say; ``report`` is told of a second structure of one argument."""
    return _Resolver(report).run(blocks)


class _Gathered:
    """A claim or an argument while its members are being gathered."""

    __slots__ = ("data", "labelled", "members", "pcs", "pcs_span", "placed", "section", "tags")

    def __init__(self, labelled: bool, section: int | None) -> None:
        self.labelled, self.section = labelled, section
        self.placed = False  # the section is settled
        self.members: list[Node] = []
        self.tags: dict[str, None] = {}
        self.data: Any = None
        self.pcs: tuple[Step, ...] = ()
        self.pcs_span: Span = NOWHERE

    def claim(self, label: str) -> Claim:
        return Claim(label, self.labelled, tuple(self.members), tuple(self.tags), self.data, self.section)

    def argument(self, label: str) -> Argument:
        members, tags = tuple(self.members), tuple(self.tags)
        return Argument(label, self.labelled, members, tags, self.data, self.section, self.pcs, self.pcs_span)

    def place(self, node: Node, section: int | None) -> None:
        """Settle the section: it is that where the thing is first said (not where it is first named), unless data (``isInGroup``)
        wishes otherwise."""
        value = node.data.value if node.data else None
        wish = value.get("isInGroup") if isinstance(value, dict) else None
        if wish is True or (wish is None and node.defines and not self.placed and section is not None):
            self.section, self.placed = section, True


class _Resolver:
    def __init__(self, report: Callable[[int, str], None]) -> None:
        self.report = report
        self.gathered: dict[Kind, dict[str, _Gathered]] = {"claim": {}, "argument": {}}
        self.found: dict[tuple[RelationType, End, End], Relation] = {}
        self.sections: list[Section] = []
        self.section: int | None = None
        self.untitled = 0

    def run(self, blocks: Iterable[Block]) -> Said:
        above: str | None = None  # the argument of the paragraph just above: a premise-conclusion structure is its own
        for block in blocks:
            if isinstance(block, Comment):
                continue
            last, above = above, None
            if isinstance(block, Paragraph):
                end = self._nodes(block.nodes, None)[0]
                above = end.label if end.kind == "argument" else None
            elif isinstance(block, Listing):
                self._nodes(block.nodes, None)
            elif isinstance(block, Reconstruction):
                self._reconstruction(block, last)
            else:
                self._heading(block)
        claims = {label: one.claim(label) for label, one in self.gathered["claim"].items()}
        arguments = {label: one.argument(label) for label, one in self.gathered["argument"].items()}
        return Said(claims, arguments, tuple(self.found.values()), tuple(self.sections))

    def _heading(self, heading: Heading) -> None:
        sections = self.sections
        parent = self.section
        while parent is not None and sections[parent].level >= heading.level:
            parent = sections[parent].parent
        tags = tuple(dict.fromkeys(piece.name for piece in heading.content if isinstance(piece, Tag)))
        data = heading.data.value if heading.data else None
        sections.append(Section(heading.level, heading.text, parent, data, tags, heading.span))
        self.section = len(sections) - 1

    def _title(self) -> str:
        self.untitled += 1
        return f"Untitled {self.untitled}"

    def _nodes(self, nodes: Sequence[Node], under: End | None, inference: End | None = None) -> list[End]:
        """Take in the nodes of a block; those without a parent stand under ``under``, if anything. The first one's undercuts go to
        ``inference``, if there is one."""
        ends: list[End] = []
        for node in nodes:
            end = self._node(node)
            ends.append(end)
            if node.relation is not None:
                upper = under if node.parent is None else ends[node.parent]
                if node.relation in ("_", "<_") and node.parent == 0 and inference is not None:
                    upper = inference
                if upper is not None and not (upper.kind == "inference" and node.relation not in ("_", "<_")):
                    self._relate(node, upper, end)
        return ends

    def _node(self, node: Node) -> End:
        label = self._title() if node.label is None else node.label
        named = self.gathered[node.kind]
        one = named.get(label)
        if one is None:
            one = named[label] = _Gathered(node.label is not None, self.section)
        one.members.append(node)
        if node.content and (tags := node.tags):
            one.tags.update(dict.fromkeys(tags))
        if node.data is not None and node.data.value is not None:
            one.data = _laid_over(one.data, node.data.value)
        one.place(node, self.section)
        return End(node.kind, label)

    def _relate(self, node: Node, upper: End, lower: End) -> None:
        kind, upwards = _TYPES[node.relation or ""]
        source, target = (lower, upper) if upwards else (upper, lower)
        if kind == "contradictory" and (kind, target, source) in self.found:
            return
        self.found.setdefault((kind, source, target), Relation(kind, source, target, node.span))

    def _reconstruction(self, block: Reconstruction, label: str | None) -> None:
        if label is None:
            label = self._title()
            self.gathered["argument"].setdefault(label, _Gathered(labelled=False, section=self.section))
        argument = self.gathered["argument"][label]
        steps: list[Step] = []
        last = len(block.items) - 1
        for number, item in enumerate(block.items):
            inference = End("inference", label, number) if item.inference else None
            if item.inference:
                self._nodes(item.inference.undercuts, inference)
            end = self._nodes(item.nodes, None, inference)[0]
            role: Role = "premise" if not item.inference else "main-conclusion" if number == last else "intermediary-conclusion"
            steps.append(Step(role, end.label, item.number, item.nodes[0], item.inference))
        if argument.pcs:
            self.report(block.span.start, "second-reconstruction")
            return
        argument.pcs, argument.pcs_span = tuple(steps), block.span
        if self.section is not None:
            argument.section, argument.placed = self.section, True


def _laid_over(old: Any, new: Any) -> Any:
    """Data said later, laid over data said earlier key by key; ``old`` is changed, ``new`` is not."""
    if not isinstance(new, dict):
        return new
    merged = old if isinstance(old, dict) else {}
    for key, value in new.items():
        merged[key] = _laid_over(merged.get(key), value)
    return merged
