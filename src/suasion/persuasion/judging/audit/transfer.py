"""Pairs from elsewhere: does a judge that learned from one place's debates know a good argument in another's?

A transfer set is a path. Told apart by what lies there: UKPConvArg1 (see :mod:`suasion.persuasion.judging.audit.ukpconvarg`), a folder that
``suasion pairs`` wrote (its test split), the pair task of Tan et al. 2016, or any ready table of pairs that ``suasion pairs`` reads, its
pairs as they stand. Texts are cleaned as those the judge was trained on, but for UKPConvArg1, which holds no markup.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import zip_longest
from pathlib import Path

from suasion.errors import SuasionError
from suasion.persuasion.dataset import Pair, load_pairs
from suasion.persuasion.judging.audit.ukpconvarg import reader_of
from suasion.persuasion.mining.pairs.origin import Origin, files_of_pairs
from suasion.persuasion.mining.pairs.replies import Debate, Funnel
from suasion.persuasion.mining.pairs.settings import PairsConfig

KNOWN = "a folder of UKPConvArg1, a folder made by `suasion pairs`, the pair task of Tan et al. 2016, or a table of pairs"


def transfer_pairs(path: Path) -> list[Pair]:
    """All pairs of a transfer set, in the order of its files.

    Raises:
        SuasionError: nothing of the kind lies there, it cannot be read, or it holds no pair.
    """
    if not path.exists():
        raise SuasionError("There is no such transfer set.", where=path, hint=f"Give {KNOWN}.")
    read = reader_of(path)
    if read is not None:
        pairs = read(path)
    elif (path / "test.parquet").is_file() and (path / "premises.parquet").is_file():
        pairs = load_pairs(path, "test")
    else:
        pairs = _stated(path)
    usable = [_whole(pair) for pair in pairs if pair.winner.strip() and pair.loser.strip() and pair.winner != pair.loser]
    if not usable:
        raise SuasionError("This transfer set holds no pair of two different texts.", where=path, hint=f"Give {KNOWN}.")
    return usable


def sampled(pairs: Sequence[Pair], limit: int, seed: int) -> list[Pair]:
    """At most ``limit`` pairs, in their order: one of each debate, then a second of each, and so on, drawn by chance within a debate.

    Intervals resample debates, so one more pair of another debate is worth more than one more of the same.
    """
    if len(pairs) <= limit:
        return list(pairs)
    generator = random.Random(seed)
    of_debate: dict[str, list[int]] = defaultdict(list)
    for place, pair in enumerate(pairs):
        of_debate[pair.debate_id].append(place)
    drawn = [generator.sample(places, len(places)) for _, places in sorted(of_debate.items())]
    generator.shuffle(drawn)  # where not even one of each fits, chance says whose
    in_turn = (place for places in zip_longest(*drawn) for place in places if place is not None)
    chosen = [place for place, _ in zip(in_turn, range(limit), strict=False)]
    return [pairs[place] for place in sorted(chosen)]


def leave_one_out(
    pairs: Sequence[Pair], group: Callable[[Pair], str] = lambda pair: pair.debate_id
) -> Iterator[tuple[str, list[Pair], list[Pair]]]:
    """Each group once as the test: ``(name, train, test)``, by name. The protocol of UKPConvArg1, with its 32 sides for groups.

    Pairs of the test's *topic* may then still be trained on, from its other side: group by :func:`topic_of` to hold topics out.
    """
    names = [group(pair) for pair in pairs]
    for name in sorted(set(names)):
        train = [pair for pair, own in zip(pairs, names, strict=True) if own != name]
        yield name, train, [pair for pair, own in zip(pairs, names, strict=True) if own == name]


def topic_of(pair: Pair) -> str:
    """The first paragraph of the premise: of UKPConvArg1 the topic, of r/ChangeMyView the post's title."""
    return pair.premise.partition("\n\n")[0]


def _whole(pair: Pair) -> Pair:
    """Half an emoji, which JSON can hold, becomes a question mark: it would stop a tokenizer."""
    premise, winner, loser = (text.encode("utf-8", "replace").decode() for text in (pair.premise, pair.winner, pair.loser))
    return replace(pair, premise=premise, winner=winner, loser=loser)


def _stated(path: Path) -> list[Pair]:
    config = PairsConfig(matching="none")  # the pairs stand as the source states them
    if not files_of_pairs(path, config):
        raise SuasionError("This is no transfer set.", where=path, hint=f"Give {KNOWN}.")
    debates = Origin(path, config, Funnel(), Counter()).debates(None)
    return [pair for debate in debates for pair in _pairs_of(debate)]


def _pairs_of(debate: Debate) -> list[Pair]:
    winners, losers = ({reply.id: reply for reply in side} for side in (debate.winners, debate.losers))
    return [
        Pair(debate.id, debate.premise, won, winners[won].text, lost, losers[lost].text, winners[won].created, losers[lost].created)
        for won, lost in debate.given
    ]
