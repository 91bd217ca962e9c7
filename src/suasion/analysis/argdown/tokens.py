"""The words of the grammar: what the scanner hands to the parser."""

from __future__ import annotations

from enum import IntEnum, auto
from typing import Any, NamedTuple, TypeAlias

from suasion.analysis.argdown.elements import Comment


class T(IntEnum):
    """Kinds of tokens, with their values."""

    TEXT = auto()  # the words, escapes resolved
    BREAK = auto()  # a line ends
    EMPTY = auto()  # one or more empty lines
    RELATION = auto()  # (indentation in characters, sign)
    LABEL = auto()  # (kind, label, whether it defines)
    NUMBER = auto()  # the digits
    INFERENCE = auto()  # InferenceLine
    DATA = auto()  # as written
    TAG = auto()  # its name
    MARK = auto()  # (sign, whether it opens)
    LINK = auto()  # (text, url)
    MENTION = auto()  # (kind, label)
    SYMBOL = auto()  # the shortcode
    COMMENT = auto()  # as written
    HEADING = auto()  # its level
    ITEM = auto()  # (indentation, whether the list is ordered)
    FRONT = auto()  # what stands between the === lines
    FAULT = auto()  # (code, message): the text went wrong here


Token: TypeAlias = tuple[T, int, int, Any]
"""Kind, offset where it starts, offset behind its end, value."""


class InferenceLine(NamedTuple):
    """What the scanner read from ``--`` to ``--``."""

    rules: tuple[str, ...]
    data: tuple[str, int, int] | None
    comments: tuple[Comment, ...]
    faults: tuple[tuple[int, str, str], ...]
