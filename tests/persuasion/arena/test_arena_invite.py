from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from suasion.errors import SuasionError
from suasion.persuasion.arena.export import back_up, export
from suasion.persuasion.arena.invitations import invite_all, listed
from suasion.persuasion.arena.invite import admin_token, form_token, is_admin, is_form_token, rater_of_token, rater_token
from suasion.persuasion.arena.store import open_store

SECRET = b"s" * 32
Make = Callable[..., Path]


@settings(deadline=None)
@given(st.text(max_size=20).filter(lambda text: "." not in text), st.text(max_size=40))
def test_only_the_studys_own_tokens_are_good(rater: str, other: str) -> None:
    token = rater_token(SECRET, rater)
    assert rater_of_token(SECRET, token) == rater
    assert rater_of_token(b"t" * 32, token) is None
    assert rater_of_token(SECRET, other) is None or other == rater_token(SECRET, other.partition(".")[0])
    assert rater_of_token(SECRET, f"{rater}.{form_token(SECRET, rater)}") is None, "a form's token opens no series"
    assert is_form_token(SECRET, rater, form_token(SECRET, rater)) and not is_form_token(SECRET, rater + "x", form_token(SECRET, rater))
    assert is_admin(SECRET, admin_token(SECRET)) and not is_admin(SECRET, token) and not is_admin(SECRET, other)


def test_links_are_made_listed_and_taken_back(study: Make) -> None:
    with open_store(study(raters_per_premise=3)) as store:
        invite_all(store, ["Ann", ""])
        rows = listed(store, "https://arena.example/")
        assert [(row["number"], row["nickname"], row["done"], row["state"]) for row in rows] == [
            (1, "Ann", 0, "invited"),
            (2, "", 0, "invited"),
        ]
        assert rows[0]["link"] == f"https://arena.example/r/{rater_token(store.secret, rows[0]['id'])}"
        with pytest.raises(SuasionError, match="1 free seat, not 2"):
            invite_all(store, ["Bo", "Cy"])
        with pytest.raises(SuasionError, match="no rater number 9"):
            invite_all(store, ["Bo"], [1, 9])
        assert [row["state"] for row in listed(store, "")] == ["invited", "invited"], "all of it or nothing"
        invite_all(store, ["Bo", "Cy"], [1])
        first = listed(store, "")[0]
        assert (first["state"], first["link"]) == ("revoked", None)


def test_people_are_not_invited_to_a_simulated_study(study: Make) -> None:
    with open_store(study()) as store:
        store.mark_simulated("{}")
        with pytest.raises(SuasionError, match="simulated"):
            invite_all(store, ["Ann"])


def test_an_export_holds_the_ballots_and_no_nickname(study: Make, tmp_path: Path) -> None:
    import json

    from suasion.persuasion.arena.ballots import read_ballots

    with open_store(study(ask=["Where do you live?"])) as store:
        rater = store.invite("Annabel")
        store.consent(rater.id, "Annabella", {"Where do you live?": "Timbuktu"})
        for item in store.items(rater.id):
            store.record(item.id, rater.id, answer="tie")
        counts = export(store, tmp_path / "out")
        ballots = read_ballots(tmp_path / "out" / "ballots.jsonl")
        assert ballots == store.ballots() and counts == {"ballots": len(ballots), "replies": 24, "premises": 8}
        copied = back_up(store)
    everything = "".join(path.read_text() for path in (tmp_path / "out").iterdir())
    assert "Annabel" not in everything and "Timbuktu" not in everything and "zyxsft-run3" in everything
    replies = [json.loads(line) for line in (tmp_path / "out" / "replies.jsonl").read_text().splitlines()]
    known = {reply["reply"]: reply["system"] for reply in replies}
    assert all(known[ballot.left_reply] == ballot.left for ballot in ballots if ballot.kind == "ballot")
    (store.folder / copied).rename(tmp_path / "out" / "arena.sqlite")
    with open_store(tmp_path / "out") as again:  # a backup is a study
        assert again.ballots() == ballots
