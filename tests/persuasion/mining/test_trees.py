from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from suasion.persuasion.mining.debates import COMMENTS, POSTS, READ_COMMENTS, Comment, Debate, Post, is_gone
from suasion.persuasion.mining.sources.columns import Batch, collect
from suasion.persuasion.mining.trees import LOOP, ORPHAN, Grown, debates_with, grow, rows_of


def comment(comment_id: str, parent: str = "p1", debate: str = "p1", author: str = "bob", text: str = "Because.", **more: Any) -> Comment:
    return Comment(comment_id, debate, parent, parent_is_post=parent.startswith("p"), author=author, text=text, **more)


def post(debate_id: str = "p1", author: str = "ann", text: str = "A view.") -> Post:
    return Post(debate_id, author, "CMV", text)


def tables(things: Iterable[Post | Comment], at_once: int = 10**9) -> tuple[pa.Table, pa.Table]:
    """As chunks give them: in several batches."""
    batch, listed = Batch(), list(things)
    for start in range(0, len(listed), at_once):
        collect(batch, listed[start : start + at_once])
    posts = pa.Table.from_batches(batch.posts, POSTS)
    return posts, pa.Table.from_batches(batch.comments, READ_COMMENTS)


def grown(*things: Post | Comment, at_once: int = 10**9) -> Grown:
    found = grow(*tables(things, at_once))
    assert found.posts.schema.equals(POSTS) and found.comments.schema.equals(COMMENTS)
    assert len(found.comments) == len(found.parent) == len(found.token)
    return found


def depths(found: Grown) -> dict[str, int]:
    return dict(zip(found.comments["comment_id"].to_pylist(), found.comments["depth"].to_pylist(), strict=True))


TROUBLE = [
    post("p1"),
    post("p2"),
    comment("deep", "reply"),
    comment("root"),
    comment("reply", "root"),
    comment("orphan", "gone"),
    comment("below", "orphan"),
    comment("further", "below"),
    comment("self", "self"),
    comment("round", "about"),
    comment("about", "round"),
    comment("hanging", "about"),
    comment("elsewhere", "p2"),
    comment("other", "p2", "p2"),
    comment("stray", "root", "p2"),
    comment("lost", "p9", "p9"),
]


@pytest.mark.parametrize("at_once", [1, 3, 100])
def test_a_tree_with_every_trouble(at_once: int) -> None:
    found = grown(*TROUBLE, at_once=at_once)
    assert depths(found) == {
        "deep": 2,
        "root": 0,
        "reply": 1,
        "orphan": ORPHAN,
        "below": ORPHAN,
        "further": ORPHAN,
        "elsewhere": ORPHAN,  # it says that it answers another post than its own
        "other": 0,
        "stray": ORPHAN,
    }
    assert found.dropped == {"post absent": 1, "in a loop": 4}
    assert found.outside == {"orphan": 3, "below an orphan": 2}
    assert found.comments["debate_id"].to_pylist() == ["p1"] * 7 + ["p2"] * 2


def walk(things: Sequence[Comment]) -> dict[str, int]:
    """The plain rule: up from each comment to its post."""
    by_id = {one.comment_id: one for one in things}

    def up(one: Comment) -> int:
        for steps in range(len(by_id) + 1):
            if one.parent_is_post:
                return steps if one.parent_id == one.debate_id else ORPHAN
            if one.parent_id not in by_id:
                return ORPHAN
            one = by_id[one.parent_id]
        return LOOP

    return {name: depth for name, one in by_id.items() if (depth := up(one)) != LOOP}


LINKS = st.dictionaries(st.integers(0, 14), st.integers(0, 20), max_size=15)


@settings(max_examples=120, deadline=None)
@given(LINKS, st.randoms(use_true_random=False), st.integers(1, 6))
def test_depths_and_parents_agree_with_walking_up(links: dict[int, int], order: random.Random, at_once: int) -> None:
    """Numbers over 14 are absent comments, over 17 the post, 20 another post."""
    names = {15: "gone", 16: "lost", 17: "gone", 18: "p1", 19: "p1", 20: "p2"}
    things = [comment(str(child), names.get(parent, str(parent))) for child, parent in links.items()]
    order.shuffle(things)
    found = grown(post(), post("p2"), *things, at_once=at_once)
    expected = walk(things)
    assert depths(found) == expected
    assert found.comments["comment_id"].to_pylist() == [one.comment_id for one in things if one.comment_id in expected]
    assert found.dropped["in a loop"] == len(things) - len(expected)
    assert found.outside.total() == sum(depth == ORPHAN for depth in expected.values())
    ids = found.comments["comment_id"].to_pylist()
    for row, parent in enumerate(found.parent.tolist()):
        stated = found.comments["parent_id"][row].as_py()
        assert (ids[parent] if parent >= 0 else None) == (stated if stated in ids else None)


@pytest.mark.timeout(120)  # what walks each chain anew takes an hour
def test_chains_of_two_hundred_thousand() -> None:
    count = 200_000
    generator = random.Random(3)
    numbers = list(range(count))
    generator.shuffle(numbers)
    chain = [comment(f"c{number}", f"c{number - 1}" if number else "p1") for number in numbers]
    looped = [comment(f"l{number}", f"l{(number or count) - 1}", "p2") for number in numbers]
    found = grown(post(), post("p2"), *chain, *looped)
    assert all(depth == int(name[1:]) for name, depth in depths(found).items())
    assert (len(found.comments), found.dropped) == (count, {"in a loop": count})


def test_of_copies_the_first_wins_unless_a_later_one_has_what_it_lost() -> None:
    found = grown(
        comment("a", text="[removed]"),
        comment("b", text="first"),
        comment("a", text="kept text"),
        comment("b", text="second"),
        comment("c", author="[deleted]", text="same"),
        comment("c", author="eve", text="same"),
        comment("a", text="later still"),
        comment("d", text="alone"),
        post("p1", "[deleted]", "[removed]"),
        post("p2"),
        post("p1", "ann", "[removed]"),
        post("p1", "[deleted]", "A view."),
        at_once=2,
    )
    rows = {row["comment_id"]: (row["text"], row["author"]) for row in found.comments.to_pylist()}
    assert rows == {"a": ("kept text", "bob"), "b": ("first", "bob"), "c": ("same", "eve"), "d": ("alone", "bob")}
    assert len(found.comments) == 4 and found.dropped == {"copy of another": 4}
    assert [(row["debate_id"], row["author"], row["text"]) for row in found.posts.to_pylist()] == [
        ("p1", "[deleted]", "A view."),  # text weighs more than a name
        ("p2", "ann", "A view."),
    ]
    assert found.copies == 2


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(st.sampled_from("abcd"), st.sampled_from("12"), st.sampled_from(["[deleted]", "x", "y"])), max_size=14))
@example([("a", "1", "[deleted]"), ("a", "2", "x"), ("a", "1", "x"), ("a", "2", "y")])
def test_settling_copies_agrees_with_the_plain_rule(rows: list[tuple[str, str, str]]) -> None:
    """One id in two debates is two comments."""
    found = grown(post("p1"), post("p2"), *(comment(one, f"p{debate}", f"p{debate}", text=text) for one, debate, text in rows))
    expected: dict[tuple[str, str], str] = {}
    for one, debate, text in rows:
        if expected.get((one, debate), "[deleted]") == "[deleted]" or (one, debate) not in expected:
            expected[one, debate] = text
    kept = {(row["comment_id"], row["debate_id"][1]): row["text"] for row in found.comments.to_pylist()}
    assert kept == expected
    assert found.dropped["copy of another"] == len(rows) - len(expected)
    assert set(depths(found).values()) <= {0}


def test_one_id_in_two_debates_has_two_families() -> None:
    found = grown(
        post("p1"),
        post("p2"),
        comment("a"),
        comment("a", "p2", "p2"),
        comment("b", "a", "p2"),
        comment("c", "b", "p2"),
        comment("c", "a"),
        comment("b", "x"),
    )
    rows = [(row["debate_id"], row["comment_id"], row["depth"]) for row in found.comments.to_pylist()]
    assert rows == [("p1", "a", 0), ("p1", "c", 1), ("p1", "b", ORPHAN), ("p2", "a", 0), ("p2", "b", 1), ("p2", "c", 2)]
    assert found.parent.tolist() == [-1, 0, -1, -1, 3, 4]


def test_a_comment_whose_post_is_absent_is_no_copy() -> None:
    found = grown(post("p1"), comment("a", "p9", "p9"), comment("a"), comment("a", "p9", "p9"))
    assert found.comments["comment_id"].to_pylist() == ["a"]
    assert found.dropped == {"post absent": 2}


def test_the_author_of_a_deleted_post_is_known_from_their_comments() -> None:
    own = comment("c1", author="ann", by_submitter=True)
    found = grown(
        post("p1", "[deleted]"),
        comment("c0", author="bob"),
        comment("d0", author="[deleted]", by_submitter=True),
        own,
        replace(own, comment_id="d1", author="late"),
        post("p2", "[deleted]"),
        comment("c2", "p2", "p2"),
        post("p3", "known"),
        comment("c3", "p3", "p3", author="other", by_submitter=True),
        comment("c4", "p4", "p4", author="absent", by_submitter=True),
    )
    assert found.posts["author"].to_pylist() == ["ann", "[deleted]", "known"]


def content(found: Grown) -> tuple[list[Any], list[Any]]:
    return sorted(found.posts.to_pylist(), key=str), sorted(found.comments.to_pylist(), key=str)


@settings(max_examples=100, deadline=None)
@given(st.permutations(TROUBLE), st.integers(1, 20))
def test_the_order_of_lines_decides_the_order_of_rows_and_nothing_else(things: list[Post | Comment], at_once: int) -> None:
    found, plain = grown(*things, at_once=at_once), grown(*TROUBLE)
    assert content(found) == content(plain)
    assert (found.dropped, found.outside, found.copies) == (plain.dropped, plain.outside, plain.copies)
    assert found.posts["debate_id"].to_pylist() == [one.debate_id for one in things if isinstance(one, Post)]
    debates = list(dict.fromkeys(found.comments["debate_id"].to_pylist()))
    assert debates == [one for one in found.posts["debate_id"].to_pylist() if one in debates]
    for debate in debates:
        rows = [row["comment_id"] for row in found.comments.to_pylist() if row["debate_id"] == debate]
        assert rows == [one.comment_id for one in things if isinstance(one, Comment) and one.debate_id == debate and one.comment_id in rows]


def test_nothing_at_all() -> None:
    for things in ([], [post()], [comment("a")], [comment("a"), comment("a")]):
        found = grown(*things)
        assert len(found.comments) == 0
        assert found.dropped == ({"post absent": len(things)} if things and isinstance(things[0], Comment) else {})
        assert list(debates_with(found, np.empty(0, dtype=np.int64))) == []
        assert list(rows_of(found, {"a"})) == []


def test_debates_of_some_comments_hold_their_parents_and_grandparents() -> None:
    found = grown(
        post("p1", "ann"), post("p2"), comment("a"), comment("b", "a"), comment("c", "b"), comment("d", "c"), comment("e", "p2", "p2")
    )
    assert rows_of(found, {"d", "absent"}).tolist() == [3]
    [debate] = debates_with(found, rows_of(found, {"d"}))
    assert debate == Debate("p1", "ann", {name: comment(name, parent) for name, parent in (("b", "a"), ("c", "b"), ("d", "c"))})
    assert [one.debate_id for one in debates_with(found, rows_of(found, {"e", "a"}))] == ["p1", "p2"]
    assert list(rows_of(found, set())) == []


def test_text_that_is_gone() -> None:
    for text in ("[deleted]", "[removed]", "[deleted by user]", "[ Removed by Reddit ]", "[removed by user]", " ", ""):
        assert is_gone(text), text
    for text in ("[deleted] my reply", "removed", "[sic] removed"):
        assert not is_gone(text), text
