from __future__ import annotations

import io
import json
import threading
from pathlib import Path
from typing import Any

import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from suasion.errors import SuasionError
from suasion.persuasion.mining.sources import dumps
from suasion.persuasion.mining.sources.dumps import FilteredBlocks, LineBlocks, PlainStream, blocks_of, open_dump, subreddits_in
from suasion.persuasion.mining.sources.lines import Reading
from tests.persuasion.mining.lines_for_tests import COMMENT, line, many
from tests.persuasion.mining.sources.test_lines import DELTALOG


class Pieces:
    """A stream that gives its bytes in pieces of certain sizes."""

    def __init__(self, data: bytes, sizes: list[int]) -> None:
        self.file, self.sizes, self.number = io.BytesIO(data), sizes, 0

    def readinto(self, view: memoryview) -> int:
        assert len(view), "an empty view looks like the end"
        self.number += 1
        return self.file.readinto(view[: self.sizes[self.number % len(self.sizes)]])


def drained(blocks: LineBlocks | FilteredBlocks, view: int) -> list[bytes]:
    buffer, found = memoryview(bytearray(view)), []
    while used := blocks.fill(buffer):
        found.append(bytes(buffer[:used]))
    assert blocks.fill(buffer) == 0
    assert all(block.endswith(b"\n") for block in found[:-1])
    return found


LINES = st.lists(
    st.integers(0, 12).map(lambda n: b"x" * n) | st.sampled_from([b"", b"\r", b"word", b"a word b", b"y" * 70, b"z word" * 20, b"w" * 300]),
    max_size=20,
)
SIZES = st.lists(st.integers(1, 50), min_size=1, max_size=4)


@settings(max_examples=500, deadline=None)
@given(LINES, st.booleans(), SIZES, st.integers(1, 20), st.integers(1, 20), st.integers(1, 40))
def test_blocks_hold_all_lines_that_are_not_too_long(
    lines: list[bytes], ended: bool, sizes: list[int], limit: int, more: int, scanned: int
) -> None:
    data = b"\n".join(lines) + b"\n" * ended
    reading = Reading()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(dumps, "MAX_LINE", limit)
        patch.setattr(dumps, "_SCANNED", scanned)
        # a view is more than twice the longest line, and takes what was scanned behind a line that was too long
        blocks = drained(LineBlocks(Pieces(data, sizes), reading), 2 * limit + max(more, scanned))
    found = b"".join(blocks).split(b"\n")
    missing = list(data.split(b"\n"))
    for one in found:  # in order, each once
        while missing and missing[0] != one:
            assert len(missing.pop(0)) > limit
            reading.lines["seen"] += 1
        missing[:1] = []
    assert all(len(one) > limit or not one for one in missing)
    reading.lines["seen"] += sum(map(bool, missing))
    assert reading.lines["seen"] == reading.lines["line too long"] == reading.lines["read"]


@settings(max_examples=300, deadline=None)
@given(LINES, st.booleans(), SIZES, st.integers(30, 60))
def test_filtered_blocks_hold_the_lines_with_a_word_and_count_the_others(
    lines: list[bytes], ended: bool, sizes: list[int], limit: int
) -> None:
    lines = [one for one in lines if len(one) <= limit]
    data = b"\n".join(lines) + b"\n" * ended
    reading = Reading()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(dumps, "MAX_LINE", limit)
        patch.setattr(dumps, "_SCANNED", 10)
        patch.setattr(dumps, "_STEP", sizes[0])
        blocks = FilteredBlocks(Pieces(data, sizes), reading, (b"word", b"xxxxxx"))
        found = b"".join(drained(blocks, 2 * limit + 10))
        blocks.close()
    whole = data.splitlines(keepends=True) if b"\r" not in data else [one + b"\n" for one in data.split(b"\n")]
    if b"\r" in data:
        whole[-1] = whole[-1][:-1]
    wanted = [one for one in whole if b"word" in one or b"xxxxxx" in one]
    assert found == b"".join(wanted)
    others = sum(bool(one) for one in whole) - len(wanted)
    assert +reading.lines == ({"read": others, "another subreddit": others} if others else {})


def test_lines_of_fifty_megabytes_are_left_out_one_after_another(tmp_path: Path) -> None:
    long = b"x" * (50 << 20) + b"\n"
    path = tmp_path / "c.ndjson"
    path.write_bytes(many(2) + long + long + many(1) + long[:-1])
    reading = Reading()
    with path.open("rb", buffering=0) as file:
        found = b"".join(drained(LineBlocks(PlainStream(file, lambda size: None), reading), 24 << 20))
    assert found == many(2) + many(1)
    assert reading.lines == {"read": 3, "line too long": 3}


def test_hundreds_of_long_lines_are_no_trouble(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dumps, "MAX_LINE", 4)
    monkeypatch.setattr(dumps, "_SCANNED", 1)
    reading = Reading()
    assert drained(LineBlocks(Pieces(b"a long line\n" * 5000 + b"ok\n", [5]), reading), 10) == [b"ok\n"]
    assert reading.lines["line too long"] == 5000


# Files of all of Reddit


def monthly(*rows: dict[str, Any]) -> bytes:
    """As the dumps are written, without blanks."""
    return b"".join(json.dumps(row, separators=(",", ":")).encode() + b"\n" for row in rows)


ROWS = [{**COMMENT, "id": f"{name}{number}", "subreddit": name} for number in range(300) for name in ("AskReddit", "changemyview", "tea")]


def blocks(path: Path, subreddit: str | None) -> tuple[bytes, Reading, type]:
    reading, taken = Reading(), []
    with open_dump(path, reading, taken.append) as stream, blocks_of(stream, path, reading, subreddit) as found:
        data = b"".join(drained(found, 24 << 20))
    assert sum(taken) == path.stat().st_size
    return data, reading, type(found)


@pytest.mark.parametrize("packed", [False, True])
def test_of_a_monthly_file_only_the_subreddit_reaches_the_parser(tmp_path: Path, packed: bool) -> None:
    path = tmp_path / "RC_2015-01"
    data = monthly(*ROWS, DELTALOG, {**COMMENT, "subreddit": "tea", "body": "see r/changemyview"})
    path.write_bytes(zstandard.ZstdCompressor().compress(data) if packed else data)
    found, reading, kind = blocks(path, "changemyview")
    assert kind is FilteredBlocks
    names = [json.loads(one)["subreddit"] for one in found.splitlines()]
    assert names == ["changemyview"] * 300 + ["DeltaLog", "tea"]  # the parser drops the last
    assert reading.lines == {"read": 600, "another subreddit": 600}
    assert blocks(path, None)[:1] == (data,)
    assert subreddits_in(path) == {"AskReddit": 300, "changemyview": 300, "tea": 301, "DeltaLog": 1}


def test_a_subreddit_is_found_however_its_name_is_spelled(tmp_path: Path) -> None:
    path = tmp_path / "RC_2015-01"
    path.write_bytes(monthly(*ROWS))
    for name in ("AskReddit", "askreddit", "ASKREDDIT"):
        assert len(blocks(path, name)[0].splitlines()) == 300
    assert len(blocks(path, "ChangeMyView")[0].splitlines()) == 300


def test_a_file_of_the_subreddit_alone_is_not_searched(tmp_path: Path) -> None:
    path = tmp_path / "c.ndjson"
    path.write_bytes(monthly(*[row for row in ROWS if row["subreddit"] == "changemyview"], DELTALOG) + many(3))
    found, reading, kind = blocks(path, "ChangeMyView")
    assert kind is LineBlocks
    assert found == path.read_bytes() and not reading.lines


def test_lines_that_name_no_subreddit_are_not_lost_for_a_few_that_name_another(tmp_path: Path) -> None:
    path = tmp_path / "c.ndjson"
    path.write_bytes(monthly(*ROWS[:1]) + many(3))
    assert blocks(path, "changemyview") == (path.read_bytes(), Reading(), LineBlocks)
    path.write_bytes(monthly(*ROWS) + many(3))  # a monthly file with advertisements
    assert blocks(path, "changemyview")[2] is FilteredBlocks


def threads() -> list[str]:
    return [one.name for one in threading.enumerate() if one.name.startswith("decompress")]


class Endless:
    """Gives lines as long as it is asked."""

    def __init__(self, error: Exception | None = None) -> None:
        self.error, self.asked = error, 0

    def readinto(self, view: memoryview) -> int:
        self.asked += 1
        if self.error is not None and self.asked > 3:
            raise self.error
        piece = (b"x" * 9_987 + b"changemyview\n") * (len(view) // 10_000) or b"\n" * len(view)
        view[: len(piece)] = piece
        return len(piece)


def test_the_thread_ends_with_its_reader(tmp_path: Path) -> None:
    path = tmp_path / "RC_2015-01"
    path.write_bytes(monthly(*ROWS))
    view = memoryview(bytearray(24 << 20))
    with blocks_of(Endless(), path, Reading(), "changemyview") as found:
        found.fill(view)
        assert threads()
    assert not threads()
    with pytest.raises(ZeroDivisionError), blocks_of(Endless(), path, Reading(), "changemyview") as found:
        found.fill(view)
        raise ZeroDivisionError
    assert not threads()
    with pytest.raises(SuasionError, match="window"), blocks_of(Endless(SuasionError("window")), path, Reading(), "changemyview") as found:
        while found.fill(view):
            pass
    assert not threads()


def test_stopping_early_closes_a_file_that_is_being_read_ahead(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dumps, "MAX_LINE", 1 << 16)
    monkeypatch.setattr(dumps, "_SCANNED", 1 << 16)
    path = tmp_path / "RC.zst"
    path.write_bytes(zstandard.ZstdCompressor().compress(monthly(*ROWS) * 300))
    for _ in range(5):
        reading = Reading()
        with (
            pytest.raises(ZeroDivisionError),
            open_dump(path, reading, lambda size: None) as stream,
            blocks_of(stream, path, reading, "changemyview") as found,
        ):
            found.fill(memoryview(bytearray(1 << 18)))
            raise ZeroDivisionError
        assert not threads()


# What a file is


def test_what_cannot_be_read_is_said(tmp_path: Path) -> None:
    for path in (tmp_path / "absent", tmp_path):
        with pytest.raises(SuasionError, match="Cannot be read") as caught, open_dump(path, Reading(), lambda size: None):
            pass
        assert str(path) in str(caught.value)


def test_an_empty_file_and_one_without_a_last_newline(tmp_path: Path) -> None:
    path = tmp_path / "c.ndjson"
    for data in (b"", b"\n", line(COMMENT), line(COMMENT)[:-1], b"\xef\xbb\xbf" + line(COMMENT)):
        path.write_bytes(data)
        assert blocks(path, "changemyview")[0] == data
    path.write_bytes(zstandard.ZstdCompressor().compress(line(COMMENT)[:-1]))
    assert blocks(path, "changemyview")[0] == line(COMMENT)[:-1]


def test_subreddits_of_odd_lines(tmp_path: Path) -> None:
    path = tmp_path / "c.ndjson"
    path.write_bytes(b'{"subreddit": 5}\n[]\n{"subreddit": "\xff"}\nx\n' + b"[" * 100_000 + b'\n{"subreddit": "Tea"}\n{"subreddit": "Cof')
    assert subreddits_in(path) == {"": 1, "Tea": 1}
