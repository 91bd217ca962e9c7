from __future__ import annotations

import bz2
import gzip
import json
import random
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from suasion.errors import SuasionError
from suasion.persuasion.mining.sources import jsonrows, packed
from suasion.persuasion.mining.sources.jsonrows import objects, peek
from suasion.persuasion.mining.sources.lines import Reading

PACK = {"plain": bytes, "gzip": gzip.compress, "bzip2": bz2.compress}


def read(path: Path, data: bytes, limit: int = jsonrows.MAX_LINE) -> tuple[list[dict[str, Any]], Reading, int]:
    path.write_bytes(data)
    reading, taken = Reading(), []
    found = list(objects(path, reading, taken.append, limit))
    return found, reading, sum(taken)


@cache
def some(count: int, length: int = 200) -> list[dict[str, Any]]:
    """Rows that hardly compress."""
    letters, generator = [chr(code) for code in range(33, 0x2FF)], random.Random(1)
    return [{"id": number, "text": "".join(generator.choices(letters, k=length))} for number in range(count)]


def json_lines(rows: list[dict[str, Any]]) -> bytes:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()


@pytest.mark.parametrize("packing", PACK)
@pytest.mark.parametrize("as_list", [False, True])
def test_lines_and_lists_however_packed_give_the_same(tmp_path: Path, packing: str, as_list: bool) -> None:
    rows = some(300)
    data = json.dumps(rows, indent=1).encode() if as_list else json_lines(rows)
    data = PACK[packing](data)
    found, reading, taken = read(tmp_path / "named.anything", data)
    assert found == rows
    assert reading == Reading() and taken == len(data)


@pytest.mark.parametrize(
    ("bad", "reason"),
    [(b"{torn", "not JSON"), (b"[1]", "not an object"), (b"null", "not an object"), (b"\0\0\0", "not JSON"), (b"[" * 99_999, "not JSON")],
)
def test_a_bad_line_costs_itself(tmp_path: Path, bad: bytes, reason: str) -> None:
    found, reading, _ = read(tmp_path / "x", b'{"a": 1}\n' + bad + b'\r\n\n{"a": 2}')
    assert found == [{"a": 1}, {"a": 2}]
    assert reading.lines == {"read": 1, reason: 1}


def test_a_long_line_is_skipped_without_being_held(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packed, "BLOCK", 64)
    data = b'{"a": 1}\n{"a": "' + b"x" * 5000 + b'"}\n{"a": 2}\n{"a": "' + b"y" * 5000
    found, reading, _ = read(tmp_path / "x", data, limit=1000)
    assert found == [{"a": 1}, {"a": 2}]
    assert reading.lines == {"read": 2, "line too long": 2}


@pytest.mark.parametrize("form", ["%s\n", "[%s]"])
def test_characters_that_are_no_text_are_replaced_and_counted(tmp_path: Path, form: str) -> None:
    for bad, text in [(b'{"a": "x\xffy"}', "x\ufffdy"), (b'{"a": "x\\ud800y"}', "x?y"), (b'{"a": "x\x01y"}', "x\x01y")]:
        found, reading, _ = read(tmp_path / "x", form.encode() % bad)
        assert found == [{"a": text}]
        assert reading.mended == {"invalid characters replaced": 1}
        assert not reading.lines


def test_what_python_writes_for_no_number_is_none(tmp_path: Path) -> None:
    for form in (b"%s", b"[%s]"):
        found, reading, _ = read(tmp_path / "x", form % b'{"a": NaN, "b": "\\u00e9"}')
        assert found == [{"a": None, "b": "é"}]
        assert not reading.mended.total()


@pytest.mark.parametrize("packing", ["gzip", "bzip2"])
def test_a_packed_file_cut_off_gives_all_before_the_cut(tmp_path: Path, packing: str) -> None:
    rows = some(6000, length=400)  # more than two of bzip2's blocks
    data = PACK[packing](json_lines(rows))
    found, reading, _ = read(tmp_path / "x.bz2", data[: len(data) * 3 // 4])
    assert len(rows) / 3 < len(found) < len(rows)
    assert found == rows[: len(found)]
    assert list(reading.damaged) == ["x.bz2"]
    assert reading.lines["not JSON"] == 1  # the line that was torn


@pytest.mark.parametrize("packing", ["gzip", "bzip2"])
def test_streams_before_garbage_are_all_kept(tmp_path: Path, packing: str) -> None:
    pack = PACK[packing]
    for garbage in (b"garbage" * 10, pack(json_lines(some(1)))[:12]):
        found, reading, _ = read(tmp_path / "x", pack(b'{"a": 1}\n{"a"') + b"\0" * 5 + pack(b": 2}\n") + garbage)
        assert found == [{"a": 1}, {"a": 2}]
        assert list(reading.damaged) == ["x"]
    found, reading, _ = read(tmp_path / "x", pack(b'{"a": 1}\n') + b"\0" * 512)
    assert found == [{"a": 1}] and not reading.damaged  # padding is no damage


def test_a_block_before_damage_in_the_same_read_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packed, "_PACKED_BLOCK", 1 << 22)  # the whole file in one read
    rows = some(600, length=400)
    data = bytearray(bz2.compress(json_lines(rows), 1))  # blocks of 100 kB
    data[len(data) * 2 // 3] ^= 0xFF
    found, reading, _ = read(tmp_path / "x", bytes(data))
    assert len(found) > 200 and found == rows[: len(found)]
    assert list(reading.damaged) == ["x"]


def test_nothing_readable_and_foreign_kinds_are_errors(tmp_path: Path) -> None:
    for data, message in [
        (bz2.compress(json_lines(some(5)))[:40], "Nothing of this file"),
        (b"BZh9" + b"\xff" * 50, "Nothing of this file"),
        (b"\x28\xb5\x2f\xfd....", "zstd"),
        (b"PAR1....", "Parquet"),
        (b"PK\x03\x04....", "zip"),
    ]:
        with pytest.raises(SuasionError, match=message):
            read(tmp_path / "x", data)
    with pytest.raises(SuasionError, match="Cannot be read"):
        list(objects(tmp_path / "absent", Reading(), lambda size: None))


def test_a_bomb_does_not_fill_the_memory(tmp_path: Path) -> None:
    import tracemalloc

    (tmp_path / "x").write_bytes(bz2.compress(b"\0" * (100 << 20)))
    tracemalloc.start()
    assert not list(objects(tmp_path / "x", reading := Reading(), lambda size: None, limit=1000))
    assert tracemalloc.get_traced_memory()[1] < 30 << 20
    tracemalloc.stop()
    assert reading.lines["line too long"] == 1


def test_a_list_that_breaks_off_is_noted(tmp_path: Path) -> None:
    for data in (b'[{"a": 1}, {"a": 2', b'[{"a": 1}, oops, {"a": 3}]', b'[{"a": 1},'):
        found, reading, _ = read(tmp_path / "x", data)
        assert found == [{"a": 1}] and list(reading.damaged) == ["x"]
    found, reading, _ = read(tmp_path / "x", b'[{"a": 1}]\n{"a": 2}\n')
    assert found == [{"a": 1}] and reading.lines["not JSON"] == 1 and reading.damaged
    assert read(tmp_path / "x", b" [] \n")[1] == read(tmp_path / "x", b"")[1] == Reading()


@given(st.lists(st.dictionaries(st.text(max_size=3), st.text(max_size=30) | st.integers() | st.none()), max_size=12), st.integers(1, 40))
def test_a_list_does_not_depend_on_where_blocks_end(rows: list[dict[str, Any]], size: int) -> None:
    data = json.dumps(rows, ensure_ascii=False).encode("utf-8", "replace")[1:]

    def content() -> Iterator[bytes]:
        yield from (data[start : start + size] for start in range(0, len(data), size))

    reading = Reading()
    found = list(jsonrows._elements(content(), Path("x"), reading, lambda: 0, 10_000))
    assert len(found) == len(rows)
    assert not reading.damaged and not reading.lines


@given(st.binary(max_size=300))
def test_any_bytes_are_read_or_counted(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    path = tmp_path_factory.getbasetemp() / "any-bytes"
    path.write_bytes(data)
    peek(path)
    try:
        list(objects(path, Reading(), lambda size: None))
    except SuasionError as error:
        assert error.where


def test_peek_never_reads_far(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packed, "BLOCK", 1000)
    monkeypatch.setattr(jsonrows, "BLOCK", 1000)
    path = tmp_path / "x"
    path.write_bytes(json_lines(some(500)))
    assert [row["id"] for row in peek(path)] == list(range(8))
    path.write_bytes(b"no line ends here " * 10_000)
    assert peek(path, limit=2000) == [] == peek(tmp_path / "absent") == peek(tmp_path)
