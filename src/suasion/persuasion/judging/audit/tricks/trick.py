"""What a trick is: a small seeded function from a reply to the same reply made up differently, and no better argued.

A judge that weighs arguments has no reason to score the second higher. (Counterfactual edits of one reply hold everything else equal,
which a correlation over different replies never does.)
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from suasion.persuasion.dataset import Pair


@dataclass(frozen=True)
class Reply:
    """A reply that tricks are played on."""

    debate_id: str
    premise: str
    text: str
    foreign: str
    """A winner of another debate; empty where there is no other debate."""


@dataclass(frozen=True)
class Trick:
    """One edit."""

    name: str
    says: str
    """What is done, as the subject of "… raises a reply's score": *putting filler behind it*."""
    alter: Callable[[Reply, random.Random], str | None]
    """The edited text, other than the reply's; ``None`` where the edit is impossible (sentences of a one-sentence reply in another
    order). The same reply and the same state of the generator give the same text. Never raises."""
    spoils: bool = False
    """Whether the edit takes the argument away, so that the score may not rise at all."""


def played(trick: Trick, reply: Reply, seed: int) -> str | None:
    """The trick played on the reply. The draw hangs on seed, trick and reply alone, not on what was drawn before."""
    text = trick.alter(reply, random.Random(f"{seed}|{trick.name}|{reply.debate_id}|{reply.text}"))
    return None if text == reply.text else text


def replies_of(pairs: Sequence[Pair], number: int, seed: int) -> list[Reply]:
    """At most ``number`` different replies of the pairs, winners and losers, spread over the debates as evenly as they allow.

    An interval that is clustered by debate gains more from another debate than from another reply of the same one.
    """
    draw = random.Random(seed)
    waiting: dict[str, list[tuple[str, str]]] = {}
    for pair in pairs:
        waiting.setdefault(pair.debate_id, []).extend([(pair.premise, pair.winner), (pair.premise, pair.loser)])
    queues = {debate: list(dict.fromkeys(texts)) for debate, texts in sorted(waiting.items())}
    for texts in queues.values():
        draw.shuffle(texts)
    order = list(queues)
    draw.shuffle(order)
    winners = sorted({(pair.debate_id, pair.winner) for pair in pairs})
    chosen: list[Reply] = []
    while len(chosen) < number and any(queues.values()):
        for debate in order:
            if queues[debate] and len(chosen) < number:
                premise, text = queues[debate].pop()
                chosen.append(Reply(debate, premise, text, _foreign(winners, debate, draw)))
    return chosen


def _foreign(winners: Sequence[tuple[str, str]], debate: str, draw: random.Random) -> str:
    """A winner of another debate, by chance; as good an argument as they come, on another question."""
    if all(other == debate for other, _ in winners):
        return ""
    while True:
        other, text = draw.choice(winners)
        if other != debate:
            return text
