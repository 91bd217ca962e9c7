"""From text to tokens, in one pass and linear time. No text is refused: what makes no token is text, or text with a fault before it.

The rules are those of Argdown's published grammar. Where its lexer looks the same stretch over and over for a sign that is not there,
this one remembers what it has found.
"""

from __future__ import annotations

import re

from suasion.analysis.argdown.braces import Braces
from suasion.analysis.argdown.comments import comment_end
from suasion.analysis.argdown.inference_line import scan_inference
from suasion.analysis.argdown.shortcodes import SHORTCODES
from suasion.analysis.argdown.tokens import T, Token

_TEXT = re.compile(r"(?:[^\\@#*_\[.:</{\r\n]++|[.:](?=\s|\Z))++")
_BLANKS = re.compile(r"[ \t]*+")
_LINE = re.compile(
    r"""(?P<indent>[ \t]*+)(?:
      (?P<inference>--)
    | (?P<relation>\+>|->|><|_>|<[+_-]|[+-]|_(?=\s|\Z))[ \t]*+
    | \((?P<number>[0-9]+)\)[ \t]*+
    | (?P<item>\*|[0-9]++\.)(?=\s|\Z)[ \t]*+
    | (?P<heading>\#++)[ ][ \t]*+
    | (?P<front>={3,})
    )""",
    re.VERBOSE,
)
_ODD_LINE = re.compile(r"(?P<indent>[^\S\r\n]*[^\S\r\n\t ][^\S\r\n]*)(?P<relation>\+>|->|><|_>|<[+_-]|[+-]|_(?=\s))[^\S\r\n]*(?=[\[<])")
_EOL = re.compile(r"(?:\r\n|\n|\r)(?P<more>(?:[ \t]*(?:\r\n|\n|\r))++)?")
_FRONT = re.compile(r"={3,}(?P<yaml>.*?)={3,}", re.DOTALL)
_SPECIAL = re.compile(r"\.\S+?\.|:\S+?:")
_URL = re.compile(r"://[^\s{}<>\[\]\\]*[^\s{}<>\[\]\\.,;:!?*_)]")
_TAG = re.compile(
    r"#([a-zA-z0-9\u00A0-\uD7FF\uF900-\uFDCF\uFDF0-\uFFEF-]+)"
)  # A-z: the published grammar's own range, with [ ] ^ _ ` in it
_HTML = re.compile(
    r"<(?P<close>/)?(?P<name>a|abbr|b|br|cite|code|del|em|hr|i|ins|kbd|mark|p|q|s|small|span|strong|sub|sup|u)(?P<more>\s[^<>\n]*|/)?>"
)
_MAY_FOLLOW_MARK = frozenset(" \t\n\r)}_.,!?;:-*")  # behind the end of bold or italic; also with a backslash before it
_HTML_REACH = 1000  # how far behind an HTML tag the tag that closes it may stand


class Scanner:
    """Reads a whole text; see :func:`scan`."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens: list[Token] = []
        self.fresh = True  # nothing but blanks and comments on this line so far
        self.above: T | None = None  # what ended the line above: a break or an empty line
        self.open: list[str] = []  # marks of bold and italic that wait for their ends
        self.braces = Braces(text)
        self._found: dict[str, int] = {}
        self._readers = {
            "\n": self._eol,
            "\r": self._eol,
            "{": self._brace,
            "[": self._bracket,
            "<": self._angle,
            "@": self._at,
            "#": self._hash,
            "*": self._mark,
            "_": self._mark,
            "\\": self._backslash,
            ".": self._dot,
            ":": self._dot,
            "/": self._slash,
        }

    def run(self) -> list[Token]:
        """All tokens of the text."""
        text, tokens, position, end = self.text, self.tokens, 0, len(self.text)
        readers, match_text = self._readers, _TEXT.match
        while position < end:
            if self.fresh:
                moved = self._line_start(position)
                if moved != position:
                    position = moved
                    continue
            words = match_text(text, position)
            if words:
                tokens.append((T.TEXT, position, words.end(), words[0]))
                position = words.end()
                self.fresh = False
            else:
                position = readers[text[position]](position)
        return tokens

    def find(self, needle: str, position: int) -> int:
        """As ``text.find``, for positions that only grow: what was found once is not looked for again."""
        found = self._found.get(needle, -2)
        if found != -1 and found < position:
            found = self._found[needle] = self.text.find(needle, position)
        return found

    def line_end(self, position: int) -> int:
        """The offset where the line ends."""
        ends = [found for found in (self.find("\n", position), self.find("\r", position)) if found >= 0]
        return min(ends, default=len(self.text))

    def _emit(self, kind: T, start: int, end: int, value: object) -> int:
        self.tokens.append((kind, start, end, value))
        self.fresh = False
        return end

    def _word(self, start: int, end: int, value: str | None = None) -> int:
        return self._emit(T.TEXT, start, end, self.text[start:end] if value is None else value)

    def _fault(self, position: int, code: str) -> None:
        self.tokens.append((T.FAULT, position, position + 1, (code, None)))

    # what only a line's start can be

    def _line_start(self, position: int) -> int:
        match = _LINE.match(self.text, position)
        if match is None:
            if not self.text[position].isascii() or self.text[position] in " \t":
                odd = _ODD_LINE.match(self.text, position)
                if odd:
                    self._fault(position, "odd-blanks")
                    return self._structure(T.RELATION, odd.start("relation"), odd.end(), (len(odd["indent"]), odd["relation"]))
            return _BLANKS.match(self.text, position).end()  # type: ignore[union-attr]
        kind = match.lastgroup
        start, end = match.start(kind or 0), match.end()
        indent = match.end("indent") - match.start("indent")
        match kind:
            case "relation":
                return self._structure(T.RELATION, start, end, (indent, match["relation"]))
            case "number":
                return self._structure(T.NUMBER, start - 1, end, match["number"])
            case "item":
                return self._structure(T.ITEM, start, end, (indent + 1, match["item"] != "*"))
            case "heading":
                return self._structure(T.HEADING, start, end, len(match["heading"]))
            case "inference":
                line, behind = scan_inference(self.text, end, self.braces, self.find)
                return self._structure(T.INFERENCE, start, behind, line)
            case _:
                return self._front_matter(start, position)

    def _structure(self, kind: T, start: int, end: int, value: object) -> int:
        self.open.clear()
        return self._emit(kind, start, end, value)

    def _front_matter(self, start: int, position: int) -> int:
        if self.find("===", start + 3) >= 0:
            match = _FRONT.match(self.text, start)
            if match:
                return self._structure(T.FRONT, start, match.end(), match["yaml"])
        if start > position:
            return start
        return self._word(start, start + 3)

    # readers of single signs: each returns the offset it has read to

    def _eol(self, position: int) -> int:
        match = _EOL.match(self.text, position)
        end = match.end()  # type: ignore[union-attr]
        empty = match["more"] is not None  # type: ignore[index]
        self.above = T.EMPTY if empty else T.BREAK
        self.tokens.append((self.above, position, end, None))
        self.fresh = True
        if empty:
            self.open.clear()
        return end

    def _brace(self, position: int) -> int:
        end = self.braces.end(position)
        if end is not None:
            return self._emit(T.DATA, position, end, self.text[position:end])
        if not self.braces.closed(position) and self.find("}", position) >= 0:
            self._fault(position, "data-not-closed")
        return self._word(position, position + 1)

    def _bracket(self, position: int) -> int:
        text, end_of_line = self.text, self.line_end(position)
        close = self.find("]", position + 1)
        if position + 1 < close < end_of_line and text.startswith("(", close + 1):
            end = self.find(")", close + 2)
            if close + 2 < end < end_of_line:
                return self._emit(T.LINK, position, end + 1, (text[position + 1 : close], text[close + 2 : end]))
        return self._label(position, end_of_line, "]", "claim")

    def _angle(self, position: int) -> int:
        comment = self._comment(position)
        if comment is not None:
            return comment
        end = self._html(position)
        if end is not None:
            return self._word(position, end)
        return self._label(position, self.line_end(position), ">", "argument")

    def _html(self, position: int) -> int | None:
        """The offset behind an HTML tag, where no argument's label can stand: inside a text, or before the text of a numbered line."""
        last = self.tokens[-1][0] if self.tokens else T.EMPTY
        match = None if self.fresh or last in (T.RELATION, T.ITEM) else _HTML.match(self.text, position)
        if match is None:
            return None
        end = match.end()
        plain = not match["close"] and not match["more"] and match["name"] not in ("br", "hr")
        if plain and not position < self.find(f"</{match['name']}>", position) < position + _HTML_REACH:
            return None
        return None if last is T.NUMBER and not self.text[end : self.line_end(position)].strip() else end

    def _label(self, position: int, end_of_line: int, close: str, kind: str) -> int:
        defined = self.find(close + ":", position + 2)
        if 0 <= defined < end_of_line:
            end = _BLANKS.match(self.text, defined + 2).end()  # type: ignore[union-attr]
            return self._emit(T.LABEL, position, end, (kind, self.text[position + 1 : defined], True))
        end = self.find(close, position + 2)
        if 0 <= end < end_of_line and self.text[position + 1] != "-":
            return self._emit(T.LABEL, position, end + 1, (kind, self.text[position + 1 : end], False))
        return self._word(position, position + 1)

    def _at(self, position: int) -> int:
        for opening, close, kind in (("[", "]", "claim"), ("<", ">", "argument")):
            if self.text.startswith(opening, position + 1):
                end = self.find(close, position + 3)
                if 0 <= end < self.line_end(position):
                    return self._emit(T.MENTION, position, end + 1, (kind, self.text[position + 2 : end]))
        return self._word(position, position + 1)

    def _hash(self, position: int) -> int:
        if self.text.startswith("(", position + 1):
            end = self.find(")", position + 2)
            if position + 2 < end < self.line_end(position):
                return self._emit(T.TAG, position, end + 1, self.text[position + 2 : end])
        match = _TAG.match(self.text, position)
        return self._emit(T.TAG, position, match.end(), match[1]) if match else self._word(position, position + 1)

    def _mark(self, position: int) -> int:
        text = self.text
        single = text[position]
        double = single * 2
        twice = text.startswith(double, position)
        last = self.open[-1] if self.open else ""
        if twice and last == double and self._may_close(position + 2):
            sign = self.open.pop()
            return self._emit(T.MARK, position, position + 2, (sign, False))
        if last == single and self._may_close(position + 1):
            sign = self.open.pop()
            return self._emit(T.MARK, position, position + 1, (sign, False))
        for sign in (double, single) if twice else (single,):
            end = position + len(sign)
            if not text[end : end + 1].isspace():
                self.open.append(sign)
                return self._emit(T.MARK, position, end, (sign, True))
        return self._word(position, position + 1)

    def _may_close(self, behind: int) -> bool:
        behind += self.text.startswith("\\", behind)
        return behind >= len(self.text) or self.text[behind] in _MAY_FOLLOW_MARK

    def _backslash(self, position: int) -> int:
        following = self.text[position + 1 : position + 2]
        if following in ("", "\n", "\r"):
            self._fault(position, "backslash")
            return self._word(position, position + 1)
        return self._word(position, position + 2, following)

    def _dot(self, position: int) -> int:
        if self.text.startswith("://", position) and self.text[max(0, position - 1)].isalnum():
            url = _URL.match(self.text, position)
            if url:  # the published grammar takes what follows // for a comment
                return self._word(position, url.end())
        match = _SPECIAL.match(self.text, position)
        if match is None or "://" in match[0]:
            return self._word(position, position + 1)
        return self._emit(T.SYMBOL if match[0] in SHORTCODES else T.TEXT, position, match.end(), match[0])

    def _slash(self, position: int) -> int:
        comment = self._comment(position)
        return self._word(position, position + 1) if comment is None else comment

    def _comment(self, position: int) -> int | None:
        end = comment_end(self.text, position, self.find)
        if end is None:
            return None
        last = self.above if self.fresh else None
        behind = end
        if last is T.BREAK:  # a comment that has its line to itself goes with its line's end, but leaves an empty line empty
            behind = _ONE_EOL.match(self.text, end).end()  # type: ignore[union-attr]
        elif last is T.EMPTY:
            behind = _ALL_EOLS.match(self.text, end).end()  # type: ignore[union-attr]
        self.tokens.append((T.COMMENT, position, behind, self.text[position:end]))
        return behind


_ONE_EOL = re.compile(r"(?:[ \t]*+(?>\r\n|\n|\r)(?![ \t]*+[\r\n]))?")
_ALL_EOLS = re.compile(r"(?:[ \t]*+[\r\n])*+")


def scan(text: str) -> list[Token]:
    """The tokens of a text (without byte order mark)."""
    return Scanner(text).run()
