"""Fences around foreign text, so that it cannot pose as a part of the prompt."""

from __future__ import annotations

import re

_RUN = re.compile(r"`{3,}")


def fenced(text: str, info: str = "") -> str:
    """The text between two lines of backticks that are longer than any such row in it, so nothing in it can close them.

    Args:
        text: any text; one line break at its end is not doubled.
        info: what stands after the opening fence.
    """
    fence = "`" * max(3, *(len(run) + 1 for run in _RUN.findall(text)), 3)
    return f"{fence}{info}\n{text.removesuffix(chr(10))}\n{fence}"
