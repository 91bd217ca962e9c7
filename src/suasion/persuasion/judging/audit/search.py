"""A search for replies without content that a judge scores above a real winner: best of n, then greedy mutation, within a budget.

A list of tricks shows what somebody thought of; a writer in practice finds what nobody did. The search stands in for it: it starts from
sayings that fit any premise and from words the judge likes, keeps what scores best, and goes on by adding, joining, dropping, exchanging,
repeating, or by playing a trick on what it has.

What is sought is cheap: the aim is the log-chance of beating the winner, ``log sigmoid(gain)`` with the gain in the judge's own
winner-loser gaps, less a small price for every word. Once the winner is beaten clearly, more words cost and bring nothing.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from suasion.persuasion.judging.audit.tricked import scores_of
from suasion.persuasion.judging.audit.tricks.catalogue import TRICKS
from suasion.persuasion.judging.audit.tricks.sentences import joined, sentences
from suasion.persuasion.judging.audit.tricks.trick import Reply, played
from suasion.persuasion.judging.judge import Judge, word_count
from suasion.statistics import Floats

WORD_PRICE = 0.005
_WIDTH = 6  # mutations a round
_BEAM = 10  # candidates that mutations start from, and that are joined with one another
_PATIENCE = 8  # rounds in which nothing new was thought of
_ROOM = 200  # words a mutation may grow to, or half as many again as the winners have
_SHOWN = 6  # words of a piece in a recipe


@dataclass(frozen=True)
class Target:
    """A real winner to be beaten, with the score it has."""

    debate_id: str
    premise: str
    winner: str
    score: float


@dataclass(frozen=True)
class Candidate:
    """A reply without content, and how it was made."""

    text: str
    recipe: tuple[str, ...]


@dataclass
class Asker:
    """Asks the judge and counts the texts. ``scale`` is the judge's gap in its own scores."""

    judge: Judge
    scale: float
    calls: int = 0

    def gains(self, rows: Sequence[tuple[Target, str]]) -> Floats:
        """How far each text stands above the target's winner, in gaps, shape (n,); NaN where the judge's answer could not be read."""
        self.calls += len(rows)
        replies = [(Reply(target.debate_id, target.premise, target.winner, ""), text) for target, text in rows]
        scores = scores_of(self.judge, replies) if rows else np.empty(0)
        return (scores - np.asarray([target.score for target, _ in rows], dtype=np.float64)) / self.scale


@dataclass
class Place:
    """Where one text is sought: targets it must beat all of (one: a reply to this premise; several: a reply to any)."""

    targets: Sequence[Target]
    ranking: list[tuple[float, Candidate]] = field(default_factory=list)
    """Worth and candidate, best first."""
    tried: set[str] = field(default_factory=set)

    @property
    def best(self) -> Candidate:
        """The best candidate so far."""
        return self.ranking[0][1]

    @property
    def premise(self) -> str:
        """What a mutation may quote; nothing where the text must serve for several premises."""
        return self.targets[0].premise if len(self.targets) == 1 else ""

    @cached_property
    def longest(self) -> int:
        """Words that a candidate may have: a reply that beats a winner by being many times as long is no cheap one."""
        return max([_ROOM, *(word_count(target.winner) * 3 // 2 for target in self.targets)])


def worth(gains: Floats, text: str) -> float:
    """What a text is worth on its targets: mean log-chance of beating the winner, less the price of its words. Below 0; nothing (minus
    infinity) where an answer could not be read."""
    if not np.isfinite(gains).all():
        return float("-inf")
    return float(np.mean(-np.logaddexp(0.0, -gains))) - WORD_PRICE * word_count(text)


def climb(
    asker: Asker, places: Sequence[Place], starts: Sequence[Sequence[Candidate]], pieces: Sequence[str], calls: int, draw: random.Random
) -> None:
    """Search at all places in step, so that the judge is asked for many texts at once. The rankings of the places are filled.

    Args:
        starts: the candidates each place begins with; at most half of the budget goes to them.
        pieces: what mutations add.
        calls: texts that may be scored in all.
    """
    per_candidate = sum(len(place.targets) for place in places)
    if not per_candidate:
        return
    end = asker.calls + calls
    number = max(1, calls // 2 // per_candidate)
    waiting = [list(own[:number]) for own in starts]
    idle = 0
    while idle < _PATIENCE and asker.calls < end and any(waiting):
        before = asker.calls
        _score(asker, places, waiting, end - asker.calls)
        idle = 0 if asker.calls > before else idle + 1
        waiting = [_proposed(place, pieces, draw) for place in places]


def _proposed(place: Place, pieces: Sequence[str], draw: random.Random) -> list[Candidate]:
    """Mutations of the best candidates of a place, of the better ones more often."""
    places = [min(draw.randrange(len(place.ranking)), draw.randrange(len(place.ranking))) for _ in range(_WIDTH)] if place.ranking else []
    return [mutated(place.ranking[at][1], place, pieces, draw) for at in places]


def _score(asker: Asker, places: Sequence[Place], waiting: Sequence[Sequence[Candidate]], budget: int) -> None:
    rows: list[tuple[Target, str]] = []
    asked: list[tuple[Place, Candidate]] = []
    for turn in range(max(map(len, waiting), default=0)):  # a candidate a place in turn, so that a budget that ends ends for all alike
        for place, candidates in zip(places, waiting, strict=True):
            if turn >= len(candidates) or candidates[turn].text in place.tried or len(rows) + len(place.targets) > budget:
                continue
            place.tried.add(candidates[turn].text)
            asked.append((place, candidates[turn]))
            rows += [(target, candidates[turn].text) for target in place.targets]
    gains, start = asker.gains(rows), 0
    for place, candidate in asked:
        own, start = gains[start : start + len(place.targets)], start + len(place.targets)
        place.ranking.append((worth(own, candidate.text), candidate))
        place.ranking.sort(key=lambda one: -one[0])
        del place.ranking[_BEAM:]


def named(piece: str) -> str:
    """A piece as a recipe names it: its first words between quotation marks."""
    words = piece.split()
    return f"“{' '.join(words[:_SHOWN])}{' …' if len(words) > _SHOWN else ''}”"


def mutated(candidate: Candidate, place: Place, pieces: Sequence[str], draw: random.Random) -> Candidate:
    """The candidate with one change; itself where the change drawn is impossible."""
    said = sentences(candidate.text)
    piece = draw.choice(pieces)
    kind = draw.choice(("behind", "before", "join", "drop", "exchange", "again", "trick", "trick"))
    other = draw.choice(place.ranking)[1] if place.ranking else candidate
    if kind == "join" and other != candidate:
        text, step = joined(candidate.text, other.text), f"+ {', '.join(other.recipe)}"
    elif kind == "behind":
        text, step = joined(candidate.text, piece), f"+ {named(piece)}"
    elif kind == "before":
        text, step = joined(piece, candidate.text), f"{named(piece)} +"
    elif kind == "drop" and len(said) > 1:
        gone = draw.randrange(len(said))
        text, step = " ".join(said[:gone] + said[gone + 1 :]), "one sentence dropped"
    elif kind == "exchange" and said:
        at = draw.randrange(len(said))
        text, step = " ".join([*said[:at], piece, *said[at + 1 :]]), f"one sentence → {named(piece)}"
    elif kind == "again":
        text, step = joined(candidate.text, candidate.text), "said twice"
    else:
        trick = draw.choice([one for one in TRICKS if not one.spoils])
        text = played(trick, Reply("", place.premise, candidate.text, ""), draw.randrange(2**31)) or candidate.text
        step = trick.name
    if text == candidate.text or word_count(text) > place.longest:
        return candidate
    return Candidate(text, (*candidate.recipe, step))
