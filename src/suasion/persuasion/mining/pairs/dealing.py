"""Matched pairs into splits: at random (groups of debates that belong together), by time, or as the source itself says."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from suasion.persuasion.mining.pairs.copies import near_duplicates
from suasion.persuasion.mining.pairs.matching import Pair
from suasion.persuasion.mining.pairs.replies import Debate, Reply
from suasion.persuasion.mining.pairs.settings import PairsConfig
from suasion.persuasion.mining.pairs.splits import MOST_OF_ALL, SPLITS, by_time, crossing, deal, group, homes, in_order
from suasion.persuasion.mining.pairs.tables import compared_texts

_DEALINGS = 20  # groups are dealt this often; the dealing that loses least to shared authors is taken


@dataclass(frozen=True)
class Dealt:
    """Debates in their splits, and the pairs that may stay there."""

    split_of: dict[str, str]
    """By debate; one that had to go is not in it."""
    home_of: dict[str, str]
    """By author of a reply, the only split that their replies may enter."""
    pairs: dict[str, list[Pair]]
    gone: frozenset[str] = frozenset()
    """Debates that had to go: a text of theirs has a copy on a later side."""
    strict: bool = True
    """False where the source's own pairs are kept as they stand, whoever wrote them."""
    lost: Counter[str] = field(default_factory=Counter)
    """Pairs that could not stay, by reason."""
    wanted: frozenset[str] = frozenset(SPLITS)
    """Splits that should have pairs: where the source has its own, only those."""

    def may_enter(self, reply: Reply, split: str) -> bool:
        """The reply's author stands on no other side."""
        return not self.strict or reply.author is None or self.home_of.get(reply.author, split) == split

    def settled(self, pairs: Iterable[Pair]) -> tuple[dict[str, list[Pair]], Counter[str]]:
        """Pairs by split, without those that cross, which are counted by reason."""
        kept: dict[str, list[Pair]] = {split: [] for split in SPLITS}
        lost = Counter[str]()
        for pair in pairs:
            split = self.split_of.get(pair.debate_id)
            if split is None:
                lost["a text of the debate has a copy on a later side"] += 1
            elif self.may_enter(pair.winner, split) and self.may_enter(pair.loser, split):
                kept[split].append(pair)
            else:
                lost["an author of a reply stands in another split"] += 1
        return kept, lost

    def admit(self, debates: Iterable[Debate]) -> dict[str, list[Reply]]:
        """By debate with a winner, the losers that may enter its split; from now on their authors live there."""
        admitted: dict[str, list[Reply]] = {}
        for debate in debates:
            split = self.split_of.get(debate.id)
            if split is None or not any(self.may_enter(winner, split) for winner in debate.winners):
                continue
            admitted[debate.id] = [loser for loser in debate.losers if self.may_enter(loser, split)]
            for loser in admitted[debate.id]:
                if loser.author is not None:
                    self.home_of.setdefault(loser.author, split)
        return admitted


def shares_of(config: PairsConfig) -> dict[str, float]:
    """By split, its share of the pairs."""
    return {"train": 1 - config.validation - config.test, "validation": config.validation, "test": config.test}


def deal_out(
    debates: Sequence[Debate], matched: Sequence[Pair], config: PairsConfig, seed: int, deal_by: Sequence[Pair] | None = None
) -> Dealt:
    """Give every debate its split.

    Args:
        debates: with the losers that a pair, or a table beside the pairs, may take in.
        matched: the pairs.
        config: how.
        seed: of the dealing at random.
        deal_by: the pairs by whose numbers and authors the dealing at random goes, in place of ``matched``: so that pairs of any length
            fall into the splits that matched ones have, and a judge of the ones is not asked about what a judge of the others learned.

    A source's own splits stay. Of several dealings at random, the one with the fewest empty splits, then the fewest pairs lost to shared
    authors, is taken.

    Raises:
        SuasionError: the debates cannot be put in order of time.
    """
    as_it_stands = config.matching == "none"
    given = {debate.id: debate.split for debate in debates if debate.split}
    if len(set(given.values())) < 2 and not as_it_stands:
        given = {}  # a source with a single split has not been split at all
    copies = _copies(debates, config.near_duplicate)
    weights = Counter(pair.debate_id for pair in matched)
    shares = shares_of(config)
    if len(given) == len(debates) or config.split_by == "time":
        free = {debate.id: debate.created for debate in debates if debate.id not in given}
        split_of = given | by_time(in_order(free), weights, shares)
        wanted = frozenset(given.values()) if not free else frozenset(SPLITS)
        return replace(_settled(split_of, copies, debates, matched, latest=True, strict=not as_it_stands), wanted=wanted)
    by = matched if deal_by is None else deal_by
    weights = Counter(pair.debate_id for pair in by)
    groups = group([debate.id for debate in debates], copies, _used(debates, by), 1.0 if as_it_stands else MOST_OF_ALL)
    fixed: dict[str, str] = {}
    for one in groups:
        if sides := {given[member] for member in one if member in given}:
            fixed |= dict.fromkeys(one, max(sides, key=SPLITS.index))
    loose = [one for one in groups if one[0] not in fixed]
    generator = random.Random(seed)
    dealings = []
    for _ in range(_DEALINGS):
        split_of = fixed | given | deal(loose, weights, shares, generator.getrandbits(64))
        dealings.append((split_of, _settled(split_of, copies, debates, by, latest=bool(given), strict=not as_it_stands)))
    split_of, dealt = max(dealings, key=lambda one: (sum(map(bool, one[1].pairs.values())), sum(map(len, one[1].pairs.values()))))
    return dealt if deal_by is None else _settled(split_of, copies, debates, matched, latest=bool(given), strict=not as_it_stands)


def _copies(debates: Sequence[Debate], threshold: float) -> list[tuple[str, str]]:
    """Pairs of debates that share a text or near-copy of one, among all that could be written."""
    owners: list[str] = []
    texts: dict[str, str] = {}
    for debate in debates:
        for text in compared_texts(debate):
            texts[f"{len(owners):09}"] = text
            owners.append(debate.id)
    links = ((owners[int(one)], owners[int(other)]) for one, other in near_duplicates(texts, threshold))
    return sorted({(one, other) for one, other in links if one != other})


def _used(debates: Sequence[Debate], matched: Sequence[Pair]) -> dict[str, set[str]]:
    """By author, the debates in which a reply of theirs is used."""
    used: dict[str, set[str]] = defaultdict(set)
    for debate in debates:
        for reply in debate.winners:
            used[reply.author or ""].add(debate.id)
    for pair in matched:
        used[pair.loser.author or ""].add(pair.debate_id)
    used.pop("", None)  # deleted accounts are not one person
    return used


def _settled(
    split_of: dict[str, str],
    copies: Sequence[tuple[str, str]],
    debates: Sequence[Debate],
    matched: Sequence[Pair],
    *,
    latest: bool,
    strict: bool,
) -> Dealt:
    gone = crossing(copies, split_of) if strict else set()
    stay = {debate: split for debate, split in split_of.items() if debate not in gone}
    uses: dict[str, Counter[str]] = defaultdict(Counter)
    for debate in debates:
        for reply in debate.winners if debate.id in stay else ():
            uses[reply.author or ""][stay[debate.id]] += 0
    for pair in matched:
        for reply in (pair.winner, pair.loser) if pair.debate_id in stay else ():
            uses[reply.author or ""][stay[pair.debate_id]] += 1
    uses.pop("", None)
    dealt = Dealt(stay, homes(uses, latest), {}, frozenset(gone), strict)
    kept, lost = dealt.settled(matched)
    dealt.pairs.update(kept)
    dealt.lost.update(lost)
    return dealt
