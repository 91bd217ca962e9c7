from __future__ import annotations

import json
import multiprocessing
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
import zstandard

from suasion.errors import SuasionError
from suasion.persuasion.mining import mine as mining
from suasion.persuasion.mining import workers
from suasion.persuasion.mining.mine import MineResult, mine
from suasion.persuasion.mining.sources import columns, dumps, lines
from suasion.persuasion.mining.sources.forms import sample_folder
from tests.persuasion.mining.lines_for_tests import THANKS, as_lines, line
from tests.persuasion.mining.sources.test_lines import DELTALOG

Tables = dict[str, list[dict[str, Any]]]


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


def tables(out: Path) -> Tables:
    return {name: pq.read_table(out / f"{name}.parquet").to_pylist() for name in ("posts", "comments", "awards")}


def mined(tmp_path: Path, data: bytes | list[dict[str, Any]], **named: Any) -> tuple[MineResult, Tables]:
    out = tmp_path / "out"
    out.mkdir(exist_ok=True)
    (tmp_path / "dump.ndjson").write_bytes(data if isinstance(data, bytes) else as_lines(data))
    result = mine([tmp_path / "dump.ndjson"], out, **named)
    assert {path.name for path in out.iterdir()} == {"posts.parquet", "comments.parquet", "awards.parquet", "counts.json"}
    assert json.loads((out / "counts.json").read_text()) == result.counts
    assert_adds_up(result.counts)
    return result, tables(out)


def assert_adds_up(counts: dict[str, dict[str, int]]) -> None:
    for step, numbers in counts.items():
        if step not in ("mended", "truncated"):
            others = sum(number for reason, number in numbers.items() if reason not in ("read", "kept"))
            assert numbers["read"] == numbers["kept"] + others, step
    kept = {step: numbers["kept"] for step, numbers in counts.items() if "kept" in numbers}
    assert counts["comments in trees"]["read"] == kept["comments"]
    assert counts["awards"]["read"] == kept["DeltaBot's comments"] + kept["comments with a token"] + kept["labels"]
    assert counts["awards that stand"]["read"] == kept["awards"]
    assert counts["awards by the post's author"]["read"] == kept["awards that stand"]


def test_tables_have_the_agreed_columns(tmp_path: Path) -> None:
    result, found = mined(tmp_path, debate())
    assert found["posts"] == [
        {"debate_id": "p1", "author": "ann", "title": "CMV: tea", "text": "Tea > coffee", "created_utc": 1400000000, "score": None}
    ]
    assert found["comments"][1] == {
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
    assert found["awards"] == [
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
    assert result.counts["comments with a token"] == {"read": 2, "confirmed by DeltaBot": 1, "not confirmed by DeltaBot": 1, "kept": 0}
    assert (result.posts, result.comments, result.awards, result.by_author, result.winners, result.truncated) == (1, 5, 1, 1, 1, ())


def test_without_the_bot_tokens_speak(tmp_path: Path) -> None:
    _, found = mined(tmp_path, debate(bot=False))
    assert [(award["winner_id"], award["source"]) for award in found["awards"]] == [("c1", "token"), ("c3", "token")]


def test_a_bot_anywhere_silences_tokens_everywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where the bot's comment is in another part."""
    monkeypatch.setattr(mining, "_PART", 1)
    monkeypatch.setattr(mining, "_AT_ONCE", 1)
    elsewhere = [post("p2"), comment("x1", "t3_p2", "DeltaBot", "Confirmed: 1 delta awarded to /u/eve", "p2")]
    _, found = mined(tmp_path, debate(bot=False) + elsewhere)
    assert found["awards"] == []


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
        comment("y1", "t3_p1", "eve", subreddit="AskReddit"),
        {"id": "m", "count": 2, "parent_id": "t1_c1", "children": ["a"]},
        {"body": "no id", "link_id": "t3_p1", "parent_id": "t3_p1"},
        DELTALOG,
    ]
    result, found = mined(tmp_path, as_lines(rows) + b'torn {\n{"id": "u1", "body": "a\xff", "link_id": "t3_p1", "parent_id": "t3_p1"}')
    assert {award["winner_id"] for award in found["awards"]} == {"c1", "o1"}
    assert {row["comment_id"]: row["depth"] for row in found["comments"]} == {
        "c1": 0, "c2": 1, "c3": 0, "c4": 1, "c5": 2, "o1": -1, "o2": -1, "o3": -1, "u1": 0,
    }  # fmt: skip
    assert result.counts["comments"] == {"read": 13, "copy of another": 1, "in a loop": 2, "post absent": 1, "kept": 9}
    assert result.counts["comments in trees"] == {"read": 9, "below an orphan": 2, "orphan": 1, "kept": 6}
    assert result.counts["lines"] == {
        "read": 19, "a stub for more comments": 1, "another subreddit": 1, "no id": 1, "not JSON": 1, "kept": 15,
    }  # fmt: skip
    assert result.counts["mended"] == {"invalid characters replaced": 1}
    assert result.counts["labels"] == {"read": 1, "known from its comment or another label": 1, "kept": 0}


def test_a_dump_in_another_order_gives_the_same_debates(tmp_path: Path) -> None:
    """Comments before posts among them."""
    _, found = mined(tmp_path, debate())
    _, backwards = mined(tmp_path, debate()[::-1])
    assert backwards["awards"] == found["awards"]
    assert sorted(backwards["comments"], key=lambda row: row["comment_id"]) == found["comments"]


def test_times_that_make_no_sense_change_nothing(tmp_path: Path) -> None:
    _, found = mined(tmp_path, debate())
    skewed = [row | {"created_utc": 10**9 - number} for number, row in enumerate(debate())]
    _, other = mined(tmp_path, skewed)
    assert other["awards"] == found["awards"]
    assert [row["depth"] for row in other["comments"]] == [row["depth"] for row in found["comments"]]


def big(path: Path, debates: int = 40) -> Path:
    """Two files, as dumps come: comments in the order of their time, so that debates are mixed, and damage among them."""
    path.mkdir()
    rows: list[bytes] = []
    for number in range(1500):
        name = f"k{number % debates}"
        above = f"t3_{name}" if number < debates * 3 else f"t1_c{number - debates}"
        rows.append(line(comment(f"c{number}", above, f"user{number % 7}", f"Reply {number} &gt; ∆", name, score=number)))
        if number % 20 == 3:
            rows.append(line(comment(f"c{number}", above, "[deleted]", "[removed]", name)))
            rows.append(line(comment(f"g{number}", f"t1_c{number - debates}", "ann", THANKS + f"!delta {number}", name, score="3")))
            rows.append(
                line(
                    comment(
                        f"d{number}", f"t1_g{number}", "DeltaBot", f"Confirmed: 1 delta awarded to /u/user{(number - debates) % 7}", name
                    )
                )
            )
            rows += [
                b"{torn\n",
                line({"body": None, "link_id": "t3_k1", "parent_id": "t3_k1"}),
                line(comment(f"x{number}", "t1_gone", "eve", debate="k1")),
            ]
    (path / "comments.zst").write_bytes(zstandard.ZstdCompressor().compress(b"".join(rows)))
    (path / "submissions.ndjson").write_bytes(b"".join(line(post(f"k{number}")) for number in range(debates)))
    return path


def small(patch: pytest.MonkeyPatch, block: int) -> None:
    patch.setattr(workers, "BLOCK", block)
    patch.setattr(mining, "BLOCK", block)
    patch.setattr(dumps, "_SCANNED", block // 4)
    for module in (lines, dumps, columns):
        patch.setattr(module, "MAX_LINE", block // 3)


def raw(out: Path) -> dict[str, Any]:
    return tables(out) | {"counts": json.loads((out / "counts.json").read_text())}


@pytest.mark.parametrize("scanner", [False, True])
def test_tables_depend_neither_on_workers_nor_on_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, scanner: bool) -> None:
    if not scanner:
        monkeypatch.setattr(workers.machine, "functions", lambda: None)
        # Another test may have imported torch, and processes that are spawned would not know of the small blocks.
        monkeypatch.setattr(workers, "_context", lambda: multiprocessing.get_context("fork"))
    monkeypatch.setattr(mining, "_PART", 1 << 16)
    monkeypatch.setattr(mining, "_AT_ONCE", 1)
    source, found = big(tmp_path / "dump"), []
    for number, (count, block) in enumerate([(0, 24 << 20), (0, 8192), (1, 8192), (2, 8192), (2, 40_000)]):
        out = tmp_path / str(number)
        out.mkdir()
        with pytest.MonkeyPatch.context() as patch:
            small(patch, block)
            result = mine([source], out, workers=count)
        found.append(raw(out))
        assert result.counts["comments"]["copy of another"] == 75 and result.awards > 60
    assert all(one == found[0] for one in found)
    assert_in_order(found[0])
    assert_adds_up(found[0]["counts"])


def assert_in_order(found: dict[str, Any]) -> None:
    """The rows of a debate stand together, and debates in the same order in all three tables."""
    order = [row["debate_id"] for row in found["posts"]]
    assert len(set(order)) == len(order)
    for name in ("comments", "awards"):
        debates = [row["debate_id"] for row in found[name]]
        together = list(dict.fromkeys(debates))
        assert debates == [one for one in together for _ in range(Counter(debates)[one])]
        assert together == [one for one in order if one in together]


def test_many_parts_hold_what_one_holds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source, found = big(tmp_path / "dump"), []
    for number, part in enumerate([96 << 20, 1 << 14]):
        out = tmp_path / str(number)
        out.mkdir()
        monkeypatch.setattr(mining, "_PART", part)
        monkeypatch.setattr(mining, "_AT_ONCE", 1)
        mine([source], out)
        found.append(raw(out))
        assert_in_order(found[-1])
    assert found[0]["counts"] == found[1]["counts"]
    assert [row["debate_id"] for row in found[0]["posts"]] != [row["debate_id"] for row in found[1]["posts"]]
    for name in ("posts", "comments", "awards"):
        first, second = (sorted(one[name], key=str) for one in found)
        assert first == second


def test_a_monthly_file_of_all_of_reddit(tmp_path: Path) -> None:
    other = [row | {"subreddit": "AskReddit", "id": f"z{number}"} for number, row in enumerate(debate() * 50)]
    own = [row | {"subreddit": "changemyview"} for row in debate()]
    result, found = mined(tmp_path, as_lines([*other[:100], *own, *other[100:], DELTALOG]))
    assert result.counts["lines"] == {"read": 307, "another subreddit": 300, "kept": 7}
    assert [award["winner_id"] for award in found["awards"]] == ["c1"]
    assert mined(tmp_path, as_lines([*other[:50], *own]), subreddit=None)[0].counts["lines"]["kept"] == 56
    with pytest.raises(SuasionError, match="another subreddit 306"):
        mined(tmp_path, as_lines([*other, *own]), subreddit="tea")


def test_a_line_of_ten_megabytes_is_counted(tmp_path: Path) -> None:
    result, _ = mined(tmp_path, as_lines([*debate(), comment("long", "t3_p1", "eve", "x" * (10 << 20))]) + b"y" * (30 << 20))
    assert result.counts["lines"] == {"read": 8, "line too long": 2, "kept": 6}


def test_damaged_files_are_warned_of_and_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    compress = zstandard.ZstdCompressor().compress
    whole = compress(as_lines(debate()[1:]))
    sources = [tmp_path / "a", tmp_path / "b"]
    for folder in sources:
        folder.mkdir()
        (folder / "comments.zst").write_bytes(whole + compress(b"lost " * 1000)[:-5])
    (tmp_path / "a/submissions.ndjson").write_bytes(as_lines([post()]))
    (tmp_path / "out").mkdir()
    result = mine(sources, tmp_path / "out")
    assert result.truncated == ("comments.zst", str(tmp_path / "b/comments.zst"))
    assert list(result.counts["truncated"]) == list(result.truncated)
    assert result.comments == 5
    assert "WARNING: comments.zst" in capsys.readouterr().err


def test_half_a_dump_is_refused_and_nothing_is_written(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    path = tmp_path / "dump.json"
    for rows, message in [
        (debate()[1:], "no submissions in the source, and 5 comments"),
        ([post()], "no comments in the source, and 1 submission"),
        ([post("p2"), *debate()[1:]], "None of 5 comments"),
        ([{"id": "x", "text": "other"}], "neither submission nor comment 1"),
        ([], "no submissions"),
    ]:
        path.write_bytes(as_lines(rows))
        with pytest.raises(SuasionError, match=message) as caught:
            mine([path], tmp_path / "out")
        assert str(path) in str(caught.value)
        assert not list((tmp_path / "out").iterdir())


def test_an_output_folder_that_cannot_be_used_is_told(tmp_path: Path) -> None:
    path = tmp_path / "dump.ndjson"
    path.write_bytes(as_lines(debate()))
    with pytest.raises(SuasionError, match="Cannot be written"):
        mine([path], path)


def test_no_awards_at_all_leaves_an_empty_table(tmp_path: Path) -> None:
    result, found = mined(tmp_path, debate()[:2])
    assert found["awards"] == [] and result.awards == 0
    assert pq.read_schema(tmp_path / "out/awards.parquet").names[-3:] == ["by_author", "source", "revoked"]


def test_a_file_named_twice_counts_once(tmp_path: Path) -> None:
    (tmp_path / "dump.ndjson").write_bytes(as_lines(debate()))
    (tmp_path / "link.ndjson").symlink_to(tmp_path / "dump.ndjson")
    (tmp_path / "out").mkdir()
    result = mine([tmp_path / "link.ndjson", tmp_path / "dump.ndjson"], tmp_path / "out")
    assert result.counts["lines"]["read"] == 6


def test_a_work_folder_of_another_plan_is_thrown_away(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    work = tmp_path / "out/.mining"
    work.mkdir(parents=True)
    (work / "plan").write_text('{"version": "another"}')
    stray = json.dumps({"posts": 1, "comments": 1, "bot": 5, "labels": [], "lines": {"read": 900}, "mended": {}})
    (work / "000-000000.json").write_text(stray)
    result, _ = mined(tmp_path, debate())
    assert result.counts["lines"]["read"] == 6
    assert "goes on" not in capsys.readouterr().err


def test_the_shipped_sample(tmp_path: Path) -> None:
    result = mine([sample_folder()], tmp_path)
    assert result.by_author >= 30 and result.winners >= 30
    assert result.counts["lines"]["read"] == result.counts["lines"]["kept"]
    assert_adds_up(result.counts)


# Real material


def test_real_threads(tmp_path: Path, shared_data: Path) -> None:
    result = mine([shared_data / "cmv/full-threads"], tmp_path)
    assert (result.posts, result.comments) == (41, 1947)
    assert (result.awards, result.by_author, result.winners) == (55, 47, 47)
    assert_adds_up(result.counts)
    found = raw(tmp_path)
    assert_in_order(found)
    comments = {row["comment_id"]: row for row in found["comments"]}
    authors = {row["debate_id"]: row["author"] for row in found["posts"]}
    for award in found["awards"]:
        assert award["source"] == "deltabot"
        assert comments[award["award_id"]]["parent_id"] == award["winner_id"]
        assert comments[award["winner_id"]]["author"] == award["winner"] != authors[award["debate_id"]]


def test_real_threads_compressed_with_the_bot_filtered_out(tmp_path: Path, shared_data: Path) -> None:
    for name in ("submissions", "comments"):
        rows = (shared_data / f"cmv/full-threads/changemyview_{name}.ndjson").read_bytes().splitlines(keepends=True)
        kept = b"".join(row for row in rows if json.loads(row)["author"] != "DeltaBot")
        (tmp_path / f"{name}.zst").write_bytes(zstandard.ZstdCompressor().compress(kept))
    (tmp_path / "out").mkdir()
    result = mine([tmp_path], tmp_path / "out")
    assert {award["source"] for award in tables(tmp_path / "out")["awards"]} == {"token"}
    assert 47 <= result.awards <= 60  # tokens alone find nearly what the bot confirmed


def of(found: Tables, debates: set[str], name: str, *columns: str) -> set[tuple[Any, ...]]:
    return {tuple(row[column] for column in columns) for row in found[name] if row["debate_id"] in debates}


def test_the_corpus_of_convokit_holds_the_debates_of_the_dump(tmp_path: Path, shared_data: Path) -> None:
    found = {}
    for name in ("full-threads", "convokit-shape-old", "convokit-shape-new"):
        (tmp_path / name).mkdir()
        mine([shared_data / "cmv" / name], tmp_path / name)
        found[name] = tables(tmp_path / name)
        assert_in_order(found[name])
    dump = found["full-threads"]
    for name in ("convokit-shape-old", "convokit-shape-new"):
        corpus = found[name]
        debates = {row["debate_id"] for row in corpus["posts"]}
        assert len(debates) == 6
        for table, names in (("posts", ("debate_id", "title", "author")), ("comments", ("comment_id", "parent_id", "depth", "text"))):
            assert of(corpus, debates, table, *names) == of(dump, debates, table, *names), (name, table)
        assert of(corpus, debates, "awards", "winner_id", "by_author", "revoked") == of(
            dump, debates, "awards", "winner_id", "by_author", "revoked"
        )
    # both at once: nothing is counted twice
    (tmp_path / "both").mkdir()
    both = mine([shared_data / "cmv/full-threads", shared_data / "cmv/convokit-shape-new"], tmp_path / "both")
    assert (both.posts, both.comments, both.awards, both.by_author, both.winners) == (41, 1947, 55, 47, 47)
    assert_adds_up(both.counts)


def test_pairs_of_tan_et_al_are_refused(tmp_path: Path, shared_data: Path) -> None:
    with pytest.raises(SuasionError, match="pairs and no debates"):
        mine([shared_data / "cmv/tan2016-sample"], tmp_path)
    assert not list(tmp_path.iterdir())
