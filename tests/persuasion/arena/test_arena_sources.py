"""Replies in, a study out: runs, files, people's winners; what is wrong is told by file and line, and nothing half-made stays."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

from suasion.config import load_config
from suasion.errors import SuasionError
from suasion.files import sha256_file
from suasion.persuasion.arena.create import SETTINGS, create_study
from suasion.persuasion.arena.sources import Source, merged, read_sources
from suasion.persuasion.arena.store import open_store
from suasion.persuasion.arena.study import Study
from suasion.persuasion.dataset import load_premises
from suasion.runs.run import Run
from tests.nano import write_pairs


def write_rows(path: Path, *rows: object) -> Path:
    path.write_text("".join((row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows))
    return path


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    """A run of pairs with four premises to test on, and an evaluation of two systems on three of them."""
    root = tmp_path / "runs"
    pairs = Run.start(root, "Pairs", config={})
    with pairs:
        write_pairs(pairs.path)
    evaluation = Run.start(root, "Eval", config={}, parents={"pairs": pairs})
    with evaluation:
        for system in ("base", "GRPO"):
            rows = [
                {
                    "debate_id": premise.debate_id,
                    "premise": premise.text,
                    "replies": [{"text": f"**{system}** {number}. Cut", "tokens": 5, "ended": number == 0} for number in range(2)],
                }
                for premise in load_premises(pairs.path, "test")[:3]
            ]
            write_rows(evaluation.path / f"replies-{system}.jsonl", *rows)
    return root


def test_an_evaluation_run_with_the_winners_of_the_real_debates(runs: Path, tmp_path: Path) -> None:
    name = next(path.name for path in runs.iterdir() if "Eval" in path.name)
    (source,) = read_sources([name], runs, humans=True)
    assert {system: len(replies) for system, replies in source.replies.items()} == {"base": 3, "GRPO": 3, "human": 3}
    shown = {written.shown for replies in source.replies["base"].values() for written in replies}
    assert shown == {"base 0. Cut", "base 1."}, "a reply that was cut off ends with a whole sentence"
    made = create_study(tmp_path / "study", Study(), [source])
    assert (made.systems, made.premises, made.left_out, sum(made.seats)) == (("GRPO", "base", "human"), 3, 0, 9)
    with open_store(made.folder) as store:
        assert set(store.sources().values()) == {"test0", "test1", "test2"}
        kept = json.loads(store.note("sources") or "")[name]
    assert kept["replies-base.jsonl"] == sha256_file(runs / name / "replies-base.jsonl") and "premises.parquet" in kept
    (without,) = read_sources([name], runs, humans=False)
    assert set(without.replies) == {"base", "GRPO"}


def test_latest_is_the_newest_finished_evaluation(runs: Path, tmp_path: Path) -> None:
    name = next(path.name for path in runs.iterdir() if "Eval" in path.name)
    unfinished = Run.start(runs, "Eval", config={})
    write_rows(unfinished.path / "replies-base.jsonl", {"premise": "P", "replies": [{"text": "R"}]})
    with Run.start(runs, "SFT", config={}):
        pass
    (source,) = read_sources(["latest"], runs, humans=False)
    assert source.name == name
    with pytest.raises(SuasionError, match="No finished evaluation"):
        read_sources(["latest"], tmp_path / "empty", humans=False)


@pytest.mark.parametrize(
    "rows",
    [
        [{"premise": "P1", "replies": {"a": "A1", "b": ["B1", "B1b"]}}, {"premise": "P2", "replies": {"a": "A2", "b": "B2"}}],
        [{"premise": premise, "system": system, "reply": f"{system}{premise}"} for premise in ("P1", "P2") for system in ("a", "b")],
    ],
    ids=["table", "long"],
)
def test_a_file_in_any_form(tmp_path: Path, rows: list[object]) -> None:
    (source,) = read_sources([str(write_rows(tmp_path / "mine.jsonl", *rows, ""))], tmp_path, humans=True)
    assert {system: set(replies) for system, replies in source.replies.items()} == {"a": {"P1", "P2"}, "b": {"P1", "P2"}}


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("{", "not JSON"),
        ("[" * 100_000, "not JSON"),
        ("[1]", "no premise"),
        ({"replies": {"a": "x"}}, "no premise"),
        ({"premise": "  ", "replies": {"a": "x"}}, "no premise"),
        ({"premise": "P"}, "no system or no text"),
        ({"premise": "P", "replies": {"a": 5}}, "no system or no text"),
        ({"premise": "P", "replies": {" ": "x"}}, "no system or no text"),
        ({"premise": "P", "replies": [{"tokens": 1}]}, "no system or no text"),
        ({"premise": "P", "system": "a"}, "no system or no text"),
    ],
)
def test_a_wrong_row_is_named(tmp_path: Path, row: object, said: str) -> None:
    path = write_rows(tmp_path / "mine.jsonl", {"premise": "P", "replies": {"a": "x"}}, row)
    with pytest.raises(SuasionError, match=said) as found:
        read_sources([str(path)], tmp_path, humans=True)
    assert str(found.value.where).endswith("mine.jsonl, line 2")


def test_what_holds_no_replies_is_named(tmp_path: Path, runs: Path) -> None:
    pairs = next(path.name for path in runs.iterdir() if "Pairs" in path.name)
    for name, said in ((str(write_rows(tmp_path / "empty.jsonl")), "holds no replies"), (pairs, "no samples"), ("nowhere", "no run")):
        with pytest.raises(SuasionError, match=said):
            read_sources([name], runs, humans=True)


def test_systems_of_one_name_are_told_apart_unless_they_are_one() -> None:
    one, same, other = Source("run1"), Source("run2"), Source("run3")
    for source, text in ((one, "x"), (same, "x"), (other, "y")):
        source.add("base", "P", text)
        source.add("human", "P", text)
    assert set(merged([one, same])) == {"base", "human"}
    assert set(merged([one, other])) == {"base (run1)", "base (run3)", "human"}
    with pytest.raises(SuasionError, match="Two sources are called"):
        merged([one, Source("run1", other.replies)])


def source_of(**texts: dict[str, str]) -> Source:
    source = Source("s")
    for system, replies in texts.items():
        for premise, reply in replies.items():
            source.add(system, premise, reply)
    return source


def test_only_premises_with_a_reply_of_every_system_take_part(tmp_path: Path) -> None:
    source = source_of(a={"P1": "x", "P2": "x", "P3": "x"}, b={"P2": "y", "P3": "y", "P4": "y"})
    made = create_study(tmp_path / "study", Study(premises=1), [source])
    assert (made.premises, made.left_out) == (1, 2)
    with pytest.raises(SuasionError, match="a has replied to 1, b has replied to 1"):
        create_study(tmp_path / "other", Study(), [source_of(a={"P1": "x"}, b={"P2": "y"})])
    with pytest.raises(SuasionError, match="two systems; there are 1: a"):
        create_study(tmp_path / "other", Study(), [source_of(a={"P1": "x"})])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["study"]


def test_a_study_is_never_made_over(tmp_path: Path) -> None:
    source = source_of(a={"P": "x"}, b={"P": "y"})
    create_study(tmp_path / "study", Study(title="first"), [source])
    with pytest.raises(SuasionError, match="something here"):
        create_study(tmp_path / "study", Study(title="second"), [source])
    assert load_config(tmp_path / "study" / SETTINGS, Study).title == "first"


def test_a_study_that_fails_halfway_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr("suasion.persuasion.arena.create.make_database", full)
    with pytest.raises(SuasionError, match="disk is full"):
        create_study(tmp_path / "study", Study(), [source_of(a={"P": "x"}, b={"P": "y"})])
    assert list(tmp_path.iterdir()) == []


def test_odd_letters_are_stored_and_come_back(tmp_path: Path) -> None:
    path = write_rows(tmp_path / "odd.jsonl", {"premise": "P \ud800\x00 ∆ 😀", "replies": {"a\ud800": "x \udfff", "b": ""}})
    create_study(tmp_path / "study", Study(), read_sources([str(path)], tmp_path, humans=True))
    with open_store(tmp_path / "study") as store:
        assert store.systems() == ["a?", "b"] and list(store.premises().values()) == ["P ∆ 😀"]
        assert sorted((one.text, one.words) for one in store.replies()) == [("", 0), ("x", 1)]


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"design": "change-of-view", "strength": True}, "one reply"),
        ({"design": "other"}, "preference"),
        ({"reading_checks": 9}, "less than or equal to 3"),
        ({"titel": "x"}, "did you mean 'title'"),
        ({"screening": {"min_balots": 2}}, "did you mean 'min_ballots'"),
    ],
)
def test_settings_that_make_no_study(settings: dict[str, object], said: str) -> None:
    from suasion.config import validate

    with pytest.raises(SuasionError, match=said):
        validate(settings, Study)
