"""Where things stand in a text, and what is wrong with it there."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field

_LINE_END = re.compile(r"\r\n|\n|\r")


class Source:
    """A text and its lines. Lines and columns count from 1, offsets from 0, all in characters; a byte order mark is not counted."""

    __slots__ = ("_starts", "text")

    def __init__(self, text: str) -> None:
        self.text = text.removeprefix("\ufeff")
        self._starts: list[int] | None = None

    @property
    def starts(self) -> list[int]:
        """The offset of each line's first character."""
        if self._starts is None:  # only asked for where somebody wants a line number
            self._starts = [0, *(match.end() for match in _LINE_END.finditer(self.text))]
        return self._starts

    def place(self, offset: int) -> tuple[int, int]:
        """Line and column of an offset."""
        line = bisect_right(self.starts, offset)
        return line, offset - self.starts[line - 1] + 1

    def further(self, start: int, offset: int) -> int:
        """The place ``offset`` characters behind ``start``, where a line's end counts as one character."""
        for _ in range(offset):
            start += 2 if self.text.startswith("\r\n", start) else 1
        return min(start, len(self.text))

    def line(self, number: int) -> str:
        """The text of a line, without its end."""
        start = self.starts[number - 1]
        stop = self.starts[number] if number < len(self.starts) else len(self.text)
        return self.text[start:stop].rstrip("\r\n")


class Span:
    """A piece of the source: offsets ``start`` to ``end`` (behind the last character); lines and columns are worked out when asked."""

    __slots__ = ("end", "source", "start")

    def __init__(self, source: Source, start: int, end: int) -> None:
        self.source, self.start, self.end = source, start, end

    @property
    def line(self) -> int:
        """The line it begins in, from 1."""
        return self.source.place(self.start)[0]

    @property
    def column(self) -> int:
        """The column it begins in, from 1."""
        return self.source.place(self.start)[1]

    @property
    def end_line(self) -> int:
        """The line it ends in."""
        return self.source.place(self.end)[0]

    @property
    def end_column(self) -> int:
        """The column behind its last character."""
        return self.source.place(self.end)[1]

    @property
    def text(self) -> str:
        """The source as it is written there."""
        return self.source.text[self.start : self.end]

    def __repr__(self) -> str:
        return f"Span({self.start}–{self.end})"


NOWHERE = Span(Source(""), 0, 0)  # the place of elements that were made and not read


@dataclass(frozen=True, slots=True, order=True)
class ArgdownError:
    """One thing that is wrong: a code for scripts, a sentence for writers, and the place (line and column from 1)."""

    line: int
    column: int
    code: str
    message: str
    offset: int = field(default=0, compare=False)
