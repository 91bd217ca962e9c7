"""A lenient reader of marked-up text: tags are told from text, character references are read, nothing is expanded and nothing fetched.

Answers of language models are seldom well-formed XML: ``&`` and ``<`` stand in them as they stand in the source. So a ``<`` that begins no
tag is text. Document types and entity declarations are faults and are skipped; an entity that HTML does not know stays as it is written.
"""

from __future__ import annotations

import html
import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

_NAME = r"[A-Za-z_][\w.:-]*+"
_VALUE = r"""(?:"(?P<double>[^"]{0,2000}+)"|'(?P<single>[^']{0,2000}+)'|(?P<bare>[^\s"'=<>`/]++))"""
_ATTRIBUTE = re.compile(rf"\s++(?P<name>[^\s=<>\"'/]++)(?:\s*+(?P<equals>=)\s*+{_VALUE})?+")
_START = re.compile(rf"<(?P<name>{_NAME})")
_START_END = re.compile(r"\s*+(?P<slash>/?)>")
_END = re.compile(rf"</(?P<name>{_NAME})\s*+>")
_REFERENCE = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
_DECLARATION = re.compile(r"<!(?:DOCTYPE|ENTITY|ELEMENT|ATTLIST|NOTATION)\b[^\[>]{0,2000}+(?P<subset>\[)?", re.IGNORECASE)
_SUBSET_END = re.compile(r"\]\s*>")
_INSTRUCTION = re.compile(r"<\?[A-Za-z]")
_LONGEST_TAG = 4_000  # characters: what is longer is no tag, so that no text is read over and over


@dataclass(frozen=True, slots=True)
class Attribute:
    """One attribute as it is written; ``quoted`` is false where its value has no quotes, or there is none."""

    name: str
    value: str
    quoted: bool


@dataclass(frozen=True, slots=True)
class Tag:
    """One tag.

    Attributes:
        name: as it is written.
        kind: ``start``, ``end``, ``empty`` (``<b/>``), or ``broken`` where a start tag does not end as one must.
        attributes: in their order.
        raw: the tag as it is written.
        offset: in the marked-up text.
        at: the offset in the text without markup.
    """

    name: str
    kind: str
    attributes: tuple[Attribute, ...]
    raw: str
    offset: int
    at: int


@dataclass(slots=True)
class Markup:
    """A text without its markup, its tags, and what is no markup that could be read (``faults``: what it is, and the offset).

    ``text`` is made of pieces: number ``i`` begins at ``_ats[i]`` there, and at ``_starts[i]`` in the marked-up text.
    """

    text: str = ""
    tags: list[Tag] = field(default_factory=list)
    faults: list[tuple[str, int]] = field(default_factory=list)
    _ats: list[int] = field(default_factory=list)
    _starts: list[int] = field(default_factory=list)

    def offset(self, at: int) -> int:
        """Where in the marked-up text a character of ``text`` stands."""
        piece = max(bisect_right(self._ats, at) - 1, 0)
        return self._starts[piece] + at - self._ats[piece] if self._starts else 0


def read_markup(text: str, is_tag: Callable[[Tag], bool] = lambda tag: True, whole: tuple[str, ...] = ()) -> Markup:
    """Read a marked-up text in time that grows with its length.

    Args:
        text: any text.
        is_tag: what looks like a tag and is none by this stays text.
        whole: names (in small letters) of elements whose broken tags are tags all the same, of kind ``broken``.
    """
    return _Reader(text, is_tag, whole).run()


class _Reader:
    def __init__(self, text: str, is_tag: Callable[[Tag], bool], whole: tuple[str, ...]) -> None:
        self.source, self.is_tag, self.whole = text, is_tag, whole
        self.markup = Markup()
        self.pieces: list[str] = []
        self.length = 0
        self.never: set[str] = set()  # closing signs that do not come any more: looked for once

    def run(self) -> Markup:
        place, source = 0, self.source
        while (sign := source.find("<", place)) >= 0:
            self.words(place, sign)
            place = self.at_sign(sign)
        self.words(place, len(source))
        self.markup.text = "".join(self.pieces)
        return self.markup

    def at_sign(self, sign: int) -> int:
        """Read what begins with the ``<`` here; gives the place behind it."""
        source = self.source
        if source.startswith("<!--", sign):
            return self.skip(sign, sign + 4, "-->", "comment")
        if source.startswith("<![CDATA[", sign):
            end = self.find("]]>", sign)
            if end < 0:
                return self.fault("cdata", sign, sign + 9)
            self.add(source[sign + 9 : end], sign + 9)
            return end + 3
        if _INSTRUCTION.match(source, sign):
            return self.skip(sign, sign + 2, "?>", "instruction")
        if declaration := _DECLARATION.match(source, sign):
            end = self.find_subset_end(declaration.end()) if declaration["subset"] else self.find(">", declaration.end()) + 1
            return self.fault("declaration", sign, end or declaration.end())
        return self.tag(sign) or self.literal(sign)

    def tag(self, sign: int) -> int:
        """The place behind the tag here, 0 where there is none."""
        source = self.source
        if ending := _END.match(source, sign):
            return self.keep(Tag(ending["name"], "end", (), ending.group(), sign, self.length), ending.end())
        start = _START.match(source, sign)
        if not start:
            return 0
        attributes, place = [], start.end()
        while place < sign + _LONGEST_TAG and (found := _ATTRIBUTE.match(source, place)):
            value = found["double"] if found["double"] is not None else found["single"]
            quoted = value is not None
            attributes.append(Attribute(found["name"], _decoded(value if quoted else found["bare"] or ""), quoted))
            place = found.end()
        if closing := _START_END.match(source, place):
            kind = "empty" if closing["slash"] else "start"
            tag = Tag(start["name"], kind, tuple(attributes), source[sign : closing.end()], sign, self.length)
            return self.keep(tag, closing.end())
        if start["name"].lower() not in self.whole:
            return 0
        place = start.end()  # a quote may be missing: the next > ends it, unless another tag begins first
        closed, following = (source.find(one, place, sign + _LONGEST_TAG) for one in "><")
        place = closed + 1 if closed >= 0 and not 0 <= following < closed else place
        return self.keep(Tag(start["name"], "broken", (), source[sign:place], sign, self.length), place)

    def keep(self, tag: Tag, end: int) -> int:
        if not self.is_tag(tag):
            return 0
        self.markup.tags.append(tag)
        return end

    def literal(self, sign: int) -> int:
        self.add("<", sign)
        return sign + 1

    def skip(self, sign: int, start: int, closing: str, what: str) -> int:
        end = self.find(closing, start)
        return self.fault(what, sign, start) if end < 0 else end + len(closing)

    def fault(self, what: str, sign: int, end: int) -> int:
        self.markup.faults.append((what, sign))
        return end

    def find(self, closing: str, place: int) -> int:
        if closing in self.never:
            return -1
        found = self.source.find(closing, place)
        if found < 0:
            self.never.add(closing)
        return found

    def find_subset_end(self, place: int) -> int:
        """Behind the ``]>`` of a document type, 0 where it does not come."""
        if "]>" in self.never:
            return 0
        found = _SUBSET_END.search(self.source, place)
        if not found:
            self.never.add("]>")
            return 0
        return found.end()

    def words(self, start: int, end: int) -> None:
        """Text between markup, its character references read."""
        if start == end:
            return
        if self.source.find("&", start, end) < 0:
            self.add(self.source[start:end], start)
            return
        for text, place in _references(self.source, start, end):
            self.add(text, place)

    def add(self, text: str, place: int) -> None:
        if text:
            self.pieces.append(text)
            self.markup._ats.append(self.length)
            self.markup._starts.append(place)
            self.length += len(text)


def _references(source: str, start: int, end: int) -> Iterator[tuple[str, int]]:
    for found in _REFERENCE.finditer(source, start, end):
        yield source[start : found.start()], start
        yield html.unescape(found.group()), found.start()
        start = found.end()
    yield source[start:end], start


def _decoded(value: str) -> str:
    return _REFERENCE.sub(lambda found: html.unescape(found.group()), value) if "&" in value else value
