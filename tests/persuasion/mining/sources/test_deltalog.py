from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from suasion.persuasion.mining.debates import Comment, Label
from suasion.persuasion.mining.sources.deltalog import is_deltalog, labels, settled

BEGINNING = """Below is a list of the deltas awarded in [this post](https://www.reddit.com/r/changemyview/comments/8g8fhd/cmv_tea_is/).

Please note that a change of view [is not necessarily a reversal](https://www.reddit.com/r/changemyview/wiki/index), and that OP
awarding a delta doesn't mean the conversation has ended.

-----

# Deltas from OP /u/Ann\\_A

"""
DB3 = (
    BEGINNING
    + """* 1 delta from OP to /u/bob for "[I see ["x"](https://www.reddit.com/r/changemyview/comments/8g8fhd/cmv_tea_is/wrong1/) \
and...](https://www.reddit.com/r/changemyview/comments/8g8fhd/cmv_tea_is/dy9m2ag/?context=1)"

* 1 delta from OP to /u/bob for "[I see ["x"](https://www.reddit.com/r/changemyview/comments/8g8fhd/cmv_tea_is/wrong1/) \
and...](https://www.reddit.com/r/changemyview/comments/8g8fhd/cmv_tea_is/dy9m2ag/?context=1)"
* 1 delta from OP to /u/c-_d for "[short](https://www.reddit.com/r/changemyview/comments/8g8fhd/cmv_tea_is/dy9m2ah)"

[](HTTP://DB3-FROMOP)

#Deltas from Other Users

* 3 deltas from /u/eve, /u/fay\\_f and /u/eve to /u/bob for "[[Quote] I see](https://www.reddit.com/r/changemyview/comments/8g8fhd/cmv_tea_is\
/dy9m2ag/?context=1)"
* 1 delta from /u/[deleted] to /u/gus for "[so](https://www.reddit.com/r/changemyview/comments/8g8fhd/cmv_tea_is/dy9m2ai/?context=1)"

[](HTTP://DB3-FROMOTHER)
[\u200b](HTTP://DB3PARAMSSTART{"opUsername":"Ann_A","comments":[{"awardingUsername":"Ann_A","awardedLink":"https://x"}]}DB3PARAMSEND)"""
)
DB4 = (
    BEGINNING
    + """* 1 delta from OP to /u/bob for ["&gt; It is more \\[this\\]..."](/r/changemyview/comments/8g8fhd/cmv_tea_is/hosq2hk/?context=3)



#Deltas from Other Users

None yet."""
)


def told(text: str) -> list[tuple[str, str | None, str | None, bool]]:
    return [(label.winner_id, label.giver, label.winner, label.by_author) for label in labels(text)]


def test_posts_of_both_bots() -> None:
    assert told(DB3) == [
        ("dy9m2ag", "Ann_A", "bob", True),
        ("dy9m2ah", "Ann_A", "c-_d", True),
        ("dy9m2ag", "eve", "bob", False),
        ("dy9m2ag", "fay_f", "bob", False),
        ("dy9m2ai", None, "gus", False),
    ]
    assert labels(DB4) == [Label("8g8fhd", "hosq2hk", "Ann_A", "bob", True, "deltalog")]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ('* 1 delta from OP to u/b for "[x](https://old.reddit.com/r/ChangeMyView/comments/P1/s/C1/)"', ("c1", None, "b", True)),
        ('- 2 deltas from OP and /u/e to /u/b for "[x](http://reddit.com/r/changemyview/comments/p1/s/c1)"', ("c1", None, "b", True)),
        ('1 delta from /u/e to /u/[deleted] for ["x"](/r/changemyview/comments/p1/%C3%A9/c1/?context=3)', ("c1", "e", None, False)),
        ('* 1 delta from /u/OP to /u/b for "[x](/r/changemyview/comments/p1/s/c1/)"', ("c1", "OP", "b", False)),
        ('* 1 delta from OP to /u/b for "[x](/r/changemyview/comments/p1//c1/)"', ("c1", None, "b", True)),
        ('* 1 delta from OP to /u/b for "[x](https://evil.com/r/changemyview/comments/p1/s/c1/)"', None),
        ('* 1 delta from OP to /u/b for "[x](/r/changemyview/comments/p1/s/)"', None),
        ('* 1 delta from OP to /u/b for "x"', None),
        ("* None yet.", None),
        ('He gave 1 delta from OP to /u/b for "[x](/r/changemyview/comments/p1/s/c1/)"', None),
    ],
)
def test_wordings(line: str, expected: tuple[str, str | None, str | None, bool] | None) -> None:
    assert told(line)[:1] == ([expected] if expected else [])


def test_which_submissions_are_of_deltalog() -> None:
    title = 'Deltas awarded in "CMV: Tea"'
    assert is_deltalog("DeltaLog", "Welcome", "") and is_deltalog(None, title, DB4) and is_deltalog("", 'Delta-comments in "CMV"', DB3)
    assert not is_deltalog("changemyview", title, DB4)
    assert not is_deltalog(None, "CMV: deltas awarded in haste are bad", DB4) and not is_deltalog(None, title, "no heading")


def comment(comment_id: str, parent: str, author: str) -> Comment:
    return Comment(comment_id, "p1", parent, parent == "p1", author, "text")


def settle(*thread: Comment, linked: str, giver: str | None = "ann", winner: str | None = "bob") -> str | None:
    answer = settled(Label("p1", linked, giver, winner, True, "deltalog"), {one.comment_id: one for one in thread})
    return answer if isinstance(answer, str) else answer.winner_id


def test_the_link_leads_to_the_winner_or_to_the_award() -> None:
    c1, c2, c3 = comment("c1", "p1", "Bob"), comment("c2", "c1", "Ann"), comment("c3", "c2", "bob")
    assert settle(c1, c2, linked="c1") == "c1"  # DB3
    assert settle(c1, c2, linked="c2") == "c1"  # DB4
    assert settle(c1, c2, c3, linked="c3") == "c3"


def test_deleted_accounts_are_told_by_who_stands_above() -> None:
    gone = "[deleted]"
    assert settle(comment("c1", "p1", gone), linked="c1") == "c1"  # a reply to the post cannot be an award
    assert settle(comment("c1", "p1", gone), comment("c2", "c1", "ann"), linked="c2") == "c1"
    assert settle(comment("c1", "p1", "bob"), comment("c2", "c1", gone), linked="c2", giver=None) == "c1"
    assert settle(comment("c1", "p1", "ann"), comment("c2", "c1", gone), linked="c2", winner=None) == "c2"
    assert settle(comment("c1", "p1", gone), comment("c2", "c1", gone), linked="c2") == "winner cannot be told"
    assert settle(comment("c2", "lost", "ann"), linked="c2") == "winner absent"
    assert settle(linked="c9") == "linked comment absent"


WORDS = st.sampled_from(
    [
        "* 1 delta from ",
        "OP",
        " to /u/",
        "/u/",
        "bob",
        " for ",
        "[",
        "](",
        "/r/changemyview/comments/",
        "/",
        "\n",
        "\\",
        " ",
        "# Deltas from OP",
    ]
)


@given(st.lists(WORDS | st.text(max_size=5), max_size=60).map("".join) | st.text())
def test_any_text_gives_sound_labels(text: str) -> None:
    for label in labels(text):
        assert label.debate_id and label.winner_id and label.source == "deltalog"
        assert label.giver is None or ("\\" not in label.giver and label.giver)
    is_deltalog(None, text, text)


@pytest.mark.parametrize(
    "hostile",
    [
        "* 1 delta from " * 2700,
        "* 1 delta from OP to /u/" + "a" * 40_000,
        "* 1 delta from " + " to /u/" * 5700,
        "* 1 delta from OP to /u/x for " + "](" * 20_000,
        "# Deltas from OP /u/" + "\\" * 40_000,
        "* 1 delta from a to /u/b for\n" * 1300,
        "* 1 delta from" + " " * 40_000,
        "* 1 delta from " + "/u/a, " * 6600 + " to /u/b for [](/r/changemyview/comments/a/b/c)",
        "* 1 delta from OP to /u/a for [](/r/changemyview/comments/a/" + "-" * 40_000,
        " " * 40_000,
        "\t*" * 20_000,
    ],
)
@pytest.mark.timeout(30)  # a hundredth of a second each
def test_a_hostile_notice_does_not_hang(hostile: str) -> None:
    labels(hostile)
    is_deltalog(None, hostile, hostile)
