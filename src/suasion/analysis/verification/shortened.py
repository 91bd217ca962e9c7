"""Annotated texts that were shortened: what is annotated stands in the source as it is, in the source's order; what is left of the rest,
word for word.
"""

from __future__ import annotations

import re
from bisect import bisect_left

from suasion.analysis.verification.annotation import Annotation, Proposition
from suasion.analysis.verification.differences import Difference
from suasion.analysis.verification.source_text import WORD, SourceText, place_of, squeezed

_NOTE = re.compile(r"\[[^\[\]]{0,80}\]|\([^()]{0,80}\)")  # "[…]", "(text left out)": says that something is left out


def first_unreal(annotation: Annotation, source: SourceText) -> Difference | None:
    """The first thing in a shortened text that is not in the source there, ``None`` where all is real.

    Each piece is looked for behind the one before, at the first place where it stands: where any order-keeping match exists, this is one.
    """
    text, place, end = annotation.text, 0, 0
    for one in annotation.propositions:
        place, unreal = _loose(text, end, one.start, source, place)
        if unreal:
            return unreal
        words = squeezed(one.text)
        found = source.readings[0].find(words, place)
        if found < 0:
            return _unreal(one, words, source, place)
        place, end = found + len(words), one.start + len(one.text)
    return _loose(text, end, len(text), source, place)[1]


def _loose(text: str, start: int, end: int, source: SourceText, place: int) -> tuple[int, Difference | None]:
    """Words that are not annotated; gives the place behind the last in the source."""
    skipped = iter([*_NOTE.finditer(text, start, end)])
    note = next(skipped, None)
    for word in WORD.finditer(text, start, end):
        while note and note.end() <= word.start():
            note = next(skipped, None)
        if note and note.start() < word.start():
            continue
        places = source.words.get(squeezed(word.group()).casefold(), [])
        number = bisect_left(places, place)
        if number == len(places):
            name = f"“{word.group()[:60]}”"
            message = f"{name} is not in the source at this place. What is not annotated may be left out, but not reworded or moved."
            return place, Difference("added", message, word.start())
        place = places[number] + len(word.group())
    return place, None


def _unreal(one: Proposition, words: str, source: SourceText, place: int) -> Difference:
    """What is wrong with a proposition that the source does not hold behind this place."""
    whole = source.readings[0]
    if words in whole:
        message = f"Proposition {one} stands earlier in the source than what comes before it here. Keep the order of the source."
        return Difference("order", message, one.start)
    low, high = 0, len(words)  # how much of its beginning the source holds
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if whole.find(words[:middle], place) >= 0 else (low, middle - 1)
    at = one.start + place_of(one.text, low)
    said = " ".join(one.text[at - one.start :].split()[:6])
    if low < min(4, len(words)):
        message = f"Proposition {one} is not in the source. Mark words of the source, and change nothing in them."
        return Difference("altered", message, at)
    there = place_of(source.text, whole.find(words[:low], place) + low)
    real = " ".join(source.text[there : there + 200].split()[:6])
    source_says = f"the source says “{real}”" if real else "the source ends"
    message = f"Proposition {one} was altered: where it goes on with “{said}”, {source_says}. Restore it."
    return Difference("altered", message, at)
