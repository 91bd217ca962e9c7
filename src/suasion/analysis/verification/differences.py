"""Where two texts differ first, told in their words."""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal, TypeAlias

from suasion.analysis.verification.source_text import place_of, squeezed

What: TypeAlias = Literal["added", "missing", "altered", "order"]
_NEAR, _SHOWN, _AROUND = 24, 8, 3  # words: looked at behind the first difference; shown of it at most; shown before it


@dataclass(frozen=True, slots=True)
class Difference:
    """What is wrong with an annotated text, and at which offset of it."""

    what: What
    message: str
    at: int


def difference(text: str, source: str) -> Difference:
    """The first difference between an annotated text and its source, white space and Unicode's form aside. They must differ."""
    one, other = squeezed(text), squeezed(source)
    index = _alike(one, other)
    at, there = place_of(text, index), place_of(source, index)
    start, source_start = _word_start(text, at), _word_start(source, there)
    if at == len(text) and source_start == there:  # one ends where the other goes on with a new word
        start = at
    elif there == len(source) and start == at:
        source_start = there
    elif start < at and source_start == there:  # a word that goes on in one has ended in the other
        source_start = _word_start(source, len(source[:there].rstrip()))
    elif start == at and source_start < there:
        start = _word_start(text, len(text[:at].rstrip()))
    said, real = text[start : start + 2_000].split()[:_NEAR], source[source_start : source_start + 2_000].split()[:_NEAR]
    changes = SequenceMatcher(None, real, said, autojunk=False).get_opcodes()
    kind, first, last, begin, end = next((change for change in changes if change[0] != "equal"), ("replace", 0, len(real), 0, len(said)))
    before = " ".join(text[max(0, start - 200) : start].split()[-_AROUND:])
    where = f" behind “{before}”" if before else " at the beginning"
    if kind == "delete" or (kind == "replace" and not said[begin:end]):
        return Difference("missing", f"The source's words {_quoted(real[first:last])} are missing{where}. Put them back.", at)
    if kind == "insert" or not real[first:last]:
        return Difference("added", f"The words {_quoted(said[begin:end])}{where} are not in the source. Take them out.", at)
    message = f"The text was altered{where}: the source says {_quoted(real[first:last])}, not {_quoted(said[begin:end])}. Restore it."
    return Difference("altered", message, at)


def _alike(one: str, other: str) -> int:
    """How many characters two texts have in common at their beginning."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if one[low:middle] == other[low:middle] else (low, middle - 1)
    return low


def _word_start(text: str, at: int) -> int:
    """Where the word at this place begins."""
    before = re.search(r"\S*\Z", text[max(0, at - 100) : at])
    return at - len(before.group()) if before else at


def _quoted(words: list[str]) -> str:
    text = " ".join(words[:_SHOWN])
    return f"“{text[:120]}{' …' if len(words) > _SHOWN or len(text) > 120 else ''}”"
