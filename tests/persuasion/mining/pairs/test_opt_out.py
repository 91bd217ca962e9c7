from __future__ import annotations

from pathlib import Path

import pytest

from suasion.errors import SuasionError
from suasion.persuasion.mining.pairs.opt_out import opted_out
from suasion.persuasion.mining.pairs.settings import PairsConfig


def test_names_and_ids_come_in_every_spelling(tmp_path: Path) -> None:
    listed = tmp_path / "names.txt"
    listed.write_text("\ufeff# asked in May\n\nu/Some-One # by mail\n t1_ABC\nuser/two\r\n", encoding="utf-8")
    found = opted_out(PairsConfig(opt_out=("/u/Ann", "t3_xyz", "bob_"), opt_out_file=listed))
    assert found >= {"ann", "xyz", "bob_", "some-one", "abc", "two"}
    assert "t1_abc" in found  # an account may be called so
    assert "" not in found
    assert opted_out(PairsConfig()) == frozenset()


@pytest.mark.parametrize("entry", ["ann, bob", "u/", "ann bob", "http://x.y/u/ann"])
def test_an_entry_that_would_protect_nobody_is_refused(entry: str, tmp_path: Path) -> None:
    with pytest.raises(SuasionError, match="neither a name nor an id"):
        opted_out(PairsConfig(opt_out=(entry,)))
    listed = tmp_path / "names.txt"
    listed.write_text(f"carol\n{entry}\n")
    with pytest.raises(SuasionError, match="neither a name nor an id") as caught:
        opted_out(PairsConfig(opt_out_file=listed))
    assert "line 2" in str(caught.value)


def test_a_list_that_cannot_be_read_stops_everything(tmp_path: Path) -> None:
    with pytest.raises(SuasionError, match="Cannot read the opt-out list"):
        opted_out(PairsConfig(opt_out_file=tmp_path / "absent.txt"))
    (tmp_path / "bytes.txt").write_bytes(b"\xff\xfe\x00a")
    with pytest.raises(SuasionError, match="Cannot read the opt-out list"):
        opted_out(PairsConfig(opt_out_file=tmp_path / "bytes.txt"))
