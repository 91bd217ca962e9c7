"""Shallow features of a reply: what can be counted without understanding it, beside its premise.

After the style and interplay features of Tan et al. 2016, "Winning arguments" (arXiv:1602.01103, sections 4.1 and 4.2), without those that
need a lexicon of our own licence. Counts stand as ``ln(1 + n)`` so that one reply with a hundred links does not outweigh all others; shares
lie between 0 and 1. All is linear in the length of the texts and finite for any text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import log1p

import numpy as np

from suasion.persuasion.mining.card.giveaways import formatting, overlap, reading_ease
from suasion.statistics import Floats

_WORD = re.compile(r"\w+(?:'\w+)*")
_SENTENCE_END = re.compile(r"[.!?…\n]+")
_LINK = re.compile(r"\(link\)|https?://|\bwww\.", re.IGNORECASE)
_QUOTE = re.compile(r"\(quote\)|^[ \t]*>", re.MULTILINE)
_BULLET = re.compile(r"^[ \t]*(?:[-*+•]|\d{1,3}[.)])[ \t]+\S", re.MULTILINE)
_BOLD = re.compile(r"\*\*(?=\S)[^*\n]+\*\*|__(?=\S)[^_\n]+__")
_NUMBER = re.compile(r"\d[\d.,]*")
_EXAMPLE = re.compile(r"\bfor (?:example|instance)\b|\be\.g\.|\bsuch as\b|\bimagine\b", re.IGNORECASE)


def _listed(words: str) -> frozenset[str]:
    return frozenset(words.split())


_FIRST = _listed("i me my mine myself i'm i've i'd i'll")
_FIRST_PLURAL = _listed("we us our ours ourselves we're we've we'd we'll")
_SECOND = _listed("you your yours yourself yourselves you're you've you'd you'll")
_HEDGES = _listed(
    "about almost apparently appear appears around assume believe could doubt essentially estimate fairly generally guess indicate likely "
    "mainly may maybe might mostly often perhaps plausible possible possibly presumably probable probably quite rather relatively roughly "
    "seem seemed seems should somewhat sometimes suggest suggests suppose suspect tend tends think typical typically uncertain unlikely "
    "usually would"
)
_SURE = _listed(
    "absolutely always certain certainly clear clearly completely definitely every fact never obvious obviously prove proves proven simply "
    "surely totally true truly undeniable undeniably undoubtedly"
)
_REASONS = _listed("because but consequently despite hence however if since so therefore though thus unless whereas while yet")


@dataclass(frozen=True)
class Feature:
    """One number of a reply beside its premise."""

    name: str
    value: Callable[[str, str], float]
    """Of the reply and the premise; finite."""


def features_of(premises: Sequence[str], replies: Sequence[str]) -> Floats:
    """Every feature of every reply, shape (n, len(FEATURES)), float64, in the order of :data:`FEATURES`."""
    rows = [[feature.value(reply, premise) for feature in FEATURES] for premise, reply in zip(premises, replies, strict=True)]
    return np.asarray(rows, dtype=np.float64).reshape(len(replies), len(FEATURES))


@lru_cache(maxsize=4)  # all features look at the same reply one after another
def _words(text: str) -> tuple[str, ...]:
    return tuple(_WORD.findall(text.lower().replace("’", "'")))


@lru_cache(maxsize=4)
def _distinct(text: str) -> frozenset[str]:
    return frozenset(_words(text))


def _share_of(listed: Collection[str]) -> Callable[[str, str], float]:
    """The share of a reply's words that stand in a list."""

    def share(reply: str, _: str) -> float:
        words = _words(reply)
        return sum(word in listed for word in words) / len(words) if words else 0.0

    return share


def _number_of(pattern: re.Pattern[str]) -> Callable[[str, str], float]:
    return lambda reply, _: log1p(sum(1 for _ in pattern.finditer(reply)))


def _share_of_signs(wanted: Callable[[str], bool]) -> Callable[[str, str], float]:
    """The share of a reply's characters other than white space."""

    def share(reply: str, _: str) -> float:
        signs = "".join(reply.split())
        return sum(map(wanted, signs)) / len(signs) if signs else 0.0

    return share


def _word_length(reply: str, _: str) -> float:
    words = _words(reply)
    return log1p(sum(map(len, words)) / len(words)) if words else 0.0


def _sentence_length(reply: str, _: str) -> float:
    sentences = sum(1 for part in _SENTENCE_END.split(reply) if _WORD.search(part))
    return log1p(len(_words(reply)) / sentences) if sentences else 0.0


def _variety(reply: str, _: str) -> float:
    """Guiraud's root type-token ratio (Guiraud 1954), in logarithms: the plain ratio falls as a text grows."""
    words = _words(reply)
    return log1p(len(_distinct(reply)) / len(words) ** 0.5) if words else 0.0


def _ease(reply: str, _: str) -> float:
    ease = reading_ease(reply)
    return 0.0 if ease is None else min(max(ease / 100, -1.0), 2.0)  # a "word" of a thousand vowels has no ease worth a number


def _jaccard(reply: str, premise: str) -> float:
    either = _distinct(reply) | _distinct(premise)
    return len(_distinct(reply) & _distinct(premise)) / len(either) if either else 0.0


FEATURES: tuple[Feature, ...] = (
    Feature("words", lambda reply, _: log1p(len(reply.split()))),
    Feature("letters a word", _word_length),
    Feature("words a sentence", _sentence_length),
    Feature("paragraphs", lambda reply, _: log1p(sum(1 for part in reply.split("\n\n") if part.strip()))),
    Feature("different words", _variety),
    Feature("reading ease", _ease),
    Feature("punctuation", _share_of_signs(lambda sign: not sign.isalnum())),
    Feature("capitals", _share_of_signs(str.isupper)),
    Feature("commas", _share_of_signs(lambda sign: sign == ",")),
    Feature("exclamation marks", lambda reply, _: log1p(reply.count("!"))),
    Feature("question marks", lambda reply, _: log1p(reply.count("?"))),
    Feature("quotation marks", lambda reply, _: log1p(sum(reply.count(sign) for sign in '"“”«»'))),
    Feature("links", _number_of(_LINK)),
    Feature("quotes", _number_of(_QUOTE)),
    Feature("list items", _number_of(_BULLET)),
    Feature("bold", _number_of(_BOLD)),
    Feature("formatting of any kind", lambda reply, _: log1p(formatting(reply))),
    Feature("numbers", _number_of(_NUMBER)),
    Feature("examples", _number_of(_EXAMPLE)),
    Feature("I", _share_of(_FIRST)),
    Feature("we", _share_of(_FIRST_PLURAL)),
    Feature("you", _share_of(_SECOND)),
    Feature("hedges", _share_of(_HEDGES)),
    Feature("certainty", _share_of(_SURE)),
    Feature("reasons and turns", _share_of(_REASONS)),
    Feature("definite articles", _share_of(frozenset({"the"}))),
    Feature("indefinite articles", _share_of(frozenset({"a", "an"}))),
    Feature("words shared with the premise", _jaccard),
    Feature("its content words in the premise", lambda reply, premise: overlap(reply, premise) or 0.0),
    Feature("the premise's content words in it", lambda reply, premise: overlap(premise, reply) or 0.0),
)
