from __future__ import annotations

import json
from collections import Counter
from dataclasses import asdict
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from suasion.persuasion.mining.awards import may_hold_token
from suasion.persuasion.mining.debates import READ_COMMENTS, Comment, Label, Post
from suasion.persuasion.mining.sources import columns, lines
from suasion.persuasion.mining.sources.columns import read_block
from suasion.persuasion.mining.sources.lines import Reading, read_line
from tests.persuasion.mining.lines_for_tests import COMMENT, POST, line, many
from tests.persuasion.mining.sources.test_lines import DELTALOG

Rows = list[dict[str, Any]]


def by_block(data: bytes, subreddit: str | None = "changemyview") -> tuple[Rows, Rows, list[Label], Reading]:
    batch = read_block(memoryview(data), subreddit)
    table = pa.Table.from_batches(batch.comments, READ_COMMENTS)
    table.validate(full=True)
    return table.to_pylist(), [row for posts in batch.posts for row in posts.to_pylist()], batch.labels, batch.reading


def line_by_line(data: bytes, subreddit: str | None = "changemyview") -> tuple[Rows, Rows, list[Label], Reading]:
    reading = Reading()
    things = [thing for one in data.split(b"\n") for thing in read_line(one, reading, subreddit)]
    comments = [thing for thing in things if isinstance(thing, Comment)]
    rows = [{name: may_hold_token(one.text) if name == "token" else getattr(one, name) for name in READ_COMMENTS.names} for one in comments]
    return rows, [asdict(one) for one in things if isinstance(one, Post)], [one for one in things if isinstance(one, Label)], reading


def assert_same(data: bytes, subreddit: str | None = "changemyview") -> Rows:
    found, expected = by_block(data, subreddit), line_by_line(data, subreddit)
    assert found[:3] == expected[:3]
    # Counter is compared by what is in it: a reason that never occurred may be absent or nought
    assert (+found[3].lines, +found[3].mended) == (+expected[3].lines, +expected[3].mended)
    return found[0]


ID = st.sampled_from(["c1", "t1_c1", "t3_c1", "", "c2", "é", "t2_x", "t1", 5, None])
ABOVE = st.sampled_from(["t3_p1", "t1_c1", "t3_p1", "t1_c1", "t3_", "t1_", "c1", "p1", "", "t2_x", "t3_t1_x", "é", 5, None])
NUMBER = st.sampled_from([
    *(0, 1, -1, 1400000000, 1400000000.0, 1.5, "1400000000", "x", "", True, None, [1], 2**63, -(2**63), 2**64, 10**25, 1e300),
])  # fmt: skip
TEXT = st.sampled_from(["", "plain", "&gt; q &amp; r", "!delta", "∆", "&amp;#8710;", "é\u2028", "\x00", "\U0001f600", None, 3]) | st.text(
    max_size=6
)
SUBREDDIT = st.sampled_from(["changemyview", "ChangeMyView", "AskReddit", "DeltaLog", "", None, 5])
OTHER = st.fixed_dictionaries(
    {},
    optional={
        **dict.fromkeys(("created_utc", "score"), NUMBER),
        "edited": st.sampled_from([False, True, 0, 5, 0.0, 1.5, "", "false", "1400000000", None, []]),
        "author": TEXT,
        "distinguished": TEXT,
        "is_submitter": st.sampled_from([True, False, None, 1, "true"]),
        "subreddit": SUBREDDIT,
        "name": st.sampled_from(["t1_c9", "", None]),
        "children": st.sampled_from([["a"], None]),
        "title": TEXT,
        "_meta": st.just({"removal_type": "deleted"}),
    },
)
COMMENTS = st.builds(
    lambda one, other: {**one, **other}, st.fixed_dictionaries({"id": ID, "link_id": ABOVE, "parent_id": ABOVE, "body": TEXT}), OTHER
)
POSTS = st.builds(lambda one, other: {**one, **other}, st.fixed_dictionaries({"id": ID, "title": TEXT, "selftext": TEXT}), OTHER)
USUAL = st.builds(lambda n, other: {**COMMENT, "id": f"u{n}", **other}, st.integers(0, 99), st.just({}) | OTHER)
ROWS = (USUAL | USUAL | COMMENTS | POSTS | st.just(DELTALOG)).map(
    lambda row: json.dumps(row, ensure_ascii=False).encode("utf-8", "surrogatepass")
)
DAMAGE = st.sampled_from([
    b"", b" ", b"\r", b"{", b"[]", b"null", b"\xef\xbb\xbf", b"\xff", b"\x00", line(COMMENT)[:40],
    b'{"id": "s1", "body": "a\\ud800b", "link_id": "t3_p1", "parent_id": "t3_p1"}',
    b'{"id": "s2", "body": "a\xffb", "link_id": "t3_p1", "parent_id": "t3_p1"}',
    b'{"id": "s3", "body": "a\x01b", "link_id": "t3_p1", "parent_id": "t3_p1"}',
    b'{"id": "s4", "body": "b", "link_id": "t3_p1", "parent_id": "t3_p1", "score": NaN}',
    b'{"id": "s5", "body": "b", "link_id": "t3_p1", "parent_id": "t3_p1", "score": 1e999}',
    b'{"id": "s6", "body": "b", "link_id": "t3_p1", "parent_id": "t3_p1", "id": "s7"}',
    b'\xef\xbb\xbf' + line(COMMENT, id="s8")[:-1], line(COMMENT, id="s9")[:-1] + b" \t\r",
    b'{"id": "deep", "x": ' + b"[" * 2000 + b"]" * 2000 + b', "body": "b", "link_id": "t3_p1", "parent_id": "t3_p1"}',
    b'{"id": "deeper", "x": ' + b"[" * 90000,
])  # fmt: skip
DUMPS = st.tuples(st.lists(ROWS | DAMAGE, max_size=12), st.sampled_from([b"\n", b"\r\n", b"\n\n"]), st.booleans()).map(
    lambda parts: parts[1].join(parts[0]) + (parts[1] if parts[2] else b"")
)


@settings(max_examples=400, deadline=None)
@given(DUMPS, st.sampled_from(["changemyview", "deltalog", None]))
@example(line(COMMENT, id="", name="t1_c9"), "changemyview")
@example(line(COMMENT, id="t1_a") + line(COMMENT, id="b") + line(COMMENT, id=5) + line(COMMENT, id="c"), "changemyview")
def test_a_block_holds_what_its_lines_hold_one_by_one(data: bytes, subreddit: str | None) -> None:
    assert_same(data, subreddit)


@settings(max_examples=150, deadline=None)
@given(DUMPS, st.integers(1, 400), st.integers(1, 200))
def test_where_parts_end_does_not_matter(data: bytes, at_once: int, look: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(columns, "_AT_ONCE", at_once)
        patch.setattr(columns, "_LOOK", look)
        assert_same(data)


@settings(max_examples=150, deadline=None)
@given(DUMPS, st.integers(1, 250))
def test_lines_that_are_too_long_are_left_out_in_either_way(data: bytes, limit: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(columns, "_AT_ONCE", 300)
        for module in (columns, lines):
            patch.setattr(module, "MAX_LINE", limit)
        assert_same(data)


@given(
    st.lists(st.sampled_from([line(COMMENT), line(COMMENT)[:-1], line(COMMENT).replace(b"\n", b" "), line(COMMENT).replace(b", ", b",\n")]))
)
@example([line(COMMENT)[:-1], line(COMMENT)])
@example([line(COMMENT).replace(b", ", b",\n")])
def test_objects_that_share_a_line_or_lie_on_several_are_no_lines(pieces: list[bytes]) -> None:
    """The decoder itself takes them. What joins and what splits lines may not be in one block, nor blank lines: they would even out."""
    whole, split = line(COMMENT), line(COMMENT).replace(b", ", b",\n")
    assert_same(b"".join(piece for piece in pieces if piece != split))
    assert_same(b"".join(piece for piece in pieces if piece in (whole, split)))


def test_usual_comments_go_the_fast_way(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else the tests above would compare the slow way with itself."""

    def never(*_: object) -> None:
        raise AssertionError("a usual line was read one by one")

    monkeypatch.setattr(columns, "read_line", never)
    monkeypatch.setattr(columns, "comment_of", never)
    data = many(200).split(b"\n", 1)[1]
    assert len(by_block(data)[0]) == 200
    assert len(by_block(data.replace(b"\n", b"\r\n"))[0]) == 200
    assert len(by_block(data[:-1])[0]) == 200


def test_a_post_among_comments_costs_only_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[bytes] = []

    def spy(one: bytes, reading: Reading, subreddit: str | None) -> Any:
        seen.append(one)
        return read_line(one, reading, subreddit)

    monkeypatch.setattr(columns, "read_line", spy)
    assert len(by_block(many(50))[0]) == 50
    assert [one for one in seen if one] == [line(POST)[:-1]]


def test_copies_stay_in_order_though_one_is_unusual() -> None:
    data = line(COMMENT, id=None, name="t1_c1", body="first") + line(COMMENT, body="second") + line(COMMENT, score=[], body="third")
    assert [row["text"] for row in assert_same(data)] == ["first", "second", "third"]


def test_counts_of_another_subreddit() -> None:
    data = line(COMMENT, subreddit="AskReddit") + line(COMMENT, subreddit="changemyview") + line(COMMENT, subreddit="AskReddit", id=5)
    assert len(assert_same(data)) == 1
    assert by_block(data)[3].lines == Counter({"read": 3, "another subreddit": 2})
    assert assert_same(line(COMMENT, subreddit="AskReddit")) == []


def test_an_empty_block() -> None:
    assert by_block(b"") == ([], [], [], Reading())
    assert by_block(b"\n\r\n \n") == ([], [], [], Reading())
