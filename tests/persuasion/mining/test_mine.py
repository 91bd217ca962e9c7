from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
import typer
import zstandard
from typer.testing import CliRunner

from suasion.cli.mine import mine_command
from suasion.errors import SuasionError
from suasion.persuasion.mining.mine import MineResult, mine
from suasion.persuasion.mining.sources import sample_folder

REAL = Path(__file__).resolve().parents[3].parent / "shared/data/cmv/full-threads"
THANKS = "You are right about the price of tea, and I had never thought of it that way. "


def post(debate_id: str = "p1", **more: Any) -> dict[str, Any]:
    return {"id": debate_id, "author": "ann", "title": "CMV: tea", "selftext": "Tea &gt; coffee", "created_utc": 1400000000} | more


def comment(comment_id: str, parent: str, author: str, body: str = "Because.", debate: str = "p1", **more: Any) -> dict[str, Any]:
    return {"id": comment_id, "author": author, "body": body, "link_id": f"t3_{debate}", "parent_id": parent, **more}


def debate(bot: bool = True) -> list[dict[str, Any]]:
    thread = [
        post(),
        comment("c1", "t3_p1", "bob", "A reply &amp; more"),
        comment("c2", "t1_c1", "ann", THANKS + "!delta", edited=1400000009.0),
        comment("c3", "t3_p1", "eve", "Another reply"),
        comment("c4", "t1_c3", "ann", THANKS + "∆ again"),
    ]
    return thread + [comment("c5", "t1_c2", "DeltaBot", "Confirmed: 1 delta awarded to /u/bob", distinguished="moderator")] * bot


def write(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def mined(tmp_path: Path, rows: list[dict[str, Any]]) -> tuple[MineResult, dict[str, list[dict[str, Any]]]]:
    out = tmp_path / "out"
    out.mkdir(exist_ok=True)
    result = mine([write(tmp_path / "dump.ndjson", rows)], out)
    return result, {name: pq.read_table(out / f"{name}.parquet").to_pylist() for name in ("posts", "comments", "awards")}


def assert_adds_up(counts: dict[str, dict[str, int]]) -> None:
    for step, numbers in counts.items():
        if step not in ("mended", "truncated"):
            others = sum(number for reason, number in numbers.items() if reason not in ("read", "kept"))
            assert numbers["read"] == numbers["kept"] + others, step


def test_tables_have_the_agreed_columns(tmp_path: Path) -> None:
    result, tables = mined(tmp_path, debate())
    assert tables["posts"] == [
        {"debate_id": "p1", "author": "ann", "title": "CMV: tea", "text": "Tea > coffee", "created_utc": 1400000000, "score": None}
    ]
    assert tables["comments"][1] == {
        "comment_id": "c2",
        "debate_id": "p1",
        "parent_id": "c1",
        "parent_is_post": False,
        "depth": 1,
        "author": "ann",
        "text": THANKS + "!delta",
        "created_utc": None,
        "score": None,
        "edited": True,
        "distinguished": None,
    }
    assert tables["awards"] == [
        {
            "debate_id": "p1",
            "award_id": "c2",
            "winner_id": "c1",
            "giver": "ann",
            "winner": "bob",
            "by_author": True,
            "source": "deltabot",
            "revoked": False,
        }
    ]
    counts = json.loads((tmp_path / "out/counts.json").read_text())
    assert counts == result.counts
    assert counts["comments with a token"] == {"read": 2, "confirmed by DeltaBot": 1, "not confirmed by DeltaBot": 1, "kept": 0}
    assert_adds_up(counts)


def test_without_the_bot_tokens_speak(tmp_path: Path) -> None:
    result, tables = mined(tmp_path, debate(bot=False))
    assert [(award["winner_id"], award["source"]) for award in tables["awards"]] == [("c1", "token"), ("c3", "token")]
    assert_adds_up(result.counts)


def test_every_trouble_is_counted_and_nothing_is_lost_beside_it(tmp_path: Path) -> None:
    rows = [
        *debate(),
        comment("c1", "t3_p1", "bob", "a copy"),
        comment("o1", "t1_lost", "eve", "an orphan"),
        comment("o2", "t1_o1", "ann", THANKS),
        comment("o3", "t1_o2", "DeltaBot", "Confirmed: 1 delta awarded to /u/eve"),
        comment("l1", "t1_l2", "eve"),
        comment("l2", "t1_l1", "eve"),
        comment("x1", "t3_p9", "eve", debate="p9"),
        {"id": "m", "count": 2, "parent_id": "t1_c1", "children": ["a"]},
        {"body": "no id", "link_id": "t3_p1", "parent_id": "t3_p1"},
    ]
    result, tables = mined(tmp_path, rows)
    assert {award["winner_id"] for award in tables["awards"]} == {"c1", "o1"}
    assert {row["comment_id"]: row["depth"] for row in tables["comments"]} == {
        "c1": 0, "c2": 1, "c3": 0, "c4": 1, "c5": 2, "o1": -1, "o2": -1, "o3": -1,
    }  # fmt: skip
    assert result.counts["comments"] == {"read": 12, "copy of another": 1, "in a loop": 2, "post absent": 1, "kept": 8}
    assert result.counts["comments in trees"] == {"read": 8, "below an orphan": 2, "orphan": 1, "kept": 5}
    assert result.counts["lines"] == {"read": 15, "a stub for more comments": 1, "no id": 1, "kept": 13}
    assert_adds_up(result.counts)


def test_a_dump_in_another_order_gives_the_same_debates(tmp_path: Path) -> None:
    _, tables = mined(tmp_path, debate())
    _, backwards = mined(tmp_path, debate()[::-1])
    assert backwards["awards"] == tables["awards"]
    assert sorted(backwards["comments"], key=lambda row: row["comment_id"]) == tables["comments"]


def test_a_truncated_file_is_warned_of_and_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path / "submissions.ndjson", [post()])
    compress = zstandard.ZstdCompressor().compress
    whole = compress("".join(json.dumps(row) + "\n" for row in debate()[1:]).encode())
    (tmp_path / "comments.zst").write_bytes(whole + compress(b"lost " * 1000)[:-5])
    (tmp_path / "out").mkdir()
    result = mine([tmp_path], tmp_path / "out")
    assert result.truncated == ("comments.zst",)
    assert list(result.counts["truncated"]) == ["comments.zst"]
    assert result.comments == 5
    assert "WARNING: comments.zst" in capsys.readouterr().err


def test_half_a_dump_is_refused_and_nothing_is_written(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    for rows, message in [
        (debate()[1:], "no submissions in the source, and 5 comments"),
        ([post()], "no comments in the source, and 1 submission"),
        ([post("p2"), *debate()[1:]], "None of 5 comments"),
        ([{"id": "x", "text": "other"}], "neither submission nor comment 1"),
        ([], "no submissions"),
    ]:
        with pytest.raises(SuasionError, match=message):
            mine([write(tmp_path / "dump.json", rows)], tmp_path / "out")
    assert not list((tmp_path / "out").iterdir())


def test_no_awards_at_all_leaves_an_empty_table(tmp_path: Path) -> None:
    result, tables = mined(tmp_path, debate()[:2])
    assert tables["awards"] == [] and result.awards == 0
    assert "by_author" in pq.read_schema(tmp_path / "out/awards.parquet").names


def test_the_shipped_sample(tmp_path: Path) -> None:
    result = mine([sample_folder()], tmp_path)
    assert result.by_author >= 30 and result.winners >= 30
    assert result.counts["lines"]["read"] == result.counts["lines"]["kept"]
    assert_adds_up(result.counts)


def test_the_command_makes_a_run_and_prints_json(tmp_path: Path) -> None:
    app = typer.Typer()
    app.command()(mine_command)
    answer = CliRunner().invoke(app, ["sample", "--root", str(tmp_path / "runs"), "--json"], catch_exceptions=False)
    assert answer.exit_code == 0
    printed = json.loads(answer.stdout)
    folder = Path(printed["folder"])
    assert folder.parent == tmp_path / "runs" and "_Mine_" in folder.name
    assert printed["counts"] == json.loads((folder / "counts.json").read_text())
    assert {path.name for path in folder.glob("*.parquet")} == {"posts.parquet", "comments.parquet", "awards.parquet"}
    table = CliRunner().invoke(app, ["sample", "--out", str(tmp_path / "here")], catch_exceptions=False)
    assert "awards by the posts' authors" in table.stdout and (tmp_path / "here/awards.parquet").is_file()


@pytest.mark.skipif(not REAL.is_dir(), reason="needs ../shared/data/cmv/full-threads")
def test_real_threads(tmp_path: Path) -> None:
    result = mine([REAL], tmp_path)
    assert (result.posts, result.comments) == (41, 1947)
    assert (result.awards, result.by_author, result.winners) == (55, 47, 47)
    assert_adds_up(result.counts)
    awards = pq.read_table(tmp_path / "awards.parquet").to_pylist()
    comments = {row["comment_id"]: row for row in pq.read_table(tmp_path / "comments.parquet").to_pylist()}
    authors = {row["debate_id"]: row["author"] for row in pq.read_table(tmp_path / "posts.parquet").to_pylist()}
    for award in awards:
        assert award["source"] == "deltabot"
        assert comments[award["award_id"]]["parent_id"] == award["winner_id"]
        assert comments[award["winner_id"]]["author"] == award["winner"] != authors[award["debate_id"]]


@pytest.mark.skipif(not REAL.is_dir(), reason="needs ../shared/data/cmv/full-threads")
def test_real_threads_compressed_with_the_bot_filtered_out(tmp_path: Path) -> None:
    for name in ("submissions", "comments"):
        lines = (REAL / f"changemyview_{name}.ndjson").read_bytes().splitlines(keepends=True)
        kept = b"".join(line for line in lines if json.loads(line)["author"] != "DeltaBot")
        (tmp_path / f"{name}.zst").write_bytes(zstandard.ZstdCompressor().compress(kept))
    (tmp_path / "out").mkdir()
    result = mine([tmp_path], tmp_path / "out")
    awards = pq.read_table(tmp_path / "out/awards.parquet").to_pylist()
    assert {award["source"] for award in awards} == {"token"}
    assert 47 <= result.awards <= 60  # tokens alone find nearly what the bot confirmed
