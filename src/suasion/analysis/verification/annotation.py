"""Annotated source texts: propositions marked by tags."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from suasion.analysis.argdown.places import Source
from suasion.analysis.verification.blocks import Block
from suasion.analysis.verification.findings import Finding
from suasion.analysis.verification.markup import Markup, Tag, read_markup
from suasion.analysis.verification.source_text import read_source

ELEMENT = "proposition"
ATTRIBUTES = ("id", "supports", "attacks", "argument_label", "ref_reco_label")
_FAULTS = {
    "comment": "This comment is never closed. Close it with --> or leave it out.",
    "instruction": "This processing instruction is never closed. Leave it out.",
    "cdata": "This CDATA section is never closed. Close it with ]]> or leave it out.",
    "declaration": "Document types and entities have no place here; nothing of them is read. Leave this declaration out.",
}


@dataclass(frozen=True, slots=True)
class Proposition:
    """A marked piece of the text. ``start`` and ``end`` are offsets in ``Annotation.text``; line and column are of the answer.

    ``text`` ends where another proposition begins inside (which is an error). ``id`` is empty where there is none.
    """

    id: str
    text: str
    supports: tuple[str, ...]
    attacks: tuple[str, ...]
    argument_label: str | None
    ref_reco_label: str | None
    start: int
    end: int
    line: int
    column: int

    def __str__(self) -> str:
        """What to call it in a message: its id, or else its first words."""
        words = " ".join(self.text.split())
        return f"“{self.id}”" if self.id else f"“{words[:40]}{'…' if len(words) > 40 else ''}”"


@dataclass(frozen=True, slots=True)
class Annotation:
    """``text`` is the annotated text without its tags; ``findings`` are what is wrong with the markup itself.

    They have the codes ``annotation.markup.…``, ``annotation.element``, ``annotation.attribute`` and ``annotation.nested``.
    """

    text: str
    propositions: tuple[Proposition, ...]
    findings: Sequence[Finding]
    _block: Block = field(repr=False, compare=False)
    _markup: Markup = field(repr=False, compare=False)
    _source: Source = field(repr=False, compare=False)

    def place(self, at: int) -> tuple[int, int]:
        """Line and column, in the answer, of a character of ``text``."""
        return self._block.place(*self._source.place(self._markup.offset(at)))


def read_annotation(block: Block, source: str = "") -> Annotation:
    """Read an annotated text; never raises, and what cannot be read is a finding.

    Args:
        block: the text.
        source: what was annotated. What looks like a tag there is text here; HTML that stands there may stand here.
    """
    return _Reader(block, source).run()


class _Reader:
    def __init__(self, block: Block, source: str) -> None:
        self.block = block
        self.lines = Source(block.text)
        given = read_source(source)
        self.html = given.html
        self.markup = read_markup(self.lines.text, is_tag=lambda tag: not given.keeps(tag), whole=(ELEMENT,))
        self.findings: list[Finding] = []
        self.open: list[tuple[int, Tag]] = []  # propositions that are open: their number, and their tag
        self.ends: list[int] = []
        self.stops: list[int] = []  # where the text of each ends: at its end, or at the next proposition inside
        self.tags: list[Tag] = []
        self.inside: list[int | None] = []
        self.never_closed: set[int] = set()

    def run(self) -> Annotation:
        for what, offset in self.markup.faults:
            self.report(f"markup.{what}", _FAULTS[what], offset)
        for tag in self.markup.tags:
            if tag.name.lower() == ELEMENT:
                self.proposition(tag)
            elif tag.name.lower() not in self.html and tag.kind != "end":
                message = f"There is no element <{tag.name}>. Mark propositions with <{ELEMENT}> and leave other tags out."
                self.report("element", message, tag.offset)
        for number, tag in self.open:
            self.never_closed.add(number)
            self.report("markup.unclosed", f"Proposition {self.name(tag)} is never closed. Put </{ELEMENT}> behind it.", tag.offset)
        self.nested()
        propositions = tuple(self.read())
        order = sorted(self.findings, key=lambda finding: (finding.line or 0, finding.column or 0))
        return Annotation(self.markup.text, propositions, order, self.block, self.markup, self.lines)

    def proposition(self, tag: Tag) -> None:
        if tag.name != ELEMENT and tag.kind != "end":
            self.report("element", f"There is no element <{tag.name}>. Write <{ELEMENT}>, in small letters.", tag.offset)
        if tag.kind == "end":
            if not self.open:
                self.report("markup.stray-end", f"This </{ELEMENT}> closes nothing. Take it away, or open the proposition.", tag.offset)
                return
            number, _ = self.open.pop()
            self.ends[number] = tag.at
            return
        if tag.kind == "broken":
            self.report("markup.tag", f'This tag cannot be read. Write <{ELEMENT} id="…">, each value in straight quotes.', tag.offset)
        if self.open:
            self.stops[self.open[-1][0]] = min(self.stops[self.open[-1][0]], tag.at)
        number = len(self.tags)
        self.tags.append(tag)
        self.inside.append(self.open[-1][0] if self.open else None)
        self.ends.append(tag.at if tag.kind == "empty" else len(self.markup.text))
        self.stops.append(len(self.markup.text))
        if tag.kind != "empty":
            self.open.append((number, tag))

    def nested(self) -> None:
        """Propositions inside others; where the outer one is never closed, that is what is wrong."""
        for number, outer in enumerate(self.inside):
            if outer is not None and outer not in self.never_closed:
                inner = self.name(self.tags[number])
                message = f"Proposition {inner} stands inside proposition {self.name(self.tags[outer])}. Close one before the next."
                self.report("nested", message, self.tags[number].offset)

    def read(self) -> Iterator[Proposition]:
        for tag, end, stop in zip(self.tags, self.ends, self.stops, strict=True):
            values = self.attributes(tag)
            line, column = self.block.place(*self.lines.place(tag.offset))
            yield Proposition(
                id=values.get("id", "").strip(),
                text=self.markup.text[tag.at : min(end, stop)],
                supports=tuple(values.get("supports", "").split()),
                attacks=tuple(values.get("attacks", "").split()),
                argument_label=values.get("argument_label"),
                ref_reco_label=values.get("ref_reco_label"),
                start=tag.at,
                end=end,
                line=line,
                column=column,
            )

    def attributes(self, tag: Tag) -> dict[str, str]:
        """The attributes that are known, the first of each name."""
        counts = Counter(attribute.name.lower() for attribute in tag.attributes)
        values: dict[str, str] = {}
        for attribute in tag.attributes:
            name = attribute.name.lower()
            if name not in ATTRIBUTES:
                known = ", ".join(ATTRIBUTES)
                message = f"Proposition {self.name(tag)} has an unknown attribute {attribute.name[:60]}. There are {known}."
                self.report("attribute", message, tag.offset)
            elif name != attribute.name:
                message = f"Proposition {self.name(tag)} has an unknown attribute {attribute.name}. Write {name}, in small letters."
                self.report("attribute", message, tag.offset)
            elif not attribute.quoted:
                message = f'The value of {name} in proposition {self.name(tag)} has no quotes. Write {name}="…".'
                self.report("markup.quotes", message, tag.offset)
            if name in values:
                continue
            values[name] = attribute.value
            if counts[name] > 1:
                message = f'Proposition {self.name(tag)} has {name} {counts[name]} times. Put all values into one: {name}="… …".'
                self.report("markup.duplicate-attribute", message, tag.offset)
        return values

    def name(self, tag: Tag) -> str:
        """What to call a proposition in a message."""
        name = next((attribute.value.strip() for attribute in tag.attributes if attribute.name.lower() == "id"), "")
        words = " ".join(self.markup.text[tag.at : tag.at + 60].split())[:40]
        return f"“{name}”" if name else f"“{words}…”"

    def report(self, code: str, message: str, offset: int) -> None:
        self.findings.append(Finding(f"annotation.{code}", message, *self.block.place(*self.lines.place(offset))))
