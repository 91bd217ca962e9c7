"""Sentences of a text, as far as the tricks need them: cut behind a full stop or at a line's end, nothing lost but the white space."""

from __future__ import annotations

import re

_END = re.compile(r"(?<=[.!?…])\s+|\s*\n\s*")


def sentences(text: str) -> list[str]:
    """The sentences, without white space around them; ``" ".join`` of them has the text's words in the text's order."""
    return [piece for piece in (part.strip() for part in _END.split(text)) if piece]


def first_words(text: str, number: int) -> str:
    """The first words of a text on one line; empty for a blank text."""
    return " ".join(text.split()[:number])


def joined(*parts: str) -> str:
    """The parts that are not blank, with an empty line between."""
    return "\n\n".join(part for part in parts if part.strip())
