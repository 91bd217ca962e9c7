from __future__ import annotations

from pathlib import Path

import pytest

from suasion.errors import SuasionError
from suasion.persuasion.dataset import load_pairs, load_premises
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
