from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from suasion.config import validate
from suasion.errors import SuasionError
from suasion.persuasion.mining.candidates import Debate, Funnel, PairsConfig, candidates_of, find_candidates, read_debates
from tests.persuasion.mining.tables_for_tests import Rows, award, comment, debate, post, together, words, write


def candidates(rows: Rows, **config: Any) -> tuple[Debate | None, dict[str, dict[str, int]]]:
    funnel = Funnel()
    found = candidates_of(rows["posts"][0], rows["comments"], rows["awards"], PairsConfig(**config), funnel, Counter())
    return found, {step: entry["dropped"] for step, entry in funnel.as_dict().items()}


def ids(found: Debate | None) -> tuple[list[str], list[str]]:
    assert found is not None
    return [reply.id for reply in found.winners], [reply.id for reply in found.losers]


def one(**more: Any) -> Rows:
    """A debate d with one winner (w, awarded in a) and one loser (l); ``more`` changes the loser's row."""
    comments = [comment("d", "w", "winner"), comment("d", "a", "op", "w", text="∆ " + words("a", 20)), comment("d", "l", "loser") | more]
    return {"posts": [post("d")], "comments": comments, "awards": [award("d", "a", "w")]}


def test_winner_and_loser_are_found() -> None:
    found, dropped = candidates(one())
    assert ids(found) == (["w"], ["l"])
    assert found is not None
    assert found.premise.startswith(words(("d", "title"), 8))
    assert dropped["winners"] == {}


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"author": "op"}, "by the post's author"),
        ({"author": "winner"}, "by somebody who won in this debate"),
        ({"author": "AutoModerator"}, "by a bot"),
        ({"distinguished": "moderator"}, "by a moderator in office"),
        ({"text": "Sorry someone, your comment has been removed: " + words(1, 60)}, "by a moderator in office"),
        ({"text": "[removed]"}, "deleted or removed"),
        ({"text": "> " + words(1, 60)}, "shorter than 50 words"),
        ({"text": words(1, 700)}, "longer than 600 words"),
        ({"text": words(("d", "w"), 60) + " indeed"}, "nearly the same text as a winner"),
        ({"depth": -1}, "outside the tree: what it answers is not in the dump"),
    ],
)
def test_why_a_loser_is_dropped(change: dict[str, Any], reason: str) -> None:
    found, dropped = candidates(one(**change), unit="comment" if "depth" in change else "root")
    assert ids(found)[1] == []
    assert dropped["losers"][reason] == 1


@pytest.mark.parametrize("revoked", [True, False])
@pytest.mark.parametrize("by_author", [True, False])
def test_an_award_by_anybody_below_a_reply_keeps_it_from_losing(revoked: bool, by_author: bool) -> None:
    rows = one()
    rows["comments"] += [comment("d", "l2", "deep", "l"), comment("d", "a2", "passer-by", "l2", depth=2)]
    rows["awards"].append(award("d", "a2", "l2", by_author=by_author, revoked=revoked))
    found, dropped = candidates(rows)
    assert "l" not in ids(found)[1]
    assert dropped["losers"]["it, or a comment below it, is part of an award"] >= 1


def test_an_unconfirmed_delta_of_the_author_keeps_a_reply_from_losing() -> None:
    rows = one()
    rows["comments"].append(comment("d", "t", "op", "l", text="!delta nice"))
    found, dropped = candidates(rows)
    assert ids(found)[1] == []
    assert dropped["losers"] == {
        "it, or a comment below it, is part of an award": 1,
        "a delta below it was not confirmed": 1,
    }


def test_replies_after_the_authors_last_word_are_not_losers() -> None:
    rows = one()
    for row, time in zip(rows["comments"], (10, 20, 30), strict=True):
        row["created_utc"] = time
    found, dropped = candidates(rows)
    assert ids(found)[1] == []
    assert dropped["losers"]["after the author's last word"] == 1
    rows["comments"][2]["created_utc"] = 15
    assert ids(candidates(rows)[0])[1] == ["l"]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"author": "op"}, "by the post's author"),
        ({"author": "DeltaBot"}, "by a bot"),
        ({"text": "[deleted]"}, "deleted or removed"),
        ({"text": words(1, 20)}, "shorter than 50 words"),
        ({"depth": 1, "parent_id": "x", "parent_is_post": False}, "not a reply to the post itself"),
    ],
)
def test_why_a_winner_is_dropped(change: dict[str, Any], reason: str) -> None:
    rows = one()
    rows["comments"][0] |= change
    found, dropped = candidates(rows)
    assert ids(found) == ([], [])
    assert dropped["winners"] == {reason: 1}


def test_awards_that_do_not_count() -> None:
    rows = one()
    rows["awards"] = [award("d", "a", "w", revoked=True), award("d", "b", "w", by_author=False)]
    assert candidates(rows)[1]["awards"] == {"revoked by a moderator": 1, "not by the post's author": 1}
    found, dropped = candidates(rows, by="anyone")
    assert ids(found)[0] == ["w"]
    assert dropped["awards"] == {"revoked by a moderator": 1}


def test_a_winner_with_several_awards_counts_once() -> None:
    rows = one()
    rows["awards"].append(award("d", "b", "w"))
    found, dropped = candidates(rows)
    assert ids(found)[0] == ["w"]
    assert dropped["awards"] == {"another award to the same reply": 1}


def test_two_deleted_accounts_may_be_one_person() -> None:
    rows = one(author="[deleted]")
    rows["posts"][0]["author"] = "[deleted]"
    found, dropped = candidates(rows, by="anyone")
    assert ids(found)[1] == []
    assert dropped["losers"]["perhaps by the post's author: both accounts are deleted"] == 1


@pytest.mark.parametrize("name", ["loser", "u/Loser", "t1_l", "l"])
def test_opting_out(name: str) -> None:
    assert candidates(one(), opt_out=[name])[1]["losers"]["opted out"] == 1


def test_a_post_of_no_use_is_counted() -> None:
    for change, reason in (({"text": "[removed]"}, "deleted or removed"), ({"title": "", "text": ""}, "no text")):
        rows = one()
        rows["posts"][0] |= change
        found, dropped = candidates(rows)
        assert found is None
        assert dropped["debates"] == {reason: 1}
        assert dropped["awards"] == {"the debate is not usable": 1}


def test_a_loop_of_comments_does_not_hold_it_up() -> None:
    rows = one()
    rows["comments"] += [comment("d", "x", "a1", "y"), comment("d", "y", "a2", "x", text="!delta " + words(3, 10))]
    rows["awards"].append(award("d", "y", "x"))
    assert ids(candidates(rows)[0])[0] == ["w"]


def test_debates_are_read_whole_however_the_rows_lie(tmp_path: Path) -> None:
    rows = together(debate("b", [60], [60, 61]), debate("a", [70, 71], [70]))
    rows["comments"].sort(key=lambda row: row["author"][::-1])
    rows["awards"].append(award("gone", "x", "y"))
    funnel = Funnel()
    found = find_candidates(read_debates(write(tmp_path, rows), funnel), PairsConfig(), funnel, Counter())
    assert [ids(one) for one in found] == [(["aw0", "aw1"], ["al0"]), (["bw0"], ["bl0", "bl1"])]
    assert funnel.as_dict()["awards"] == {"in": 4, "kept": 3, "dropped": {"the post is not in the dump": 1}}


def test_a_folder_without_tables_is_told(tmp_path: Path) -> None:
    with pytest.raises(SuasionError, match=r"posts\.parquet is missing"):
        list(read_debates(tmp_path, Funnel()))
    write(tmp_path, debate("a", [60], [60]))
    (tmp_path / "awards.parquet").write_bytes(b"PAR1 cut")
    with pytest.raises(SuasionError, match=r"Cannot read awards\.parquet"):
        list(read_debates(tmp_path, Funnel()))


@pytest.mark.parametrize(
    "bad", [{"min_words": 700}, {"validation": 0.5, "test": 0.5}, {"by": "me"}, {"max_pairs_per_winner": 0}, {"min_word": 3}]
)
def test_settings_that_cannot_be(bad: dict[str, Any]) -> None:
    with pytest.raises(SuasionError):
        validate(bad, PairsConfig)
