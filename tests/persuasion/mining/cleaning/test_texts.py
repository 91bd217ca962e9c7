from __future__ import annotations

import re
from collections import Counter

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from suasion.persuasion.mining.cleaning.texts import PASSES, CleaningConfig, clean_post, clean_reply, clean_title, premise_text
from tests.persuasion.mining.real_texts import CMV, posts, replies

# fmt: off
PIECES = st.sampled_from([
    "EDIT:", "edit 2", "Edit", "thanks for the delta", "∆", "Δ", "!delta", "&amp;", "&amp;amp;gt;", "&#47;", "&#8710;", "u/", "/u/someone",
    "u/ab-c", "[a](b)", "[", "](", ")", "http://x", ">", ">!", "!<", "\n", "\n\n", " ", "\t", "\r\n", "\u200b", "\x1c", "\xa0", "_____",
    "---", "***", "CMV", ".", "a word", "Please, CMV", "my view changed", "This is a footnote from your moderators", "Hello, users of CMV!",
    "deltabot awarded", "ΔT", "0", "> ", "> a quote\n", "You're welcome.", "I changed your view!", "\r", "View changed", "[Edit]", "? ",
])
# fmt: on
TEXTS = st.one_of(st.text(), st.lists(PIECES, max_size=25).map("".join), st.lists(PIECES, max_size=25).map(" ".join))


SWITCHES = st.builds(
    CleaningConfig,
    quotes=st.sampled_from(["fold", "keep", "drop"]),
    **{name: st.booleans() for name, field in CleaningConfig.model_fields.items() if field.annotation is bool},
)


@given(TEXTS, SWITCHES)
@example("&amp;#117;/name [u](http://x)/other", CleaningConfig())
@example("[](\n)", CleaningConfig())
@example("EDIT: EDIT: thanks\n\n> EDIT: delta\n\nand so on", CleaningConfig())
@example("> a\n∆> b", CleaningConfig(quotes="drop"))
@example("!d" * 60 + "elta" * 60, CleaningConfig())
@settings(max_examples=600, deadline=None)
def test_cleaning_twice_is_cleaning_once_whatever_is_switched_on(text: str, config: CleaningConfig) -> None:
    for clean in (clean_reply, clean_post):
        once = clean(text, None, config)
        assert clean(once, None, config) == once
    once = clean_title(text, config)
    assert clean_title(once, config) == once


def test_a_text_that_never_settles_is_not_kept() -> None:
    touched: Counter[str] = Counter()
    hidden = "a word " + "!del" * (PASSES + 1) + "ta" * (PASSES + 1)
    assert clean_reply(hidden, touched) == ""
    assert touched == {"does not settle": 1}
    assert clean_reply("a word " + "!del" * 5 + "ta" * 5) == "a word"


@given(TEXTS)
@settings(deadline=None)
def test_a_clean_reply_holds_no_token_quote_or_name(text: str) -> None:
    clean = clean_reply(text)
    assert "∆" not in clean
    assert "!delta" not in clean.lower()
    assert "&amp;" not in clean
    assert not any(line.startswith(">") for line in clean.split("\n"))
    assert clean == clean.strip()
    assert "\n\n\n" not in clean


@pytest.mark.parametrize(
    ("rule", "text", "cleaned", "left"),
    [
        ("entities", "a &amp;lt; b", "a < b", "a &amp;lt; b"),
        ("invisible", "a\u200bb", "ab", "a\u200bb"),
        ("footers", "a\n\n_____\n\nb", "a\n\nb", "a\n\n_____\n\nb"),
        ("edits", "a.\n\nEDIT: convinced, all of you", "a.", "a.\n\nEDIT: convinced, all of you"),
        ("delta_talk", "a.\n\nThanks for the delta!", "a.", "a.\n\nThanks for the delta!"),
        ("award_tokens", "a ∆ b", "a b", "a ∆ b"),
        ("links", "[a](http://b)", "a", "[a](http://b)"),
        ("names", "ask u/some-body", "ask someone", "ask u/some-body"),
        ("white_space", "a  b", "a b", "a  b"),
    ],
)
def test_every_rule_has_a_switch(rule: str, text: str, cleaned: str, left: str) -> None:
    assert clean_reply(text) == cleaned
    assert clean_reply(text, None, CleaningConfig(**{rule: False})) == left


def test_the_switches_of_posts() -> None:
    assert clean_post("CMV: a") == "a"
    assert clean_post("CMV: a", None, CleaningConfig(label=False)) == "CMV: a"


@pytest.mark.parametrize(
    ("text", "folded", "dropped"),
    [
        ("> your words\n> and more\n\nNo.", "(quote)\n\nNo.", "No."),
        ("> one\n\n> two\n\nNo.\n> three\nYes.", "(quote)\n\nNo.\n(quote)\nYes.", "No.\nYes."),
        ("&gt; escaped\n\nNo.", "(quote)\n\nNo.", "No."),
        ("> all that was said", "all that was said", "all that was said"),
        (">> deeper\n\n> still a quote", "deeper\n\nstill a quote", "deeper\n\nstill a quote"),
    ],
)
def test_quotes_are_folded_dropped_or_kept(text: str, folded: str, dropped: str) -> None:
    assert clean_reply(text) == folded
    assert clean_reply(text, None, CleaningConfig(quotes="drop")) == dropped
    assert clean_reply(text, None, CleaningConfig(quotes="keep")) == text.replace("&gt;", ">")


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("The point.\n\nEDIT: thanks for the delta!", "The point."),
        ("The point.\n\n**Edit:** wow, my first delta", "The point."),
        ("The point.\n\n[Edit 2] Wow, thank you for the gold!!", "The point."),
        ("The point.\nedit: glad I could change your view\nMore.", "The point."),
        ("The point.\n\nEDIT: typo", "The point.\n\nEDIT: typo"),
        ("Editing genes is fine. Thank you for asking.", "Editing genes is fine. Thank you for asking."),
        ("> your words\n\nNo. ∆ They aren't", "(quote)\n\nNo. They aren't"),
        ("As /u/some\\_body said", "As someone said"),
        ("A >!hidden!< point", "A hidden point"),
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


ARGUMENT = "Cats sleep all day and need no walks, so a person with a long day at work can keep one."


@pytest.mark.parametrize(
    "talk",
    [
        "Thanks for the delta!",
        "If I changed your view, it is customary to award a delta.",
        "Anyway, have I changed your view enough for a delta?",
        "I know the delta has been already awarded, but listen.",
        "So I have changed your mind.",
        "It sounds like a lot of people in this thread helped you change your view.",
        "Glad I could help.",
        "You're welcome!",
        "EDIT - Thanks for the deltas and the shoutout in /r/bestof/!",
    ],
)
def test_sentences_about_an_award_go_and_the_argument_around_them_stays(talk: str) -> None:
    assert clean_reply(f"{ARGUMENT} {talk} {ARGUMENT}") == f"{ARGUMENT} {ARGUMENT}"
    assert clean_reply(f"{ARGUMENT}\n\n{talk}") == ARGUMENT


def test_an_edit_within_a_line_takes_no_argument_with_it() -> None:
    later = "I hold that they thank nobody, and that no dog was ever convinced by one."
    text = f"{ARGUMENT} EDIT: thanks for the gold! {ARGUMENT} " + " ".join([ARGUMENT] * 4) + f" {later}"
    assert clean_reply(text) == " ".join([ARGUMENT] * 6) + f" {later}"
    before = " ".join([ARGUMENT] * 8)
    assert clean_reply(f"{before} {text}") == f"{before} {clean_reply(text)}"


@pytest.mark.parametrize(
    "argument",
    [
        "I would like to change your view with a story of my own.",
        "I've since changed my mind on that fact almost completely.",
        "Maybe a piece of literature changed your view of the world.",
        "Later on you'll be glad you did.",
        "The river delta is rich in mud, and its people live on it.",
        "Thanks to a friend, you had the opportunity to reverse the spiral.",
    ],
)
def test_argument_that_sounds_alike_stays(argument: str) -> None:
    assert clean_reply(f"{ARGUMENT} {argument}") == f"{ARGUMENT} {argument}"


@pytest.mark.parametrize(
    "told",
    [
        "EDIT: The points about cost are very good points.",
        "**Edit:** wow, so many replies, it seems I was wrong about rats.",
        "So, view changed?",
        "My view has been partially changed by the talk of rats.",
        "Thanks to everybody for pointing out the rats.",
    ],
)
def test_a_post_does_not_tell_which_reply_was_good(told: str) -> None:
    assert clean_post(f"{ARGUMENT} {ARGUMENT}\n\n{told}") == f"{ARGUMENT} {ARGUMENT}"


@pytest.mark.parametrize(
    "kept", ["EDIT: I mean house cats only.", "I really want my view changed.", "Please change my view if it should be changed."]
)
def test_what_a_post_says_of_its_view_stays(kept: str) -> None:
    assert clean_post(f"{ARGUMENT} {ARGUMENT}\n\n{kept}").endswith(kept)


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


HOSTILE = [
    "&amp;", "&#", "[", "[a](", "[a]((x)(x)", "[" + "a" * 990, "[a](" + "b" * 1_990, "*", "> ", ">\n", ">a\n\n", "edit ", "edit: ",
    "EDIT: thanks delta. ", "_ ", "-- ", "delta ", "you changed ", "i ", "thank ", "glad i ", "people ", "\n", " ", "\t\n", "u/", "u/\\_",
    "http://", ">!", "cmv ", "CMV, please ", "quick ", "quick\n", "view ", "change ", ". ! ? ", "a.\n\n", "∆", "Δ",
    "hello, users of cmv\n>", "this is a footnote from your moderators", "my view has ", "did i ",
]  # fmt: skip
NESTED = [
    "[" * 20_000 + "](b)" * 5_000,
    "!del" * 6_600 + "ta" * 6_600,
    ">!" * 10_000 + "!<" * 10_000,
    "> a" + "\n" * 40_000,
    "so " * 13_000 + "cmv",
]


@pytest.mark.parametrize("text", [piece * (40_000 // len(piece)) for piece in HOSTILE] + NESTED, ids=lambda text: repr(text[:12]))
@pytest.mark.timeout(60)
def test_hostile_texts_take_no_long_time(text: str) -> None:
    clean_reply(text)
    clean_post(text)
    clean_title(text)


TELLS = re.compile(
    r"∆|!delta|\bthanks? (?:you )?for the delta|\b(?:give|award|earn)\w* (?:me |you |him |her |them )?(?:a|the|that) delta"
    r"|\bi(?:'ve| have)? changed your (?:view|mind)|^you'?re welcome\W*$|\bdelta has been",
    re.IGNORECASE | re.MULTILINE,
)


@pytest.mark.skipif(not CMV.is_dir(), reason="the real threads are not beside this checkout")
def test_no_real_text_tells_who_won_nor_is_lost() -> None:
    sentences = (sentence for text in replies() for sentence in re.split(r"(?<=[.!?])\s+|\n", clean_reply(text)))
    assert [one for one in sentences if TELLS.search(one) and len(one.split()) <= 40] == []  # a longer one argues about deltas
    raw = [text for text in replies() if len(text.split()) >= 50]
    assert sum(len(clean_reply(text).split()) < 0.5 * len(text.split()) for text in raw) < 0.02 * len(raw)
    kept = sum(len(clean_post(text).split()) for text in posts()) / sum(len(text.split()) for text in posts())
    assert 0.8 < kept < 1
