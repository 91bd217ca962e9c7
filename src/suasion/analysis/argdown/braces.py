"""Finds where inline data ends: the brace that closes, quoted text left alone. Linear in the text, however many braces it has."""

from __future__ import annotations

import re

_SIGNS = re.compile(r"[{}\"']")
_BEFORE_VALUE = re.compile(r"[{\[,:\n-]\s*\Z")
_DOUBLE = re.compile(r'"(?:[^"\\]|\\.)*+"', re.DOTALL)
_SINGLE = re.compile(r"'(?:[^']|'')*+'")
_GOES_ON = re.compile(r"\s*+,")
_LOOK_BACK = 40  # how far back a quote looks for the sign that makes it open a value


class Braces:
    """The pairs of braces of a text, found as they are asked for."""

    __slots__ = ("_pairs", "_plain", "_scanned", "_text", "_unclosed")

    def __init__(self, text: str) -> None:
        self._text = text
        self._pairs: dict[int, int] = {}
        self._scanned = 0
        self._plain = 0  # up to here braces are but signs
        self._unclosed: set[str] = set()

    def end(self, start: int) -> int | None:
        """The offset behind the brace that closes the one at ``start``; ``None`` if none does, or if the text goes on as a list would
        (``{x, {y}}, and more``): then it is but a sign, as are those inside. To be asked in the text's order."""
        if start >= self._scanned:
            self._scan(start)
        close = self._pairs.get(start)
        if close is None or start < self._plain:
            return None
        if _GOES_ON.match(self._text, close + 1):
            self._plain = close
            return None
        return close + 1

    def closed(self, start: int) -> bool:
        """Whether a brace closes the one at ``start``, which :meth:`end` has been asked for."""
        return start in self._pairs

    def _scan(self, start: int) -> None:
        text, opened, position = self._text, [start], start + 1
        while opened:
            found = _SIGNS.search(text, position)
            if not found:
                position = len(text)  # never closed: all that follows has been looked at
                break
            position = found.end()
            sign = found[0]
            if sign == "{":
                opened.append(found.start())
            elif sign == "}":
                self._pairs[opened.pop()] = found.start()
            else:
                position = self._behind_quoted(found.start(), start)
        self._scanned = position

    def _behind_quoted(self, quote: int, start: int) -> int:
        """The offset behind a quoted text, or behind the sign alone where it quotes nothing (an apostrophe)."""
        text, sign = self._text, self._text[quote]
        if sign in self._unclosed or not _BEFORE_VALUE.search(text[max(start, quote - _LOOK_BACK) : quote]):
            return quote + 1
        match = (_DOUBLE if sign == '"' else _SINGLE).match(text, quote)
        if match:
            return match.end()
        self._unclosed.add(sign)  # no such sign closes from here on: not to be looked for again
        return quote + 1
