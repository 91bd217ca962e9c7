from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from suasion.files import write_json
from suasion.persuasion.mining.candidates import Debate, Reply
from suasion.persuasion.mining.datacard import length_baselines
from suasion.persuasion.mining.matching import Pair
from suasion.persuasion.mining.pairs import PairsConfig, make_pairs
from tests.persuasion.mining.tables_for_tests import debate, together, write


@pytest.fixture(scope="module")
def card(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("card")
    rows = together(*(debate(f"d{number}", [70, 90], [58, 62, 66, 75, 85, 95, 300]) for number in range(10)))
    mined, out = write(folder / "mined", rows), folder / "out"
    write_json(mined / "counts.json", {"lines": {"read": 5, "kept": 5}})
    out.mkdir()
    make_pairs(mined, out, PairsConfig(opt_out=("somebody_shy",)), 0)
    return out


def test_the_numbers_add_up_and_say_where_they_come_from(card: Path) -> None:
    facts = json.loads((card / "datacard.json").read_text())
    assert facts["mining"] == {"lines": {"read": 5, "kept": 5}}
    assert facts["leaks"] == 0
    for entry in facts["steps"].values():
        assert entry["in"] == entry["kept"] + sum(entry["dropped"].values())
    assert facts["steps"]["pairs balanced"]["kept"] == sum(split["pairs"] for split in facts["splits"].values())
    assert facts["steps"]["losers"]["dropped"] == {"it, or a comment below it, is part of an award": 20}
    assert facts["longer_wins"]["after"]["value"] == 0.5
    assert facts["longer_wins"]["before"]["low"] > 0
    assert facts["longer_wins"]["before"]["value"] == pytest.approx((3 / 7 + 5 / 7) / 2)
    assert facts["config"]["opt_out"] == "1 names or ids"


def test_the_readme_is_a_dataset_card(card: Path) -> None:
    text = (card / "README.md").read_text()
    _, head, body = text.split("---\n", 2)
    front = yaml.safe_load(head)
    assert front["configs"][0]["data_files"] == [{"split": name, "path": f"{name}.parquet"} for name in ("train", "validation", "test")]
    assert front["license"] == "other"
    assert "size_categories" in front
    for word in ("Responsible use", "Licence", "it, or a comment below it, is part of an award", "0.500 ["):
        assert word in body
    assert "{" not in body.replace('{"train": "train.parquet", "test": "test.parquet"}', "")
    assert "somebody_shy" not in text
    for line in body.splitlines():
        if line.startswith("!["):
            assert (card / line.split("(")[-1].rstrip(")")).read_bytes().startswith(b"\x89PNG")


def test_the_baseline_before_matching_is_the_expectation_over_random_losers() -> None:
    winner, even, short = (Reply(name, name, name, n) for name, n in (("w", 60), ("e", 60), ("s", 50)))
    debates = [Debate("1", "view", (winner,), (even, short)), Debate("2", "view", (winner,), ()), Debate("3", "view", (short,), (winner,))]
    pairs = [Pair("1", winner, short)]
    found = length_baselines(debates, pairs, {"train": pairs, "validation": [], "test": []})
    assert found["before"].value == pytest.approx((0.75 + 0) / 2)
    assert found["before"].n == 2
    assert found["matched"].value == found["train"].value == 1
    assert found["test"].n == 0
