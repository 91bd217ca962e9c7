"""Train, validation and test that share nothing: no debate, no text or near-copy of one, no author of a reply.

Debates with a text in common are one group. Debates with a reply author in common are one group too, as long as it stays small: a few
prolific people would otherwise join everything. Groups are dealt whole; what still crosses by author afterwards is dropped.
"""

from __future__ import annotations

import random
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path

from suasion.persuasion.mining.tables import read_rows

SPLITS = ("train", "validation", "test")
MOST_OF_ALL = 0.1  # a group joined by authors may hold this share of the debates
_BANDS, _ROWS = 32, 4  # of 128 hashes: a pair at Jaccard 0.8 is missed once in 10 million, one at 0.2 is looked at once in 20
_WORD = re.compile(r"\w+")


def shingles(text: str) -> frozenset[tuple[str, ...]]:
    """The word 5-grams of a text in lower case without punctuation; a shorter text is a single shingle."""
    words = _WORD.findall(text.lower())
    return frozenset(tuple(words[start : start + 5]) for start in range(max(1, len(words) - 4))) if words else frozenset()


def jaccard(one: frozenset[tuple[str, ...]], other: frozenset[tuple[str, ...]]) -> float:
    """Shared shingles over all shingles of two texts; 0 when both are empty."""
    return len(one & other) / (len(one | other) or 1)


def near_duplicates(texts: Mapping[str, str], threshold: float) -> list[tuple[str, str]]:
    """Keys of texts whose shingles overlap by ``threshold`` or more (Jaccard): found by MinHash, confirmed exactly.

    Equal texts come as a chain rather than as all their pairs.
    """
    from datasketch import MinHash, MinHashLSH

    links: list[tuple[str, str]] = []
    first_with: dict[frozenset[tuple[str, ...]], str] = {}
    index = MinHashLSH(num_perm=_BANDS * _ROWS, params=(_BANDS, _ROWS))
    sets: dict[str, frozenset[tuple[str, ...]]] = {}
    for key in sorted(texts):
        pieces = shingles(texts[key])
        if not pieces:
            continue
        if (twin := first_with.setdefault(pieces, key)) != key:
            links.append((twin, key))
            continue
        sketch = MinHash(num_perm=_BANDS * _ROWS, seed=1)
        sketch.update_batch([" ".join(piece).encode("utf-8", "replace") for piece in pieces])
        links += [(other, key) for other in sorted(index.query(sketch)) if jaccard(sets[other], pieces) >= threshold]
        index.insert(key, sketch)
        sets[key] = pieces
    return links


class Groups:
    """Union-find over debates; a group is named by its smallest id."""

    def __init__(self, members: Iterable[str]) -> None:
        self._parent = {member: member for member in members}
        self._size = dict.fromkeys(self._parent, 1)

    def find(self, member: str) -> str:
        """The name of the member's group."""
        while self._parent[member] != member:
            self._parent[member] = self._parent[self._parent[member]]
            member = self._parent[member]
        return member

    def join(self, members: Collection[str], at_most: float = float("inf")) -> bool:
        """Make one group of all the members' groups, unless it would have more than ``at_most`` members; tells whether it did."""
        roots = sorted({self.find(member) for member in members})
        size = sum(self._size[root] for root in roots)
        if len(roots) > 1 and size > at_most:
            return False
        for root in roots[1:]:
            self._parent[root] = roots[0]
        if roots:
            self._size[roots[0]] = size
        return True

    def lists(self) -> list[list[str]]:
        """The groups, each sorted, in the order of their names."""
        members: dict[str, list[str]] = defaultdict(list)
        for member in sorted(self._parent):
            members[self.find(member)].append(member)
        return [members[name] for name in sorted(members)]


def group(debates: Collection[str], copies: Iterable[tuple[str, str]], authors: Mapping[str, Collection[str]]) -> list[list[str]]:
    """Debates that must stay together.

    Args:
        debates: all ids.
        copies: pairs of debates that share a text.
        authors: by author, the debates in which a reply of theirs is used.
    """
    groups = Groups(debates)
    for one, other in copies:
        groups.join((one, other))
    at_most = max(3.0, MOST_OF_ALL * len(debates))
    for author in sorted(authors, key=lambda name: (len(authors[name]), name)):  # those who join few debates first: they cost least
        groups.join(authors[author], at_most)
    return groups.lists()


def deal(groups: Sequence[Sequence[str]], pairs: Mapping[str, int], shares: Mapping[str, float], seed: int) -> dict[str, str]:
    """Each debate's split. Groups go, largest first, to the split furthest below its share, counted in pairs.

    Groups without a pair are counted in debates. A split with a share but no pair gets the smallest group that another can spare.
    """
    order = sorted((list(one) for one in groups), key=lambda one: one[0])
    random.Random(seed).shuffle(order)
    weights = {one[0]: sum(pairs.get(debate, 0) for debate in one) for one in order}
    split_of: dict[str, str] = {}
    for weight_of in (lambda one: weights[one[0]], lambda one: 0 if weights[one[0]] else len(one)):
        mine = sorted((one for one in order if weight_of(one)), key=weight_of, reverse=True)
        total, filled = sum(map(weight_of, mine)), Counter[str]()
        for one in mine:
            name = max(
                (name for name in SPLITS if shares[name] > 0), key=lambda split: (shares[split] * total - filled[split], shares[split])
            )
            filled[name] += weight_of(one)
            split_of[one[0]] = name
    for name in SPLITS:
        _fill_empty(name, split_of, weights, shares)
    return {debate: split_of[one[0]] for one in order for debate in one}


def _fill_empty(name: str, split_of: dict[str, str], weights: Mapping[str, int], shares: Mapping[str, float]) -> None:
    filled = [group for group in sorted(split_of) if weights[group]]
    if shares[name] <= 0 or any(split_of[group] == name for group in filled):
        return
    crowd = Counter(split_of[group] for group in filled)
    spare = [group for group in filled if crowd[split_of[group]] > 1]
    if spare:
        split_of[min(spare, key=lambda group: (weights[group], group))] = name


def homes(uses: Mapping[str, Mapping[str, int]]) -> dict[str, str]:
    """The one split in which each author who stands in several may stay: where they have most pairs; ties leave train.

    Args:
        uses: by author, then split, the number of their pairs there.
    """
    return {author: max(sorted(by_split), key=lambda split: (by_split[split], SPLITS.index(split))) for author, by_split in uses.items()}


def find_leaks(folder: Path, near_duplicate: float = 0.8) -> list[str]:
    """What stands on two sides in a folder that ``make_pairs`` wrote: debates, reply authors, texts or near-copies. Empty when all is well.

    Reads nothing but the written files, so it also proves a folder that somebody else made or changed.

    Raises:
        SuasionError: a file is missing or unreadable.
    """
    debates: dict[str, set[str]] = defaultdict(set)
    authors: dict[str, set[str]] = defaultdict(set)
    texts: dict[str, set[str]] = defaultdict(set)

    def see(split: str, debate: str, hashes: Iterable[str | None], contents: Iterable[str]) -> None:
        debates[debate].add(split)
        for author in hashes:
            if author:
                authors[author].add(split)
        for content in contents:
            texts[content].add(split)

    for split in SPLITS:
        for row in read_rows(folder / f"{split}.parquet"):
            contents = [row[side][-1]["content"] for side in ("prompt", "chosen", "rejected")]
            see(split, row["debate_id"], (row["winner_author_hash"], row["loser_author_hash"]), contents)
    for row in read_rows(folder / "premises.parquet"):
        see(row["split"], row["debate_id"], row["winner_author_hashes"], [row["prompt"][-1]["content"], *row["winners"]])
    leaks = [f"debate {debate} is in {_names(sides)}" for debate, sides in debates.items() if len(sides) > 1]
    leaks += [f"the reply author {author[:12]} is in {_names(sides)}" for author, sides in authors.items() if len(sides) > 1]
    leaks += [f"a text is in {_names(sides)}: {text[:60]!r}" for text, sides in texts.items() if len(sides) > 1]
    for one, other in near_duplicates({text: text for text in texts}, near_duplicate):
        if len(sides := texts[one] | texts[other]) > 1:
            leaks.append(f"a text has a near-copy across {_names(sides)}: {one[:60]!r}")
    return leaks


def _names(sides: Collection[str]) -> str:
    return " and ".join(sorted(sides, key=SPLITS.index))
