from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from suasion.errors import SuasionError
from suasion.persuasion.mining import sources
from suasion.persuasion.mining.debates import Comment, Post
from suasion.persuasion.mining.sources import Reading, find_files, read_things, sample_folder, unescape_once

POST = {"id": "p1", "author": "ann", "title": "CMV: tea", "selftext": "Tea &gt; coffee &amp; milk", "created_utc": 1400000000, "score": 3}
COMMENT = {
    "id": "c1",
    "author": "bob",
    "body": "No &amp;#8710;",
    "link_id": "t3_p1",
    "parent_id": "t3_p1",
    "created_utc": 1400000001,
    "score": 1,
    "edited": False,
}


def line(value: dict[str, Any], **changes: Any) -> bytes:
    return json.dumps({key: one for key, one in {**value, **changes}.items() if one != "absent"}).encode() + b"\n"


def read(path: Path, data: bytes) -> tuple[list[Post | Comment], Reading]:
    path.write_bytes(data)
    reading = Reading()
    return list(read_things(path, reading, lambda size: None)), reading


def dropped(reading: Reading) -> dict[str, int]:
    return {reason: number for reason, number in reading.lines.items() if reason != "read"}


def test_content_decides_what_a_line_is(tmp_path: Path) -> None:
    things, reading = read(tmp_path / "anything.txt", line(COMMENT) + line(POST))
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
        ({"created_utc": None}, ("created_utc", None)),
        ({"created_utc": "absent"}, ("created_utc", None)),
        ({"created_utc": 0}, ("created_utc", None)),
        ({"created_utc": "soon"}, ("created_utc", None)),
        ({"created_utc": 10**30}, ("created_utc", None)),
        ({"score": None}, ("score", None)),
        ({"score": "-4"}, ("score", -4)),
        ({"score": True}, ("score", None)),
        ({"edited": 1400000005.0}, ("edited", True)),
        ({"edited": True}, ("edited", True)),
        ({"edited": None}, ("edited", False)),
        ({"edited": "absent"}, ("edited", False)),
        ({"id": "absent", "name": "t1_c1"}, ("comment_id", "c1")),
        ({"id": "t1_c1"}, ("comment_id", "c1")),
        ({"author": None}, ("author", "[deleted]")),
        ({"body": None}, ("text", "")),
        ({"parent_id": "t1_c0"}, ("parent_is_post", False)),
        ({"parent_id": "c0"}, ("parent_id", "c0")),
        ({"parent_id": "p1"}, ("parent_is_post", True)),
        ({"distinguished": "moderator"}, ("distinguished", "moderator")),
        ({"_meta": {"removal_type": "deleted"}}, ("comment_id", "c1")),
    ],
)
def test_types_of_every_era(tmp_path: Path, changes: dict[str, Any], expected: tuple[str, Any]) -> None:
    [thing], _ = read(tmp_path / "c.ndjson", line(COMMENT, **changes))
    assert getattr(thing, expected[0]) == expected[1]


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (b"{not json\n", "not JSON"),
        (b'{"id": ' + b"[" * 100_000 + b"\n", "not JSON"),
        (b"[1, 2]\n", "not an object"),
        (b"null\n", "not an object"),
        (line(COMMENT, id="absent"), "no id"),
        (line(COMMENT, id=7), "no id"),
        (line(POST, id=""), "no id"),
        (line(COMMENT, link_id="absent"), "no link_id or parent_id"),
        (line(COMMENT, parent_id=None), "no link_id or parent_id"),
        (line({"id": "x", "text": "of another kind"}), "neither submission nor comment"),
        (line({"count": 3, "parent_id": "t1_c1", "id": "d", "name": "t1_d", "children": ["d", "e"]}), "a stub for more comments"),
    ],
)
def test_a_bad_line_is_counted_and_the_rest_read(tmp_path: Path, bad: bytes, reason: str) -> None:
    things, reading = read(tmp_path / "c.ndjson", line(POST) + bad + line(COMMENT))
    assert [type(thing) for thing in things] == [Post, Comment]
    assert dropped(reading) == {reason: 1}
    assert reading.lines["read"] == 3


def test_characters_that_are_no_text_are_replaced_and_counted(tmp_path: Path) -> None:
    bad = [b'"body": "a\xffb"', b'"body": "a\\ud800b"', b'"body": "a\x01b"']
    data = b"".join(b'{"id": "c%d", %s, "link_id": "t3_p1", "parent_id": "t3_p1"}\n' % (index, body) for index, body in enumerate(bad))
    things, reading = read(tmp_path / "c.ndjson", data)
    assert [thing.text for thing in things] == ["a\ufffdb", "a?b", "a\x01b"]
    assert reading.mended.total() == 3
    assert not dropped(reading)


def test_a_line_of_fifty_megabytes_is_skipped_without_being_held(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "MAX_LINE", 1000)
    monkeypatch.setattr(sources, "_PLAIN_BLOCK", 64)
    things, reading = read(
        tmp_path / "c.ndjson", line(POST) + line(COMMENT, body="x" * 5000) + line(COMMENT) + line(COMMENT, body="y" * 5000)[:-1]
    )
    assert [type(thing) for thing in things] == [Post, Comment]
    assert dropped(reading) == {"line too long": 2}


@given(st.lists(st.binary(max_size=40).map(lambda data: data.replace(b"\n", b"")), max_size=20), st.integers(1, 50))
def test_lines_do_not_depend_on_where_blocks_end(lines: list[bytes], size: int) -> None:
    data = b"\n".join(lines)
    blocks = [data[start : start + size] for start in range(0, len(data), size)]
    expected = data.split(b"\n")
    assert list(sources._lines(iter(blocks))) == (expected if expected[-1] else expected[:-1])


@given(st.text())
def test_unescaping_undoes_one_level_only(text: str) -> None:
    def escape(one: str) -> str:
        return one.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")

    assert unescape_once(escape(text)) == text
    assert unescape_once(escape(escape(text))) == escape(text)


def many(count: int) -> bytes:
    return line(POST) + b"".join(line(COMMENT, id=f"c{index}", body=f"reply {index} " * 20) for index in range(count))


def test_several_frames_are_one_file_whatever_its_name(tmp_path: Path) -> None:
    data = many(300)
    compress = zstandard.ZstdCompressor().compress
    skippable = (0x184D2A5B).to_bytes(4, "little") + (3).to_bytes(4, "little") + b"abc"
    cut = len(data) // 3  # in the middle of a line
    things, reading = read(tmp_path / "c.ndjson", compress(data[:cut]) + skippable + compress(b"") + compress(data[cut:]))
    assert len(things) == 301
    assert not reading.damaged and not dropped(reading)


def long_window_frame(data: bytes, exponent: int = 21) -> bytes:
    """A frame whose header asks for a window of 2^(10 + exponent) bytes, as ``zstd --long`` writes it."""
    compressor = zstandard.ZstdCompressor().compressobj()
    frame = compressor.compress(data) + compressor.flush()
    assert frame[4] == 0  # no content size, no single segment: the next byte is the window
    return frame[:5] + bytes([exponent << 3]) + frame[6:]


def test_a_window_of_two_gibibytes_is_read_and_a_larger_one_is_an_error(tmp_path: Path) -> None:
    data = long_window_frame(many(20))
    with pytest.raises(zstandard.ZstdError):
        zstandard.ZstdDecompressor().decompressobj().decompress(data)  # what the library does unasked
    assert len(read(tmp_path / "c.zst", data)[0]) == 21
    with pytest.raises(SuasionError, match="Nothing of this zstd file"):
        read(tmp_path / "d.zst", long_window_frame(many(20), 22))


def random_text(count: int, seed: int = 1) -> bytes:
    """Lines that hardly compress: frames of many blocks."""
    import random

    generator = random.Random(seed)
    return line(POST) + b"".join(
        line(COMMENT, id=f"c{index}", body="".join(chr(generator.randint(33, 126)) for _ in range(2000))) for index in range(count)
    )


def test_a_truncated_file_gives_what_stands_before_the_cut(tmp_path: Path) -> None:
    compressed = zstandard.ZstdCompressor().compress(random_text(300))
    things, reading = read(tmp_path / "c.zst", compressed[: len(compressed) // 2])
    assert 75 < len(things) < 160
    assert list(reading.damaged) == ["c.zst"]
    assert reading.lines["not JSON"] == 1  # the line that was torn


def test_corruption_loses_only_what_stands_behind_it(tmp_path: Path) -> None:
    whole, spoilt = (zstandard.ZstdCompressor(write_checksum=True).compress(random_text(40, seed)) for seed in (1, 2))
    middle = len(spoilt) // 2
    spoilt = spoilt[:middle] + bytes(value ^ 0xFF for value in spoilt[middle : middle + 64]) + spoilt[middle + 64 :]
    things, reading = read(tmp_path / "c.zst", whole + spoilt)
    assert len(things) >= 41
    assert list(reading.damaged) == ["c.zst"]


def test_small_frames_before_garbage_are_all_kept(tmp_path: Path) -> None:
    compress = zstandard.ZstdCompressor().compress
    things, reading = read(tmp_path / "c.zst", compress(line(POST)) + compress(line(COMMENT)) + b"garbage" * 10)
    assert len(things) == 2
    assert list(reading.damaged) == ["c.zst"]


def test_blocks_before_damage_in_the_same_read_are_kept(tmp_path: Path) -> None:
    compressor = zstandard.ZstdCompressor().compressobj()
    first = compressor.compress(line(POST) + line(COMMENT)) + compressor.flush(zstandard.COMPRESSOBJ_FLUSH_BLOCK)
    broken_block = bytes([0x06, 0x00, 0x00])  # block type 3 is reserved: an error by the format
    things, reading = read(tmp_path / "c.zst", first + broken_block + b"\0" * 20)
    assert len(things) == 2
    assert list(reading.damaged) == ["c.zst"]


def test_nothing_readable_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(SuasionError, match="Nothing of this zstd file"):
        read(tmp_path / "c.zst", b"\x28\xb5\x2f\xfd" + b"\xff" * 50)


@pytest.mark.parametrize("magic", [b"\x1f\x8b", b"BZh9", b"PK\x03\x04", b"PAR1", b"\xfd7zXZ\0"])
def test_other_packings_are_named(tmp_path: Path, magic: bytes) -> None:
    with pytest.raises(SuasionError, match="which is not read here") as caught:
        read(tmp_path / "c.json", magic + b"\0" * 30)
    assert "zstd" in str(caught.value)


def test_an_empty_file_and_a_byte_order_mark(tmp_path: Path) -> None:
    assert read(tmp_path / "a", b"") == ([], Reading())
    assert len(read(tmp_path / "b", b"\xef\xbb\xbf" + line(POST) + b"\r\n\n")[0]) == 1


def test_a_folder_stands_for_its_dumps(tmp_path: Path) -> None:
    for name in ("cmv_comments.zst", "cmv_submissions.ndjson", "RC_2015-01.json", "notes.json", ".hidden_comments.json", "comments.txt"):
        (tmp_path / name).touch()
    assert [path.name for path in find_files([tmp_path])] == ["RC_2015-01.json", "cmv_comments.zst", "cmv_submissions.ndjson"]
    assert len(find_files([tmp_path, tmp_path / "cmv_comments.zst"])) == 3


def test_what_is_not_there_or_of_another_kind_is_said(tmp_path: Path) -> None:
    with pytest.raises(SuasionError, match="no such file"):
        find_files([tmp_path / "absent"])
    with pytest.raises(SuasionError, match="no source"):
        find_files([])
    for name in ("utterances.jsonl", "conversations.json"):
        (tmp_path / name).touch()
    with pytest.raises(SuasionError, match="ConvoKit") as caught:
        find_files([tmp_path])
    assert "NDJSON" in str(caught.value)


def test_the_shipped_sample_is_found() -> None:
    assert find_files([sample_folder()])
