"""Pairs that somebody else made, through matching and splits, or kept as they stand."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from suasion.errors import SuasionError
from suasion.models.base import Base
from suasion.persuasion.mining.pairs.leaks import verify
from suasion.persuasion.mining.pairs.pairs import PairsResult, make_pairs
from suasion.persuasion.mining.pairs.settings import PairsConfig
from suasion.persuasion.mining.pairs.splits import SPLITS
from suasion.persuasion.mining.pairs.tables import read_rows
from suasion.persuasion.stages.pairs import token_counter
from tests.persuasion.mining.tables_for_tests import words

CMV = Path(__file__).resolve().parents[3] / "../shared/data/cmv"
real = pytest.mark.skipif(not CMV.is_dir(), reason="the real texts are not beside this checkout")


def row(number: int, winner: int = 60, loser: int = 60, **more: Any) -> dict[str, Any]:
    return {
        "prompt": words((number, "view"), 30),
        "chosen": words((number, "w"), winner),
        "rejected": words((number, "l"), loser),
        **more,
    }


def table(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(one) + "\n" for one in rows))
    return path


def made(source: Path, out: Path, **config: Any) -> tuple[PairsResult, list[dict[str, Any]]]:
    out.mkdir()
    result = make_pairs(source, out, PairsConfig(**config), 0)
    return result, [one | {"split": split} for split in SPLITS for one in read_rows(out / f"{split}.parquet")]


def test_a_table_goes_through_matching_balancing_and_splits(tmp_path: Path) -> None:
    rows = [row(number, 60 + number % 9, 62 - number % 4) for number in range(90)] + [row(99, 200, 60)]
    result, written = made(table(tmp_path / "some.jsonl", rows), tmp_path / "out")
    texts = {(one["chosen"], one["rejected"]) for one in rows}
    assert 10 < len(written) < 90 and all(result.pairs.values())
    assert all((one["chosen"][0]["content"], one["rejected"][0]["content"]) in texts for one in written)
    assert result.longer_wins["matched"].value > 0.7 and result.longer_wins["after"].value == 0.5
    assert verify(tmp_path / "out").leaks == ()
    assert json.loads((tmp_path / "out" / "datacard.json").read_text())["mining"]["rows"] == {"read": 91}


def test_as_they_stand_nothing_is_dropped_or_matched(tmp_path: Path) -> None:
    rows = [row(number, 200 if number % 3 else 5, 60) for number in range(30)]
    result, written = made(table(tmp_path / "some.jsonl", rows), tmp_path / "out", matching="none")
    assert {(one["chosen"][0]["content"], one["rejected"][0]["content"]) for one in written} == {(o["chosen"], o["rejected"]) for o in rows}
    assert len(written) == 30 and all(result.pairs.values())  # a source without splits is dealt
    assert result.leaks == [] and result.matching_cost == {}
    assert verify(tmp_path / "out").leaks == ()


@pytest.mark.parametrize("matching", ["none", "optimal"])
def test_a_sources_own_splits_are_kept(tmp_path: Path, matching: str) -> None:
    for split, numbers in (("train", range(20)), ("test", range(20, 30))):
        table(tmp_path / "set" / f"{split}.jsonl", [row(number, 60 + number % 2, 61 - number % 2) for number in numbers])
    result, written = made(tmp_path / "set", tmp_path / "out", matching=matching)
    assert result.pairs == {"train": 20, "validation": 0, "test": 10}
    number_of = {row(number)["prompt"]: number for number in range(30)}
    assert all((number_of[one["prompt"][0]["content"]] >= 20) == (one["split"] == "test") for one in written)


def test_splits_that_leak_are_told_where_they_must_stay_and_mended_where_they_may_not(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table(tmp_path / "set" / "train.jsonl", [row(number) for number in range(10)])
    table(tmp_path / "set" / "test.jsonl", [row(number) for number in range(10, 14)] + [row(20) | {"chosen": row(3)["chosen"]}])
    result, written = made(tmp_path / "set", tmp_path / "out", matching="none")
    assert len(written) == 15 and len(result.leaks) == 1 and "train and test" in result.leaks[0]
    assert "WARNING: the source's own splits leak" in capsys.readouterr().err
    mended, kept = made(tmp_path / "set", tmp_path / "mended")
    assert mended.leaks == [] and len(kept) == 14 and mended.pairs["test"] == 5
    assert verify(tmp_path / "mended").leaks == ()


def test_the_posts_author_is_remembered(tmp_path: Path) -> None:
    rows = [row(number, debate_id=f"t3_x{number}", author=f"poster {number}") for number in range(20)]
    _, written = made(table(tmp_path / "some.jsonl", rows), tmp_path / "out")
    assert {one["post_author_hash"] for one in written} <= {hashlib.sha256(f"poster {n}".encode()).hexdigest() for n in range(20)}


def test_columns_of_other_names_are_told_in_the_recipe(tmp_path: Path) -> None:
    rows = [{"frage": one["prompt"], "gut": one["chosen"], "schlecht": one["rejected"]} for one in map(row, range(20))]
    source = table(tmp_path / "some.jsonl", rows)
    with pytest.raises(SuasionError, match="no column"):
        made(source, tmp_path / "none")
    _, written = made(source, tmp_path / "out", columns={"prompt": "frage", "chosen": "gut", "rejected": "schlecht"})
    assert len(written) == 20


def test_rows_that_leave_nothing_are_told(tmp_path: Path) -> None:
    with pytest.raises(SuasionError, match=r"No (winner|pair) is left: .*shorter than 50 words") as caught:
        made(table(tmp_path / "some.jsonl", [row(number, 5, 5) for number in range(5)]), tmp_path / "out")
    assert "min_words" in (caught.value.hint or "")
    with pytest.raises(SuasionError, match=r"No pair is left: .*no loser of about its length"):
        made(table(tmp_path / "far.jsonl", [row(number, 60, 200) for number in range(5)]), tmp_path / "far")


@real
def test_real_pairs_lose_the_help_of_length(tmp_path: Path, nano: Base) -> None:
    out = tmp_path / "out"
    out.mkdir()
    result = make_pairs(CMV / "text-pairs" / "train.jsonl", out, PairsConfig(length_caliper=0.5), 0, token_counter(nano.tokenizer))
    before, after = result.longer_wins["before"], result.longer_wins["after"]
    assert before.low > 0.58 and after.low < 0.5 < after.high and sum(result.pairs.values()) > 300
    found = verify(out)
    assert found.leaks == ()
    for measures in found.length_auc.values():
        assert set(measures) == {"words", "tokens"} and all(auc.low <= 0.5 <= auc.high for auc in measures.values())


@real
def test_the_pair_task_gives_its_own_labels(tmp_path: Path) -> None:
    """Each winner of Tan et al.'s file is a winner here, each loser a loser, and each pair the same pair."""
    import bz2
    import html

    result, written = made(CMV / "tan2016-sample", tmp_path / "out", matching="none")
    assert sum(result.pairs.values()) == len(written) == 28

    def ids(side: Any) -> str:
        return str((side["comments"] if isinstance(side, dict) else side)[0]["name"]).removeprefix("t1_")

    (source,) = [path for path in (CMV / "tan2016-sample" / "pair_task").iterdir() if "jsonlist" in path.name]
    lines = [json.loads(line) for line in bz2.decompress(source.read_bytes()).splitlines()]
    assert all(html.unescape(line["op_title"]) for line in lines)
    stated = sorted((ids(line["positive"]), ids(line["negative"])) for line in lines)
    assert sorted((one["winner_id"].split("-")[0], one["loser_id"].split("-")[0]) for one in written) == stated
