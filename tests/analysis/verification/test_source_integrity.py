"""An annotated text is its source: to the letter, or, where it may be shortened, in all that is left of it."""

from __future__ import annotations

import random
import unicodedata

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from suasion.analysis.verification.annotation import read_annotation
from suasion.analysis.verification.blocks import Block
from suasion.analysis.verification.differences import difference
from suasion.analysis.verification.shortened import first_unreal
from suasion.analysis.verification.source_text import LONG, place_of, read_source, squeezed

DOGS = "We should keep dogs. Dogs are not loyal & kind. Some say they smell."
LONG_TEXT = " ".join(f"Point {n} holds that item number {n} matters a lot to most people here, or so they say." for n in range(30))


def unreal(text: str, source: str = LONG_TEXT) -> tuple[str, str] | None:
    """What is wrong with a shortened text, and the words where it begins."""
    annotation = read_annotation(Block("xml", text, 1), source)
    found = first_unreal(annotation, read_source(source))
    return (found.what, annotation.text[found.at :][:12]) if found else None


def marked(*numbers: int, between: str = " ") -> str:
    points = LONG_TEXT.split(" Point ")
    return between.join(f'<proposition id="{n}">{"Point " if n else ""}{points[n]}</proposition>' for n in numbers)


@pytest.mark.parametrize(
    ("text", "what", "said", "at"),
    [
        (DOGS.replace("not ", ""), "missing", "“not” are missing behind “dogs. Dogs are”", "loyal"),
        (DOGS.replace("are not", "are surely not"), "added", "“surely” behind “dogs. Dogs are” are not in the source", "surely"),
        (DOGS.replace("loyal", "royal"), "altered", "says “loyal”, not “royal”", "royal"),
        (DOGS.replace(" Some say they smell.", ""), "missing", "“Some say they smell.” are missing", ""),
        (DOGS + " The end.", "added", "“The end.”", "The end"),
        (DOGS.replace("loyal", "loyally"), "altered", "says “loyal”, not “loyally”", "ly &"),
        (DOGS.replace("loyal", "loy"), "altered", "says “loyal”, not “loy”", "&"),
        (DOGS.replace("We", "You"), "altered", "altered at the beginning: the source says “We”, not “You”", "You"),
        ("", "missing", "“We should keep dogs. Dogs are not loyal …” are missing at the beginning", ""),
    ],
)
def test_the_first_difference_is_told_and_placed(text: str, what: str, said: str, at: str) -> None:
    found = difference(text, DOGS)
    assert found.what == what and said in found.message and text[found.at :].startswith(at)


def test_white_space_and_forms_of_unicode_make_no_difference() -> None:
    text = "Ça vä\u00adut\u200b «oui» — été\ufeff."
    copy = unicodedata.normalize("NFD", "Ça\nväut   «oui»\u00a0—  été.")
    assert copy != text and squeezed(copy) == squeezed(text)
    assert squeezed("ete") != squeezed("été")


def test_references_and_html_of_a_source_are_read() -> None:
    source = read_source("<p>Cost x &lt;y is <b>fine</b>.</p> a &amp;lt; b <y and z>")
    assert source.text == "Cost x <y is fine. a &lt; b <y and z>" and source.html == {"p", "b"}
    assert squeezed("Cost x <y is fine.") in source.readings[0]


@pytest.mark.parametrize(
    "text",
    [
        marked(0, 3, 7),
        marked(0, 3, 7, between=" […] "),
        marked(0, 3, between=" ... ") + " (the rest is left out)",
        "Point 0 holds that. " + marked(2),
        marked(2) + " Point 5 … people here",
        "",
    ],
)
def test_what_may_be_shortened(text: str) -> None:
    assert read_source(LONG_TEXT).is_long
    assert unreal(text) is None


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (marked(7, 3), ("order", "Point 3 hold")),
        (marked(3, 3), ("order", "Point 3 hold")),
        (marked(0, 3).replace("number 3 matters", "number 3 does not matter"), ("altered", "does not mat")),
        (marked(0).replace("Point 0", "Dogs bark. Point 0"), ("altered", "Dogs bark. P")),
        ("Dogs bark. " + marked(3), ("added", "Dogs bark. P")),
        (marked(3) + " Point 2 holds", ("added", "2 holds")),
    ],
)
def test_what_is_annotated_is_real_and_in_order(text: str, found: tuple[str, str]) -> None:
    assert unreal(text) == found


def test_the_limit_is_as_the_prompt_says() -> None:
    assert not read_source("word " * LONG).is_long and read_source("word " * (LONG + 1)).is_long


_TEXTS = st.text(st.sampled_from("abé e\u0301\n<&\u00a0\u200b."), max_size=40)


@given(_TEXTS, _TEXTS)
@settings(max_examples=300, deadline=None)
def test_a_difference_is_where_the_texts_part(text: str, source: str) -> None:
    assume(squeezed(text) != squeezed(source))
    found = difference(text, source)
    assert 0 <= found.at <= len(text) and found.message
    assert squeezed(source).startswith(squeezed(text[: found.at])) or not text.isascii()


@given(_TEXTS, st.integers(0, 50))
@settings(max_examples=200, deadline=None)
def test_places_in_squeezed_texts(text: str, index: int) -> None:
    at = place_of(text, index)
    assert (at == len(text)) == (index >= len(squeezed(text))) or index >= len(squeezed(text))
    if text.isascii() and at < len(text):
        assert squeezed(text[:at] + text[at]) == squeezed(text)[: index + 1]


@given(st.integers(0, 10_000))
@settings(max_examples=60, deadline=None)
def test_any_shortening_is_real_and_any_exchange_is_not(seed: int) -> None:
    draw = random.Random(seed)
    words = LONG_TEXT.split()
    pieces, number, end = [], 0, 0
    while end < len(words):
        start = end + draw.randrange(4)
        end = min(start + draw.randrange(1, 9), len(words))
        pieces.append(f'<proposition id="{number}">{" ".join(words[start:end])}</proposition>' if start < end else "")
        following = end + draw.randrange(6)
        pieces.append(" ".join(word for word in words[end:following] if draw.random() < 0.5))
        end = following
        number += 1
    assert unreal(" ".join(pieces)) is None
    changed = list(pieces)
    changed[2 * draw.randrange(len(changed) // 2)] = '<proposition id="x">cats meow</proposition>'
    found = unreal(" ".join(changed))
    assert found is not None
