"""Shallow things that could give the winner away, each measured: how often has the winner more of it than the loser?

Pairs are matched and balanced on length alone. A judge that reads nothing can still be right more often than a coin where winners come
earlier, bear more links or have better-known authors. What is measured is one table of small functions, :data:`GIVEAWAYS`. (Tan et al.
2016, "Winning arguments", arXiv:1602.01103, found order of entry and overlap with the post at work in these debates.) Which words are
used is no matter of this table: that is what a judge is for.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from suasion.persuasion.mining.pairs.matching import Pair
from suasion.persuasion.mining.pairs.replies import Reply
from suasion.progress import track
from suasion.statistics import Estimate, Floats, clustered_auc, clustered_share, credit

FEWEST_DEBATES = 20  # of fewer, a share of 0.5 cannot be told from one of 0.7
SAYS_NOTHING, GIVES_AWAY, UNKNOWN = "says nothing", "gives away", "unknown"

_WORD = re.compile(r"\w+(?:'\w+)*")
_ADDRESS = re.compile(r"https?://\S|\bwww\.\S", re.IGNORECASE)
_MARKED = re.compile(r"(?<![\w*])(\*{1,3}|_{1,3})(?=[^\s*_])[^*_\n]+\1(?![\w*])|~~[^~\n]+~~|`[^`\n]+`")  # bold, italics, code
_SET_OFF = re.compile(r"(?:[-*+•]|\d{1,3}[.)])\s+\S|#{1,6}\s*[^\s#]|```")  # an item of a list, a heading, a block of code
_NUMBER = re.compile(r"\d[\d.,]*")
_SENTENCE_END = re.compile(r"[.!?…\n](?:(?<=\n)|[\"')\]*_]*(?=\s|$))")
_SILENT = re.compile(r"(?<=[^aeiouy])e$(?<![^aeiouy]le)|(?<=[^aeiouytd])ed$|(?<=[^aeiouysxzcg])es$(?<!shes)(?<!ches)|'[a-z]+$")
_VOWELS = re.compile(r"[aeouy]+(?=ing)|[aeiouyà-öø-ÿ]+")
_MYSELF = frozenset({"i", "i'm", "i've", "i'd", "i'll", "me", "my", "mine", "myself"})
_COMMON_WORDS = (
    "a about above after again all also am an and any are aren't as at be because been before being below between both but by can can't "
    "cannot could couldn't did didn't do does doesn't doing don't down during each even every few for from further get had hadn't has "
    "hasn't have haven't having he he's her here hers herself him himself his how however i i'd i'll i'm i've if in into is isn't it it's "
    "its itself just like made make many may me might more most much must my myself no nor not now of off on once one only or other ought "
    "our ours ourselves out over own really same say she she's should shouldn't so some such than that that's the their theirs them "
    "themselves then there there's these they they'd they'll they're they've this those through to too under until up upon us very was "
    "wasn't we we'd we'll we're we've well were weren't what what's when where which while who whom why will with without won't would "
    "wouldn't you you'd you'll you're you've your yours yourself yourselves"
)
_COMMON = frozenset(_COMMON_WORDS.split())


@dataclass(frozen=True)
class Giveaway:
    """One thing that may differ between winner and loser."""

    name: str
    told: str
    """What the number is, in one line of plain English."""
    more: str
    """What is true of the reply with the greater number: "the winner … in 60 % of the pairs"."""
    value: Callable[[Reply, str], float | None]
    """Of a reply and its premise; ``None`` where it is not known."""
    in_text: bool = True
    """A judge that reads the reply could see it. What is not in the text can mislead only who feeds it in."""


@dataclass(frozen=True)
class Measured:
    """What one giveaway says about the winner, in one split."""

    share: Estimate
    """Pairs whose winner has more of it, ties half, with a debate-clustered 95 % interval: what a rule for pairs would reach."""
    auc: Estimate
    """Chance that any winner has more of it than any loser: what a rule for single replies would reach."""
    differ: int
    """Pairs whose two replies differ in it at all."""
    unknown: int
    """Pairs left out because it is not known of both replies."""

    @property
    def verdict(self) -> str:
        """Whether 0.5 lies in the share's interval; with fewer debates than :data:`FEWEST_DEBATES` nothing is claimed."""
        if self.share.clusters < FEWEST_DEBATES:
            return UNKNOWN
        return SAYS_NOTHING if self.share.low <= 0.5 <= self.share.high else GIVES_AWAY

    def as_dict(self) -> dict[str, Any]:
        """A JSON-able copy: the share's fields, then the rest."""
        more = {"verdict": self.verdict, "differ": self.differ, "unknown": self.unknown, "auc": self.auc.as_dict()}
        return self.share.as_dict() | more


def measure(pairs: Sequence[Pair], premises: Mapping[str, str], seed: int) -> dict[str, Measured]:
    """What each of :data:`GIVEAWAYS` says about the winner.

    Args:
        pairs: of one split.
        premises: by debate.
        seed: of the AUC's bootstrap.
    """
    values = np.full((len(GIVEAWAYS), 2, len(pairs)), np.nan)
    with track("looking for giveaways", len(pairs), unit="pairs") as progress:
        for column, pair in enumerate(pairs):
            for side, reply in enumerate((pair.winner, pair.loser)):
                values[:, side, column] = _values(reply, premises[pair.debate_id])
            progress.advance()
    debates = np.asarray([pair.debate_id for pair in pairs], dtype=object)
    return {one.name: _measured(values[row, 0], values[row, 1], debates, seed) for row, one in enumerate(GIVEAWAYS)}


def _values(reply: Reply, premise: str) -> list[float]:
    found = (one.value(reply, premise) for one in GIVEAWAYS)
    return [float("nan") if number is None else float(number) for number in found]


def _measured(winners: Floats, losers: Floats, debates: np.ndarray, seed: int) -> Measured:
    credits = credit(winners, losers)
    known = ~np.isnan(credits)
    clusters = debates[known].tolist()
    share = _tied_share(credits[known], clusters)
    auc = clustered_auc(winners[known], losers[known], clusters, seed=seed)
    return Measured(share, auc, int((credits[known] != 0.5).sum()), int((~known).sum()))


def _tied_share(credits: Floats, clusters: Sequence[str]) -> Estimate:
    """:func:`clustered_share` of the pairs that differ, laid over all pairs: what ties is no evidence either way (McNemar 1947).

    Most pairs tie in the number of their links. Taken as trials like the others they would hide that all the rest have more in the
    winner. The interval holds 0.5 exactly where that of the differing pairs does.
    """
    differ = credits != 0.5
    if credits.size == 0:
        return clustered_share(credits, clusters)
    decided = clustered_share(credits[differ], [cluster for cluster, kept in zip(clusters, differ, strict=True) if kept])
    weight = float(differ.mean())
    low, high = (0.5 + weight * (end - 0.5) for end in (decided.low, decided.high))
    return Estimate(float(credits.mean()), low, high, credits.size, len(set(clusters)))


def reading_ease(text: str) -> float | None:
    """Flesch's reading ease: ``206.835 - 1.015 * words / sentences - 84.6 * syllables / words`` (Flesch 1948, "A new readability
    yardstick", Journal of Applied Psychology 32); the higher, the easier. ``None`` for a text without words.

    A line's end also ends a sentence, so that the items of a list are not one long sentence.
    """
    words = _words(text)
    if not words:
        return None
    sentences = sum(1 for part in _SENTENCE_END.split(text) if _WORD.search(part))
    return 206.835 - 1.015 * len(words) / sentences - 84.6 * sum(map(syllables, words)) / len(words)


@lru_cache(maxsize=1 << 16)
def syllables(word: str) -> int:
    """Syllables of a lower-case English word, about: its groups of vowels without silent endings, at least 1.

    Right for 95 % of the running words of real debates, against the CMU Pronouncing Dictionary.
    """
    return max(1, len(_VOWELS.findall(_SILENT.sub("", word))))


def overlap(text: str, premise: str) -> float | None:
    """The share of a reply's different content words that stand in the premise; ``None`` where it has no content word."""
    words = _content(text)
    return len(words & _content(premise)) / len(words) if words else None


def formatting(text: str) -> int:
    """How often something is set in bold, italics or code, or set off as an item of a list, a heading or a block."""
    marked = sum(1 for _ in _MARKED.finditer(text)) if any(sign in text for sign in "*_~`") else 0
    return marked + sum(_SET_OFF.match(line.lstrip()) is not None for line in text.split("\n"))


def _links(text: str) -> int:
    addresses = len(_ADDRESS.findall(text)) if "://" in text or "www." in text.lower() else 0
    return text.count("(link)") + addresses


def _quotes(text: str) -> int:
    lines = sum(line.lstrip().startswith(">") for line in text.split("\n")) if ">" in text else 0
    return text.count("(quote)") + lines


def _paragraphs(text: str) -> int:
    return sum(1 for part in text.split("\n\n") if part.strip())


def _first_person(text: str) -> float | None:
    words = _words(text)
    return sum(word in _MYSELF for word in words) / len(words) if words else None


@lru_cache(maxsize=4)  # several giveaways look at the same text one after another
def _words(text: str) -> tuple[str, ...]:
    return tuple(_WORD.findall(text.lower().replace("’", "'")))


@lru_cache(maxsize=4)
def _content(text: str) -> frozenset[str]:
    return frozenset(_words(text)) - _COMMON


GIVEAWAYS: tuple[Giveaway, ...] = (
    Giveaway("words", "length in words", "is longer", lambda reply, _: reply.words),
    Giveaway("tokens", "length in tokens of the locked base", "is longer", lambda reply, _: reply.tokens),
    Giveaway("place", "order of the replies to the post, 1 is the earliest", "came later", lambda reply, _: reply.place, in_text=False),
    Giveaway("time", "seconds from the post to the reply", "came later", lambda reply, _: reply.after, in_text=False),
    Giveaway("paragraphs", "paragraphs", "has more of them", lambda reply, _: _paragraphs(reply.text)),
    Giveaway("links", "links that cleaning leaves as (link), and addresses", "has more of them", lambda reply, _: _links(reply.text)),
    Giveaway("quotes", "quotes that cleaning leaves as (quote) or >", "has more of them", lambda reply, _: _quotes(reply.text)),
    Giveaway("formatting", "bold, italics, list items, headings, code", "has more of it", lambda reply, _: formatting(reply.text)),
    Giveaway("question marks", "question marks", "has more of them", lambda reply, _: reply.text.count("?")),
    Giveaway("reading ease", "Flesch's reading ease", "is easier to read", lambda reply, _: reading_ease(reply.text)),
    Giveaway(
        "overlap", "share of its content words that stand in the post", "has more of it", lambda reply, post: overlap(reply.text, post)
    ),
    Giveaway(
        "earlier awards",
        "awards its author had won before",
        "has an author with more of them",
        lambda reply, _: reply.earlier_awards,
        False,
    ),
    Giveaway("first person", "share of its words that are I, me, my, mine", "has more of it", lambda reply, _: _first_person(reply.text)),
    Giveaway("numbers", "numbers in figures", "has more of them", lambda reply, _: len(_NUMBER.findall(reply.text))),
)
