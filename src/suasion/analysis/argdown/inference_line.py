"""Reads an inference: ``----``, or ``-- rule, rule {data} --`` on one line or on three."""

from __future__ import annotations

import re
from collections.abc import Callable

from suasion.analysis.argdown.braces import Braces
from suasion.analysis.argdown.comments import comment_end
from suasion.analysis.argdown.elements import Comment
from suasion.analysis.argdown.messages import MESSAGES
from suasion.analysis.argdown.shortcodes import SHORTCODES
from suasion.analysis.argdown.tokens import InferenceLine

_BLANKS = re.compile(r"[ \t]*+")
_EOL = re.compile(r"[ \t]*+(?:\r\n|\n|\r)")
_END = re.compile(r"-{2,}+")
_CODE = re.compile(r"\.\S+?\.|:\S+?:")
_WORDS = re.compile(r"[^\\,{.:\r\n/<-]++|\\[^\r\n]|[^\r\n]")
_STOPS = re.compile(r"[ \t]*+(?:[\r\n]|\Z|\([0-9]+\))")  # an empty line, the text's end or the next item: the inference was left open

_FORM = "An inference is ----, or -- rule, rule {key: value} --. Rules and data may stand on lines of their own between two lines of --."


Find = Callable[[str, int], int]


def scan_inference(text: str, position: int, braces: Braces, find: Find) -> tuple[InferenceLine, int]:
    """What stands from behind the opening ``--`` to the closing one, and the offset behind that."""
    reader = _Reader(text, position, braces, find)
    return reader.run(), reader.position


class _Reader:
    def __init__(self, text: str, position: int, braces: Braces, find: Find) -> None:
        self.text, self.start, self.position, self.braces, self.find = text, position, position, braces, find
        self.rules: list[str] = []
        self.words: list[str] = []
        self.data: tuple[str, int, int] | None = None
        self.comments: list[Comment] = []
        self.faults: list[tuple[int, str, str]] = []
        self.eols = 0  # line ends since the last rule or data
        self.after_comma = False

    def run(self) -> InferenceLine:
        while True:
            self.position = _BLANKS.match(self.text, self.position).end()  # type: ignore[union-attr]
            end = _END.match(self.text, self.position)
            if end:
                self._close_rule()
                if self.after_comma:
                    self._fault("inference-form", f"A rule is missing behind the comma. {_FORM}")
                self.position = end.end()
                break
            eol = _EOL.match(self.text, self.position)
            if self.position >= len(self.text) or (eol and _STOPS.match(self.text, eol.end())):
                self._close_rule()
                self._fault("inference-open", MESSAGES["inference-open"], self.start - 2)
                break
            if eol:
                self._close_rule()
                self.eols += 1
                if self.eols > 1:
                    self._fault("inference-form", f"There are too many lines in this inference. {_FORM}")
                self.position = eol.end()
            else:
                self._piece()
        return InferenceLine(tuple(self.rules), self.data, tuple(self.comments), tuple(self.faults))

    def _piece(self) -> None:
        text, position = self.text, self.position
        sign = text[position]
        comment = comment_end(text, position, self.find) if sign in "/<" else None
        data = self.braces.end(position) if sign == "{" else None
        if comment is not None:
            self.comments.append(Comment(text[position:comment]))
            self.position = comment
        elif data is not None:
            self._close_rule()
            if self.data or self.after_comma:
                self._fault("inference-form", f"This data stands where none can be. {_FORM}")
            self.data = self.data or (text[position:data], position, data)
            self.position, self.eols = data, 0
        elif sign == ",":
            if not self._close_rule():
                self._fault("inference-form", f"A rule is missing before this comma. {_FORM}")
            self.after_comma = True
            self.position += 1
        else:
            if sign == "{" and not self.braces.closed(position):
                self._fault("data-not-closed", MESSAGES["data-not-closed"])
            self._word()

    def _word(self) -> None:
        if not self.words and (self.data or (self.eols and self.rules) or (self.eols and self.after_comma)):
            self._fault("inference-form", f"This text stands where none can be. {_FORM}")
        words = _CODE.match(self.text, self.position)
        if words is None or words[0] not in SHORTCODES:
            words = _WORDS.match(self.text, self.position)
        assert words is not None  # noqa: S101 - the last alternative takes any sign
        escaped = words[0][0] == "\\" and len(words[0]) > 1
        self.words.append(words[0][1:] if escaped else SHORTCODES.get(words[0], words[0]))
        self.position = words.end()
        if self.text[self.position - 1 : self.position] in " \t":
            return
        blanks = _BLANKS.match(self.text, self.position)
        if blanks and blanks.end() > self.position:
            self.words.append(" ")

    def _close_rule(self) -> bool:
        """End the rule that is being read; whether there was one."""
        rule = " ".join("".join(self.words).split())
        self.words.clear()
        if rule:
            self.rules.append(rule)
            self.after_comma, self.eols = False, 0
        return bool(rule)

    def _fault(self, code: str, message: str, position: int | None = None) -> None:
        if not any(fault[1] == code for fault in self.faults):  # the first says it all
            self.faults.append((self.position if position is None else position, code, message))
