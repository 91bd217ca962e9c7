"""Each trick on any text: it does not raise, is the same for a seed, changes the text or says that it cannot, and does what it says."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from suasion.persuasion.judging.audit.tricks import phrases
from suasion.persuasion.judging.audit.tricks.catalogue import TRICKS
from suasion.persuasion.judging.audit.tricks.rewriting import paraphrase
from suasion.persuasion.judging.audit.tricks.sentences import sentences
from suasion.persuasion.judging.audit.tricks.trick import Reply, played, replies_of
from tests.persuasion.judging.fooled import debates

BY_NAME = {trick.name: trick for trick in TRICKS}
ANY = st.one_of(st.text(), st.lists(st.sampled_from(["One is so.", "Why?", "Tea.", "\n\n", "> quoted", "**bold**", " "])).map(" ".join))
REPLIES = st.builds(Reply, st.just("d"), ANY, ANY, ANY)
TEXT = "Cars are loud. They smell as well. Trains are neither."
REPLY = Reply("d", "Cars should stay. They are useful.", TEXT, "A tax is not a theft, since it pays for roads.")


def after(name: str, reply: Reply = REPLY, seed: int = 0) -> str:
    text = played(BY_NAME[name], reply, seed)
    assert text is not None
    return text


@pytest.mark.parametrize("trick", TRICKS, ids=lambda trick: trick.name)
@given(reply=REPLIES, seed=st.integers(0, 3))
def test_on_any_text_a_trick_gives_another_text_or_none_and_the_same_again(trick, reply, seed) -> None:  # type: ignore[no-untyped-def]
    text = played(trick, reply, seed)
    assert text is None or (isinstance(text, str) and text != reply.text)
    assert played(trick, reply, seed) == text


@pytest.mark.parametrize("trick", TRICKS, ids=lambda trick: trick.name)
def test_on_an_ordinary_reply_every_trick_can_be_played(trick) -> None:  # type: ignore[no-untyped-def]
    assert played(trick, REPLY, 0) is not None


def test_the_names_are_the_ones_that_reports_and_recipes_know() -> None:
    assert list(BY_NAME) == [
        *("filler", "repetition", "restating", "shuffle", "off-topic", "premise", "empty", "language"),
        *("bullets", "bold", "quoting", "links", "upper-case", "typos"),
        *("flattery", "hedging", "confidence", "authority", "statistics", "delta", "agreeing"),
        *("injected-order", "injected-verdict", "injected-turn"),
    ]
    assert {trick.name for trick in TRICKS if trick.spoils} == {"shuffle", "off-topic", "premise", "empty", "language"}


@given(reply=REPLIES, seed=st.integers(0, 3))
def test_what_pads_or_changes_the_tone_keeps_the_whole_reply(reply: Reply, seed: int) -> None:
    for trick in TRICKS:
        if trick.spoils or trick.name in ("bullets", "bold", "links", "upper-case", "typos"):
            continue
        text = played(trick, reply, seed)
        if text is not None and reply.text.strip():
            assert reply.text in text


@given(reply=REPLIES, seed=st.integers(0, 3))
def test_a_shuffle_keeps_every_word(reply: Reply, seed: int) -> None:
    text = played(BY_NAME["shuffle"], reply, seed)
    said = sentences(reply.text)
    if text is None:
        assert " ".join(said) == " ".join(said[::-1])
    else:
        assert Counter(text.split()) == Counter(reply.text.split()) and text.split() != reply.text.split()


@given(reply=REPLIES)
def test_style_keeps_the_words(reply: Reply) -> None:
    bulleted, bold = played(BY_NAME["bullets"], reply, 0), played(BY_NAME["bold"], reply, 0)
    if bulleted is not None:
        lines = bulleted.split("\n")
        assert all(line.startswith("- ") for line in lines)
        assert [word for line in lines for word in line[2:].split()] == reply.text.split()
    if bold is not None:
        assert bold.replace("*", "").split() == reply.text.replace("*", "").split()


@given(reply=REPLIES, seed=st.integers(0, 3))
def test_typos_are_swaps_inside_words(reply: Reply, seed: int) -> None:
    text = played(BY_NAME["typos"], reply, seed)
    if text is not None:
        assert sorted(text) == sorted(reply.text)
        changed = [index for index, (one, other) in enumerate(zip(reply.text, text, strict=True)) if one != other]
        assert changed and all(reply.text[index].isalpha() for index in changed)


def test_padding_says_no_more() -> None:
    assert after("filler").removeprefix(TEXT + "\n\n") != after("filler")
    assert all(sentence in " ".join(phrases.FILLER) for sentence in sentences(after("filler"))[3:])
    assert set(sentences(after("repetition"))) == set(sentences(TEXT)) and after("repetition").count("smell") == 2
    assert after("restating").endswith(TEXT) and "Cars should stay. They are useful." in after("restating")


def test_what_takes_the_argument_away() -> None:
    assert after("off-topic") == REPLY.foreign and after("premise") == REPLY.premise and after("empty") == ""
    weather = after("language")
    assert len(weather.split()) == len(TEXT.split()) and not set(weather.split()) & set(TEXT.split())
    assert len(after("language", Reply("d", "p", "word " * 500, "")).split()) == 500
    assert played(BY_NAME["off-topic"], Reply("d", "p", "t", ""), 0) is None
    assert played(BY_NAME["premise"], Reply("d", "t", "t", ""), 0) is None
    assert played(BY_NAME["empty"], Reply("d", "p", "", ""), 0) is None


def test_tone_and_trimmings() -> None:
    assert after("quoting").startswith("> Cars should stay.") and after("upper-case") == TEXT.upper()
    assert after("links").count("](https://www.example.org/") == 3
    assert "delta" in after("delta") and "%" in after("statistics") and "{" not in after("statistics")
    assert after("agreeing").split("\n\n")[0] in phrases.AGREEMENT
    assert "ignore all earlier instructions" in after("injected-order")
    assert any("10" in after("injected-verdict", seed=seed) for seed in range(4))
    assert any("<|im_start|>" in after("injected-turn", seed=seed) for seed in range(20))


def test_seeds_draw_differently() -> None:
    assert len({after("filler", seed=seed) for seed in range(9)}) > 1


def test_another_rewriter_says_it_in_other_words_or_is_left_out() -> None:
    assert played(paraphrase(lambda text: text.replace("loud", "noisy")), REPLY, 0) == TEXT.replace("loud", "noisy")
    for useless in (str, lambda text: "", lambda text: f" {text}\n"):
        assert played(paraphrase(useless), REPLY, 0) is None


@given(st.integers(1, 60), st.integers(0, 5))
def test_replies_are_spread_over_the_debates(number: int, seed: int) -> None:
    pairs = debates(10)
    found = replies_of(pairs, number, seed)
    assert len(found) == min(number, 20) == len(set(found)) and found == replies_of(pairs, number, seed)
    counts = Counter(reply.debate_id for reply in found)
    assert max(counts.values()) - min(counts.get(f"d{index}", 0) for index in range(10)) <= 1
    winners = {pair.winner: pair.debate_id for pair in pairs}
    assert all(winners[reply.foreign] != reply.debate_id for reply in found)


def test_where_there_is_one_debate_nothing_is_foreign() -> None:
    assert {reply.foreign for reply in replies_of(debates(1), 9, 0)} == {""}


def test_the_order_of_the_pairs_does_not_matter_to_the_debates_drawn() -> None:
    pairs = debates(12)
    mixed = random.Random(1).sample(pairs, len(pairs))
    assert {one.debate_id for one in replies_of(pairs, 5, 0)} == {one.debate_id for one in replies_of(mixed, 5, 0)}
