from __future__ import annotations

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from suasion.persuasion.mining.debates import Comment, Label, Post
from suasion.persuasion.mining.harvest import STEPS, Harvest, harvest
from tests.persuasion.mining.lines_for_tests import THANKS
from tests.persuasion.mining.test_trees import tables

CONFIRMED = "Confirmed: 1 delta awarded to /u/{}"


def comment(comment_id: str, parent: str, author: str, text: str = "Because.", debate: str = "p1") -> Comment:
    return Comment(comment_id, debate, parent, parent.startswith("p"), author, text)


def thread(debate: str = "p1", winner: str = "bob") -> list[Post | Comment]:
    won, given, said = (f"{kind}{debate[1:]}" for kind in ("won", "given", "said"))
    return [
        Post(debate, "ann", "CMV", "A view."),
        comment(won, debate, winner, debate=debate),
        comment(given, won, "ann", THANKS + "!delta", debate),
        comment(said, given, "DeltaBot", CONFIRMED.format(winner), debate),
    ]


def harvested(*things: Post | Comment | Label, has_bot: bool = True) -> Harvest:
    posts, comments = tables(one for one in things if not isinstance(one, Label))
    found = harvest(posts, comments, [one for one in things if isinstance(one, Label)], has_bot=has_bot)
    assert set(found.steps) == set(STEPS)
    assert_chained(found, len(posts), len(comments), sum(isinstance(one, Label) for one in things))
    return found


def assert_chained(found: Harvest, posts: int, comments: int, labels: int) -> None:
    """What goes into a step is what the step before has kept."""
    read = {step: reasons.total() for step, reasons in found.steps.items()}
    kept = {step: reasons[""] for step, reasons in found.steps.items()}
    assert all(number >= 0 for reasons in found.steps.values() for number in reasons.values())
    assert (read["submissions"], read["comments"], read["labels"]) == (posts, comments, labels)
    assert (kept["submissions"], kept["comments"]) == (len(found.posts), len(found.comments))
    assert read["comments in trees"] == kept["comments"]
    assert read["awards"] == kept["DeltaBot's comments"] + kept["comments with a token"] + kept["labels"]
    assert read["awards that stand"] == kept["awards"] == len(found.awards)
    assert read["awards by the post's author"] == kept["awards that stand"] == sum(not one.revoked for one in found.awards)
    assert kept["awards by the post's author"] == sum(one.by_author and not one.revoked for one in found.awards)
    givers = Counter((one.giver.lower(), one.winner_id) for one in found.awards if one.giver not in (None, "[deleted]"))
    assert not givers or max(givers.values()) == 1


def test_awards_stand_in_the_order_of_their_debates() -> None:
    found = harvested(*thread("p2")[1:], *thread("p1"), *thread("p3", "eve"), thread("p2")[0])
    assert [award.debate_id for award in found.awards] == ["p1", "p3", "p2"] == found.posts["debate_id"].to_pylist()
    assert list(dict.fromkeys(found.comments["debate_id"].to_pylist())) == ["p1", "p3", "p2"]


def test_tokens_speak_only_where_the_whole_source_has_no_bot() -> None:
    without = thread()[:3]
    assert [award.source for award in harvested(*without, has_bot=False).awards] == ["token"]
    found = harvested(*without, has_bot=True)
    assert found.awards == []
    assert +found.steps["comments with a token"] == {"not confirmed by DeltaBot": 1}


def test_labels_and_comments_are_merged() -> None:
    known = Label("p1", "won1", None, "bob", True, "convokit")
    new = Label("p1", "x", None, "eve", True, "convokit")
    log = Label("p1", "given1", "ann", "bob", True, "deltalog")  # DB4 links the award, not the winner
    absent = [Label("p1", "gone", None, None, True, "convokit"), Label("p9", "w", None, None, True, "convokit")]
    lost = Label("p1", "gone", "ann", "bob", True, "deltalog")
    found = harvested(*thread(), comment("x", "p1", "eve"), known, new, log, *absent, lost)
    assert [(award.winner_id, award.award_id, award.source) for award in found.awards] == [
        ("won1", "given1", "deltabot"),
        ("x", None, "convokit"),
    ]
    assert found.steps["labels"] == {"": 1, "known from its comment or another label": 2, "winner absent": 2, "linked comment absent": 1}


def test_an_award_that_moderators_took_back_is_not_brought_back_by_a_label() -> None:
    removed = "The moderators have confirmed that this is either delta misuse/abuse or an accidental delta. It has been removed."
    found = harvested(*thread(), comment("said9", "given1", "DeltaBot", removed), Label("p1", "won1", "ann", "bob", True, "deltalog"))
    assert [(award.winner_id, award.revoked) for award in found.awards] == [("won1", True)]
    assert +found.steps["awards that stand"] == {"revoked by moderators": 1}


IDS, AUTHORS = st.sampled_from("abcdef"), st.sampled_from(["ann", "bob", "Eve", "[deleted]", "DeltaBot", "deltabot", "AutoModerator"])
DEBATES = st.sampled_from(["p1", "p2", "p3"])
TEXTS = st.sampled_from([
    "Because.", THANKS + "!delta", "∆", "> ∆ " + THANKS, CONFIRMED.format("bob"), CONFIRMED.format("Eve"), "[deleted]",
    "This delta has been rejected. You can't award yourself a delta.", "It has been removed from our records.",
    "The moderators have confirmed, directly, that this is a delta-worthy text.\n\n1 delta awarded to /u/bob",
])  # fmt: skip
COMMENTS = st.builds(
    lambda one, parent, author, text, debate, own: Comment(one, debate, parent, parent[0] == "p", author, text, by_submitter=own),
    IDS, IDS | DEBATES, AUTHORS, TEXTS, DEBATES, st.booleans(),
)  # fmt: skip
POSTS = st.builds(lambda debate, author: Post(debate, author, "CMV", "A view."), st.sampled_from(["p1", "p2"]), AUTHORS)
LABELS = st.builds(
    Label, DEBATES, IDS, st.none() | AUTHORS, st.none() | AUTHORS, st.booleans(), st.sampled_from(["convokit", "deltalog"])
)  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(st.lists(COMMENTS | COMMENTS | POSTS | LABELS, max_size=30), st.booleans())
def test_every_step_adds_up_whatever_is_read(things: list[Post | Comment | Label], has_bot: bool) -> None:
    found = harvested(*things, has_bot=has_bot)
    authors = dict(zip(found.posts["debate_id"].to_pylist(), found.posts["author"].to_pylist(), strict=True))
    by_id = {(row["debate_id"], row["comment_id"]): row for row in found.comments.to_pylist()}
    for award in found.awards:
        winner = by_id[award.debate_id, award.winner_id]
        assert winner["author"] == award.winner
        assert award.winner == "[deleted]" or award.winner.lower() != authors[award.debate_id].lower()
        assert award.winner.lower() not in ("deltabot", "automoderator")
        if award.award_id is not None:
            assert by_id[award.debate_id, award.award_id]["parent_id"] == award.winner_id
