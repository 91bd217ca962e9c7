from __future__ import annotations

from pathlib import Path

import pytest

from suasion.errors import SuasionError
from suasion.persuasion.dataset import BestOfFour, Labelled, load_best_of_four, load_labelled, load_pairs, load_premises, premise_of
from suasion.persuasion.mining.pairs.choices import Four, Single
from suasion.persuasion.mining.pairs.matching import Pair
from suasion.persuasion.mining.pairs.replies import Reply, Turn
from suasion.persuasion.mining.pairs.tables import write_fours, write_labelled
from suasion.persuasion.mining.pairs.tables import write_pairs as write_mined
from tests.nano import write_pairs


def test_pairs_and_premises_are_read_as_they_were_written(tmp_path: Path) -> None:
    folder = write_pairs(tmp_path, train=3, test=2)
    pairs = load_pairs(folder, "train")
    assert [pair.debate_id for pair in pairs] == ["train0", "train1", "train2"]
    assert all(pair.winner.startswith("evidence") and pair.loser.startswith("nonsense") for pair in pairs)
    assert pairs[0].winner_created is None
    premises = load_premises(folder, "test")
    assert [premise.debate_id for premise in premises] == ["test0", "test1"]
    assert premises[0].text == load_pairs(folder, "test")[0].premise
    assert len(premises[0].winners) == 1


@pytest.mark.parametrize("content", [None, b"", b"PAR1 torn", b"PAR1" + b"\0" * 50 + b"PAR1"])
def test_a_table_that_cannot_be_read_is_named(tmp_path: Path, content: bytes | None) -> None:
    folder = write_pairs(tmp_path)
    (folder / "train.parquet").unlink()
    if content is not None:
        (folder / "train.parquet").write_bytes(content)
    with pytest.raises(SuasionError, match="cannot be read") as caught:
        load_pairs(folder, "train")
    assert "train.parquet" in str(caught.value.where) and "suasion pairs" in (caught.value.hint or "")


def test_a_table_of_something_else_is_named(tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    for name in ("train.parquet", "premises.parquet"):
        pq.write_table(pa.table({"a": [1]}), tmp_path / name)
    with pytest.raises(SuasionError, match="debate_id"):
        load_pairs(tmp_path, "train")
    with pytest.raises(SuasionError, match="columns debate_id, prompt, winners, split"):
        load_premises(tmp_path, "train")


def test_texts_where_messages_belong_are_named(tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    row = dict.fromkeys(("debate_id", "prompt", "winner_id", "chosen", "loser_id", "rejected"), "just text")
    pq.write_table(pa.Table.from_pylist([row]), tmp_path / "train.parquet")
    with pytest.raises(SuasionError, match="not a list of messages: just text"):
        load_pairs(tmp_path, "train")


CONTEXT = (Turn(False, "Who says so?"), Turn(True, "I do."), Turn(True, "And others."), Turn(False, "Do they?"))


def reply(name: str, context: tuple[Turn, ...] = ()) -> Reply:
    return Reply(name, f"author {name}", f"text {name}", 2, context=context)


def test_the_turns_above_a_comment_become_part_of_its_premise(tmp_path: Path) -> None:
    write_mined(tmp_path / "train.parquet", [Pair("d", reply("w", CONTEXT), reply("l", CONTEXT))], {"d": "A view."})
    (pair,) = load_pairs(tmp_path, "train")
    # two messages of one role in a row are one: the first turn was somebody else's, as the view is
    assert pair.premise == "A view.\n\nWho says so?\n\nReply:\nI do.\n\nAnd others.\n\nAnswer:\nDo they?"
    assert (pair.winner, pair.loser) == ("text w", "text l")


def test_the_tables_beside_the_pairs_are_read_as_they_were_written(tmp_path: Path) -> None:
    four = Four("d", CONTEXT[1:2], tuple(map(reply, "abcd")), 2)
    write_fours(tmp_path / "best-of-four.parquet", {"train": [four], "test": [four, four]}, {"d": "A view."})
    premise = "A view.\n\nReply:\nI do."
    assert load_best_of_four(tmp_path, "train") == [BestOfFour("d", premise, ("text a", "text b", "text c", "text d"), 2)]
    assert len(load_best_of_four(tmp_path, "test")) == 2 and load_best_of_four(tmp_path, "validation") == []
    singles = [Single("d", CONTEXT[1:2], reply("a"), True), Single("d", CONTEXT[1:2], reply("b"), False)]
    write_labelled(tmp_path / "labelled.parquet", {"validation": singles}, {"d": "A view."})
    assert load_labelled(tmp_path, "validation") == [Labelled("d", premise, "text a", True), Labelled("d", premise, "text b", False)]
    assert load_labelled(tmp_path, "train") == []


@pytest.mark.parametrize("prompt", [None, "just text", [], [{"role": "user"}], [{"role": "user", "content": "a"}, "b"]])
def test_a_prompt_that_is_none_is_named(prompt: object) -> None:
    with pytest.raises(SuasionError, match="not a list of messages"):
        premise_of(prompt)
