"""Exercises from files, folders and the hub; and that no text is both learned from and measured on."""

from __future__ import annotations

import json
import random
import string
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from suasion.analysis.hirpo.exercises import ProfileConfig, SourceConfig, read_exercises
from suasion.analysis.hirpo.exercises.overlap import SHARED, Overlap, words_of
from suasion.analysis.hirpo.exercises.texts import texts_of
from suasion.errors import SuasionError

SHARED_DATA = Path(__file__).parents[3].parent / "shared" / "data"


def _words(seed: int, number: int) -> str:
    """A text of its own."""
    chance = random.Random(seed)
    return " ".join("".join(chance.choices(string.ascii_lowercase, k=6)) for _ in range(number)) + "."


def _jsonl(path: Path, texts: Sequence[str], **columns: Sequence[Any]) -> Path:
    rows = [{"text": text} | {name: values[place] for name, values in columns.items()} for place, text in enumerate(texts)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def _source(path: Path | str, **more: Any) -> SourceConfig:
    return SourceConfig(path=str(path), **more)


def _texts(source: SourceConfig, folder: Path) -> list[str]:
    return [one.text for one in texts_of(source, folder)]


def test_overlapping_texts_are_dropped_from_training(tmp_path: Path) -> None:
    held, near, debate = _words(1, 60), _words(1, 60).replace("a", "A"), " ".join([_words(2, 90), _words(1, 60), _words(3, 90)])
    edited = " ".join(word if place % 30 else "changed" for place, word in enumerate(held.split()))
    other = _words(4, 60)
    _jsonl(tmp_path / "train.jsonl", [held, near, debate, edited, other, other, "  ", _words(5, 8)])
    _jsonl(tmp_path / "test.jsonl", [held, edited, _words(6, 60)])
    profile = ProfileConfig(training=(_source("train.jsonl"),), evaluation=(_source("test.jsonl"),), least_words=10)
    read = read_exercises({"arguments": profile}, tmp_path, seed=0)
    assert [one.text for one in read.of("arguments", "training")] == [other]
    assert [one.text for one in read.of("arguments", "evaluation")] == [held, _words(6, 60)]
    counts = read.counts["arguments"]
    assert counts == {"read": 11, "empty": 1, "too_short": 1, "too_long": 0, "doubles": 3, "overlapping": 3, "training": 1, "evaluation": 2}
    assert counts["read"] == sum(number for what, number in counts.items() if what != "read")
    assert read.describe() == [
        "exercises 'arguments': 1 texts for training, 2 for evaluation; left out: 1 empty, 1 too short, 3 doubles, 3 overlapping"
    ]


def test_overlap_is_looked_for_across_profiles(tmp_path: Path) -> None:
    """The published data has the arguments of a debate in one profile, and the debate in another."""
    argument, own = _words(1, 50), _words(9, 50)
    _jsonl(tmp_path / "a-train.jsonl", [own])
    _jsonl(tmp_path / "a-test.jsonl", [argument])
    _jsonl(tmp_path / "d-train.jsonl", [" ".join([_words(2, 200), argument, _words(3, 200)]), _words(4, 200)])
    _jsonl(tmp_path / "d-test.jsonl", [_words(5, 200)])
    profiles = {
        "arguments": ProfileConfig(training=(_source("a-train.jsonl"),), evaluation=(_source("a-test.jsonl"),)),
        "debates": ProfileConfig(training=(_source("d-train.jsonl"),), evaluation=(_source("d-test.jsonl"),)),
    }
    read = read_exercises(profiles, tmp_path, seed=0)
    assert [one.text for one in read.of("debates", "training")] == [_words(4, 200)]
    assert read.counts["debates"]["overlapping"] == 1


pieces = st.lists(st.sampled_from([_words(seed, 12) for seed in range(6)]), min_size=1, max_size=4).map(" ".join)


@settings(max_examples=150, deadline=None)
@given(st.lists(pieces, max_size=6), pieces)
def test_overlap_is_what_counting_by_hand_says(index: list[str], text: str) -> None:
    overlap = Overlap()
    for one in index:
        overlap.add(one)

    def grams(one: str) -> set[tuple[str, ...]]:
        words = words_of(one)
        return {words[start : start + 5] for start in range(max(1, len(words) - 4))}

    expected = {n for n, one in enumerate(index) if len(grams(one) & grams(text)) >= SHARED * min(len(grams(one)), len(grams(text)))}
    assert overlap.find(text) == expected
    assert all(words_of(one) != words_of(text) or expected for one in index)


def test_copies_of_a_short_text_are_found_too() -> None:
    overlap = Overlap()
    overlap.add("Ban cars!")
    assert overlap.find("ban  CARS") == {0} and not overlap.find("Ban bikes!") and not overlap.find("...")


def test_parts_follow_from_texts_and_seed_and_keep_groups_together(tmp_path: Path) -> None:
    texts, topics = [_words(seed, 30) for seed in range(40)], [f"topic {seed % 8}" for seed in range(40)]
    path = _jsonl(tmp_path / "texts.jsonl", texts, topic=topics)
    back = _jsonl(tmp_path / "back.jsonl", texts[::-1], topic=topics[::-1])

    def parts(file: Path, seed: int) -> tuple[set[str], set[str]]:
        read = read_exercises({"a": ProfileConfig(training=(_source(file, group="topic"),), evaluation_share=0.25)}, tmp_path, seed)
        return {one.text for one in read.of("a", "training")}, {one.text for one in read.of("a", "evaluation")}

    training, evaluation = parts(path, 0)
    assert parts(back, 0) == (training, evaluation) and parts(path, 1) != (training, evaluation)
    topic = dict(zip(texts, topics, strict=True))
    assert not {topic[one] for one in training} & {topic[one] for one in evaluation}
    assert len(evaluation) == 10 and len(training) == 30


def test_every_kind_of_local_source(tmp_path: Path) -> None:
    pq.write_table(pa.table({"source_text": ["one", None], "lang": ["en", "en"]}), tmp_path / "t.parquet")
    assert _texts(_source("t.parquet"), tmp_path) == ["one", ""]
    _jsonl(tmp_path / "l.jsonl", ["yes", "nein"], lang=["en", "de"])
    assert _texts(_source("l.jsonl", where={"lang": "en"}), tmp_path) == ["yes"]
    (tmp_path / "folder" / "sub").mkdir(parents=True)
    (tmp_path / "folder" / "b.txt").write_text("b")
    (tmp_path / "folder" / "sub" / "a.md").write_text("a ü")
    (tmp_path / "folder" / "c.png").write_bytes(b"\x89PNG")
    assert _texts(_source("folder"), tmp_path) == ["b", "a ü"]
    (tmp_path / "several.jsonl").write_text(json.dumps({"sources": ["first ", " second"]}))
    assert _texts(_source("several.jsonl"), tmp_path) == ["first\n\n-----\n\nsecond"]


def test_mined_posts_and_pairs(tmp_path: Path) -> None:
    footer = "\n\n> *Hello, users of CMV! This is a footnote from your moderators. We'd just like to remind you…*"
    rows = {
        "debate_id": ["a", "b", "c", "d"],
        "title": ["CMV: Cars are bad.", "I think cars are good, CMV", "CMV: gone", "The CMV: scene"],
        "text": [f"They smell.{footer}", "They are fast.", "[removed]", ""],
    }
    pq.write_table(pa.table(rows), tmp_path / "posts.parquet")
    assert _texts(_source("."), tmp_path) == ["Cars are bad.\n\nThey smell.", "I think cars are good\n\nThey are fast.", "", ""]
    prompt = [[{"role": "user", "content": "The view."}]] * 2
    pq.write_table(pa.table({"prompt": prompt, "debate_id": ["a", "a"]}), tmp_path / "train.parquet")
    assert _texts(_source(".", split="train"), tmp_path) == ["The view."] * 2


@pytest.mark.parametrize(
    ("name", "content", "more", "told"),
    [
        ("x.jsonl", '{"text": "a"}\nnot json\n', {}, "Line 2 is not JSON"),
        ("x.jsonl", "[1]\n", {}, "Line 1 is no JSON object"),
        ("x.jsonl", '{"text": "a"}', {"column": "txt"}, "no column 'txt'; did you mean 'text'"),
        ("x.jsonl", '{"txt": "a"}', {}, "No column looks like the text"),
        ("x.jsonl", '{"text": 7}', {}, "holds int and no text"),
        ("x.jsonl", b"\xff\xfe\x00", {}, "Cannot read the texts"),
        ("x.parquet", b"PAR1 but not really", {}, "Cannot read the table"),
        ("x.csv", "a,b", {}, "not read from .csv"),
        ("x.jsonl", "", {"path": "absent.jsonl"}, "no such file or folder"),
        ("folder/x.png", b"", {"path": "folder"}, "neither a table"),
        ("folder/x.txt", b"", {"path": "folder", "split": "test"}, "no table 'test'"),
    ],
)
def test_bad_sources_are_told(tmp_path: Path, name: str, content: str | bytes, more: dict[str, Any], told: str) -> None:
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(SuasionError, match=told):
        _texts(SourceConfig(**({"path": name} | more)), tmp_path)


def test_a_data_set_of_the_hub_is_loaded_by_name_and_split(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []

    def load(*args: Any, **named: Any) -> list[dict[str, str]]:
        asked.append((args, named))
        return [{"text": "from afar"}]

    monkeypatch.setattr("datasets.load_dataset", load)
    source = _source("DebateLabKIT/arguments-and-debates", name="arguments-procon_org", split="test")
    (text,) = texts_of(source, tmp_path)
    assert asked == [(("DebateLabKIT/arguments-and-debates", "arguments-procon_org"), {"split": "test", "revision": "main"})]
    assert text.origin == "DebateLabKIT/arguments-and-debates:arguments-procon_org:test#1" and text.text == "from afar"


def test_offline_the_hub_is_a_plain_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def load(*args: Any, **named: Any) -> Any:
        raise ConnectionError("offline")

    monkeypatch.setattr("datasets.load_dataset", load)
    with pytest.raises(SuasionError, match="no data set of this id could be loaded: ConnectionError: offline") as error:
        _texts(_source("OWNER/NAME"), tmp_path)
    assert "OWNER/NAME:train" in str(error.value) and "Without a network" in str(error.value)


def test_a_profile_without_texts_is_an_error(tmp_path: Path) -> None:
    _jsonl(tmp_path / "t.jsonl", ["too short"])
    with pytest.raises(SuasionError, match=r"'a' has no text for training \(1 read, 1 too short\)"):
        read_exercises({"a": ProfileConfig(training=(_source("t.jsonl"),), least_words=10)}, tmp_path, seed=0)


@pytest.mark.skipif(not (SHARED_DATA / "debate-texts").is_dir(), reason="../shared/data/debate-texts is not there")
def test_real_texts() -> None:
    folder = SHARED_DATA / "debate-texts"
    profiles = {
        "arguments": ProfileConfig(
            training=(_source("arg-microtexts/microtexts.jsonl", where={"lang": "en"}, group="topic_id"),), evaluation_share=0.2
        ),
        "debates": ProfileConfig(
            training=(_source("cmv-top-submissions-2013/submissions.jsonl", column="selftext"),), least_words=80, most_words=400
        ),
    }
    read = read_exercises(profiles, folder, seed=0)
    assert read.counts["arguments"]["read"] == 283 and read.counts["debates"]["read"] == 1000
    held = Overlap()
    for profile in profiles:
        assert len(read.of(profile, "evaluation")) >= 20
        for one in read.of(profile, "evaluation"):
            held.add(one.text)
    assert not any(held.find(one.text) for profile in profiles for one in read.of(profile, "training"))
