"""A length bias put into pairs on purpose: a dial for the share in which the longer reply wins, to show what it does to a judge.

No label is ever turned: whoever won still wins. A share is reached by leaving pairs out or, where the replies are too much alike in
length for that, by cutting one reply of every pair to its first sentences: the loser's where the winner is to be the longer, else the
winner's. Then all degrees have the same pairs, equally many short and long replies, and differ only in which side the short ones stand.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from suasion.errors import SuasionError
from suasion.persuasion.mining.pairs.matching import Pair
from suasion.persuasion.mining.pairs.replies import CountTokens, Reply
from suasion.persuasion.mining.pairs.settings import LengthBias

#: The end of a sentence; a full stop after an abbreviation counts as one.
_END = re.compile(r"[.!?…]+[\"'”’»)\]]*(?=\s)")


@dataclass(frozen=True)
class Biased:
    """Pairs with the share that was asked for, and why the others went."""

    pairs: tuple[Pair, ...]
    dropped: Counter[str] = field(default_factory=Counter)


def plant(pairs: Sequence[Pair], bias: LengthBias, seed: int, count_tokens: CountTokens | None = None) -> Biased:
    """The pairs of one split, the winner longer in ``bias.longer_wins`` of them, to the nearest whole pair.

    The same pairs, bias and seed give the same result, whatever the order of the pairs. Of two degrees by cutting, the lower one's pairs
    with a longer winner are among those of the higher one.

    Args:
        pairs: of any length; none stays none.
        bias: the degree, and how it is reached.
        seed: of which pairs go to which side.
        count_tokens: of the locked base, for replies that are cut; None where their lengths are words.

    Raises:
        SuasionError: no pair can be had to this degree.
    """
    if not pairs:
        return Biased(())
    order = sorted(pairs, key=lambda pair: pair.key)
    random.Random(f"{seed} length bias").shuffle(order)
    made = _chosen(order, bias.longer_wins) if bias.cut_to is None else _cut(order, bias.longer_wins, bias.cut_to, count_tokens)
    return replace(made, pairs=tuple(sorted(made.pairs, key=lambda pair: pair.key)))


def _chosen(order: Sequence[Pair], share: float) -> Biased:
    """As many pairs as can stay."""
    longer = [pair for pair in order if _longer(pair.winner, pair.loser)]
    shorter = [pair for pair in order if _longer(pair.loser, pair.winner)]
    for total in range(len(longer) + len(shorter), 0, -1):
        won = round(share * total)
        if won <= len(longer) and total - won <= len(shorter):
            lost = {
                "equally long": len(order) - len(longer) - len(shorter),
                "the winner is longer: too many of these": len(longer) - won,
                "the loser is longer: too many of these": len(shorter) - (total - won),
            }
            return Biased((*longer[:won], *shorter[: total - won]), Counter(lost))
    missing = "winner" if share > 0.5 else "loser"
    raise SuasionError(
        f"pairs.bias.longer_wins={share:g} cannot be reached by leaving pairs out: in none of {len(order)} pairs of a split is the "
        f"{missing} the longer one.",
        hint=f"Set pairs.bias.longer_wins to {1 - round(share):g}, or pairs.bias.cut_to to have replies cut.",
    )


def _cut(order: Sequence[Pair], share: float, most: float, count_tokens: CountTokens | None) -> Biased:
    """Every pair with one reply cut. Pairs in which not either reply could be are left out, so that all degrees have the same pairs."""
    cuts = [
        (_first_sentences(pair.winner, most * pair.loser.words), _first_sentences(pair.loser, most * pair.winner.words)) for pair in order
    ]
    wanted = [reply for two in cuts for reply in two if reply is not None]
    tokens = iter(count_tokens([reply.text for reply in wanted]) if count_tokens else [None] * len(wanted))
    whole, left = [], Counter[str]()
    for pair, (winner, loser) in zip(order, cuts, strict=True):
        winner, loser = (None if reply is None else replace(reply, tokens=next(tokens)) for reply in (winner, loser))
        if winner and loser and _longer(pair.loser, winner) and _longer(pair.winner, loser):
            whole.append((pair, winner, loser))
        else:
            left["a reply has no first sentences that are short enough"] += 1
    if not whole:
        raise SuasionError(
            f"In none of {len(order)} pairs of a split can either reply be cut to {most:g} of the other's words.",
            hint="Raise pairs.bias.cut_to, or take longer replies (pairs.min_words).",
        )
    won = round(share * len(whole))
    made = [replace(pair, loser=loser) if row < won else replace(pair, winner=winner) for row, (pair, winner, loser) in enumerate(whole)]
    return Biased(tuple(made), left)


def _first_sentences(reply: Reply, most_words: float) -> Reply | None:
    """As many of the reply's first sentences, not all, as have at most so many words; None where the first has more, or is the only one."""
    ends = [match.end() for match in _END.finditer(reply.text)]
    heads = (reply.text[:end] for end in reversed(ends) if reply.text[end:].strip())
    head = next((text for text in heads if len(text.split()) <= most_words), None)
    return None if head is None else replace(reply, text=head, words=len(head.split()))


def _longer(one: Reply, other: Reply) -> bool:
    """By the length that matching uses, and not shorter in words."""
    return one.length > other.length and one.words >= other.words
