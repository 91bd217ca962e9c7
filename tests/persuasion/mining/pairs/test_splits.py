from __future__ import annotations

from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from suasion.errors import SuasionError
from suasion.persuasion.mining.pairs.splits import SPLITS, Groups, by_time, crossing, deal, group, homes, in_order

SHARES = {"train": 0.7, "validation": 0.1, "test": 0.2}


@given(st.lists(st.tuples(st.integers(0, 19), st.integers(0, 19)), max_size=30), st.integers(1, 20))
def test_groups_partition_the_debates_and_keep_to_their_limit(links: list[tuple[int, int]], at_most: int) -> None:
    members = [f"{number:02}" for number in range(20)]
    groups = Groups(members)
    for one, other in links:
        joined = groups.join((members[one], members[other]), at_most)
        assert joined == (groups.find(members[one]) == groups.find(members[other]))
    lists = groups.lists()
    assert sorted(member for one in lists for member in one) == members
    assert max(map(len, lists)) <= at_most


def test_copies_always_join_and_authors_only_while_the_group_is_small() -> None:
    debates = [f"{number:02}" for number in range(40)]
    chain = list(pairwise(debates[:10]))
    groups = group(debates, chain, {"few": debates[10:13], "many": debates[10:30]})
    assert debates[:10] in groups
    assert debates[10:13] in groups
    assert max(map(len, groups)) == 10


@given(st.lists(st.tuples(st.integers(1, 4), st.integers(0, 5)), min_size=1, max_size=25), st.integers(0, 9))
def test_dealing_is_whole_and_leaves_no_split_without_pairs_where_it_can(sizes: list[tuple[int, int]], seed: int) -> None:
    groups = [[f"{number:02}-{member}" for member in range(size)] for number, (size, _) in enumerate(sizes)]
    pairs = {one[0]: weight for one, (_, weight) in zip(groups, sizes, strict=True)}
    split_of = deal(groups, pairs, SHARES, seed)
    assert sorted(split_of) == sorted(debate for one in groups for debate in one)
    assert all(len({split_of[debate] for debate in one}) == 1 for one in groups)
    filled = Counter(split_of[debate] for debate, weight in pairs.items() if weight)
    assert len(filled) == min(3, sum(weight > 0 for weight in pairs.values()))
    assert split_of == deal(groups[::-1], pairs, SHARES, seed)


def test_dealing_meets_the_shares_and_a_share_of_zero_gets_nothing() -> None:
    groups = [[f"{number:03}"] for number in range(200)]
    pairs = {f"{number:03}": 1 for number in range(100)}
    split_of = deal(groups, pairs, SHARES, 1)
    with_pairs = Counter(split_of[debate] for debate in pairs)
    assert with_pairs == {"train": 70, "validation": 10, "test": 20}
    assert Counter(split_of.values()) == {"train": 140, "validation": 20, "test": 40}
    assert set(deal(groups, pairs, {"train": 0.8, "validation": 0, "test": 0.2}, 1).values()) == {"train", "test"}


def test_an_author_stays_where_most_of_their_pairs_are_and_leaves_train_on_a_tie() -> None:
    uses = {"a": {"train": 3, "test": 1}, "b": {"train": 1, "test": 1}, "c": {"train": 0, "validation": 0}, "d": {"train": 2}}
    assert homes(uses) == {"a": "train", "b": "test", "c": "validation", "d": "train"}


def test_by_time_the_later_split_keeps_the_author() -> None:
    uses = {"a": {"train": 3, "test": 1}, "b": {"train": 9, "validation": 0}, "c": {"validation": 4, "test": 0}}
    assert homes(uses, latest=True) == {"a": "test", "b": "validation", "c": "test"}


def test_debates_without_times_are_ordered_by_reddits_ids() -> None:
    assert in_order({"b": 5, "a": 9, "c": 5}) == ["b", "c", "a"]
    assert in_order({"zz": None, "100": 3, "1b": None}) == ["1b", "zz", "100"]  # 47, 1295, 1296
    with pytest.raises(SuasionError, match="'debate one' is not one that Reddit counts") as caught:
        in_order({"1b": None, "debate one": None})
    assert "split_by=random" in (caught.value.hint or "")


@given(st.lists(st.integers(0, 5), max_size=40), st.sampled_from([(0.1, 0.2), (0.0, 0.2), (0.3, 0.0), (0.0, 0.0), (0.45, 0.45)]))
def test_no_earlier_split_holds_a_later_debate(sizes: list[int], held_out: tuple[float, float]) -> None:
    shares = {"train": 1 - sum(held_out), "validation": held_out[0], "test": held_out[1]}
    order = [f"{number:02}" for number in range(len(sizes))]
    split_of = by_time(order, dict(zip(order, sizes, strict=True)), shares)
    assert list(split_of) == order
    sides = [SPLITS.index(split_of[debate]) for debate in order]
    assert sides == sorted(sides)
    assert all(shares[split] > 0 for split in split_of.values())
    filled = {split_of[debate] for debate, size in zip(order, sizes, strict=True) if size}
    wanted = sum(share > 0 for share in shares.values())
    assert len(filled) == min(wanted, sum(size > 0 for size in sizes))


def test_the_shares_are_met_by_time_too() -> None:
    order = [f"{number:03}" for number in range(200)]
    split_of = by_time(order, dict.fromkeys(order, 2), SHARES)
    assert Counter(split_of.values()) == {"train": 140, "validation": 20, "test": 40}


def test_of_two_debates_with_a_copy_the_earlier_side_gives_way() -> None:
    split_of = {"a": "train", "b": "test", "c": "validation", "d": "train"}
    assert crossing([("a", "b"), ("b", "c"), ("a", "d")], split_of) == {"a", "c", "d"}  # d is a copy of a copy


@pytest.mark.timeout(60)
def test_many_debates_are_dealt_in_a_moment() -> None:
    groups = [[f"{number:06}"] for number in range(60_000)]
    split_of = deal(groups, {one[0]: 1 for one in groups}, SHARES, 0)
    by_time([one[0] for one in groups], {one[0]: 1 for one in groups}, SHARES)
    assert Counter(split_of.values()) == {"train": 42_000, "validation": 6_000, "test": 12_000}
