from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from suasion.persuasion.mining.pairs.candidates import candidates_of
from suasion.persuasion.mining.pairs.replies import Debate, Funnel, Reply, Turn
from suasion.persuasion.mining.pairs.settings import PairsConfig
from suasion.persuasion.mining.pairs.units import CONTEXT_WORDS
from tests.persuasion.mining.tables_for_tests import award, comment, post, words

Comments = list[dict[str, Any]]


def found(
    comments: Comments, awarded: dict[str, str], *, posted: int | None = None, **config: Any
) -> tuple[Debate, dict[str, dict[str, int]]]:
    """The candidates of a debate d by op; ``awarded``: winner -> award comment."""
    funnel = Funnel()
    rows = [award("d", award_id, winner_id) for winner_id, award_id in awarded.items()]
    settings = PairsConfig(**({"min_words": 10} | config))
    debate = candidates_of(post("d", created_utc=posted), comments, rows, settings, funnel, Counter())
    assert debate is not None
    return debate, {step: entry["dropped"] for step, entry in funnel.as_dict().items()}


def one(replies: tuple[Reply, ...]) -> Reply:
    (reply,) = replies
    return reply


def talk() -> Comments:
    """r by ann, q by op under it, w by ann under that: w wins in a; beside w stands s by bob."""
    return [
        comment("d", "r", "ann", n=20),
        comment("d", "q", "op", "r", n=15, depth=1),
        comment("d", "w", "Ann", "q", n=30, depth=2),
        comment("d", "a", "op", "w", n=20, depth=3),
        comment("d", "s", "bob", "q", n=31, depth=2),
        comment("d", "l", "cid", n=25),
    ]


def test_a_comment_comes_with_the_turns_above_it() -> None:
    debate, dropped = found(talk(), {"w": "a"}, unit="comment")
    rows = {row["comment_id"]: row for row in talk()}
    winner, loser = one(debate.winners), one(debate.losers)
    assert (winner.id, winner.answers, winner.place, winner.words) == ("w", "q", 2, 30)  # l is the earlier id
    assert winner.context == (Turn(True, rows["r"]["text"]), Turn(False, rows["q"]["text"]))
    assert (loser.id, loser.answers) == ("s", "q")
    assert loser.context == (Turn(False, rows["r"]["text"]), Turn(False, rows["q"]["text"]))
    assert dropped["losers"]["answers another comment than any winner"] == 4  # r, q, a and l
    assert winner.parts == ()


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"author": "DeltaBot"}, "by a bot"),
        ({"distinguished": "moderator"}, "by a moderator in office"),
        ({"text": "[removed]"}, "deleted or removed"),
        ({"author": "shy"}, "opted out"),
        ({"text": "∆"}, "of which nothing is left"),
    ],
)
@pytest.mark.parametrize("place", [0, 1])
def test_a_turn_that_cannot_be_shown_takes_the_reply_with_it(change: dict[str, Any], reason: str, place: int) -> None:
    rows = talk()
    rows[place] |= change
    debate, dropped = found(rows, {"w": "a"}, unit="comment", opt_out=("shy",))
    assert debate.winners == ()
    assert dropped["winners"] == {f"above it stands a comment {reason}": 1}


def test_a_broken_chain_is_dropped() -> None:
    for unit in ("comment", "path"):
        rows = [row for row in talk() if row["comment_id"] != "q"]
        assert found(rows, {"w": "a"}, unit=unit)[1]["winners"] == {"outside the tree: what it answers is not in the dump": 1}
        rows = [row | {"depth": -1} if row["comment_id"] in "qw" else row for row in talk()]
        assert found(rows, {"w": "a"}, unit=unit)[1]["winners"] == {"outside the tree: what it answers is not in the dump": 1}


def test_the_nearest_turns_fill_the_context() -> None:
    rows = [comment("d", "c0", "ann", n=100)]
    rows += [comment("d", f"c{depth}", "ann" if depth % 2 == 0 else "op", f"c{depth - 1}", n=100, depth=depth) for depth in range(1, 8)]
    rows.append(comment("d", "a", "op", "c6", depth=7))
    debate, _ = found(rows, {"c6": "a"}, unit="comment")
    turns = one(debate.winners).context
    assert [(turn.by_writer, len(turn.text.split())) for turn in turns] == [(False, 100), (True, 100), (False, 100)]
    assert turns[-1].text == rows[5]["text"]
    rows[5]["text"] = words("long", CONTEXT_WORDS + 50)
    (turn,) = one(found(rows, {"c6": "a"}, unit="comment")[0].winners).context
    assert turn.text == words("long", CONTEXT_WORDS + 50).rsplit(" ", 50)[0]


def test_a_path_is_all_that_the_challenger_wrote() -> None:
    debate, _ = found(talk(), {"w": "a"}, unit="path")
    rows = {row["comment_id"]: row for row in talk()}
    winner = one(debate.winners)
    assert winner.text == f"{rows['r']['text']}\n\n{rows['w']['text']}"
    assert (winner.id, winner.parts, winner.answers, winner.words, winner.place) == ("w", ("r", "w"), "d", 50, 2)
    assert [(reply.id, reply.parts) for reply in debate.losers] == [("l", ("l",))]  # bob began no path


def test_a_path_is_cleaned_part_by_part() -> None:
    rows = talk()
    rows[0]["text"] = f"> {words('op', 9)}\n\n{words('r', 12)}"
    rows[2]["text"] = f"> all of it a quote\n\nEDIT: thanks for the delta!\n\n{words('w', 12)}"
    winner = one(found(rows, {"w": "a"}, unit="path")[0].winners)
    assert winner.text == f"(quote)\n\n{words('r', 12)}\n\n(quote)\n\n{words('w', 12)}"
    rows[0]["text"] = "Thanks for the delta!"  # a part of which nothing is left is no part
    winner = one(found(rows, {"w": "a"}, unit="path")[0].winners)
    assert winner.parts == ("w",) and winner.place == 2


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"r": {"author": "bob"}}, "on a path that somebody else began"),
        ({"w": {"author": "[deleted]"}}, "on a path whose author is not known"),
        ({"r": {"text": "[deleted]"}}, "a part of its path is deleted or removed"),
        ({"r": {"distinguished": "admin"}}, "a part of its path is by a moderator in office"),
        ({"w": {"text": "Thanks for the delta!"}}, "nothing is left of its last comment"),
        ({"r": {"text": "no"}, "w": {"text": "yes"}}, "shorter than 10 words"),
    ],
)
def test_paths_that_cannot_be_used(changes: dict[str, dict[str, Any]], reason: str) -> None:
    rows = [row | changes.get(row["comment_id"], {}) for row in talk()]
    debate, dropped = found(rows, {"w": "a"}, unit="path")
    assert debate.winners == ()
    assert dropped["winners"] == {reason: 1}


def test_a_deleted_account_can_win_with_a_path_of_one_comment() -> None:
    rows = talk()
    rows[0]["author"] = "[deleted]"
    rows.append(comment("d", "b", "op", "r", depth=1))
    winner = one(found(rows, {"r": "b"}, unit="path")[0].winners)
    assert (winner.author, winner.parts) == (None, ("r",))


def test_of_paths_under_one_reply_the_first_that_won_counts() -> None:
    rows = talk()
    rows += [comment("d", "w2", "ann", "a", n=40, depth=4), comment("d", "a2", "op", "w2", depth=5)]
    debate, dropped = found(rows, {"w": "a", "w2": "a2"}, unit="path")
    assert one(debate.winners).id == "w"
    assert dropped["winners"] == {"another path under the same reply won earlier": 1}
    assert {reply.id for reply in found(rows, {"w": "a", "w2": "a2"}, unit="comment")[0].winners} == {"w", "w2"}


def losing(*more: dict[str, Any]) -> tuple[Debate, dict[str, dict[str, int]]]:
    """The thread with l of cid and what stands under it."""
    return found([*talk(), *more], {"w": "a"}, unit="path")


def test_a_loser_is_their_longest_own_chain() -> None:
    debate, _ = losing(
        comment("d", "o1", "op", "l", n=90, depth=1),
        comment("d", "l1", "cid", "o1", n=12, depth=2),
        comment("d", "o2", "op", "l1", n=90, depth=3),
        comment("d", "l2", "cid", "o2", n=12, depth=4),
        comment("d", "l3", "cid", "l", n=23, depth=1),
        comment("d", "x", "dan", "l3", n=90, depth=2),
    )
    loser = one(debate.losers)
    assert (loser.id, loser.parts, loser.words) == ("l2", ("l", "l1", "l2"), 49)
    assert loser.answers == "d"


def test_of_equal_chains_the_earliest_is_taken() -> None:
    more = [comment("d", name, "cid", "l", n=12, depth=1, created_utc=time) for name, time in (("l8", 5), ("l9", 4))]
    assert one(losing(*more)[0].losers).parts == ("l", "l9")
    more = [row | {"created_utc": None} for row in more]
    assert one(losing(*more)[0].losers).parts == ("l", "l8")


def test_a_chain_ends_before_a_part_that_is_gone() -> None:
    gone = comment("d", "l1", "cid", "l", depth=1, text="[removed]")
    below_it = comment("d", "l2", "cid", "l1", n=40, depth=2)
    assert one(losing(gone, below_it)[0].losers).parts == ("l",)


def test_a_chain_ends_when_the_author_was_heard_of_last() -> None:
    times = {"r": 1, "q": 2, "w": 3, "a": 50, "s": 5, "l": 6}
    rows = [row | {"created_utc": times[row["comment_id"]]} for row in talk()]
    more = [comment("d", name, "cid", "l", n=n, depth=1, created_utc=time) for name, n, time in (("l1", 12, 49), ("l2", 30, 51))]
    assert one(found([*rows, *more], {"w": "a"}, unit="path")[0].losers).parts == ("l", "l1")


def test_an_award_anywhere_below_keeps_a_path_from_losing() -> None:
    rows = [*talk(), comment("d", "l1", "dan", "l", depth=1), comment("d", "b", "eve", "l1", depth=2)]
    debate, dropped = found(rows, {"w": "a", "l1": "b"}, unit="path")
    assert debate.losers == ()
    assert dropped["losers"]["it, or a comment below it, is part of an award"] == 2


def test_thousands_of_turns_are_no_trouble() -> None:
    rows = [comment("d", "c0", "ann", n=20), comment("d", "l0", "bob", n=20)]
    for depth in range(1, 3000):
        rows.append(comment("d", f"c{depth}", "ann" if depth % 2 == 0 else "op", f"c{depth - 1}", n=1, depth=depth))
        rows.append(comment("d", f"l{depth}", "bob" if depth % 2 == 0 else "op", f"l{depth - 1}", n=1, depth=depth))
    rows.append(comment("d", "a", "op", "c2998", depth=2999))
    for unit in ("comment", "path"):
        debate, _ = found(rows, {"c2998": "a"}, unit=unit, min_words=1, max_words=5000)
        assert one(debate.winners).id == "c2998"
    assert len(one(debate.losers).parts) == 1500


def timed() -> Comments:
    rows = talk()
    for row, time in zip(rows, (100, 200, 300, 900, 350, 50), strict=True):
        row["created_utc"] = time
    return rows


def test_place_and_time_after_the_post() -> None:
    debate, dropped = found(timed(), {"w": "a"}, unit="path", posted=40)
    assert [(one.id, one.created, one.place, one.after) for one in (*debate.winners, *debate.losers)] == [
        ("w", 300, 2, 260),
        ("l", 50, 1, 10),
    ]
    assert dropped["times of replies"] == {}
    rows = [*timed(), comment("d", "bot", "AutoModerator", created_utc=41)]
    assert [one.place for one in found(rows, {"w": "a"}, unit="path", posted=40)[0].losers] == [1]  # bots' replies do not count
    winner = one(found(timed(), {"w": "a"}, unit="path")[0].winners)
    assert (winner.after, winner.earlier_awards) == (None, None)


def test_without_times_the_place_goes_by_id() -> None:
    rows = [comment("d", name, name, n=20) for name in ("c9", "c10", "ca")]
    rows.append(comment("d", "a", "op", "c10", n=20, depth=1))
    debate, _ = found(rows, {"c10": "a"})
    assert {reply.id: reply.place for reply in (*debate.winners, *debate.losers)} == {"c9": 1, "ca": 2, "c10": 3}


@pytest.mark.parametrize(
    ("comment_id", "time", "fault"),
    [("l", 39, "older than the post"), ("w", 199, "older than what it answers"), ("l", 40, None), ("w", 200, None)],
)
def test_clocks_that_contradict_each_other_are_counted(comment_id: str, time: int, fault: str | None) -> None:
    rows = [row | ({"created_utc": time} if row["comment_id"] == comment_id else {}) for row in timed()]
    debate, dropped = found(rows, {"w": "a"}, unit="path", posted=40)
    reply = next(one for one in (*debate.winners, *debate.losers) if one.id == comment_id)
    assert dropped["times of replies"] == ({} if fault is None else {fault: 1})
    assert reply.after == (None if fault else time - 40)
    assert reply.created == time
