"""Pairs with replies from other debates among them, so that nothing about a text alone tells a judge who wins.

RRM (Liu et al. 2024, arXiv:2409.13156): to its own premise, a reply (winner or loser) wins against any reply to another premise; two
replies to another premise are a tie. A sign that goes with winning wherever it stands, such as length, then wins as often as it loses.
A tie is two rows, one in each order: the sum of their losses is least where the gap is 0.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from pydantic import Field

from suasion.config import Config
from suasion.errors import SuasionError
from suasion.persuasion.dataset import Pair


class RrmConfig(Config):
    """How many rows are added for each pair."""

    foreign: int = Field(1, ge=0)
    """Rows in which one of the pair's replies wins against a reply from another debate."""
    ties: int = Field(1, ge=0)
    """Ties (two rows each) between the winner and the loser of another debate."""


def augment(pairs: Sequence[Pair], config: RrmConfig, seed: int) -> list[Pair]:
    """Every pair, each followed by the rows added for it: a function of pairs, numbers and seed alone.

    An added row keeps the debate and the premise of its pair. No text is set against a premise of its own debate as a stranger.

    Raises:
        SuasionError: a pair finds no other debate.
    """
    draw = random.Random(f"rrm {seed}")
    at_home = _texts_at_home(pairs)
    found: list[Pair] = []
    for pair in pairs:
        found.append(pair)
        for _ in range(config.foreign):
            other = _other(pair, pairs, at_home, draw)
            found.append(_row(pair, draw.choice(_replies(pair)), draw.choice(_replies(other))))
        for _ in range(config.ties):
            one, two = _replies(_other(pair, pairs, at_home, draw))
            found += [_row(pair, one, two), _row(pair, two, one)]
    return found


_Reply = tuple[str, str, int | None]  # id, text, time


def _replies(pair: Pair) -> tuple[_Reply, _Reply]:
    return (pair.winner_id, pair.winner, pair.winner_created), (pair.loser_id, pair.loser, pair.loser_created)


def _row(pair: Pair, winner: _Reply, loser: _Reply) -> Pair:
    return Pair(pair.debate_id, pair.premise, winner[0], winner[1], loser[0], loser[1], winner[2], loser[2])


def _texts_at_home(pairs: Sequence[Pair]) -> dict[str, set[str]]:
    """The replies of each debate, and of each premise: a view that was posted twice makes two debates."""
    texts: dict[str, set[str]] = {}
    for pair in pairs:
        for key in (f"debate {pair.debate_id}", f"premise {pair.premise}"):
            texts.setdefault(key, set()).update((pair.winner, pair.loser))
    return texts


def _other(pair: Pair, pairs: Sequence[Pair], at_home: dict[str, set[str]], draw: random.Random) -> Pair:
    """A pair of another debate, of which no text is also a text of this one: the first such from a random place on."""
    own = at_home[f"debate {pair.debate_id}"] | at_home[f"premise {pair.premise}"]
    start = draw.randrange(len(pairs))
    for step in range(len(pairs)):
        other = pairs[(start + step) % len(pairs)]
        elsewhere = other.debate_id != pair.debate_id and other.premise != pair.premise
        if elsewhere and own.isdisjoint((other.winner, other.loser)):
            return other
    raise SuasionError(
        "judge.length_free: rrm sets replies against replies from other debates, and there is no other debate among the training pairs.",
        where=f"debate {pair.debate_id}",
        hint="Give it more debates, or set judge.length_free=off.",
    )
