"""Train, validation and test that share nothing: no debate, no text or near-copy of one, no author of a reply.

Debates with a text in common are one group. Debates with a reply author in common are one group too, as long as it stays small: a few
prolific people would otherwise join everything. Groups are dealt whole; what still crosses by author afterwards is dropped. Dealt by
time, or as the source itself says, groups cannot be kept together: what crosses then leaves the earlier side.
"""

from __future__ import annotations

import random
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import accumulate

from suasion.errors import SuasionError

SPLITS = ("train", "validation", "test")
MOST_OF_ALL = 0.1  # a group joined by authors may hold this share of the debates
_REDDIT_ID = re.compile(r"[0-9a-z]{1,8}")


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


def group(
    debates: Collection[str], copies: Iterable[tuple[str, str]], authors: Mapping[str, Collection[str]], most_of_all: float = MOST_OF_ALL
) -> list[list[str]]:
    """Debates that must stay together.

    Args:
        debates: all ids.
        copies: pairs of debates that share a text.
        authors: by author, the debates in which a reply of theirs is used.
        most_of_all: the share of the debates that a group may hold by authors alone; 1 joins them whatever comes of it.
    """
    groups = Groups(debates)
    for one, other in copies:
        groups.join((one, other))
    at_most = max(3.0, most_of_all * len(debates))
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


def in_order(created: Mapping[str, int | None]) -> list[str]:
    """Debates from the earliest to the latest: by their times, or, unless all are known, by their ids, which Reddit counts upwards.

    Args:
        created: by debate, seconds since 1970.

    Raises:
        SuasionError: times are missing and the ids are not Reddit's.
    """
    times = {debate: time for debate, time in created.items() if time is not None}
    if len(times) == len(created):
        return sorted(times, key=lambda debate: (times[debate], debate))
    if strange := next((debate for debate in sorted(created) if not _REDDIT_ID.fullmatch(debate)), None):
        raise SuasionError(
            f"These debates cannot be put in order of time: {len(created) - len(times)} of {len(created)} have no time, and the id "
            f"'{strange:.40}' is not one that Reddit counts.",
            hint="Use split_by=random, or a source with times.",
        )
    return sorted(created, key=lambda debate: (int(debate, 36), debate))


def by_time(order: Sequence[str], pairs: Mapping[str, int], shares: Mapping[str, float]) -> dict[str, str]:
    """Each debate's split: the earliest for train, the next for validation, the latest for test; shares are counted in pairs.

    A split with a share gets a debate with pairs where there are enough of them.

    Args:
        order: debates, the earliest first.
        pairs: by debate, how many.
        shares: by split.
    """
    if not order:
        return {}
    places = [place for place, debate in enumerate(order) if pairs.get(debate)] or list(range(len(order)))
    weights = [pairs.get(order[place]) or 1 for place in places]
    named = [name for name in SPLITS if shares[name] > 0]
    before = [*accumulate(weights, initial=0)]
    ends, share = [0], 0.0
    for number, name in enumerate(named[:-1]):
        share += shares[name]
        nearest = min(range(len(before)), key=lambda place: abs(before[place] - share * before[-1]))
        still_needed = len(named) - 1 - number  # each later split needs a debate too; where they are few, the earlier splits go first
        ends.append(min(max(min(nearest, len(places) - still_needed), ends[-1] + 1), len(places)))
    starts = [0, *(places[end] if end < len(places) else len(order) for end in ends[1:]), len(order)]
    return {debate: name for name, start, end in zip(named, starts, starts[1:], strict=False) for debate in order[start:end]}


def crossing(copies: Iterable[tuple[str, str]], split_of: Mapping[str, str]) -> set[str]:
    """Debates that must go because a text of theirs has a copy on a later side (train gives way to validation, and both to test).

    Copies of copies count as copies: of many equal texts, only enough links are named to join them.
    """
    groups = Groups(split_of)
    for link in copies:
        groups.join(link)
    latest: dict[str, int] = {}
    for debate, split in split_of.items():
        name = groups.find(debate)
        latest[name] = max(latest.get(name, 0), SPLITS.index(split))
    return {debate for debate, split in split_of.items() if SPLITS.index(split) < latest[groups.find(debate)]}


def homes(uses: Mapping[str, Mapping[str, int]], latest: bool = False) -> dict[str, str]:
    """The one split in which each author who stands in several may stay: where they have most pairs; ties leave train.

    Args:
        uses: by author, then split, the number of their pairs there.
        latest: the latest split instead (test, else validation), so that train gives way.
    """

    def rank(by_split: Mapping[str, int], split: str) -> tuple[int, int]:
        return (0 if latest else by_split[split], SPLITS.index(split))

    return {author: max(sorted(by_split), key=lambda split: rank(by_split, split)) for author, by_split in uses.items()}
