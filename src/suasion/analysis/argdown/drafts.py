"""A node, or a heading, while it is being read: pieces are added one by one, then it is sealed."""

from __future__ import annotations

from itertools import groupby
from typing import Protocol

from suasion.analysis.argdown.data import read_data
from suasion.analysis.argdown.elements import Break, Data, Inline, Kind, Mark, Node, Text
from suasion.analysis.argdown.places import Source, Span


class Report(Protocol):
    """Notes an error: where (an offset), its code, and its sentence where the code alone does not give it."""

    def __call__(self, offset: int, code: str, message: str | None = None, /) -> None: ...


_BLANK = (" ", "\t")
_NAMES = {"**": "bold", "__": "bold", "*": "italic", "_": "italic"}


def make_data(raw: str, start: int, end: int, source: Source, report: Report) -> Data:
    """Inline data with its value; bad YAML is reported where it goes wrong."""
    raw = raw.replace("\r\n", "\n").replace("\r", "\n")
    value, trouble = read_data(raw)
    if trouble:
        report(source.further(start, trouble.offset), "data", trouble.message)
    return Data(raw, value, Span(source, start, end))


class Draft:
    """What has been read of a node so far."""

    __slots__ = (
        "_words",
        "_words_end",
        "_words_start",
        "broken",
        "complained",
        "data",
        "defines",
        "end",
        "kind",
        "label",
        "label_end",
        "lined",
        "marks",
        "parent",
        "pieces",
        "relation",
        "source",
        "start",
    )

    def __init__(self, source: Source, start: int, relation: str | None = None, parent: int | None = None) -> None:
        self.source, self.start, self.end, self.relation, self.parent = source, start, start, relation, parent
        self.kind: Kind = "claim"
        self.label: str | None = None
        self.label_end: tuple[int, int] | None = None
        self.defines = True
        self.pieces: list[Inline] = []
        self.data: Data | None = None
        self.broken = False  # a line has ended since the last piece
        self.lined = False  # a line has ended in its text
        self.complained = False
        self.marks: list[int] = []  # numbers of the pieces that open bold or italic and wait for their ends
        self._words: list[str] = []
        self._words_start = self._words_end = 0

    def end_line(self) -> None:
        """The line ends."""
        self.broken = True
        self.lined = self.lined or self.data is None

    def add_words(self, words: str, start: int, end: int) -> None:
        """Add plain text."""
        if self._words and not self.broken:
            self._words.append(words)
        elif self._words or self.pieces or not words.isspace():
            if self.broken:
                self._break(start)
            if not self._words:
                self._words_start = start
            self._words.append(words)
        else:
            return
        self._words_end = self.end = end

    def add(self, piece: Inline, start: int, end: int) -> None:
        """Add any other piece."""
        if self.broken:
            self._break(start)
        if self._words:
            self._flush()
        self.pieces.append(piece)
        self.end = end

    def add_mark(self, sign: str, opens: bool, start: int, end: int) -> None:
        """Add a mark of bold or italic; one that ends nothing here is a plain sign."""
        if not opens:
            if not self.marks or sign != self.pieces[self.marks[-1]].sign:  # type: ignore[union-attr]
                return self.add_words(sign, start, end)
            self.marks.pop()
        self.add(Mark(sign, opens, Span(self.source, start, end)), start, end)
        if opens:
            self.marks.append(len(self.pieces) - 1)
        return None

    def _break(self, start: int) -> None:
        self.broken = False
        self._flush(strip=True)
        if self.pieces and type(self.pieces[-1]) is not Break:
            self.pieces.append(Break(Span(self.source, start, start)))

    def _flush(self, *, strip: bool = False) -> None:
        words = self._words
        if not words:
            return
        value = words[0] if len(words) == 1 else "".join(words)
        if "  " in value or not value.isprintable():  # tabs and the like
            value = _squeezed(value)
        if not self.pieces:
            value = value.lstrip()  # of all blanks: those before a label are left out just so
        elif type(self.pieces[-1]) is Break:
            value = value.lstrip(" ")
        if strip:
            value = value.rstrip(" ")
        if value:
            self.pieces.append(Text(value, Span(self.source, self._words_start, self._words_end)))
        words.clear()

    def content(self, report: Report) -> tuple[Inline, ...]:
        """The pieces; bold and italic that were never closed are reported and become text."""
        self._flush(strip=True)
        pieces = self.pieces
        while pieces and type(pieces[-1]) is Break:
            pieces.pop()
        if not self.marks:
            return tuple(pieces)
        for number in self.marks:
            mark = pieces[number]
            assert isinstance(mark, Mark)  # noqa: S101
            name, sign = _NAMES[mark.sign], mark.sign
            message = f"This {name} text does not end. Put {sign} behind its last word, or write {''.join(f'{chr(92)}{c}' for c in sign)}"
            report(mark.span.start, f"unclosed-{name}", f"{message} if {sign} is meant as a sign.")
            pieces[number] = Text(sign, mark.span)
        return tuple(_merged(pieces))

    def seal(self, report: Report) -> Node:
        """The node."""
        source = self.source
        content = self.content(report)
        label_span = Span(source, *self.label_end) if self.label_end else Span(source, self.start, self.start)
        span = Span(source, self.start, max(self.end, self.start))
        return Node(self.kind, self.label, self.defines, content, self.data, self.relation, self.parent, span, label_span)


def _squeezed(value: str) -> str:
    """Runs of blanks and tabs as one blank; other signs, a non-breaking blank among them, stay."""
    parts = [part for part in value.replace("\t", " ").split(" ") if part]
    middle = " ".join(parts)
    return f"{' ' if value[0] in _BLANK else ''}{middle}{' ' if middle and value[-1] in _BLANK else ''}"


def _merged(pieces: list[Inline]) -> list[Inline]:
    """Neighbouring texts as one."""
    merged: list[Inline] = []
    for is_text, group in groupby(pieces, lambda piece: isinstance(piece, Text)):
        if not is_text:
            merged.extend(group)
            continue
        texts = [piece for piece in group if isinstance(piece, Text)]
        first = not merged or isinstance(merged[-1], Break)
        value = _squeezed("".join(text.value for text in texts))
        merged.append(Text(value.lstrip(" ") if first else value, Span(texts[0].span.source, texts[0].span.start, texts[-1].span.end)))
    return merged
