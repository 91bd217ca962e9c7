from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from suasion.persuasion.mining.awards import (
    Award,
    bot_awards,
    has_token,
    label_awards,
    may_hold_token,
    once_each,
    read_bot_reply,
    token_awards,
    unconfirmed_tokens,
)
from suasion.persuasion.mining.debates import Comment, Debate, Label

THANKS = "You are right about the price of tea, and I had never thought of it that way. "
FOOTER = "\n\n^[[Wiki](http://www.reddit.com/r/changemyview/wiki/deltabot)][[Code](https://github.com/alexames/DeltaBot)]"


def comment(comment_id: str, parent: str, author: str, text: str = THANKS, created: int | None = None) -> Comment:
    return Comment(comment_id, "p1", parent, parent == "p1", author, text, created)


def debate(*comments: Comment, author: str = "ann") -> Debate:
    return Debate("p1", author, {one.comment_id: one for one in comments})


def chain(said: str, *, giver: str = "ann", winner: str = "bob", more: tuple[Comment, ...] = ()) -> Debate:
    return debate(comment("c1", "p1", winner), comment("c2", "c1", giver, THANKS + "∆"), comment("c3", "c2", "DeltaBot", said), *more)


@pytest.mark.parametrize(
    "said",
    [
        "Confirmed - 1 delta awarded to /u/bob",
        "Confirmed - 1 point awarded to /u/bob",
        "Confirmed: 1 delta awarded to /u/bob",
        "Confirmed: 1 delta awarded to /u/bob." + FOOTER,
        "Confirmed: 1 delta awarded to /u/bob. ^[[History](/r/changemyview/wiki/user/bob)]" + FOOTER,
        "Confirmed: 1 delta awarded to /u/bob ([14∆](/r/x/wiki/user/bob)).\n\n^[Delta System Explained](https://x) ^| ^[Deltaboards](https://y)",
        'Confirmed: 1 delta awarded to /u/Bob ([1∆](/r/cmv/wiki/user/Bob)).[](HTTP://DB3PARAMSSTART\n{"issues": {}}\nDB3PARAMSEND)',
        (
            "The moderators have confirmed, either contextually or directly, that this is a delta-worthy acknowledgement of change."
            "\n\n1 delta awarded to /u/bob ([2∆](/r/changemyview/wiki/user/bob))."
        ),
    ],
)
def test_confirmations_of_every_period(said: str) -> None:
    [award], dropped = bot_awards(chain(said))
    assert (award.debate_id, award.award_id, award.winner_id, award.giver, award.winner) == ("p1", "c2", "c1", "ann", "bob")
    assert (award.by_author, award.source, award.revoked) == (True, "moderators" if "moderators" in said else "deltabot", False)
    assert not dropped


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ("This delta is currently disallowed as your comment contains either no or little text.", "rejected"),
        ("You have already awarded /u/bob a delta in this comment tree.", "rejected"),
        ("You cannot award OP a delta as the moderators feel that allowing so would send the wrong message.", "rejected"),
        ("This delta has been rejected. You can't award yourself a delta.", "rejected"),
        ("This delta has been rejected. You have 2 issues.\n\nConfirmed: 1 delta awarded to /u/bob", "rejected and confirmed at once"),
        ("/u/ann (OP) has awarded 3 delta(s) in this post.", "another text"),
        ("Confirmed: 1 delta awarded to /u/carol", "another name than the winner's"),
    ],
)
def test_what_is_no_confirmation(said: str, reason: str) -> None:
    assert bot_awards(chain(said)) == ([], {reason: 1})


def test_only_deltabot_confirms() -> None:
    humans = debate(
        comment("c1", "p1", "bob"), comment("c2", "c1", "ann"), comment("c3", "c2", "eve", "Confirmed: 1 delta awarded to /u/bob")
    )
    assert bot_awards(humans) == ([], {})


def test_names_with_escaped_underscores_and_deleted_winners() -> None:
    assert read_bot_reply(r"Confirmed: 1 delta awarded to /u/a\_b-c ([1∆](/r/x)).") == ("confirmed", "a_b-c")
    [award], _ = bot_awards(chain("Confirmed: 1 delta awarded to /u/whoever", winner="[deleted]"))
    assert award.winner == "[deleted]"


def test_by_whom() -> None:
    said = "Confirmed: 1 delta awarded to /u/bob"
    assert not bot_awards(chain(said, giver="eve"))[0][0].by_author
    assert bot_awards(chain(said, giver="ANN"))[0][0].by_author
    nobody = replace(chain(said, giver="[deleted]"), author="[deleted]")
    assert not bot_awards(nobody)[0][0].by_author


@pytest.mark.parametrize(
    ("giver", "winner", "named", "reason"),
    [
        ("eve", "ann", "ann", "to the post's author"),
        ("eve", "[deleted]", "ann", "to the post's author"),
        ("bob", "bob", "bob", "to oneself"),
        ("ann", "AutoModerator", "AutoModerator", "to or by a bot"),
    ],
)
def test_who_can_not_win(giver: str, winner: str, named: str, reason: str) -> None:
    assert bot_awards(chain(f"Confirmed: 1 delta awarded to /u/{named}", giver=giver, winner=winner)) == ([], {reason: 1})


def test_missing_links_are_counted() -> None:
    confirmed = "Confirmed: 1 delta awarded to /u/bob"
    assert bot_awards(debate(comment("c3", "c2", "DeltaBot", confirmed))) == ([], {"award comment absent": 1})
    assert bot_awards(debate(comment("c2", "c1", "ann"), comment("c3", "c2", "DeltaBot", confirmed))) == ([], {"winner absent": 1})
    assert bot_awards(debate(comment("c2", "p1", "ann"), comment("c3", "c2", "DeltaBot", confirmed))) == ([], {"to the post": 1})
    orphaned = debate(comment("c1", "lost", "bob"), comment("c2", "c1", "ann"), comment("c3", "c2", "DeltaBot", confirmed))
    assert len(bot_awards(orphaned)[0]) == 1  # the chain is whole, though no path leads from the post to it


CONFIRMED = "Confirmed: 1 delta awarded to /u/bob"
REJECTED = (
    "This delta has been rejected. The length of your comment suggests that you haven't properly explained how /u/bob changed your view."
)
AGAIN = "This delta has been rejected. You have already awarded /u/bob a delta for this comment."
REMOVED = (
    "The moderators have confirmed that this is either delta misuse/abuse or an accidental delta. It has been removed from our records."
)


@pytest.mark.parametrize(
    ("said", "outcome"),
    [
        ([REJECTED, CONFIRMED], False),
        ([CONFIRMED, AGAIN], False),
        ([REJECTED, REJECTED, REJECTED], None),
        ([CONFIRMED, CONFIRMED], False),
        ([REMOVED], True),
        ([f"{CONFIRMED}\n\n{REMOVED}"], True),
        ([CONFIRMED, REMOVED], True),
        ([CONFIRMED, REMOVED, CONFIRMED], False),
    ],
)
def test_several_replies_of_the_bot_are_read_in_order(said: list[str], outcome: bool | None) -> None:
    replies = [comment(f"d{index}", "c2", "DeltaBot", text, created=100 + index) for index, text in enumerate(said)]
    backwards = debate(comment("c1", "p1", "bob"), comment("c2", "c1", "ann"), *reversed(replies))
    awards, dropped = bot_awards(backwards)
    assert [award.revoked for award in awards] == ([] if outcome is None else [outcome])
    assert dropped.total() + len(awards) == len(said)
    untimed = debate(*(replace(one, created_utc=None) for one in backwards.comments.values()))
    assert bot_awards(untimed)[0] == awards  # ids count upwards with time


def test_one_award_for_each_giver_and_winner() -> None:
    said = "Confirmed: 1 delta awarded to /u/bob"
    comments = [comment("c1", "p1", "bob")]
    for number, giver in enumerate(["ann", "ann", "eve", "[deleted]", "[deleted]"]):
        comments += [
            comment(f"g{number}", "c1", giver, created=200 - number),
            comment(f"h{number}", f"g{number}", "DeltaBot", said, created=300),
        ]
    thread = debate(*comments)
    awards, _ = bot_awards(thread)
    assert [award.award_id for award in once_each(thread, awards)] == ["g4", "g3", "g2", "g1"]
    assert once_each(thread, awards[::-1]) == once_each(thread, awards)
    revoked = [replace(award, revoked=award.award_id == "g1") for award in awards]
    assert [award.award_id for award in once_each(thread, revoked) if award.giver == "ann"] == ["g0"]


@pytest.mark.parametrize("token", ["!delta", "!Delta", "Δ", "∆", "&#8710;", "&amp;#8710;", "&#916;", "&Delta;", "&amp;amp;#8710;"])
def test_tokens_of_every_period(token: str) -> None:
    thread = debate(comment("c1", "p1", "bob"), comment("c2", "c1", "ann", THANKS + token))
    [award], dropped = token_awards(thread)
    assert (award.award_id, award.winner_id, award.by_author, award.source, award.revoked) == ("c2", "c1", True, "token", False)
    assert not dropped


@pytest.mark.parametrize(
    "text",
    [
        "> !delta",
        "&gt; !delta",
        "  > you said ∆",
        "    !delta",
        "\t∆",
        "write `!delta` to award",
        "```\n!delta\n```",
        "```\n∆",
        "δ",
        "delta",
    ],
)
def test_no_token_in_quotes_or_code(text: str) -> None:
    assert not has_token(f"{THANKS}\n{text}\nas they say")


@given(st.lists(st.sampled_from(["plain words", "> quoted ∆", "    coded !delta", "`Δ`", "", "!delta"]), max_size=8))
def test_a_token_counts_where_it_stands_free(lines: list[str]) -> None:
    assert has_token("\n".join(lines)) == ("!delta" in lines)


@given(
    st.lists(st.sampled_from([*"!&∆Δδ;# amp", "delta", "DELTA", "!delta", "&amp;", "8710", "916", "&#8710;", "\n"]), max_size=8).map(
        "".join
    )
)
def test_a_quick_look_for_a_token_misses_none(text: str) -> None:
    from suasion.persuasion.mining.awards import _TOKEN

    assert may_hold_token(text) == (_TOKEN.search(text) is not None)


@given(st.text())
def test_token_search_never_fails_and_needs_a_sign(text: str) -> None:
    if has_token(text):
        assert any(sign in text.lower() for sign in ("!delta", "∆", "δ", "&"))


@pytest.mark.parametrize(
    ("giver", "winner", "text", "parent", "reason"),
    [
        ("ann", "bob", "!delta thanks", "c1", "too short"),
        ("ann", "bob", "> " + THANKS + "\n\n∆ ok", "c1", "too short"),
        ("ann", "bob", "> !delta\n\n" + THANKS, "c1", "in a quote or code"),
        ("eve", "ann", THANKS + "∆", "c1", "to the post's author"),
        ("bob", "bob", THANKS + "∆", "c1", "to oneself"),
        ("ann", "bob", THANKS + "∆", "p1", "to the post"),
        ("ann", "bob", THANKS + "∆", "c9", "winner absent"),
        ("AutoModerator", "bob", THANKS + "∆", "c1", "to or by a bot"),
    ],
)
def test_the_bots_own_rules_for_tokens(giver: str, winner: str, text: str, parent: str, reason: str) -> None:
    thread = debate(comment("c1", "p1", winner), comment("c2", parent, giver, text))
    assert token_awards(thread) == ([], {reason: 1})


ADDED = (
    "The moderators have confirmed, either contextually or directly, that this is a delta-worthy acknowledgement of change."
    "\n\n1 delta awarded to /u/bob ([2∆](/r/changemyview/wiki/user/bob))."
)


@pytest.mark.parametrize(
    ("said", "source", "revoked"),
    [
        ([ADDED], "moderators", False),
        ([REJECTED, ADDED], "moderators", False),
        ([CONFIRMED, ADDED], "deltabot", False),
        ([ADDED, CONFIRMED], "moderators", False),
        ([ADDED, REMOVED], "moderators", True),
        ([CONFIRMED, REMOVED, ADDED], "deltabot", False),
    ],
)
def test_what_moderators_add_and_take_back(said: list[str], source: str, revoked: bool) -> None:
    replies = [comment(f"d{index}", "c2", "DeltaBot", text, created=100 + index) for index, text in enumerate(said)]
    thread = debate(comment("c1", "p1", "bob"), comment("c2", "c1", "ann"), *replies)
    [award], dropped = bot_awards(thread)
    assert (award.source, award.revoked) == (source, revoked)
    assert dropped.total() == len(said) - 1


LABEL = Label("p1", "c1", None, "bob", by_author=True, source="convokit")


def labelled(
    *labels: Label, known: list[Award] | None = None, author: str = "ann", winner: str = "bob"
) -> tuple[list[Award], dict[str, int]]:
    awards, dropped = label_awards(debate(comment("c1", "p1", winner), author=author), labels, known or [])
    assert len(awards) + dropped.total() == len(labels)
    return awards, dict(dropped)


def test_an_award_that_only_a_label_tells() -> None:
    assert labelled(LABEL) == ([Award("p1", None, "c1", "ann", "bob", True, "convokit", False)], {})
    other = replace(LABEL, giver="eve", by_author=False, source="deltalog")
    assert labelled(other)[0] == [Award("p1", None, "c1", "eve", "bob", False, "deltalog", False)]
    nobody = replace(other, giver=None)
    assert labelled(nobody)[0][0].giver is None


@pytest.mark.parametrize(
    ("change", "more", "reason"),
    [
        ({"winner_id": "c9"}, {}, "winner absent"),
        ({}, {"winner": "ann"}, "to the post's author"),
        ({}, {"winner": "AutoModerator"}, "to or by a bot"),
        ({"winner": "carol"}, {}, "another name than the winner's"),
    ],
)
def test_a_label_that_makes_no_award(change: dict[str, str], more: dict[str, str], reason: str) -> None:
    assert labelled(replace(LABEL, **change), **more) == ([], {reason: 1})


def test_labels_for_deleted_winners_and_of_other_capitals() -> None:
    assert labelled(replace(LABEL, winner="BOB"))[1] == {}
    assert labelled(replace(LABEL, winner="carol"), winner="[deleted]")[0][0].winner == "[deleted]"


def test_a_label_tells_the_name_that_the_post_has_lost() -> None:
    stated = replace(LABEL, giver="ann")
    assert labelled(stated, author="[deleted]")[0][0].giver == "ann"
    assert labelled(LABEL, author="[deleted]")[0][0].giver is None


KNOWN = Award("p1", "c2", "c1", "ann", "bob", True, "deltabot", False)
TWICE, REVOKED = "known from its comment or another label", "revoked by moderators"


@pytest.mark.parametrize(
    ("label", "known", "reason"),
    [
        (LABEL, KNOWN, TWICE),
        (replace(LABEL, giver="ANN"), KNOWN, TWICE),
        (LABEL, replace(KNOWN, revoked=True), REVOKED),
        (LABEL, replace(KNOWN, giver="eve", by_author=False), None),
        (LABEL, replace(KNOWN, winner_id="c5"), None),
        (replace(LABEL, giver="eve", by_author=False), replace(KNOWN, giver="Eve", by_author=False), TWICE),
        (replace(LABEL, giver="eve", by_author=False), replace(KNOWN, giver="zoe", by_author=False), None),
        (replace(LABEL, by_author=False), replace(KNOWN, giver="zoe", by_author=False), TWICE),
        (replace(LABEL, by_author=False), KNOWN, None),
    ],
)
def test_a_label_for_an_award_that_is_known_is_not_another(label: Label, known: Award, reason: str | None) -> None:
    awards, dropped = labelled(label, known=[known])
    assert dropped == ({reason: 1} if reason else {})
    assert len(awards) == (reason is None)


def test_labels_of_two_sources_for_one_award_are_one() -> None:
    log = replace(LABEL, giver="ann", source="deltalog")
    assert labelled(LABEL, log, LABEL)[1] == {TWICE: 2}
    assert [award.source for award in labelled(log, LABEL)[0]] == ["deltalog"]
    assert len(labelled(LABEL, replace(log, giver="eve", by_author=False))[0]) == 2


def test_tokens_beside_the_bots_replies_are_only_counted() -> None:
    thread = chain(CONFIRMED, more=(comment("c4", "c1", "eve", "!delta"), comment("c5", "c1", "eve", "no")))
    awards, _ = bot_awards(thread)
    assert unconfirmed_tokens(thread, awards) == {"confirmed by DeltaBot": 1, "not confirmed by DeltaBot": 1}
