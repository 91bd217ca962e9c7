from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml

from suasion.errors import SuasionError
from suasion.files import write_json
from suasion.persuasion.mining.card import datacard, extras
from suasion.persuasion.mining.card.datacard import Facts, length_baselines
from suasion.persuasion.mining.pairs.any_loser import AnyLoser
from suasion.persuasion.mining.pairs.matching import Pair
from suasion.persuasion.mining.pairs.pairs import make_pairs
from suasion.persuasion.mining.pairs.replies import Debate, Reply
from suasion.persuasion.mining.pairs.settings import PairsConfig
from suasion.persuasion.mining.pairs.splits import SPLITS
from tests.persuasion.mining.tables_for_tests import debate, together, write


@pytest.fixture(scope="module")
def card(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("card")
    rows = together(*(debate(f"d{number}", [70, 90], [58, 62, 66, 75, 85, 95, 300]) for number in range(10)))
    mined, out = write(folder / "mined", rows), folder / "out"
    write_json(mined / "counts.json", {"lines": {"read": 5, "kept": 5}})
    out.mkdir()
    shy = folder / "shy.txt"
    shy.write_text("another_shy_one\n")
    make_pairs(mined, out, PairsConfig(opt_out=("somebody_shy",), opt_out_file=shy), 0)
    return out


def a_reply(name: str, words: int, text: str = "", **more: Any) -> Reply:
    return Reply(name, name, text or f"text {name}", words, **more)


def some_facts(number: int = 30, **more: Any) -> Facts:
    """One pair a debate; each winner asks a question, comes first, and has an author who has won before."""
    pairs = [
        Pair(
            f"d{index}",
            a_reply(f"w{index}", 60 + index % 2, f"Why {index}?", place=1, earlier_awards=2, created=1_400_000_000),
            a_reply(f"l{index}", 61 - index % 2, f"No {index}.", place=2, earlier_awards=1),
        )
        for index in range(number)
    ]
    debates = [Debate(pair.debate_id, f"View {pair.debate_id}", (pair.winner,), (pair.loser,), created=1_400_000_000) for pair in pairs]
    steps = {"pairs balanced": {"in": number, "kept": number, "dropped": {}}, "losers": {"in": 1, "kept": 0, "dropped": {"a | b": 1}}}
    facts = Facts(
        PairsConfig().model_dump(mode="json"),
        0,
        None,
        steps,
        {"links": 3},
        debates,
        pairs,
        {"train": pairs, "validation": [], "test": []},
        {},
        {},
    )
    return dataclasses.replace(facts, **more)


def write_card(out: Path, facts: Facts) -> tuple[dict[str, Any], str]:
    out.mkdir(exist_ok=True)
    datacard.write(out, facts)
    return json.loads((out / "datacard.json").read_text()), (out / "README.md").read_text()


def pictures_of(text: str) -> list[str]:
    return [line.split("(")[-1].rstrip(")") for line in text.splitlines() if line.startswith("![")]


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
    assert set(facts["matching_cost"]) >= {"optimal", "greedy", "random"} and set(facts["length_auc"]["train"]) == {"words", "tokens"}
    for split in SPLITS:
        for name, found in facts["giveaways"][split].items():
            assert set(found) >= {"value", "low", "high", "n", "clusters", "verdict", "unknown"}, name
            assert found["n"] + found["unknown"] == facts["splits"][split]["pairs"]


def test_the_readme_is_a_dataset_card(card: Path) -> None:
    text = (card / "README.md").read_text()
    _, head, body = text.split("---\n", 2)
    front = yaml.safe_load(head)
    assert front["configs"][0]["data_files"] == [{"split": name, "path": f"{name}.parquet"} for name in SPLITS]
    assert front["license"] == "other"
    assert "size_categories" in front
    for word in ("Responsible use", "Licence", "it, or a comment below it, is part of an award", "0.500 ["):
        assert word in body
    assert "{" not in body and "None" not in body.replace("None: no debate", "")
    drawn = pictures_of(body)
    assert {"plots/funnel.png", "plots/longer-wins.png", "plots/length-auc.png", "plots/giveaways.png", "plots/matching-cost.png"} <= set(
        drawn
    )
    assert sorted(drawn) == sorted(f"plots/{path.name}" for path in (card / "plots").iterdir())
    assert all((card / picture).read_bytes().startswith(b"\x89PNG") for picture in drawn)


def test_who_opted_out_is_not_named(card: Path) -> None:
    for path in (card / "README.md", card / "datacard.json"):
        text = path.read_text()
        assert "shy" not in text and "1 names or ids" in text and "given" in text


@pytest.mark.parametrize("name", ["pairs", "premises", "best_of_four", "labelled", None])
def test_datasets_loads_every_table(card: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str | None) -> None:
    import datasets

    monkeypatch.setattr(datasets.config, "HF_HUB_OFFLINE", True)
    front = yaml.safe_load((card / "README.md").read_text().split("---\n", 2)[1])
    assert [one["config_name"] for one in front["configs"]] == ["pairs", "premises", "best_of_four", "labelled"]
    loaded = datasets.load_dataset(str(card), name, cache_dir=str(tmp_path))
    if name in (None, "pairs"):
        assert {split: rows.num_rows for split, rows in loaded.items()} == {
            split: pq.read_metadata(card / f"{split}.parquet").num_rows for split in SPLITS
        }
        assert loaded["train"][0]["prompt"][0]["role"] == "user"
    else:
        assert list(loaded) == ["every_split"]  # "train" would make somebody train on the test rows
        assert set(loaded["every_split"]["split"]) <= set(SPLITS)
        assert loaded["every_split"].num_rows == pq.read_metadata(card / f"{name.replace('_', '-')}.parquet").num_rows > 0


def test_a_table_without_rows_is_not_promised(tmp_path: Path) -> None:
    """``datasets`` fails on a split without rows."""
    pq.write_table(
        pa.table({"split": pa.array([], pa.string()), "label": pa.array([], pa.bool_()), "words": pa.array([], pa.int64())}),
        tmp_path / extras.LABELLED,
    )
    _, text = write_card(tmp_path, some_facts())
    front = yaml.safe_load(text.split("---\n", 2)[1])
    assert [one["config_name"] for one in front["configs"]] == ["pairs", "premises"]
    assert front["configs"][0]["data_files"] == [{"split": "train", "path": "train.parquet"}]


def test_what_is_not_balanced_is_named_with_what_it_means(tmp_path: Path) -> None:
    found, text = write_card(tmp_path, some_facts())
    in_text, _, elsewhere = text.partition("and not in the text.")
    assert "- **Question marks** (question marks): in train the winner has more of them in 100.0 % [" in in_text
    assert (
        "- **Earlier awards** (awards its author had won before): in train the winner has an author with more of them in 100.0 % ["
        in elsewhere
    )
    assert "- **Place** (order of the replies to the post, 1 is the earliest): in train the loser came later in 100.0 % [" in elsewhere
    assert "| question marks | question marks | **1.000 [" in in_text
    assert "in every split: tokens, time." in elsewhere
    assert found["giveaways"]["train"]["question marks"]["verdict"] == "gives away"
    assert found["giveaways"]["train"]["words"]["verdict"] == "says nothing"
    assert found["giveaways"]["test"]["words"]["verdict"] == "unknown"
    tried = [one for one in found["giveaways"]["train"].values() if one["differ"]]
    missed = [one for one in tried if one["verdict"] == "gives away"]
    assert f"{len(tried)} intervals were looked at." in text and f"about {len(tried) * 0.05:.1f}, would miss 0.5; {len(missed)} do." in text


def test_few_debates_claim_nothing(tmp_path: Path) -> None:
    _, text = write_card(tmp_path, some_facts(5))
    assert "No split has enough debates to tell anything." in text and "Not balanced" not in text
    assert "(too few)" in text


def test_cost_time_and_leaks_are_told(tmp_path: Path) -> None:
    cost = {"optimal": {"matched": 9, "balanced": 8}, "uncalipered": {"matched": 20}}
    found, text = write_card(tmp_path, some_facts(matching_cost=cost, extra={"labelled": {"train": 4}}, leaks=3))
    assert found["matching_cost"] == cost and found["extra"] == {"labelled": {"train": 4}} and found["leaks"] == 3
    assert "| optimal | 9 | 8 |" in text and "| uncalipered | 20 | – |" in text
    assert "**The splits are the source's own, and they leak:** 3 " in text
    assert {"plots/time.png", "plots/matching-cost.png"} <= set(pictures_of(text))
    assert "| losers | 1 | 0 | 1 × a \\| b |" in text


def test_pairs_that_the_source_states_are_not_said_to_be_matched(tmp_path: Path) -> None:
    config = PairsConfig(matching="none").model_dump(mode="json")
    _, text = write_card(tmp_path, some_facts(config=config))
    for word in ("as the source states them", "the source's pairs, as written", "The splits are the source's own where it has any"):
        assert word in text
    for word in ("matched on length", "Balancing cost", "of about the same length, earned none", "Matching takes away"):
        assert word not in text


@pytest.mark.parametrize(("unit", "word"), [("comment", "and the turns above the reply"), ("path", "all that a challenger wrote")])
def test_the_unit_is_told(tmp_path: Path, unit: str, word: str) -> None:
    found, text = write_card(tmp_path, some_facts(unit=unit))
    assert found["unit"] == unit and word in text


def test_the_baseline_before_matching_is_the_expectation_over_random_losers() -> None:
    winner, even, short = (a_reply(name, n) for name, n in (("w", 60), ("e", 60), ("s", 50)))
    debates = [Debate("1", "view", (winner,), (even, short)), Debate("2", "view", (winner,), ()), Debate("3", "view", (short,), (winner,))]
    any_loser = AnyLoser()
    for one in debates:
        any_loser.add(one)
    pairs = [Pair("1", winner, short)]
    found = length_baselines(any_loser, pairs, {"train": pairs, "validation": [], "test": []})
    assert found["before"].value == pytest.approx((0.75 + 0) / 2)
    assert found["before"].n == len(any_loser.log_ratios) == 2
    assert found["matched"].value == found["train"].value == 1
    assert found["test"].n == 0


def test_losers_seen_before_they_were_thrown_away_count(tmp_path: Path) -> None:
    seen = AnyLoser()
    seen.add(Debate("d0", "view", (a_reply("w", 60),), (a_reply("a", 50), a_reply("b", 40), a_reply("c", 300))))
    found, _ = write_card(tmp_path, some_facts(any_loser=seen))
    assert found["longer_wins"]["before"]["value"] == pytest.approx(2 / 3)


def test_best_of_four_and_labelled_are_read_as_written(tmp_path: Path) -> None:
    words = [[60, 50, 50, 40], [60, 60, 50, 40], [50, 60, 50, 40]]
    rows = [
        {"split": "train", "debate_id": str(index), "winner": 0, "reply_words": four, "replies": ["x"] * 4}
        for index, four in enumerate(words)
    ]
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / extras.BEST_OF_FOUR)
    labels = [{"split": "train", "label": index < 2, "words": 50 + index} for index in range(4)]
    pq.write_table(pa.Table.from_pylist(labels), tmp_path / extras.LABELLED)
    found, text = write_card(tmp_path, some_facts())
    assert found["best_of_four"]["train"]["longest"]["value"] == pytest.approx((1 + 0.5 + 0) / 3)
    assert found["best_of_four"]["train"]["shortest"]["value"] == 0 and found["best_of_four"]["test"]["longest"]["n"] == 0
    assert found["labelled"]["train"] == {"rows": 4, "with_award": 2, "mean_words_with_award": 50.5, "mean_words_without": 52.5}
    assert (
        "plots/best-of-four.png" in pictures_of(text) and "config_name: best_of_four" in text and "| train | 4 | 2 | 50.5 | 52.5 |" in text
    )


def test_a_table_of_another_kind_is_said_to_be_so(tmp_path: Path) -> None:
    pq.write_table(pa.table({"a": [1]}), tmp_path / extras.LABELLED)
    with pytest.raises(SuasionError, match="Cannot read"):
        extras.labelled(tmp_path / extras.LABELLED)
    (tmp_path / extras.BEST_OF_FOUR).write_bytes(b"no table")
    with pytest.raises(SuasionError, match="Cannot read"):
        extras.best_of_four(tmp_path / extras.BEST_OF_FOUR)
    assert extras.labelled(tmp_path / "absent.parquet") == {}


def test_the_same_facts_give_the_same_card(tmp_path: Path) -> None:
    for name in ("one", "two"):
        write_card(tmp_path / name, some_facts())
    files = sorted(path.relative_to(tmp_path / "one") for path in (tmp_path / "one").rglob("*") if path.is_file())
    assert all((tmp_path / "one" / file).read_bytes() == (tmp_path / "two" / file).read_bytes() for file in files)
