"""Submissions that are decoded at once are what they are read one by one."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from suasion.persuasion.mining.debates import Post
from suasion.persuasion.mining.sources import columns, machine, scanner
from suasion.persuasion.mining.sources.columns import read_block
from suasion.persuasion.mining.sources.lines import Reading, read_line
from suasion.persuasion.mining.sources.scanner import Scanner
from suasion.persuasion.mining.sources.submissions import usual_posts
from tests.persuasion.mining.lines_for_tests import POST, line

USUAL = {**POST, "id": "abc12", "subreddit": "changemyview"}
VALUE = (
    st.none() | st.booleans() | st.integers(-(2**65), 2**65) | st.floats() | st.sampled_from(["", "t3_x", "1.5", "&amp;lt;"]) | st.text()
)
CHANGES = st.dictionaries(st.sampled_from([*USUAL, "body", "link_id", "children", "kind", "name"]), VALUE, max_size=1)


def slowly(data: bytes, subreddit: str | None) -> tuple[list[dict[str, Any]], Reading]:
    reading = Reading()
    things = [thing for one in data.split(b"\n") for thing in read_line(one, reading, subreddit)]
    return [asdict(thing) for thing in things if isinstance(thing, Post)], reading


@given(
    st.lists(st.builds(lambda changes, number: {**USUAL, "id": f"t3_ab{number}", **changes}, CHANGES, st.integers(0, 9)), max_size=4),
    st.sampled_from(["changemyview", "ChangeMyView", None]),
    st.sampled_from([b"\n", b"\r\n"]),
)
@settings(deadline=None, max_examples=300)
def test_what_is_taken_is_what_the_slow_way_gives(rows: list[dict[str, Any]], subreddit: str | None, end: bytes) -> None:
    data = b"".join(json.dumps(row).encode() + end for row in rows)
    expected, reading = slowly(data, subreddit)
    if rows and (found := usual_posts(memoryview(data), subreddit)) is not None:
        assert found.to_pylist() == expected and len(found) == len(rows)
    batch = read_block(memoryview(data), subreddit)
    assert [row for posts in batch.posts for row in posts.to_pylist()] == expected
    assert +batch.reading.lines == +reading.lines


@pytest.mark.parametrize(
    "change",
    [{"subreddit": "DeltaLog"}, {"subreddit": "AskReddit"}, {"subreddit": ""}, {"link_id": "t3_x"}, {"body": ""}, {"children": []},
     {"kind": "more"}, {"title": None}, {"id": ""}, {"id": "t3_"}, {"score": [1]}],
)  # fmt: skip
def test_what_is_unusual_is_left(change: dict[str, Any]) -> None:
    assert usual_posts(memoryview(line(USUAL)), "changemyview") is not None
    assert usual_posts(memoryview(line(USUAL) + line(USUAL, **change)), "changemyview") is None


@pytest.mark.parametrize("spoil", [lambda one: one + b"{", lambda one: one[:-1] + one, lambda one: one.replace(b", ", b",\n")])
def test_what_is_no_line_is_left(spoil: Any) -> None:
    assert usual_posts(memoryview(spoil(line(USUAL))), "changemyview") is None


def test_a_dump_of_submissions_goes_the_fast_way(monkeypatch: pytest.MonkeyPatch) -> None:
    alone: list[bytes] = []

    def spy(one: bytes, reading: Reading, subreddit: str | None) -> Any:
        alone.append(one)
        return read_line(one, reading, subreddit)

    for module, name in ((columns, "read_line"), (scanner, "read_one")):
        monkeypatch.setattr(module, name, spy)
    data = line(USUAL) * 9000
    assert sum(map(len, read_block(memoryview(data), "changemyview").posts)) == 9000 and not alone
    if functions := machine.functions():
        batch = Scanner(functions).read(memoryview(bytearray(data)), "changemyview")
        assert sum(map(len, batch.posts)) == 9000 and batch.reading.lines == {"read": 9000}
        assert len(alone) < 400  # the last line of a block lies elsewhere, and its neighbours are read with it
