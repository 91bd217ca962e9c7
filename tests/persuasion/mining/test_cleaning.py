from __future__ import annotations

import time
from collections import Counter

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from suasion.persuasion.mining.cleaning import (
    clean_post,
    clean_reply,
    clean_title,
    is_bot,
    is_deleted,
    is_notice,
    is_overwritten,
    premise_text,
)

# fmt: off
PIECES = st.sampled_from([
    "EDIT:", "edit 2", "Edit", "thanks for the delta", "∆", "Δ", "!delta", "&amp;", "&amp;amp;gt;", "&#47;", "&#8710;", "u/", "/u/someone",
    "u/ab-c", "[a](b)", "[", "](", ")", "http://x", ">", ">!", "!<", "\n", "\n\n", " ", "\t", "\r\n", "\u200b", "\x1c", "\xa0", "_____",
    "---", "***", "CMV", ".", "a word", "Please, CMV", "my view changed", "This is a footnote from your moderators", "Hello, users of CMV!",
    "deltabot awarded", "ΔT", "0",
])
# fmt: on
TEXTS = st.one_of(st.text(), st.lists(PIECES, max_size=25).map("".join), st.lists(PIECES, max_size=25).map(" ".join))


@given(TEXTS)
@example("&amp;#117;/name [u](http://x)/other")
@example("[](\n)")
@example("EDIT: EDIT: thanks\n\n> EDIT: delta\n\nand so on")
@settings(max_examples=400, deadline=None)
def test_cleaning_twice_is_cleaning_once(text: str) -> None:
    for clean in (clean_reply, clean_post, clean_title):
        once = clean(text)
        assert clean(once) == once


@given(TEXTS)
@settings(deadline=None)
def test_a_clean_reply_holds_no_token_quote_or_name(text: str) -> None:
    clean = clean_reply(text)
    assert "∆" not in clean
    assert "!delta" not in clean.lower()
    assert "&amp;" not in clean
    assert not any(line.startswith(">") and not line.startswith(">!") for line in clean.split("\n"))
    assert clean == clean.strip()
    assert "\n\n\n" not in clean


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("The point.\n\nEDIT: thanks for the delta!", "The point."),
        ("The point.\n\n**Edit:** wow, my first delta", "The point."),
        ("The point.\n\n[Edit 2] Wow, thank you for the gold!!", "The point."),
        ("The point.\nedit: glad I could change your view\nMore.", "The point."),
        ("The point.\n\nEDIT: typo", "The point.\n\nEDIT: typo"),
        ("Editing genes is fine. Thank you for asking.", "Editing genes is fine. Thank you for asking."),
        ("> your words\n\nNo. ∆ They aren't", "No. They aren't"),
        ("As &amp;gt; and &amp;#8710; show", "As > and show"),
        ("See [the study](http://a.b/c_(d)) and https://x.org/y.", "See the study and (link)"),
        ("As /u/some-body and u/other_one say", "As someone and someone say"),
        ("The point.\n\nThis delta has been rejected. You can't award OP a delta.", "The point."),
        ("The point.\n\nThanks for the delta!", "The point."),
        ("ΔT is the change of temperature", "ΔT is the change of temperature"),
        ("The \u200bpoint &#x200B; is", "The point is"),
    ],
)
def test_what_a_reply_loses(text: str, kept: str) -> None:
    assert clean_reply(text) == kept


def test_an_argument_about_deltas_stays() -> None:
    text = (
        "Deltas are awarded too rarely in this community, and I believe that the reason lies with the people who post here: they come to "
        "defend a view rather than to test it, and no rule about awards will ever mend that."
    )
    assert clean_reply(text) == text


@pytest.mark.parametrize(
    "footer", ["Hello, users of CMV! This is a footnote from your moderators. Rules", "This is a footnote from the CMV moderators. Rules"]
)
def test_both_footers_go(footer: str) -> None:
    assert clean_post(f"My view.\n\n_____\n\n> *{footer} and [wiki](http://x). Happy CMVing!*") == "My view."


def test_a_concession_takes_what_follows_but_never_the_post() -> None:
    view = "I hold that cats are better than dogs because they are quiet and clean, and need no walks."
    assert clean_post(f"{view}\n\nEDIT: You have changed my view.\n\n* the point about rats") == view
    assert clean_post(f"EDIT: my view has been changed, thanks!\n\n{view}") == view
    assert view in clean_post(f"EDIT: my view has been changed, thanks! {view}")


def test_quotes_in_a_post_are_part_of_the_view() -> None:
    assert clean_post("> All men are mortal.\n\nI doubt it.") == "> All men are mortal.\n\nI doubt it."


@pytest.mark.parametrize(
    ("title", "kept"),
    [
        ("CMV: Cats are best", "Cats are best"),
        ("[CMV] Cats are best", "Cats are best"),
        ("I think cats are best. CMV.", "I think cats are best"),
        ("I fear cats. Please, CMV!", "I fear cats"),
        ("CMV is full of cats", "CMV is full of cats"),
    ],
)
def test_the_label_goes_from_titles(title: str, kept: str) -> None:
    assert clean_title(title) == kept


def test_a_premise_is_title_blank_line_text_cut_by_words() -> None:
    premise = premise_text("CMV: Cats are best", "one two three four")
    assert premise == "Cats are best\n\none two three four"
    assert premise_text("CMV: Cats are best", "one two three four", 5) == "Cats are best\n\none two"
    assert premise_text("CMV", "") == ""


def test_rules_are_counted_once_a_text() -> None:
    touched: Counter[str] = Counter()
    clean_reply("[a](b) [c](d) /u/name", touched)
    clean_reply("[a](b)", touched)
    assert touched["links"] == 2
    assert touched["user names"] == 1


def test_predicates() -> None:
    for gone in ("[deleted]", " [removed] ", "[deleted by user]", "[ Removed by Reddit ]", "[removed by user]", ""):
        assert is_deleted(gone)
    assert not is_deleted("[deleted] scenes are the best of the film")
    assert is_bot("DeltaBot")
    assert is_bot("AutoModerator")
    assert not is_bot("Talbot")
    assert not is_bot(None)
    assert is_notice("Sorry u/name – your comment has been removed for breaking Rule 2")
    assert is_notice("Removed, see comment rule 1.")
    assert is_notice("Your comment violated **Comment Rule 1**")
    assert not is_notice("Sorry, but the law that your comment mentions was never removed from the books.")
    assert is_overwritten("This comment has been overwritten by an open source script to protect this user's privacy.")


@pytest.mark.parametrize(
    "text",
    [
        "&amp;" * 20_000,
        "[" * 20_000,
        "[a](" * 5_000,
        "[" * 1_000 + "](b)" * 1_000,
        "*" * 20_000,
        "> " * 20_000,
        "edit " * 8_000,
        "_ " * 20_000,
        "delta " * 8_000,
    ],
)
def test_hostile_texts_take_no_long_time(text: str) -> None:
    start = time.perf_counter()
    clean_reply(text)
    clean_post(text)
    clean_title(text)
    is_notice(text), is_deleted(text), is_overwritten(text)
    assert time.perf_counter() - start < 5
