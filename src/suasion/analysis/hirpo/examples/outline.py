"""A text's outline by rule: its sentences, which of them is the claim, and what supports or attacks what.

This is mechanical and knows no more than signal words: "should" speaks for a claim, "but" turns, "because" looks back. The outline is often
not what a careful reader would draw. It is good enough for its one purpose, to show the *form* of an answer on real text.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources

_SENTENCE = re.compile(r"[^.!?\s](?:[^.!?]|[.!?](?=[^\s\"'”’)]))*[.!?]*[\"'”’)]*")
_LEAST_WORDS = 3
_CLAIM = re.compile(r"\b(should|must|ought|therefore|hence|thus|conclusion|needs? to|have to|has to|right|wrong|better|best)\b", re.I)
_CONCESSION = re.compile(
    r"^\W*(yes|sure|true|of course|admittedly|granted|certainly|it'?s true|some|many people|although|though|even if|one (could|might))\b",
    re.I,
)
_CONTRAST = re.compile(r"^\W*(but|however|yet|still|nevertheless|nonetheless|on the other hand|instead|on the contrary)\b", re.I)
_BACKWARD = re.compile(
    r"^\W*(because|since|for example|for instance|e\.g|after all|that'?s why|this|these|that|it|they|he|she|such)\b", re.I
)
_LEADING = re.compile(
    r"^\W*((and|but|so|yes|sure|however|yet|still|therefore|thus|hence|moreover|furthermore|besides|also|because|after all|of course"
    r"|nevertheless|in addition|for example|for instance|in conclusion)\b[\s,:;]*)+",
    re.I,
)
_SMALL = frozenset(resources.files(__package__).joinpath("small_words.txt").read_text(encoding="utf-8").split())


@dataclass(frozen=True)
class Part:
    """A sentence of the text.

    Attributes:
        text: as it stands there, without the punctuation at its end.
        start: the place of its first character in the source.
        to: the number of the part that it supports or attacks; ``None`` for the claim.
        attacks: whether it attacks it.
    """

    text: str
    start: int
    to: int | None
    attacks: bool

    @property
    def plain(self) -> str:
        """The sentence without what ties it to others ("But", "for example"), as one of its own."""
        bare = _LEADING.sub("", self.text)
        bare = bare if len(bare.split()) >= _LEAST_WORDS else self.text.lstrip("\"'“‘( ")
        return f"{bare[:1].upper()}{bare[1:]}."


def outline(source: str, generator: random.Random, most: int = 6) -> list[Part]:
    """The outline of a text's first ``most`` sentences; empty where there are fewer than two of some length."""
    sentences = _sentences(source)[:most]
    if len(sentences) < 2:
        return []
    claim = _claim([text for text, _ in sentences], generator)
    parts: list[Part] = []
    for number, (text, start) in enumerate(sentences):
        parts.append(Part(text, start, None, False) if number == claim else Part(text, start, *_relation(number, text, parts, claim)))
    return parts


def labels(parts: Sequence[Part]) -> list[str]:
    """A short label for each part, of words in it; pairwise different."""
    given: list[str] = []
    for number, part in enumerate(parts):
        words = [word for word in re.findall(r"[A-Za-z][A-Za-z'’-]+", part.plain) if word.lower() not in _SMALL]
        label = " ".join(words[:2]).replace("’", "'").strip("'-").capitalize() or f"Point {number + 1}"
        while label.lower() in {other.lower() for other in given}:
            label = f"{label} {number + 1}"
        given.append(label)
    return given


def _sentences(source: str) -> list[tuple[str, int]]:
    """Sentences of at least three words within one line, without the punctuation at their end, with their places."""
    found = []
    for line in re.finditer(r"[^\n]+", source):
        for match in _SENTENCE.finditer(line.group(0)):
            text = match.group(0).rstrip(" .!?\"'”’)")
            if len(text.split()) >= _LEAST_WORDS:
                found.append((text, line.start() + match.start()))
    return found


def _claim(sentences: Sequence[str], generator: random.Random) -> int:
    """The sentence with the most signal words; among equals the first or the last, as a writer would have it, by lot."""
    scores = [len(_CLAIM.findall(text)) - bool(_CONCESSION.match(text)) for text in sentences]
    best = [number for number, score in enumerate(scores) if score == max(scores)]
    return generator.choice([best[0], best[-1]])


def _relation(number: int, text: str, before: Sequence[Part], claim: int) -> tuple[int, bool]:
    last = before[-1] if before else None
    if _CONCESSION.match(text):
        return claim, True
    if _CONTRAST.match(text):
        if last is not None and last.attacks:
            return number - 1, True
        return claim, last is not None and last.to is not None
    if last is not None and last.to is not None and _BACKWARD.match(text):
        return number - 1, False
    return claim, False
