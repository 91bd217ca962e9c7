"""What an Argdown text is made of, as it is written: blocks, nodes, pieces of text.

Everything is flat: a node names its parent by number, bold text is a pair of marks. So no text, however deep, can overflow a stack.
Elements are equal when they say the same; where they stand does not count.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from suasion.analysis.argdown.places import NOWHERE, Span
from suasion.analysis.argdown.shortcodes import SHORTCODES

Kind: TypeAlias = Literal["claim", "argument"]


@dataclass(frozen=True, slots=True)
class Text:
    """Plain words, escapes resolved, runs of blanks as one blank."""

    value: str
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Break:
    """A line break inside a text; reads as a blank."""

    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Mark:
    """Where bold (``**``, ``__``) or italic (``*``, ``_``) begins or ends. Marks come in pairs."""

    sign: str
    opens: bool
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Link:
    """``[text](url)``."""

    text: str
    url: str
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Mention:
    """``@[label]`` or ``@<label>``: named without being used."""

    kind: Kind
    label: str
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Tag:
    """``#name`` or ``#(a name)``."""

    name: str
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Symbol:
    """A shortcode for a sign, such as ``:A:`` for ∀."""

    code: str
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment as it is written, with its ``//``, ``/* */`` or ``<!-- -->``."""

    raw: str
    span: Span = field(default=NOWHERE, compare=False, repr=False)


Inline: TypeAlias = Text | Break | Mark | Link | Mention | Tag | Symbol | Comment


@dataclass(frozen=True, slots=True)
class Data:
    """Inline data: ``{…}`` as it is written, and what YAML makes of it (``None`` where it is no YAML)."""

    raw: str
    value: Any = field(default=None, compare=False)
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Node:
    """A claim or an argument where it stands.

    ``label`` is ``None`` for a claim that is only its text. ``defines`` is false for a mere reference (``[A]``, ``<A>``). ``relation`` is
    the sign that ties it to node number ``parent`` of the same block, as written (``+`` and ``<+`` mean the same).
    """

    kind: Kind
    label: str | None
    defines: bool
    content: tuple[Inline, ...] = ()
    data: Data | None = None
    relation: str | None = None
    parent: int | None = None
    span: Span = field(default=NOWHERE, compare=False, repr=False)
    label_span: Span = field(default=NOWHERE, compare=False, repr=False)

    @property
    def text(self) -> str:
        """Its words without markup, comments and the tags at its end."""
        return plain(self.content)

    @property
    def tags(self) -> tuple[str, ...]:
        """Its tags, each once, in their order."""
        return tuple(dict.fromkeys(piece.name for piece in self.content if isinstance(piece, Tag)))


@dataclass(frozen=True, slots=True)
class Inference:
    """The line between premises and conclusion: rules, data, and what undercuts it (nodes whose parent is ``None`` do so directly)."""

    rules: tuple[str, ...] = ()
    data: Data | None = None
    undercuts: tuple[Node, ...] = ()
    comments: tuple[Comment, ...] = ()
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Item:
    """A numbered line of a reconstruction: ``nodes[0]`` and what is related to it. With an inference above it, it is a conclusion."""

    number: str
    nodes: tuple[Node, ...]
    inference: Inference | None = None
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """The YAML between ``===`` lines at the top."""

    raw: str
    value: Any = field(default=None, compare=False)
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Heading:
    """``# A heading``; level 1 is the highest."""

    level: int
    content: tuple[Inline, ...]
    data: Data | None = None
    span: Span = field(default=NOWHERE, compare=False, repr=False)

    @property
    def text(self) -> str:
        """Its words without markup."""
        return plain(self.content)


@dataclass(frozen=True, slots=True)
class Paragraph:
    """One claim or argument (``nodes[0]``) and all that is related to it, to any depth."""

    nodes: tuple[Node, ...]
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Listing:
    """A list; its items are the nodes without a parent."""

    ordered: bool
    nodes: tuple[Node, ...]
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Reconstruction:
    """A premise-conclusion structure."""

    items: tuple[Item, ...]
    span: Span = field(default=NOWHERE, compare=False, repr=False)


Block: TypeAlias = Heading | Paragraph | Listing | Reconstruction | Comment


def plain(content: tuple[Inline, ...]) -> str:
    """The words of a content: no markup, no comments, no tags at the end; one blank for a line break."""
    if len(content) == 1 and type(content[0]) is Text:  # by far the most frequent
        return content[0].value
    end = len(content)
    while end and isinstance(content[end - 1], Tag | Comment | Break | Text):
        last = content[end - 1]
        if isinstance(last, Text) and not last.value.isspace():
            break
        end -= 1
    return " ".join("".join(map(_word, content[:end])).split())


def _word(piece: Inline) -> str:
    match piece:
        case Text(value):
            return value
        case Break():
            return " "
        case Link(text):
            return text
        case Mention(kind, label):
            return f"@[{label}]" if kind == "claim" else f"@<{label}>"
        case Tag(name):
            return f"#({name})" if " " in name else f"#{name}"
        case Symbol(code):
            return SHORTCODES[code]
        case _:
            return ""
