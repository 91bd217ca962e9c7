from __future__ import annotations

import pytest

from suasion.persuasion.mining.bots import BOTS
from suasion.persuasion.mining.cleaning.notices import is_bot, is_deleted, is_notice, is_overwritten, known, why_unfit
from suasion.persuasion.mining.cleaning.texts import CleaningConfig


@pytest.mark.parametrize(
    "text",
    [
        "", "  \n", "[deleted]", " [removed] ", "[deleted by user]", "[ Removed by Reddit ]", "[removed by user]", "**[deleted]**",
        "~~[removed]~~", "[ Removed by Reddit in response to a copyright notice. ]",
        "[unavailable]", "[missing]", "Comment deleted by user.", "[[removed]]",
        "[removed](http://x.y)", "[user deleted]", "\\[deleted\\]", "[redacted]", "[removed too many times]",
    ],
)  # fmt: skip
def test_all_wordings_of_deletion(text: str) -> None:
    assert is_deleted(text)
    assert (
        why_unfit("ann", None, text, CleaningConfig(bots=False, moderators=False, notices=False, overwritten=False)) == "deleted or removed"
    )


@pytest.mark.parametrize(
    "text", ["[deleted] scenes are the best of the film", "Deleted scenes", "I removed [it](http://x)", "removed", "[a]"]
)
def test_what_is_not_deleted(text: str) -> None:
    assert not is_deleted(text)


def test_bots_are_a_list_not_a_pattern() -> None:
    assert is_bot("DeltaBot") and is_bot("AutoModerator")
    assert not is_bot("Talbot") and not is_bot(None)
    assert all(name == name.lower() for name in BOTS)


@pytest.mark.parametrize(
    "text",
    [
        "Sorry u/name – your comment has been removed for breaking Rule 2",
        "Removed, see comment rule 1.",
        "Your comment violated **Comment Rule 1**",
        "Confirmed: 1 delta awarded to /u/name.",
        "*I am a bot, and this action was performed automatically.*",
        "This thread has been locked.",
    ],
)
def test_notices(text: str) -> None:
    assert is_notice(text)
    assert why_unfit("ann", None, text, CleaningConfig()) == "by a moderator in office"
    assert why_unfit("ann", None, text, CleaningConfig(notices=False)) == ""


@pytest.mark.parametrize(
    "text",
    [
        "This comment has been overwritten by an open source script to protect this user's privacy.",
        "deleted ^^^^0.8762 [^^^What ^^^is ^^^this?](https://pastebin.com/64GuVi2F/81246)",
        "horse battery staple *This post was mass deleted and anonymized with [Redact](https://redact.dev)*",
        "My comments were edited with Power Delete Suite",
    ],
)
def test_what_scripts_leave(text: str) -> None:
    assert is_overwritten(text)
    assert why_unfit("ann", None, text, CleaningConfig()) == "overwritten by a script"
    assert why_unfit("ann", None, text, CleaningConfig(overwritten=False)) == ""


def test_argument_is_no_notice() -> None:
    for text in (
        "Sorry, but the law that your comment mentions was never removed from the books.",
        "The comment section should be removed.",
        "This comment was deleted because the moderators protest too much, you say.",
    ):
        assert not is_notice(text)
    assert not is_overwritten("My comment was edited for spelling.")


def test_who_wrote_it() -> None:
    assert why_unfit("DeltaBot", None, "some text", CleaningConfig()) == "by a bot"
    assert why_unfit("DeltaBot", None, "some text", CleaningConfig(bots=False)) == ""
    assert why_unfit("ann", "moderator", "some text", CleaningConfig()) == "by a moderator in office"
    assert why_unfit("ann", "moderator", "some text", CleaningConfig(moderators=False)) == ""
    assert [known(name) for name in ("ann", None, "", "[deleted]")] == ["ann", None, None, None]


@pytest.mark.parametrize("piece", ["[deleted ", "*", "I am a bot ", "this comment ", "deleted 0.1 [", "^", "beep ", "sorry, ", "[", "~_^"])
@pytest.mark.timeout(30)
def test_hostile_texts_take_no_long_time(piece: str) -> None:
    for length in (1_499, 40_000):
        text = piece * (length // len(piece))
        is_notice(text), is_deleted(text), is_overwritten(text)
