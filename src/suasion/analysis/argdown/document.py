"""A whole text: its blocks, and what they say together – claims, arguments, relations, sections."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from suasion.analysis.argdown.elements import Block, Data, FrontMatter, Inference, Node
from suasion.analysis.argdown.places import NOWHERE, ArgdownError, Source, Span

RelationType: TypeAlias = Literal["support", "attack", "undercut", "contradictory", "entails", "contrary"]
Role: TypeAlias = Literal["premise", "intermediary-conclusion", "main-conclusion"]


@dataclass(frozen=True, slots=True)
class End:
    """One end of a relation. An inference is named by its argument, and by the number (from 0) of its conclusion in the structure."""

    kind: Literal["claim", "argument", "inference"]
    label: str
    conclusion: int | None = None


@dataclass(frozen=True, slots=True)
class Relation:
    """``source`` supports (attacks, …) ``target``. ``contradictory`` and ``contrary`` hold both ways."""

    type: RelationType
    source: End
    target: End
    span: Span = field(default=NOWHERE, compare=False, repr=False)

    @property
    def symmetric(self) -> bool:
        """Whether it holds both ways."""
        return self.type in ("contradictory", "contrary")


@dataclass(frozen=True, slots=True)
class Section:
    """What stands under a heading. ``parent`` is the number of the section around it."""

    level: int
    title: str
    parent: int | None
    data: Any
    tags: tuple[str, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Claim:
    """All that is said under one label, or one claim without a label (``labelled`` false; it is called ``Untitled 1`` and so on).

    ``members`` are its nodes in the text's order, mere references among them; ``section`` is the number of the section it is first said in.
    """

    label: str
    labelled: bool
    members: tuple[Node, ...] = ()
    tags: tuple[str, ...] = ()
    data: Any = None
    section: int | None = None

    @property
    def texts(self) -> list[str]:
        """What it says, each time that it says something, in the text's order."""
        return [text for node in self.members if node.defines and (text := node.text)]

    @property
    def text(self) -> str | None:
        """Its last text, or the one whose data says ``isCanonical: true``: what a map shows."""
        said = [node for node in self.members if node.defines and node.text]
        chosen = [node for node in said if node.data and isinstance(node.data.value, dict) and node.data.value.get("isCanonical")]
        return (chosen or said)[-1].text if said else None


@dataclass(frozen=True, slots=True)
class Step:
    """A line of an argument's premise-conclusion structure: its role, the label of its claim, and the node where it stands."""

    role: Role
    label: str
    number: str
    node: Node
    inference: Inference | None = None

    @property
    def data(self) -> Data | None:
        """The inline data of the line itself."""
        return self.node.data


@dataclass(frozen=True, slots=True)
class Argument(Claim):
    """All that is said under one argument's label. ``pcs`` is its premise-conclusion structure, empty where there is none."""

    pcs: tuple[Step, ...] = ()
    pcs_span: Span = NOWHERE

    @property
    def gists(self) -> list[str]:
        """The same as ``texts``: what is said of it in short."""
        return self.texts


@dataclass(frozen=True, slots=True)
class Document:
    """An Argdown text that has been read.

    Two documents are equal when they say the same; places and errors do not count. Claims and arguments have separate name spaces; both
    keep the order of the text. ``relations`` are as the official parser gives them: those of a reconstructed argument start at its
    conclusion, undercuts of it end at its last inference, and in strict mode supports between claims are entailments, attacks are
    contrarieties. ``sketched`` has them as they are written.
    """

    blocks: tuple[Block, ...]
    front_matter: FrontMatter | None = None
    errors: tuple[ArgdownError, ...] = field(default=(), compare=False)
    claims: Mapping[str, Claim] = field(default_factory=dict, compare=False, repr=False)
    arguments: Mapping[str, Argument] = field(default_factory=dict, compare=False, repr=False)
    relations: tuple[Relation, ...] = field(default=(), compare=False, repr=False)
    sketched: tuple[Relation, ...] = field(default=(), compare=False, repr=False)
    sections: tuple[Section, ...] = field(default=(), compare=False, repr=False)
    source: Source = field(default_factory=lambda: Source(""), compare=False, repr=False)

    @property
    def strict(self) -> bool:
        """Whether the front matter asks for strict mode (``model: {mode: strict}``)."""
        return bool(self.setting("model", "mode") == "strict")

    def setting(self, *keys: str) -> Any:
        """A value of the front matter, ``None`` where it is not there."""
        value = self.front_matter.value if self.front_matter else None
        for key in keys:
            value = value.get(key) if isinstance(value, dict) else None
        return value

    def find(self, end: End) -> Claim:
        """The claim or argument at an end of a relation."""
        return self.claims[end.label] if end.kind == "claim" else self.arguments[end.label]
