"""Where a comment ends."""

from __future__ import annotations

import re
from collections.abc import Callable

_TO_LINE_END = re.compile(r"[^\r\n]*+")


def comment_end(text: str, position: int, find: Callable[[str, int], int]) -> int | None:
    """The offset behind the comment at ``position`` (``//``, ``/* */``, ``<!-- -->``); ``None`` if there is none, or it is left open."""
    if text.startswith("//", position):
        return _TO_LINE_END.match(text, position).end()  # type: ignore[union-attr]
    for opening, closing in (("/*", "*/"), ("<!--", "-->")):
        if text.startswith(opening, position):
            end = find(closing, position + len(opening))
            return None if end < 0 else end + len(closing)
    return None
