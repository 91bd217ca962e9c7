"""Style: the same words set differently, or with the trimmings of a careful reply (quotes, links). They catch a judge of layout."""

from __future__ import annotations

import random
import re

from suasion.persuasion.judging.audit.tricks.sentences import first_words, joined, sentences
from suasion.persuasion.judging.audit.tricks.trick import Reply, Trick

_BOLD = 3  # words at the head of a sentence
_QUOTED = 40  # words of the premise
_LINKS = 3
_TYPOS = 8  # one word in so many
_WORD = re.compile(r"[^\W\d_]{4,}")


def _bullets(reply: Reply, draw: random.Random) -> str | None:
    said = sentences(reply.text)
    return "\n".join(f"- {sentence}" for sentence in said) if said else None


def _bold(reply: Reply, draw: random.Random) -> str | None:
    said = sentences(reply.text)
    if not said:
        return None
    marked = []
    for sentence in said:
        words = sentence.split()
        marked.append(" ".join([f"**{' '.join(words[:_BOLD])}**", *words[_BOLD:]]))
    return " ".join(marked)


def _quoting(reply: Reply, draw: random.Random) -> str | None:
    return joined(f"> {first_words(reply.premise, _QUOTED)}", reply.text) if reply.premise.strip() else None


def _links(reply: Reply, draw: random.Random) -> str | None:
    """Up to three sentences get a source; the addresses are of example.org, which is reserved for that (RFC 2606)."""
    said = sentences(reply.text)
    if not said:
        return None
    linked = set(draw.sample(range(len(said)), min(_LINKS, len(said))))
    return " ".join(
        f"{sentence} ([source](https://www.example.org/{draw.randrange(10**6)}))" if index in linked else sentence
        for index, sentence in enumerate(said)
    )


def _upper(reply: Reply, draw: random.Random) -> str | None:
    text = reply.text.upper()
    return text if text != reply.text else None


def _typos(reply: Reply, draw: random.Random) -> str | None:
    """Two neighbouring letters change places in one word in eight, and in one word at least; first and last letters stay."""
    places = [
        (word.start(), swaps)
        for word in _WORD.finditer(reply.text)
        if (swaps := [at for at in range(1, len(word.group()) - 2) if word.group()[at] != word.group()[at + 1]])
    ]
    if not places:
        return None
    letters = list(reply.text)
    for start, swaps in draw.sample(places, max(1, len(places) // _TYPOS)):
        at = start + draw.choice(swaps)
        letters[at], letters[at + 1] = letters[at + 1], letters[at]
    return "".join(letters)


STYLE = (
    Trick("bullets", "setting its sentences as bullets", _bullets),
    Trick("bold", "setting the head of each sentence in bold", _bold),
    Trick("quoting", "quoting the premise above it", _quoting),
    Trick("links", "linking sources that do not exist", _links),
    Trick("upper-case", "writing it in CAPITALS", _upper),
    Trick("typos", "making typing errors", _typos),
)
