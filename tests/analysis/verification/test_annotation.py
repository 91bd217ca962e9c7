"""Annotated texts: tags told from text, nothing expanded, everything in its place."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from suasion.analysis.verification.annotation import Annotation, read_annotation
from suasion.analysis.verification.blocks import Block
from suasion.analysis.verification.markup import read_markup


def read(text: str, source: str = "", line: int = 1) -> Annotation:
    return read_annotation(Block("xml", text, line), source)


def codes(text: str, source: str = "") -> list[str]:
    return [found.code.removeprefix("annotation.") for found in read(text, source).findings]


def test_what_a_proposition_says() -> None:
    attributes = 'id="p1" supports="p2  p3" attacks=\'p4\' argument_label="A &amp; B" ref_reco_label="3"'
    text = f"Well: <proposition {attributes}>Dogs\nare good.</proposition>"
    annotation = read(text, line=7)
    (one,) = annotation.propositions
    assert (one.id, one.text, one.supports, one.attacks) == ("p1", "Dogs\nare good.", ("p2", "p3"), ("p4",))
    assert (one.argument_label, one.ref_reco_label, one.line, one.column) == ("A & B", "3", 7, 7)
    assert annotation.text[one.start : one.end] == one.text and annotation.text == "Well: Dogs\nare good."
    assert annotation.place(one.start) == (7, text.index("Dogs") + 1) and annotation.place(one.start + 5) == (8, 1)
    assert not annotation.findings


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a &amp; b &lt; c &#65;&#x42; &unknown; & d", "a & b < c AB &unknown; & d"),
        ("x < y and a<b, 3 <4>", "x < y and a<b, 3 <4>"),
        ("<![CDATA[a < b &amp; c]]> d", "a < b &amp; c d"),
        ('<?xml version="1.0"?>a<!-- nothing <proposition> -->b', "ab"),
        ("&lt;proposition&gt;", "<proposition>"),
        ("a <y and z", "a <y and z"),
    ],
)
def test_text_is_told_from_markup(text: str, words: str) -> None:
    annotation = read(text)
    assert annotation.text == words and not annotation.findings and not annotation.propositions


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('<proposition id="1">a', ["markup.unclosed"]),
        ('<proposition id="1">a <proposition id="2">b</proposition>', ["markup.unclosed"]),
        ('<proposition id="1">a <proposition id="2">b</proposition></proposition>', ["nested"]),
        ("a</proposition>", ["markup.stray-end"]),
        ('<proposition id="1" id="2">a</proposition>', ["markup.duplicate-attribute"]),
        ("<proposition id=1>a</proposition>", ["markup.quotes"]),
        ("<proposition id>a</proposition>", ["markup.quotes"]),
        ('<proposition id="1>a</proposition> <proposition id="2">b</proposition>', ["markup.tag"]),
        ("<proposition id=“1”>a</proposition>", ["markup.quotes"]),
        ('<proposition id="1" <b>a</proposition>', ["markup.tag", "element"]),
        ('<proposition id="1" type="x">a</proposition>', ["attribute"]),
        ('<proposition id="1" Supports="x">a</proposition>', ["attribute"]),
        ('<PROPOSITION id="1">a</PROPOSITION>', ["element"]),
        ("<text>a</text>", ["element"]),
        ("a<br/>b", ["element"]),
        ("<!-- a", ["markup.comment"]),
        ("<![CDATA[ a", ["markup.cdata"]),
        ("<?xml a", ["markup.instruction"]),
        ('<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]>&b;', ["markup.declaration"]),
        ('<!ENTITY b "bbbb">&b;', ["markup.declaration"]),
    ],
)
def test_what_is_wrong_with_markup(text: str, found: list[str]) -> None:
    assert codes(text) == found


def test_entities_are_not_expanded() -> None:
    bomb = "".join(f'<!ENTITY l{n + 1} "{f"&l{n};" * 10}">' for n in range(9))
    annotation = read(f'<!DOCTYPE x [<!ENTITY l0 "lol">{bomb}]><proposition id="1">&l9;</proposition>')
    assert annotation.text == "&l9;" and annotation.propositions[0].text == "&l9;"


def test_tags_of_the_source_are_no_tags_of_the_author() -> None:
    assert not codes("I <b>do</b>", source="I <b>do</b>") and read("I <b>do</b>", "I <b>do</b>").text == "I do"
    assert not codes("if x <y and z> w", "if x <y and z> w") and read("x <y and z> w", "x <y and z> w").text == "x <y and z> w"
    assert codes("I <i>do</i>", source="I <b>do</b>") == ["element"]


def test_the_text_of_nested_propositions_grows_no_faster_than_the_answer() -> None:
    depth = 20_000
    annotation = read('<proposition id="1">a' * depth + "</proposition>" * depth)
    assert sum(len(one.text) for one in annotation.propositions) == depth
    assert len(annotation.propositions) == depth and len(annotation.findings) == depth - 1


_PIECES = st.sampled_from(
    [
        "<proposition",
        ' id="1"',
        " supports='",
        '"',
        "'",
        ">",
        "</proposition>",
        "/>",
        "<",
        "&amp;",
        "&",
        ";",
        "<!--",
        "-->",
        "<![CDATA[",
        "]]>",
        "<?x",
        "?>",
        "<!DOCTYPE",
        "[",
        "]>",
        " ",
        "\n",
        "\r\n",
        "word",
        "é",
        "\u0301",
        "\x00",
        "<b>",
        "</b>",
    ]
)


@given(st.lists(_PIECES | st.text(max_size=3), max_size=50).map("".join))
@settings(max_examples=400, deadline=None)
def test_nothing_raises_and_places_are_in_the_answer(text: str) -> None:
    annotation = read(text)
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    for found in annotation.findings:
        assert found.line and found.column and found.line <= len(lines)
    for one in annotation.propositions:
        assert annotation.text[one.start : one.end].startswith(one.text)
        assert lines[one.line - 1][one.column - 1 + (one.line == 1 and text.startswith("\ufeff")) :].lower().startswith("<proposition")
    for at in range(len(annotation.text)):
        assert 0 <= annotation._markup.offset(at) < len(text)


@given(st.text(st.characters(blacklist_characters="<&\ufeff"), max_size=60))
@settings(max_examples=100, deadline=None)
def test_text_without_markup_is_itself(text: str) -> None:
    assert read(text).text == text


@pytest.mark.parametrize(
    "piece",
    [
        "<",
        "<a",
        '<a b="',
        "<a b='x' ",
        "<a b=\" <a c=' \" d=' ",
        "<!--",
        "<![CDATA[",
        "<?x",
        "<!DOCTYPE [",
        "]",
        "&",
        "&a",
        "<proposition ",
        "</",
        '<proposition id="1">',
        '<proposition id="',
        "</proposition>",
        "<proposition" + " " * 50,
        "<b " + "x " * 20,
    ],
)
@pytest.mark.timeout(60)  # half a second each; what is quadratic takes minutes
def test_a_million_characters_do_not_hang(piece: str) -> None:
    read_markup(piece * (1_000_000 // len(piece)), whole=("proposition",))
