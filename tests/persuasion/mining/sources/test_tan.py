from __future__ import annotations

import bz2
import gzip
import json
from importlib import resources
from pathlib import Path
from typing import Any

import pytest

from suasion.errors import SuasionError
from suasion.persuasion.mining.debates import Comment, Post
from suasion.persuasion.mining.sources import tan
from suasion.persuasion.mining.sources.lines import Reading, read_line
from suasion.persuasion.mining.sources.ready import ReadyPair
from suasion.persuasion.mining.sources.tan import kind_of, read, read_pairs

SAMPLE = Path(str(resources.files("suasion") / "samples"))
PACK = {"": bytes, ".gz": gzip.compress, ".bz2": bz2.compress}
OP_TASK = {"title": "CMV: tea", "selftext": "Tea", "name": "t3_p1", "delta_label": True}
STUB = {"count": 3, "parent_id": "t1_c1", "id": "d", "name": "t1_d", "children": ["d", "e"]}


def json_lines(rows: list[Any]) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def loaded(path: Path) -> tuple[list[Post | Comment], Reading]:
    reading, taken = Reading(), []
    things = list(read(path, reading, taken.append))
    assert sum(taken) == path.stat().st_size
    assert reading.lines["read"] == len(things) + sum(number for reason, number in reading.lines.items() if reason != "read")
    return things, reading


def sample_as_all(extra: list[Any] | None = None) -> tuple[list[dict[str, Any]], list[Post | Comment]]:
    """The shipped sample in the shape of ``all``, and what the dump itself gives."""
    raw = {
        name: [json.loads(line) for line in (SAMPLE / f"changemyview_{name}.ndjson").read_text().splitlines()]
        for name in ("submissions", "comments")
    }
    rows = []
    for post in raw["submissions"]:
        below = [comment for comment in raw["comments"] if comment["link_id"] == f"t3_{post['id']}"]
        replies = {"kind": "Listing", "data": {"children": ["x"]}}
        rows.append({**post, "comments": [{**comment, "replies": replies, "body_html": "x"} for comment in below] + (extra or [])})
    dumped = [thing for one in raw.values() for row in one for thing in read_line(json.dumps(row).encode(), Reading(), None)]
    return rows, [thing for thing in dumped if isinstance(thing, Post | Comment)]


@pytest.mark.parametrize("packing", PACK)
def test_all_gives_the_debates_of_the_dump_it_is_made_from(tmp_path: Path, packing: str) -> None:
    rows, dumped = sample_as_all(extra=[STUB])
    path = tmp_path / f"some_data.jsonlist{packing}"
    path.write_bytes(PACK[packing](json_lines(rows)))
    assert kind_of(path) == "all"
    things, reading = loaded(path)
    assert sorted(things, key=str) == sorted(dumped, key=str) and len(dumped) > 400
    assert reading.lines == {"read": len(things) + len(rows), "a stub for more comments": len(rows)}
    assert isinstance(things[0], Post)


def test_types_of_the_api_and_odd_entries(tmp_path: Path) -> None:
    comment = {
        "id": "c1",
        "name": "t1_c1",
        "parent_id": "t3_p1",
        "author": "bob",
        "body": "No &gt; yes",
        "created_utc": 1.4e9,
        "edited": 5.0,
    }
    rows = [
        {
            "name": "t3_p1",
            "title": "CMV &amp; tea",
            "author": None,
            "comments": [comment, "odd", {"id": "c2"}, {**comment, "author": None}],
        },
        {"title": "no id", "comments": []},
        {"id": "p2", "comments": [{**comment, "link_id": "t3_p2"}]},
        {"id": "p3", "selftext": "text", "comments": None},
    ]
    (tmp_path / "x").write_bytes(json_lines(rows) + b"{torn\n")
    things, reading = loaded(tmp_path / "x")
    first = Comment("c1", "p1", "p1", True, "bob", "No > yes", 1_400_000_000, None, True)
    assert things[:2] == [Post("p1", "[deleted]", "CMV & tea", ""), first]
    assert [thing.author for thing in things[2:]] == ["[deleted]", "bob", "[deleted]"]
    assert reading.lines == {
        "read": 10, "not an object": 1, "no link_id or parent_id": 1, "no id": 1, "neither submission nor comment": 1, "not JSON": 1
    }  # fmt: skip


def test_a_file_cut_off_gives_the_submissions_before_the_cut(tmp_path: Path) -> None:
    rows, dumped = sample_as_all()
    whole = bz2.compress(json_lines(rows[:20]))
    (tmp_path / "all.bz2").write_bytes(whole + bz2.compress(json_lines(rows[20:]))[:-100])
    things, reading = loaded(tmp_path / "all.bz2")
    ids = {row["id"] for row in rows[:20]}
    assert sorted(things, key=str) == sorted((thing for thing in dumped if thing.debate_id in ids), key=str)
    assert list(reading.damaged) == ["all.bz2"]


def test_a_submission_that_is_too_long_is_skipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tan, "MAX_LINE", 1000)
    rows = [{"id": f"p{number}", "title": "CMV", "selftext": "x" * size, "comments": []} for number, size in enumerate([10, 5000, 10])]
    (tmp_path / "x").write_bytes(json_lines(rows))
    things, reading = loaded(tmp_path / "x")
    assert [thing.debate_id for thing in things] == ["p0", "p2"]
    assert reading.lines == {"read": 3, "line too long": 1}


def test_a_line_of_several_megabytes_is_read(tmp_path: Path) -> None:
    comment = {"id": "c", "parent_id": "t3_p1", "author": "bob", "body": "word " * 2000}
    row = {"id": "p1", "title": "CMV", "comments": [{**comment, "id": f"c{number}"} for number in range(1300)]}
    (tmp_path / "x").write_bytes(json_lines([row]))
    assert (tmp_path / "x").stat().st_size > 12 << 20  # more than a line of a dump may have
    assert kind_of(tmp_path / "x") == "all" and len(loaded(tmp_path / "x")[0]) == 1301


def test_content_and_not_the_name_tells_the_part(tmp_path: Path) -> None:
    path = tmp_path / "train_pair_data.jsonlist.bz2"
    pair = {"op_text": "x", "positive": [], "negative": []}
    for rows, kind in [
        ([OP_TASK], "op_task"),
        ([pair], "pair_task"),
        ([{"id": "p1", "title": "x", "comments": []}], "all"),
        ([{"prompt": "x", "positive": "a text", "negative": "another"}], None),
        ([{"id": "c1", "body": "x", "link_id": "t3_p1"}], None),
        ([{"id": "p1", "title": "x", "selftext": "y", "num_comments": 3}], None),
        ([], None),
    ]:
        path.write_bytes(bz2.compress(json_lines(rows)))
        assert kind_of(path) == kind
    path.write_bytes(b"\0\xff" * 50)
    assert kind_of(path) is None is kind_of(tmp_path / "absent")


def test_parts_that_hold_no_debates_are_refused(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(json_lines([OP_TASK]))
    with pytest.raises(SuasionError, match=r"op_task.*no replies"):
        loaded(tmp_path / "x")
    (tmp_path / "x").write_bytes(json_lines([{"op_name": "t3_p1", "positive": {}, "negative": {}}]))
    with pytest.raises(SuasionError, match="no debates") as caught:
        loaded(tmp_path / "x")
    assert "suasion pairs" in str(caught.value)


def reply(comment_id: str, body: str = "Because &amp; so.", author: str = "bob") -> dict[str, Any]:
    return {"id": comment_id, "name": f"t1_{comment_id}", "author": author, "body": body}


def pair(positive: Any, negative: Any, **more: Any) -> dict[str, Any]:
    return {"op_author": "ann", "op_text": "Tea &gt; coffee", "op_title": "CMV: tea", "op_name": "t3_p1", **more} | {
        "positive": positive, "negative": negative
    }  # fmt: skip


def pairs_of(path: Path, rows: list[Any], unit: Any = "root") -> tuple[list[ReadyPair], Reading]:
    path.write_bytes(json_lines(rows))
    reading = Reading()
    found = list(read_pairs(path, reading, lambda size: None, unit))
    assert reading.lines["read"] == len(found) + sum(number for reason, number in reading.lines.items() if reason != "read")
    return found, reading


def test_pairs_as_dictionaries_and_as_bare_lists(tmp_path: Path) -> None:
    won, lost = [reply("c2", "Second."), reply("c1")], [reply("l1", "No.", "eve")]
    rows = [
        pair({"ancestor": "t1_c1", "author": "bob", "comments": won}, {"ancestor": "t1_l1", "author": "eve", "comments": lost}),
        pair(won[::-1], lost),
    ]
    expected = ReadyPair("CMV: tea", "Tea > coffee", "Because & so.", "No.", "test", "p1", "c1", "l1", "bob", "eve", "ann")
    assert pairs_of(tmp_path / "heldout_pair_data.jsonlist", rows)[0] == [expected] * 2
    for one in pairs_of(tmp_path / "train_pair_data.jsonlist", rows, "path")[0]:
        assert (one.winner, one.winner_id, one.split) == ("Because & so.\n\nSecond.", "c2", "train")
    assert pairs_of(tmp_path / "pairs", rows)[0][0].split is None


@pytest.mark.parametrize(
    ("positive", "reason"),
    [
        ([], "no winner or no loser"),
        (None, "no winner or no loser"),
        ({"ancestor": "t1_c1"}, "no winner or no loser"),
        ("text", "no winner or no loser"),
        (["text"], "no winner or no loser"),
        ([reply("c1", "[deleted]")], "an empty or deleted text"),
        ([{"id": "c1", "body": 5}], "an empty or deleted text"),
        ([reply("c1", "No.")], "winner and loser are the same"),
    ],
)
def test_pairs_of_no_use_are_counted(tmp_path: Path, positive: Any, reason: str) -> None:
    found, reading = pairs_of(tmp_path / "x", [pair(positive, [reply("l1", "No.")])])
    assert not found and reading.lines == {"read": 1, reason: 1}


def test_the_sample_of_the_pair_task(shared_data: Path) -> None:
    path = shared_data / "cmv/tan2016-sample/pair_task/heldout_pair_data.jsonlist.bz2"
    assert kind_of(path) == "pair_task"
    raw = [json.loads(line) for line in bz2.decompress(path.read_bytes()).splitlines()]
    for unit in ("root", "path"):
        reading = Reading()
        found = list(read_pairs(path, reading, lambda size: None, unit))
        assert reading == Reading(lines=reading.lines) and reading.lines == {"read": 28} and len(found) == 28
        for one, row in zip(found, raw, strict=True):
            for side in ("positive", "negative"):
                comments = row[side]["comments"] if unit == "path" else row[side]["comments"][:1]
                text, known_id = (one.winner, one.winner_id) if side == "positive" else (one.loser, one.loser_id)
                assert known_id == comments[-1]["id"] and text.count("\n\n") >= len(comments) - 1
                assert comments[0]["body"].split("&")[0][:200] in text
            assert (one.split, one.author, one.debate_id) == ("test", row["op_author"], row["op_name"][3:])
            assert (one.winner_author, one.loser_author) == (row["positive"]["author"], row["negative"]["author"])
