from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from suasion.persuasion.mining.debates import (
    COMMENTS,
    LOOP,
    ORPHAN,
    Comment,
    Gathering,
    Post,
    depths_of,
    each_debate,
    is_gone,
    place,
    without_duplicates,
)


def comment(comment_id: str, parent: str = "p1", debate: str = "p1", author: str = "bob", text: str = "Because.") -> Comment:
    return Comment(comment_id, debate, parent, parent_is_post=parent.startswith("p"), author=author, text=text)


def tables(things: Iterable[Post | Comment]) -> tuple[pa.Table, pa.Table]:
    gathering = Gathering()
    for thing in things:
        gathering.add(thing)
    return gathering.tables()


def post(debate_id: str = "p1", author: str = "ann") -> Post:
    return Post(debate_id, author, "CMV", "A view.")


def test_depths_of_a_tree_with_every_trouble() -> None:
    parents = {
        "deep": ("reply", False),
        "root": ("p1", True),
        "reply": ("root", False),
        "orphan": ("gone", False),
        "below": ("orphan", False),
        "self": ("self", False),
        "round": ("about", False),
        "about": ("round", False),
        "hanging": ("about", False),
        "elsewhere": ("p2", True),
    }
    assert depths_of("p1", parents) == {
        "deep": 2,
        "root": 0,
        "reply": 1,
        "orphan": ORPHAN,
        "below": ORPHAN,
        "self": LOOP,
        "round": LOOP,
        "about": LOOP,
        "hanging": LOOP,
        "elsewhere": ORPHAN,
    }


@given(st.dictionaries(st.integers(0, 12), st.integers(0, 16), max_size=13))
def test_depths_agree_with_walking_up_from_each_comment(links: dict[int, int]) -> None:
    parents = {str(child): ("p" if parent == 16 else str(parent), parent == 16) for child, parent in links.items()}

    def walk(comment_id: str) -> int:
        depth, current = 0, comment_id
        while True:
            parent, is_post = parents[current]
            if is_post:
                return depth
            if parent not in parents:
                return ORPHAN
            depth, current = depth + 1, parent
            if depth > len(parents):
                return LOOP

    depths = depths_of("p", parents)
    assert list(depths) == list(parents)
    assert depths == {comment_id: walk(comment_id) for comment_id in parents}


def test_a_chain_of_a_hundred_thousand_is_no_trouble() -> None:
    parents = {str(index): (str(index - 1), False) for index in range(100_000, 0, -1)} | {"0": ("p1", True)}
    assert depths_of("p1", parents)["100000"] == 100_000


def test_of_copies_the_first_wins_unless_a_later_one_has_what_it_lost() -> None:
    _, comments = tables(
        [
            comment("a", text="[removed]"),
            comment("b", text="first"),
            comment("a", text="kept text"),
            comment("b", text="second"),
            comment("c", author="[deleted]", text="same"),
            comment("c", author="eve", text="same"),
            comment("a", text="later still"),
            comment("d", text="alone"),
        ]
    )
    distinct = without_duplicates(comments, "comment_id")
    assert distinct["comment_id"].to_pylist() == ["a", "b", "c", "d"]
    assert distinct["text"].to_pylist() == ["kept text", "first", "same", "alone"]
    assert distinct["author"].to_pylist() == ["bob", "bob", "eve", "bob"]


@settings(max_examples=50)
@given(st.lists(st.tuples(st.sampled_from("abcd"), st.sampled_from(["[deleted]", "x", "y"])), max_size=12))
def test_settling_copies_agrees_with_the_plain_rule(rows: list[tuple[str, str]]) -> None:
    distinct = without_duplicates(tables(comment(one, text=text) for one, text in rows)[1], "comment_id")
    expected: dict[str, str] = {}
    for one, text in rows:
        if one not in expected or (expected[one] == "[deleted]" and text != "[deleted]"):
            expected[one] = text
    assert dict(zip(distinct["comment_id"].to_pylist(), distinct["text"].to_pylist(), strict=True)) == expected
    assert distinct["comment_id"].to_pylist() == list(expected)


def test_placing_groups_by_debate_and_counts_what_has_no_place() -> None:
    posts, comments = tables(
        [
            comment("c4", "c3", "p2"),
            comment("c1", "p1", "p1"),
            post("p1"),
            post("p2"),
            comment("c3", "p2", "p2"),
            comment("c2", "gone", "p1"),
            comment("c5", "c2", "p1"),
            comment("l1", "l1", "p1"),
            comment("x1", "p9", "p9"),
        ]
    )
    posts, placed, dropped, outside = place(posts, comments)
    assert placed.schema.equals(COMMENTS)
    assert placed["comment_id"].to_pylist() == ["c1", "c2", "c5", "c4", "c3"]
    assert placed["depth"].to_pylist() == [0, ORPHAN, ORPHAN, 1, 0]
    assert dropped == {"post absent": 1, "in a loop": 1}
    assert outside == {"orphan": 1, "below an orphan": 1}
    assert [(debate.debate_id, list(debate.comments)) for debate in each_debate(posts, placed)] == [
        ("p1", ["c1", "c2", "c5"]),
        ("p2", ["c4", "c3"]),
    ]


def test_the_author_of_a_deleted_post_is_known_from_their_comments() -> None:
    own = replace(comment("c1", author="ann"), by_submitter=True)
    posts, *_ = place(
        *tables([post("p1", "[deleted]"), comment("c0", author="bob"), own, post("p2", "[deleted]"), comment("c2", "p2", "p2")])
    )
    assert posts["author"].to_pylist() == ["ann", "[deleted]"]


def test_text_that_is_gone() -> None:
    for text in ("[deleted]", "[removed]", "[deleted by user]", "[ Removed by Reddit ]", "[removed by user]", " ", ""):
        assert is_gone(text), text
    for text in ("[deleted] my reply", "removed", "[sic] removed"):
        assert not is_gone(text), text
