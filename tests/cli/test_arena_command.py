"""``suasion arena`` from its making to its end, as people type it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.test_cli import assert_plain_error
from tests.forks import CommandLine


@pytest.fixture(scope="module")
def replies(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("replies") / "mine.jsonl"
    rows = [{"premise": f"Opinion {number}.", "replies": {"one": f"A {number}.", "two": f"B {number}."}} for number in range(6)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_from_create_to_close(suasion: CommandLine, replies: Path, tmp_path: Path) -> None:
    study = tmp_path / "study"
    more = tmp_path / "more.jsonl"
    more.write_text("".join(json.dumps({"premise": f"Opinion {number}.", "system": "three", "reply": "C."}) + "\n" for number in range(5)))
    made = suasion("arena", "create", study, "--replies", replies, more, "raters_per_premise=2", "screening.min_ballots=3")
    assert made.status == 0, made.err
    assert "systems: one, three, two" in made.out and "premises: 5 (1 without a reply of every system" in made.out
    assert "raters: 2, each 5 ballots; 10 ballots in all" in made.out
    invited = suasion("arena", "invite", study, "--nickname", "Ann", "-n", "1", "--address", "https://arena.example", "--json")
    rows = json.loads(invited.out)
    assert [row["nickname"] for row in rows["raters"]] == ["Ann", ""] and rows["seats_left"] == 0
    assert rows["raters"][0]["link"].startswith("https://arena.example/r/")
    listed = suasion("arena", "invite", study, "--revoke", "2")
    assert "revoked" in listed.out and "raters: 2, free seats: 1" in listed.out
    assert suasion("arena", "backup", study).out.strip().endswith(".sqlite")
    exported = suasion("arena", "export", study, "-o", tmp_path / "out")
    assert "0 ballots, 15 replies, 5 premises" in exported.out, exported.err
    assert "closed with 0 answers" in suasion("arena", "close", study).out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["create", "{folder}/new", "--replies", "nowhere"], "There is no run"),
        (["create", "{folder}/new", "--replies", "{replies}", "rater_per_premise=2"], "did you mean 'raters_per_premise'"),
        (["create", "{folder}", "--replies", "{replies}"], "something here already"),
        (["create", "{folder}/new"], "--replies"),
        (["create", "{folder}/new", "--replies", "{replies}", "--settings", "{replies}"], "mine.jsonl"),
        (["serve", "{folder}"], "no study here"),
        (["invite", "{folder}"], "no study here"),
        (["export", "{folder}/nowhere", "-o", "{folder}/out"], "no study here"),
        (["close", "{folder}"], "no study here"),
    ],
)
def test_what_is_wrong_is_said_plainly(suasion: CommandLine, replies: Path, words: list[str], said: str) -> None:
    places = {"folder": replies.parent, "replies": replies}
    assert_plain_error(suasion("arena", *(word.format(**places) for word in words)), said)
    assert [path.name for path in replies.parent.iterdir()] == ["mine.jsonl"]


def test_a_simulated_study_is_not_served(suasion: CommandLine, replies: Path, tmp_path: Path) -> None:
    suasion("arena", "create", tmp_path / "study", "--replies", replies)
    assert suasion("arena", "simulate", tmp_path / "study").status == 0
    for words in (["serve", tmp_path / "study"], ["invite", tmp_path / "study", "-n", "1"]):
        assert_plain_error(suasion("arena", *words), "simulated")
