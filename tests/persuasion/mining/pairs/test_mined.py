from __future__ import annotations

import random
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from suasion.errors import SuasionError
from suasion.persuasion.mining.pairs import mined as module
from suasion.persuasion.mining.pairs.candidates import find_candidates
from suasion.persuasion.mining.pairs.mined import History, read_debates, read_history
from suasion.persuasion.mining.pairs.replies import Funnel
from suasion.persuasion.mining.pairs.settings import PairsConfig
from tests.persuasion.mining.tables_for_tests import Rows, award, comment, debate, post, together, write


def read(folder: Path) -> tuple[list[tuple[str, list[str], list[str]]], Funnel]:
    funnel = Funnel()
    found = [
        (post["debate_id"], sorted(row["comment_id"] for row in comments), sorted(str(row["award_id"]) for row in awards))
        for post, comments, awards in read_debates(folder, funnel)
    ]
    return found, funnel


def many() -> Rows:
    """Debates not in the order of their ids; one without comments, one without awards."""
    bare: Rows = {"posts": [post("m")], "comments": [], "awards": []}
    return together(debate("z", [60, 60], [60]), bare, debate("b", [], [60]), debate("a", [60], [60, 60]))


EXPECTED = [
    ("z", ["za0", "za1", "zl0", "zw0", "zw1"], ["za0", "za1"]),
    ("m", [], []),
    ("b", [], []),  # nobody won there: its comments are not needed
    ("a", ["aa0", "al0", "al1", "aw0"], ["aa0"]),
]


@pytest.mark.parametrize("at_once", [1, 2, 3, 16_384])
def test_the_tables_are_walked_side_by_side(tmp_path: Path, at_once: int, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    monkeypatch.setattr(module, "_ROWS_AT_ONCE", at_once)
    found, funnel = read(write(tmp_path, many()))
    assert found == EXPECTED
    assert funnel.steps == {}
    assert capsys.readouterr().err == ""


@given(st.randoms(use_true_random=False), st.sampled_from(["comments", "awards", "both"]))
@settings(max_examples=30, deadline=None)
def test_debates_are_read_whole_however_the_rows_lie(tmp_path_factory: pytest.TempPathFactory, shuffled: random.Random, which: str) -> None:
    rows = many()
    for name in ("comments", "awards") if which == "both" else (which,):
        shuffled.shuffle(rows[name])
    found, _ = read(write(tmp_path_factory.mktemp("mined"), rows))
    assert sorted(found) == sorted(EXPECTED)


def test_a_broken_order_is_said_and_awards_without_a_post_are_counted(tmp_path: Path, capsys: Any) -> None:
    rows = many()
    rows["awards"] = [award("0gone", "x", "y"), *rows["awards"], award("gone", "x", "y"), award("zz", "x", "y")]
    rows["comments"].append(comment("gone", "g", "ann"))
    found, funnel = read(write(tmp_path, rows))
    assert sorted(found) == sorted(EXPECTED)
    assert funnel.as_dict()["awards"]["dropped"] == {"the post is not in the dump": 3}
    assert "sorting" in capsys.readouterr().err


def test_one_debate_is_held_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = write(tmp_path, together(*(debate(f"d{number:03}", [60], [60] * 3) for number in range(50))))
    rows_read: list[str] = []
    whole = module._batches

    def counted(mined: Path, name: str, columns: tuple[str, ...]) -> Any:
        for batch in whole(mined, name, columns):
            if "text" in columns and name == "comments":
                rows_read.extend(batch["debate_id"].to_pylist())
            yield batch

    monkeypatch.setattr(module, "_batches", counted)
    monkeypatch.setattr(module, "_ROWS_AT_ONCE", 10)
    for number, _ in enumerate(read_debates(folder, Funnel()), 1):
        if number == 5:
            break
    assert len(set(rows_read)) <= 10


def test_a_folder_without_tables_is_told(tmp_path: Path) -> None:
    with pytest.raises(SuasionError, match=r"posts\.parquet is missing"):
        list(read_debates(tmp_path, Funnel()))
    with pytest.raises(SuasionError, match=r"awards\.parquet is missing"):
        read_history(tmp_path)
    write(tmp_path, debate("a", [60], [60]))
    (tmp_path / "awards.parquet").write_bytes(b"PAR1 cut")
    with pytest.raises(SuasionError, match=r"Cannot read awards\.parquet"):
        list(read_debates(tmp_path, Funnel()))
    write(tmp_path, debate("a", [60], [60]))
    pq.write_table(pq.read_table(tmp_path / "comments.parquet").drop_columns(["depth"]), tmp_path / "comments.parquet")
    with pytest.raises(SuasionError, match="lacks depth"):
        list(read_debates(tmp_path, Funnel()))


def test_a_table_damaged_in_the_middle_is_told(tmp_path: Path) -> None:
    folder = write(tmp_path, many())
    raw = bytearray((folder / "comments.parquet").read_bytes())
    raw[4:400] = bytes(396)
    (folder / "comments.parquet").write_bytes(raw)
    with pytest.raises(SuasionError, match=r"Cannot read comments\.parquet"):
        list(read_debates(folder, Funnel()))


def timed() -> Rows:
    """Ann wins in d (said at 20) and in e (said at 40); Bob wins in e by an award whose time nobody knows."""
    first, second = ({"posts": [post(name, created_utc=0)], "comments": [], "awards": []} for name in ("d", "e"))
    first["comments"] = [
        comment("d", "dw", "Ann", created_utc=10),
        comment("d", "da", "op", "dw", created_utc=20),
        comment("d", "dl", "bob", created_utc=15),
    ]
    first["awards"] = [award("d", "da", "dw", winner="Ann"), award("d", "dx", "dw", winner="Ann", revoked=True)]
    second["comments"] = [
        comment("e", "ew", "ann", created_utc=30),
        comment("e", "ea", "op", "ew", created_utc=40),
        comment("e", "ev", "bob", created_utc=35),
        comment("e", "el", "cid", created_utc=36),
        comment("e", "em", "[deleted]", created_utc=36),
    ]
    second["awards"] = [award("e", "ea", "ew", winner="[deleted]"), award("e", None, "ev", winner=None, by_author=False)]
    return together(first, second)


def test_earlier_awards_never_tell_of_the_future(tmp_path: Path) -> None:
    folder = write(tmp_path, timed())
    history = read_history(folder)
    assert history == History({"ann": [20, 40]}, frozenset({"bob"}))
    assert [history.before("ANN", time) for time in (0, 20, 21, 40, 41, None)] == [0, 0, 1, 1, 2, None]
    assert history.before("bob", 99) is None
    assert history.before(None, 99) is None
    assert history.before("nobody", 99) == 0
    debates = find_candidates(read_debates(folder, Funnel()), PairsConfig(), Funnel(), Counter(), None, history)
    told = {reply.id: reply.earlier_awards for one in debates for reply in (*one.winners, *one.losers)}
    assert told == {"dw": 0, "dl": None, "ew": 1, "el": 0, "em": None}


def test_a_dump_without_awards_has_no_history(tmp_path: Path) -> None:
    assert read_history(write(tmp_path, debate("a", [], [60]))) == History({}, frozenset())
