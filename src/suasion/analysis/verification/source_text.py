"""The source text as an annotation is held against it: without HTML tags, and without what nobody sees."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property, lru_cache

from suasion.analysis.verification.markup import Markup, Tag, read_markup

LONG = 200
"""Words. In a longer source, what is not annotated may be shortened."""

_HTML = """
    a abbr address article aside b blockquote body br center cite code col dd del details div dl dt em figcaption figure font footer
    h1 h2 h3 h4 h5 h6 head header hr html i img ins kbd li link main mark meta nav ol p pre q s samp script section small span strike
    strong style sub summary sup table tbody td tfoot th thead time title tr tt u ul var wbr proposition
"""
HTML = frozenset(_HTML.split())
"""Elements that are taken out of a source, whose words stay."""

WORD = re.compile(r"\w+")
_UNSEEN = re.compile(r"[\s\ufeff\u200b\u2060\u00ad]+")


@dataclass(frozen=True)
class SourceText:
    """A source: as it was given, and as it reads."""

    given: str

    @cached_property
    def _all(self) -> Markup:
        return read_markup(self.given)

    @cached_property
    def text(self) -> str:
        """Its words: HTML tags taken out, character references read. What only looks like a tag (``x <y and z>``) stays."""
        if "<" not in self.given and "&" not in self.given:
            return self.given
        return read_markup(self.given, is_tag=lambda tag: tag.name.lower() in HTML).text

    @cached_property
    def readings(self) -> tuple[str, ...]:
        """The ways in which an annotated text may repeat it, squeezed: as it reads, and to the letter (``&lt;`` kept as it is)."""
        return tuple(dict.fromkeys((squeezed(self.text), squeezed(self.given))))

    @cached_property
    def is_long(self) -> bool:
        """Whether unannotated parts may be shortened."""
        return len(self.given.split()) > LONG

    @cached_property
    def html(self) -> frozenset[str]:
        """Names of the HTML elements in it, in small letters."""
        return frozenset(tag.name.lower() for tag in self._all.tags) & HTML

    @cached_property
    def literal(self) -> frozenset[str]:
        """What looks like a tag in it and is none."""
        return frozenset(tag.raw for tag in self._all.tags if tag.name.lower() not in HTML)

    @cached_property
    def words(self) -> dict[str, list[int]]:
        """The places of each word (case folded) in ``readings[0]``, in order."""
        places: dict[str, list[int]] = defaultdict(list)
        text, unseen, end = composed(self.text), 0, 0
        for word in WORD.finditer(text):
            unseen += sum(len(found.group()) for found in _UNSEEN.finditer(text, end, word.start()))
            end = word.end()
            places[word.group().casefold()].append(word.start() - unseen)
        return places

    def keeps(self, tag: Tag) -> bool:
        """Whether this tag of an annotated text is text of the source."""
        return tag.raw in self.literal


@lru_cache(maxsize=32)
def read_source(source: str) -> SourceText:
    """The source, remembered for its other answers."""
    return SourceText(source)


def squeezed(text: str) -> str:
    """The text without white space and invisible signs, in Unicode's composed form: what two copies of one text have in common."""
    return _UNSEEN.sub("", composed(text))


def composed(text: str) -> str:
    """The text in Unicode's composed form (NFC): canonically equivalent texts are the same text."""
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def place_of(text: str, index: int) -> int:
    """The offset in ``text`` of character ``index`` of ``squeezed(text)``; its length where there is none."""
    low, high = 0, len(text)
    while low < high:  # the shortest beginning that holds more than ``index`` characters
        middle = (low + high) // 2
        if len(squeezed(text[: middle + 1])) > index:
            high = middle
        else:
            low = middle + 1
    return low
