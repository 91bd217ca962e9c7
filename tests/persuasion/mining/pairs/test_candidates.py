from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from suasion.config import validate
from suasion.errors import SuasionError
from suasion.persuasion.mining.bots import BOTS
from suasion.persuasion.mining.pairs.candidates import candidates_of, find_candidates
from suasion.persuasion.mining.pairs.replies import Debate, Funnel
from suasion.persuasion.mining.pairs.settings import PairsConfig
from tests.persuasion.mining.tables_for_tests import Rows, award, comment, post, words


def candidates(rows: Rows, **config: Any) -> tuple[Debate | None, dict[str, dict[str, int]]]:
    funnel = Funnel()
    found = candidates_of(rows["posts"][0], rows["comments"], rows["awards"], validate(config, PairsConfig), funnel, Counter())
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
        ({"text": "> " + words(1, 60) + "\n\nNo."}, "shorter than 50 words"),
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


def test_a_comment_that_makes_an_award_may_not_lose() -> None:
    rows = one()
    rows["comments"].append(comment("d", "x", "passer-by"))
    rows["awards"].append(award("d", "x", "gone", by_author=False))  # it answers a comment that the dump lacks
    assert ids(candidates(rows)[0])[1] == ["l"]


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


@pytest.mark.parametrize("name", ["loser", "u/Loser", "/u/LOSER", "t1_l", "T1_L", "l"])
def test_opting_out(name: str, tmp_path: Path) -> None:
    assert candidates(one(), opt_out=[name])[1]["losers"]["opted out"] == 1
    (tmp_path / "names.txt").write_text(f"# those who asked\n{name}  # in May\n")
    assert candidates(one(), opt_out_file=str(tmp_path / "names.txt"))[1]["losers"]["opted out"] == 1


@pytest.mark.parametrize(("name", "step"), [("w", "winners"), ("WINNER", "winners"), ("op", "debates"), ("t3_d", "debates")])
def test_opting_out_of_winning_and_of_asking(name: str, step: str) -> None:
    assert candidates(one(), opt_out=[name])[1][step] == {"opted out": 1}


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


def test_names_are_compared_without_their_case() -> None:
    assert candidates(one(author="OP"))[1]["losers"]["by the post's author"] == 1
    assert candidates(one(author="Winner"))[1]["losers"]["by somebody who won in this debate"] == 1


def test_the_rules_for_dropping_can_be_switched_off() -> None:
    off = {"bots": False, "moderators": False, "notices": False}
    for change in (
        {"author": "AutoModerator"},
        {"distinguished": "moderator"},
        {"text": "I am a bot, performed automatically " + words(1, 60)},
    ):
        assert ids(candidates(one(**change), cleaning=off)[0]) == (["w"], ["l"])
    assert ids(candidates(one(text="[removed]"), cleaning=off)[0]) == (["w"], [])
    assert (
        candidates(one(text="> " + words(1, 60) + "\n\nNo."), cleaning={"quotes": "keep"})[1]["losers"].get("shorter than 50 words") is None
    )


def test_tokens_are_counted_in_one_call_a_debate() -> None:
    calls: list[list[str]] = []

    def count(texts: Sequence[str]) -> list[int]:
        calls.append(list(texts))
        return [7 + place for place in range(len(texts))]

    rows = one()
    funnel = Funnel()
    (found,) = find_candidates([(rows["posts"][0], rows["comments"], rows["awards"])], PairsConfig(), funnel, Counter(), count)
    assert [(reply.id, reply.tokens, reply.length) for reply in (*found.winners, *found.losers)] == [("w", 7, 7), ("l", 8, 8)]
    assert len(calls) == 1
    assert ids(candidates(rows)[0]) == (["w"], ["l"])
    assert found.winners[0].words == 60


@pytest.mark.parametrize(
    "bad",
    [
        {"min_words": 700},
        {"validation": 0.5, "test": 0.5},
        {"by": "me"},
        {"max_pairs_per_winner": 0},
        {"min_word": 3},
        {"cleaning": {"quote": "fold"}},
    ],
)
def test_settings_that_cannot_be(bad: dict[str, Any]) -> None:
    with pytest.raises(SuasionError):
        validate(bad, PairsConfig)


NAMES = st.sampled_from(["op", "OP", "ann", "bob", "Cid", "cid", "[deleted]", "DeltaBot", "AutoModerator", "remindmebot", "gone_away"])
COMMENT = st.tuples(
    NAMES, st.integers(0, 100), st.sampled_from([None, None, None, "moderator"]), st.integers(-5, 300), st.booleans(), st.booleans()
)


@st.composite
def threads(draw: st.DrawFn) -> Rows:
    """A thread of any shape: bots, moderators, deleted accounts, clocks that go wrong, awards to anybody by anybody."""
    rows: Rows = {"posts": [post("d", draw(st.sampled_from(["op", "ann", "[deleted]"])), created_utc=draw(st.sampled_from([None, 0, 50])))]}
    rows |= {"comments": [], "awards": []}
    timed = draw(st.booleans())
    for number, (author, at, distinguished, time, won, told) in enumerate(draw(st.lists(COMMENT, min_size=2, max_size=25))):
        parent = f"c{at % number}" if number and at % 3 else None
        depth = 0 if parent is None else next(row["depth"] for row in rows["comments"] if row["comment_id"] == parent) + 1
        text = words(number, 14) + (" and ∆ for you" if told else "")
        row = comment("d", f"c{number}", author, parent, depth=depth, text=text, distinguished=distinguished)
        rows["comments"].append(row | {"depth": depth, "created_utc": time if timed else None})
        if won and parent is not None:
            rows["awards"].append(award("d", f"c{number}", parent, by_author=author == "op", revoked=at % 7 == 0, giver=author))
    rows["comments"] = draw(st.permutations(rows["comments"]))
    return rows


def below(rows: Rows, top: str) -> set[str]:
    """A comment and all under it."""
    found = {top}
    while more := {row["comment_id"] for row in rows["comments"] if row["parent_id"] in found} - found:
        found |= more
    return found


@given(threads(), st.sampled_from(["root", "comment", "path"]), st.sampled_from(["author", "anyone"]))
@settings(max_examples=400, deadline=None)
def test_nothing_that_must_not_be_in_a_pair_is_a_candidate(rows: Rows, unit: str, by: str) -> None:
    funnel = Funnel()
    config = PairsConfig(unit=unit, by=by, min_words=3, opt_out=("gone_away",))  # type: ignore[arg-type]
    found = candidates_of(rows["posts"][0], rows["comments"], rows["awards"], config, funnel, Counter())
    for entry in funnel.as_dict().values():
        assert entry["in"] == entry["kept"] + sum(entry["dropped"].values())
    assert found is not None
    row_of = {row["comment_id"]: row for row in rows["comments"]}
    op = rows["posts"][0]["author"].lower()
    part_of_an_award = {row[key] for row in rows["awards"] for key in ("winner_id", "award_id")}
    counting = {row["winner_id"] for row in rows["awards"] if not row["revoked"] and (by == "anyone" or row["by_author"])}
    for reply in (*found.winners, *found.losers):
        for comment_id in reply.parts or (reply.id,):
            row = row_of[comment_id]
            assert row["author"].lower() not in BOTS | {op, "gone_away"}
            assert row["distinguished"] is None
            assert (reply.author or "[deleted]").lower() == row["author"].lower()
        above, turns = row_of[reply.id], list(reply.context)
        while turns:
            above = row_of[above["parent_id"]]
            assert above["author"].lower() not in BOTS | {"gone_away"} and above["distinguished"] is None
            assert turns.pop().text == above["text"].replace(" and ∆ for you", " and for you")
        assert reply.after is None or reply.after >= 0
        assert "∆" not in reply.text
        if unit != "comment":
            assert reply.answers == "d" and reply.context == ()
        if unit == "root":
            assert row_of[reply.id]["depth"] == 0
    assert {reply.id for reply in found.winners} <= counting
    won = {row_of[row["winner_id"]]["author"].lower() for row in rows["awards"]} - {"[deleted]"}
    for reply in found.losers:
        top = reply.id
        while unit == "path" and row_of[top]["depth"]:
            top = row_of[top]["parent_id"]
        assert not below(rows, top) & part_of_an_award
        assert (reply.author or "").lower() not in won
        assert reply.answers in {winner.answers for winner in found.winners}
    assert not {reply.id for reply in found.winners} & {reply.id for reply in found.losers}
