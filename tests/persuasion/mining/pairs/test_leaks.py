from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from suasion.errors import SuasionError
from suasion.files import write_json
from suasion.persuasion.mining.pairs.choices import Four, Single
from suasion.persuasion.mining.pairs.leaks import find_leaks, verify
from suasion.persuasion.mining.pairs.matching import Pair
from suasion.persuasion.mining.pairs.replies import Debate, Reply, Turn
from suasion.persuasion.mining.pairs.splits import SPLITS
from suasion.persuasion.mining.pairs.tables import author_hash, write_fours, write_labelled, write_pairs, write_premises
from tests.persuasion.mining.tables_for_tests import words


def folder_with(folder: Path, *, loser: Reply | None = None, premise: str = "", debate: str = "2", winners: tuple[Reply, ...] = ()) -> Path:
    """One pair in train, one in test that shares with it what is given."""
    mine = [Reply(f"{n}", f"author {n}", words(n, 60), 60) for n in range(4)]
    pairs = {"train": [Pair("1", mine[0], mine[1])], "validation": [], "test": [Pair(debate, mine[2], loser or mine[3])]}
    premises = {"1": words("premise", 40), debate: premise or words("another", 40)}
    for split in SPLITS:
        write_pairs(folder / f"{split}.parquet", pairs[split], premises)
    write_premises(
        folder / "premises.parquet", [(Debate("1", premises["1"]), "train", ()), (Debate(debate, premises[debate]), "test", winners)]
    )
    return folder


def test_a_clean_folder_has_no_leak(tmp_path: Path) -> None:
    assert find_leaks(folder_with(tmp_path)) == []


def test_every_kind_of_leak_is_found(tmp_path: Path) -> None:
    (same_debate,) = [leak for leak in find_leaks(folder_with(tmp_path, debate="1")) if "debate 1" in leak]
    assert "train and test" in same_debate
    assert any("reply author" in leak for leak in find_leaks(folder_with(tmp_path, loser=Reply("9", "author 0", words(9, 60), 60))))
    assert any("a text is in" in leak for leak in find_leaks(folder_with(tmp_path, loser=Reply("9", "x", words(1, 60), 60))))
    assert any("near-copy" in leak for leak in find_leaks(folder_with(tmp_path, loser=Reply("9", "x", words(1, 60) + " more", 61))))
    assert any("near-copy" in leak for leak in find_leaks(folder_with(tmp_path, premise=words("premise", 40) + " more")))
    assert any("reply author" in leak for leak in find_leaks(folder_with(tmp_path, winners=(Reply("9", "author 1", words(9, 60), 60),))))


def test_deleted_accounts_are_not_one_author(tmp_path: Path) -> None:
    assert find_leaks(folder_with(tmp_path, loser=Reply("9", None, words(9, 60), 60))) == []


def test_a_folder_without_tables_is_told(tmp_path: Path) -> None:
    with pytest.raises(SuasionError, match="Cannot read the table"):
        find_leaks(tmp_path)


def kinds(folder: Path) -> set[str]:
    return {leak.kind for leak in verify(folder).leaks}


def reply(number: int, author: str | None = "", text: str = "") -> Reply:
    return Reply(f"r{number}", f"author r{number}" if author == "" else author, text or words(("r", number), 60), 60)


@pytest.mark.parametrize(
    ("kind", "change"),
    [
        ("", {}),
        ("debate", {"debate": "2"}),
        ("author", {"author": "author 2"}),
        ("text", {"text": words(2, 60)}),
        ("near-copy", {"text": words(2, 60) + " more"}),
    ],
)
def test_the_tables_beside_the_pairs_are_looked_at_too(tmp_path: Path, kind: str, change: dict[str, str]) -> None:
    """Something of the test pair stands in the train rows of best-of-four and of labelled."""
    premises = {"1": words("premise", 40), "2": words("another", 40)}
    changed = reply(1, change.get("author", ""), change.get("text", ""))
    debate = change.get("debate", "1")
    for table in ("best-of-four", "labelled"):
        folder = folder_with(tmp_path / table)
        if table == "best-of-four":
            write_fours(folder / "best-of-four.parquet", {"train": [Four(debate, (), (changed, *map(reply, (2, 3, 4))), 2)]}, premises)
        else:
            write_labelled(folder / "labelled.parquet", {"train": [Single(debate, (), changed, True)]}, premises)
        assert kind in kinds(folder) if kind else not kinds(folder)


def test_one_text_on_both_sides_is_told(tmp_path: Path) -> None:
    same = Reply("9", "x", words(2, 60), 60)
    assert kinds(folder_with(tmp_path, loser=same)) == {"same text"}
    four = Four("1", (), (reply(1), reply(2), reply(2), reply(3)), 0)
    write_fours(folder_with(tmp_path / "four") / "best-of-four.parquet", {"train": [four]}, {"1": "premise"})
    assert "same text" in kinds(tmp_path / "four")


def test_a_winner_that_is_the_posts_author_is_told_where_it_can_be_seen(tmp_path: Path) -> None:
    folder_with(tmp_path)
    pairs = [Pair("1", reply(1), reply(2))]
    for poster, found in (("author r1", {"post's author"}), ("author r2", set()), ("somebody", set())):
        write_pairs(tmp_path / "train.parquet", pairs, {"1": words("premise", 40)}, {"1": author_hash(poster)})
        assert kinds(tmp_path) == found
        assert not any("post's author" in note for note in verify(tmp_path).notes)
    write_pairs(tmp_path / "train.parquet", pairs, {"1": words("premise", 40)})
    assert any("post's author" in note for note in verify(tmp_path).notes)


def test_a_short_turn_may_stand_everywhere_and_a_long_one_may_not(tmp_path: Path) -> None:
    for turn, found in (("I agree.", set()), (words("turn", 40), {"text"})):
        folder_with(tmp_path)
        for split, number in (("train", 10), ("test", 20)):
            winner = Reply(f"w{number}", f"aw{number}", words(number, 60), 60, context=(Turn(True, "My view."), Turn(False, turn)))
            loser = Reply(f"l{number}", f"al{number}", words(number + 1, 60), 60)
            write_pairs(tmp_path / f"{split}.parquet", [Pair(f"d{number}", winner, loser)], {f"d{number}": words(("view", number), 30)})
        assert kinds(tmp_path) == found


def elsewhere(folder: Path, **splits: list[dict[str, Any]]) -> Path:
    folder.mkdir(exist_ok=True)
    for split, rows in splits.items():
        pq.write_table(pa.Table.from_pylist(rows), folder / f"{split}.parquet")
    return folder


def plain(number: int, **more: str) -> dict[str, Any]:
    return {"prompt": words(("p", number), 30), "chosen": words(("c", number), 30), "rejected": words(("r", number), 30)} | more


def test_tables_made_elsewhere_are_looked_through_and_what_they_lack_is_said(tmp_path: Path) -> None:
    found = verify(elsewhere(tmp_path / "clean", train=[plain(1)], test=[plain(2)]))
    assert found.leaks == () and found.rows == {"train.parquet": 1, "test.parquet": 1}
    told = " | ".join(found.notes)
    for word in ("validation.parquet is not there", "no debate_id", "winner_author_hash", "post's author", "labelled.parquet is not there"):
        assert word in told
    assert kinds(elsewhere(tmp_path / "prompt", train=[plain(1)], test=[plain(2, prompt=words(("p", 1), 30))])) == {"text"}
    assert kinds(elsewhere(tmp_path / "near", train=[plain(1)], test=[plain(2, rejected=words(("c", 1), 30) + " indeed")])) == {"near-copy"}
    conversation = [{"role": "user", "content": "View"}, {"role": "assistant", "content": words(("c", 1), 30)}]
    assert kinds(elsewhere(tmp_path / "talk", train=[plain(1)], test=[plain(2) | {"chosen": conversation}])) == {"text"}
    assert kinds(elsewhere(tmp_path / "id", train=[plain(1, debate_id="a")], test=[plain(2, debate_id="a")])) == {"debate"}


def test_what_a_near_copy_is_is_read_from_the_card(tmp_path: Path) -> None:
    text = words(1, 60).split()
    text[30] = "changed"
    folder = folder_with(tmp_path, loser=Reply("9", "x", " ".join(text), 60))  # 5 of 56 shingles differ: Jaccard 0.84
    assert verify(folder).near_duplicate == 0.8 and kinds(folder) == {"near-copy"}
    write_json(folder / "datacard.json", {"config": {"near_duplicate": 0.95}})
    assert verify(folder).near_duplicate == 0.95 and kinds(folder) == set()
    assert find_leaks(folder, 0.8) and not find_leaks(folder, 0.9)
    (folder / "datacard.json").write_text("{torn")
    assert verify(folder).near_duplicate == 0.8 and any("datacard.json" in note for note in verify(folder).notes)


def test_length_is_shown_beside(tmp_path: Path) -> None:
    found = verify(folder_with(tmp_path))
    assert found.length_auc["train"]["words"].value == 0.5 and found.length_auc["validation"] == {}
    assert found.as_dict()["clean"] is True and found.as_dict()["length_auc"]["train"]["words"]["n"] == 1


@pytest.mark.parametrize("content", [b"", b"PAR1 torn", b"PAR1" + b"\0" * 50 + b"PAR1"])
@pytest.mark.parametrize("name", ["train", "labelled"])
def test_an_unreadable_table_is_named(tmp_path: Path, name: str, content: bytes) -> None:
    folder = folder_with(tmp_path)
    (folder / f"{name}.parquet").write_bytes(content)
    with pytest.raises(SuasionError, match="Cannot read the table") as caught:
        verify(folder)
    assert f"{name}.parquet" in str(caught.value.where)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"prompt": "p", "chosen": "c"}, "lacks rejected"),
        ({"prompt": "p", "chosen": 1, "rejected": 2}, "neither a text nor a list of messages"),
        ({"prompt": "p", "chosen": [], "rejected": []}, "neither a text nor a list of messages"),
    ],
)
def test_tables_of_something_else_are_refused(tmp_path: Path, row: dict[str, Any], message: str) -> None:
    with pytest.raises(SuasionError, match=message):
        verify(elsewhere(tmp_path, train=[row]))


def test_a_split_of_another_name_is_refused(tmp_path: Path) -> None:
    folder = folder_with(tmp_path)
    write_labelled(folder / "labelled.parquet", {"dev": [Single("1", (), reply(1), True)]}, {"1": "premise"})
    with pytest.raises(SuasionError, match="There is no split 'dev'"):
        verify(folder)
