from __future__ import annotations

from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from suasion.errors import SuasionError
from suasion.persuasion.mining.candidates import Debate, Reply
from suasion.persuasion.mining.matching import Pair
from suasion.persuasion.mining.splits import SPLITS, Groups, deal, find_leaks, group, homes, jaccard, near_duplicates, shingles
from suasion.persuasion.mining.tables import write_pairs, write_premises
from tests.persuasion.mining.tables_for_tests import words

SHARES = {"train": 0.7, "validation": 0.1, "test": 0.2}


def test_near_copies_are_found_and_strangers_are_not() -> None:
    text = words("a", 200)
    copies = {
        "a": text,
        "b": text.upper() + "!",
        "c": text.replace(text.split()[100], "changed"),
        "d": words("d", 200),
        "e": "",
        "f": "short one",
    }
    links = near_duplicates(copies, 0.8)
    assert {frozenset(link) for link in links} == {frozenset("ab"), frozenset("ac")}
    assert near_duplicates({"x": "short one", "y": "Short, one"}, 0.8) == [("x", "y")]


def test_no_near_copy_is_missed() -> None:
    texts = {}
    for number in range(60):
        base = words(number, 120)
        texts[f"{number:02} one"] = base
        texts[f"{number:02} two"] = base + " " + words((number, "tail"), 20)  # Jaccard 116 / 136 = 0.85
    links = near_duplicates(texts, 0.8)
    assert sorted(links) == [(f"{number:02} one", f"{number:02} two") for number in range(60)]


@given(st.text(), st.text())
def test_jaccard_is_a_share(one: str, other: str) -> None:
    assert 0 <= jaccard(shingles(one), shingles(other)) <= 1
    assert not shingles(one) or jaccard(shingles(one), shingles(one)) == 1


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


def folder_with(folder: Path, *, loser: Reply | None = None, premise: str = "", debate: str = "2", winners: tuple[Reply, ...] = ()) -> Path:
    """One pair in train, one in test that shares with it what is given."""
    mine = [Reply(f"{n}", f"author {n}", words(n, 60), 60) for n in range(4)]
    pairs = {"train": [Pair("1", mine[0], mine[1])], "validation": [], "test": [Pair(debate, mine[2], loser or mine[3])]}
    premises = {"1": words("premise", 40), debate: premise or words("another", 40)}
    for split in SPLITS:
        write_pairs(folder / f"{split}.parquet", pairs[split], premises)
    write_premises(
        folder / "premises.parquet", [(Debate("1", premises["1"]), "train", ()), (Debate(debate, premises[debate]), "test", winners)]
    )
    return folder


def test_a_clean_folder_has_no_leak(tmp_path: Path) -> None:
    assert find_leaks(folder_with(tmp_path)) == []


def test_every_kind_of_leak_is_found(tmp_path: Path) -> None:
    (same_debate,) = [leak for leak in find_leaks(folder_with(tmp_path, debate="1")) if "debate 1" in leak]
    assert "train and test" in same_debate
    assert any("reply author" in leak for leak in find_leaks(folder_with(tmp_path, loser=Reply("9", "author 0", words(9, 60), 60))))
    assert any("a text is in" in leak for leak in find_leaks(folder_with(tmp_path, loser=Reply("9", "x", words(1, 60), 60))))
    assert any("near-copy" in leak for leak in find_leaks(folder_with(tmp_path, loser=Reply("9", "x", words(1, 60) + " more", 61))))
    assert any("near-copy" in leak for leak in find_leaks(folder_with(tmp_path, premise=words("premise", 40) + " more")))
    assert any("reply author" in leak for leak in find_leaks(folder_with(tmp_path, winners=(Reply("9", "author 1", words(9, 60), 60),))))


def test_deleted_accounts_are_not_one_author(tmp_path: Path) -> None:
    assert find_leaks(folder_with(tmp_path, loser=Reply("9", None, words(9, 60), 60))) == []


def test_a_folder_without_tables_is_told(tmp_path: Path) -> None:
    with pytest.raises(SuasionError, match="Cannot read the table"):
        find_leaks(tmp_path)
