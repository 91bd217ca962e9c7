from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from suasion.errors import SuasionError
from suasion.persuasion.mining import chunks
from suasion.persuasion.mining.chunks import Chunks, PartReader, part_of, parts_for
from suasion.persuasion.mining.debates import Comment, Label, Post
from suasion.persuasion.mining.sources.columns import Batch, collect
from suasion.persuasion.mining.sources.lines import Reading

POSTS = [Post(f"p{number}", "ann", "CMV", "A view.", None, number) for number in range(40)]
COMMENTS = [Comment(f"c{number}", f"p{number % 40}", "x", False, "bob", f"Text {number}") for number in range(200)]
BOTS = [Comment(f"b{number}", "p1", "c1", False, name, "Confirmed") for number, name in enumerate(["DeltaBot", "deltabot", "Deltabot2"])]
LABEL = Label("p3", "c3", None, "bob", True, "convokit")


def batch(*things: Post | Comment | Label, **lines: int) -> Batch:
    made = Batch(reading=Reading(Counter(lines), Counter(mended=1)))
    collect(made, things)
    return made


def parts(made: Chunks) -> tuple[list[list[str]], list[list[str]]]:
    reader = PartReader(made)
    read = [reader.read([part]) for part in range(made.parts)]
    return [posts["debate_id"].to_pylist() for posts, _ in read], [comments["comment_id"].to_pylist() for _, comments in read]


@pytest.mark.parametrize("count", [1, 2, 16])
@pytest.mark.parametrize("most_open", [0, 200])
def test_debates_are_dealt_whole_and_in_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, count: int, most_open: int) -> None:
    monkeypatch.setattr(chunks, "_MOST_OPEN", most_open)
    made = Chunks(tmp_path, count)
    made.write("000-000001", batch(*COMMENTS[100:], *BOTS, *POSTS[20:], read=130))
    made.write("000-000000", batch(*COMMENTS[:100], *POSTS[:20], read=120))
    made.write("001-000000", batch(LABEL, read=1, odd=2))
    posts, comments = parts(made)
    home = dict(
        zip([one.debate_id for one in POSTS], part_of(pa.array([one.debate_id for one in POSTS], pa.large_string()), count), strict=True)
    )
    assert posts == [[one.debate_id for one in POSTS if home[one.debate_id] == part] for part in range(count)]
    assert comments == [[one.comment_id for one in [*COMMENTS, *BOTS] if home[one.debate_id] == part] for part in range(count)]
    totals = made.totals()
    assert (totals.posts, totals.comments, totals.bot, totals.labels) == (40, 203, 2, [LABEL])
    assert (totals.reading.lines, totals.reading.mended) == ({"read": 251, "odd": 2}, {"mended": 3})
    assert [[LABEL] if part == home["p3"] else [] for part in range(count)] == parts_for([LABEL], count)


@given(st.lists(st.text(max_size=6), max_size=8), st.integers(1, 300), st.integers(0, 3))
def test_a_debates_part_depends_on_its_id_alone(ids: list[str], count: int, offset: int) -> None:
    whole = part_of(pa.array([*["x"] * offset, *ids], pa.large_string()).slice(offset), count)
    alone = [int(part_of(pa.chunked_array([pa.array([one], pa.large_string())]), count)[0]) for one in ids]
    assert whole.tolist() == alone
    assert all(0 <= part < count for part in alone)


def test_ids_that_are_counted_upwards_are_dealt_evenly() -> None:
    letters = "0123456789abcdefghijklmnopqrstuvwxyz"
    ids = [a + b + c for a in letters[:10] for b in letters for c in letters]
    sizes = Counter(part_of(pa.array(["2k" + one for one in ids], pa.large_string()), 256).tolist())
    assert len(sizes) == 256 and max(sizes.values()) < 3 * len(ids) / 256


def things(reading: Reading) -> Iterator[Post | Comment | Label]:
    for number, one in enumerate([*POSTS, *COMMENTS, LABEL]):
        reading.lines["read"] += 1
        if number % 10 == 0:
            reading.lines["read"] += 1
            reading.lines["bad"] += 1
        yield one
    reading.lines["read"] += 1
    reading.lines["at the end"] += 1


def test_a_stream_that_was_killed_goes_on_without_writing_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chunks, "_THINGS_AT_ONCE", 50)
    whole, torn = Chunks(tmp_path / "whole", 4), Chunks(tmp_path / "torn", 4)
    for made in (whole, torn):
        made.folder.mkdir()
    reading = Reading()
    whole.write_things("000", things(reading), reading)

    def stops(reading: Reading) -> Iterator[Post | Comment | Label]:
        for number, one in enumerate(things(reading)):
            if number == 120:
                raise KeyboardInterrupt
            yield one

    reading = Reading()
    with pytest.raises(KeyboardInterrupt):
        torn.write_things("000", stops(reading), reading)
    before = {path.name: path.stat().st_mtime_ns for path in torn.folder.iterdir()}
    assert torn.done("000-000001") and not torn.done("000-000002")
    reading = Reading()
    torn.write_things("000", things(reading), reading)
    assert {name: (torn.folder / name).stat().st_mtime_ns for name in before} == before
    assert parts(torn) == parts(whole)
    assert torn.totals() == whole.totals()
    assert whole.totals().reading.lines == {"read": 241 + 25 + 1, "bad": 25, "at the end": 1}


def test_nothing_makes_an_empty_chunk(tmp_path: Path) -> None:
    made = Chunks(tmp_path, 2)
    made.write_things("000", iter(()), Reading())
    assert made.done("000-000000")
    assert parts(made) == ([[], []], [[], []])


def test_a_chunk_is_done_only_when_all_of_it_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = Chunks(tmp_path, 2)

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(chunks.os, "replace", full)
        with pytest.raises(SuasionError, match="Could not write: No space left on device") as caught:
            made.write("000-000000", batch(*POSTS))
    assert str(tmp_path) in str(caught.value) and "space" in str(caught.value.hint)
    assert not made.done("000-000000") and not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["000-000000.json", "000-000000.posts.arrow", "000-000000.comments.arrow"])
def test_a_chunk_that_a_power_cut_broke_is_named(tmp_path: Path, name: str) -> None:
    made = Chunks(tmp_path, 2)
    made.write("000-000000", batch(*POSTS, *COMMENTS))
    (tmp_path / name).write_bytes(b"")
    with pytest.raises(SuasionError, match="cannot be read back") as caught:
        made.totals()
        parts(made)
    assert "Delete this folder" in str(caught.value) and str(tmp_path) in str(caught.value)


def test_labels_survive(tmp_path: Path) -> None:
    made = Chunks(tmp_path, 1)
    odd = Label("pé", "c", None, None, False, 'de"ltalog')
    made.write("000-000000", batch(odd))
    assert made.totals().labels == [odd]
    assert json.loads((tmp_path / "000-000000.json").read_text())["posts"] == 0
