from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from suasion.persuasion.mining.debates import Comment, Label, Post
from suasion.persuasion.mining.sources import lines
from suasion.persuasion.mining.sources.lines import Reading, bare_id, read_line, unescape_once, whole_number
from tests.persuasion.mining.lines_for_tests import COMMENT, POST, line

DELTALOG = {
    "id": "d1",
    "subreddit": "DeltaLog",
    "author": "DeltaBot",
    "title": 'Deltas awarded in "CMV: tea"',
    "selftext": '# Deltas from OP /u/ann\n\n* 1 delta from OP to /u/bob for ["No"](/r/changemyview/comments/p1/tea/c1/?context=3)',
}


def read(*data: bytes, subreddit: str | None = "changemyview") -> tuple[list[Any], Reading]:
    reading = Reading()
    return [thing for one in b"".join(data).split(b"\n") for thing in read_line(one, reading, subreddit)], reading


def dropped(reading: Reading) -> dict[str, int]:
    return {reason: number for reason, number in reading.lines.items() if reason != "read"}


def test_content_decides_what_a_line_is() -> None:
    things, reading = read(line(COMMENT), line(POST))
    assert things == [
        Comment("c1", "p1", "p1", True, "bob", "No &#8710;", 1400000001, 1),
        Post("p1", "ann", "CMV: tea", "Tea > coffee & milk", 1400000000, 3),
    ]
    assert reading.lines == {"read": 2}


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"created_utc": "1400000001"}, ("created_utc", 1400000001)),
        ({"created_utc": 1400000001.0}, ("created_utc", 1400000001)),
        ({"created_utc": "1400000001.0"}, ("created_utc", 1400000001)),
        ({"created_utc": None}, ("created_utc", None)),
        ({"created_utc": "absent"}, ("created_utc", None)),
        ({"created_utc": 0}, ("created_utc", None)),
        ({"created_utc": -5}, ("created_utc", None)),
        ({"created_utc": "soon"}, ("created_utc", None)),
        ({"created_utc": {"at": 3}}, ("created_utc", None)),
        ({"created_utc": 10**30}, ("created_utc", None)),
        ({"score": None}, ("score", None)),
        ({"score": "-4"}, ("score", -4)),
        ({"score": True}, ("score", None)),
        ({"score": 2**63}, ("score", None)),
        ({"score": -(2**63)}, ("score", -(2**63))),
        ({"edited": 1400000005.0}, ("edited", True)),
        ({"edited": "1400000005"}, ("edited", True)),
        ({"edited": True}, ("edited", True)),
        ({"edited": "false"}, ("edited", False)),
        ({"edited": None}, ("edited", False)),
        ({"edited": "absent"}, ("edited", False)),
        ({"id": "absent", "name": "t1_c1"}, ("comment_id", "c1")),
        ({"id": "", "name": "t1_c1"}, ("comment_id", "c1")),
        ({"id": "t1_c1"}, ("comment_id", "c1")),
        ({"author": None}, ("author", "[deleted]")),
        ({"author": ""}, ("author", "[deleted]")),
        ({"body": None}, ("text", "")),
        ({"parent_id": "t1_c0"}, ("parent_is_post", False)),
        ({"parent_id": "t1_p1"}, ("parent_is_post", False)),
        ({"parent_id": "c0"}, ("parent_id", "c0")),
        ({"parent_id": "p1"}, ("parent_is_post", True)),
        ({"link_id": "p1"}, ("debate_id", "p1")),
        ({"distinguished": "moderator"}, ("distinguished", "moderator")),
        ({"distinguished": ""}, ("distinguished", None)),
        ({"is_submitter": True}, ("by_submitter", True)),
        ({"is_submitter": 1}, ("by_submitter", False)),
        ({"_meta": {"removal_type": "deleted"}}, ("comment_id", "c1")),
    ],
)
def test_types_of_every_era(changes: dict[str, Any], expected: tuple[str, Any]) -> None:
    [thing], _ = read(line(COMMENT, **changes))
    assert getattr(thing, expected[0]) == expected[1]


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"id": "absent", "name": "t3_p1"}, ("debate_id", "p1")),
        ({"selftext": "absent"}, ("text", "")),
        ({"title": None}, ("title", "")),
        ({"created_utc": "1400000000"}, ("created_utc", 1400000000)),
        ({"author": "absent"}, ("author", "[deleted]")),
    ],
)
def test_posts_of_every_era(changes: dict[str, Any], expected: tuple[str, Any]) -> None:
    [thing], _ = read(line(POST, **changes))
    assert isinstance(thing, Post)
    assert getattr(thing, expected[0]) == expected[1]


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (b"{not json\n", "not JSON"),
        (line(COMMENT)[:-1] + line(COMMENT), "not JSON"),
        (b'{"id": ' + b"[" * 100_000 + b"\n", "not JSON"),
        (b"\x00\x00\n", "not JSON"),
        (b'{"a": ' + b"9" * 5000 + b"\n", "not JSON"),
        (b"[1, 2]\n", "not an object"),
        (b"null\n", "not an object"),
        (b'"text"\n', "not an object"),
        (line(COMMENT, id="absent"), "no id"),
        (line(COMMENT, id=7), "no id"),
        (line(COMMENT, id="t1_"), "no id"),
        (line(POST, id=""), "no id"),
        (line(COMMENT, link_id="absent"), "no link_id or parent_id"),
        (line(COMMENT, link_id="t3_"), "no link_id or parent_id"),
        (line(COMMENT, parent_id=None), "no link_id or parent_id"),
        (line({"id": "x", "text": "of another kind"}), "neither submission nor comment"),
        (line({"count": 3, "parent_id": "t1_c1", "id": "d", "name": "t1_d", "children": ["d", "e"]}), "a stub for more comments"),
        (line({"kind": "more", "id": "d"}), "a stub for more comments"),
        (line(COMMENT, subreddit="AskReddit"), "another subreddit"),
        (line(COMMENT, subreddit="AskReddit", id="absent"), "another subreddit"),
        (line(POST, subreddit="AskReddit"), "another subreddit"),
        (line(COMMENT, subreddit="DeltaLog"), "another subreddit"),
        (line(DELTALOG, selftext="Nothing yet."), "a DeltaLog post that names no award"),
    ],
)
def test_a_bad_line_is_counted_and_the_rest_read(bad: bytes, reason: str) -> None:
    things, reading = read(line(POST), bad, line(COMMENT))
    assert [type(thing) for thing in things] == [Post, Comment]
    assert dropped(reading) == {reason: 1}
    assert reading.lines["read"] == 3


def test_lines_of_the_subreddit_and_of_none_are_taken() -> None:
    named = [line(COMMENT, subreddit=name) for name in ("changemyview", "ChangeMyView", "", None, 5)]
    assert len(read(*named)[0]) == 5
    assert len(read(line(COMMENT, subreddit="AskReddit"), subreddit=None)[0]) == 1
    assert len(read(line(COMMENT, subreddit="AskReddit"), subreddit="askreddit")[0]) == 1


def test_deltalog_posts_become_labels() -> None:
    things, reading = read(line(DELTALOG))
    assert things == [Label("p1", "c1", "ann", "bob", by_author=True, source="deltalog")]
    assert reading.lines == {"read": 1}
    assert read(line(DELTALOG, subreddit="absent"))[0] == things  # told by title and heading
    assert read(line(DELTALOG), subreddit=None)[0] == things
    assert isinstance(read(line(DELTALOG, subreddit="changemyview"))[0][0], Post)


def test_characters_that_are_no_text_are_replaced_and_counted() -> None:
    bad = [b'"body": "a\xffb"', b'"body": "a\\ud800b"', b'"body": "a\x01b"', b'"body": "a\x00b"']
    things, reading = read(*(b'{"id": "c%d", %s, "link_id": "t3_p1", "parent_id": "t3_p1"}\n' % pair for pair in enumerate(bad)))
    assert [thing.text for thing in things] == ["a\ufffdb", "a?b", "a\x01b", "a\x00b"]
    assert reading.mended == {"invalid characters replaced": 4}
    assert not dropped(reading)


def test_a_line_that_is_too_long_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "MAX_LINE", 1000)
    things, reading = read(line(POST), line(COMMENT, body="x" * 5000), line(COMMENT))
    assert [type(thing) for thing in things] == [Post, Comment]
    assert dropped(reading) == {"line too long": 1}


def test_blank_lines_and_a_byte_order_mark_are_nothing() -> None:
    things, reading = read(b"\xef\xbb\xbf" + line(POST), b"\r\n\n \t\n\xef\xbb\xbf\n", line(COMMENT).replace(b"\n", b"\r\n"))
    assert [type(thing) for thing in things] == [Post, Comment]
    assert reading.lines == {"read": 2} and not reading.mended


@given(st.binary(max_size=60) | st.text(max_size=40).map(lambda text: json.dumps({"body": text, "id": text, "link_id": text}).encode()))
def test_any_line_is_read_or_counted_once(data: bytes) -> None:
    reading = Reading()
    things = read_line(data.replace(b"\n", b""), reading, None)
    assert reading.lines["read"] == len(things) + sum(dropped(reading).values())


@given(st.text())
def test_unescaping_undoes_one_level_only(text: str) -> None:
    def escape(one: str) -> str:
        return one.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")

    assert unescape_once(escape(text)) == text
    assert unescape_once(escape(escape(text))) == escape(text)


def test_unescaping_of_other_entities() -> None:
    assert unescape_once("&#8710; &#x2206; &quot;a&quot; a=1&amp;b=2&c &copy") == '∆ ∆ "a" a=1&b=2&c &copy'
    assert unescape_once("&#xD800;&#9999999;").encode() == "\ufffd\ufffd".encode()


@given(st.integers() | st.floats() | st.text(max_size=5) | st.none() | st.booleans())
def test_numbers_fit_or_are_none(value: Any) -> None:
    number = whole_number(value)
    assert number is None or -(2**63) <= number < 2**63


def test_bare_ids() -> None:
    assert [bare_id(one) for one in ("t1_a", "t3_a", "a", "", "t1_", 7, None)] == ["a", "a", "a", "", "", None, None]
