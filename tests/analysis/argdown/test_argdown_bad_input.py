"""No text makes the parser raise, hang or lose words without saying so."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from suasion.analysis.argdown import Document, parse, to_text
from suasion.analysis.argdown.drawings import to_dot, to_mermaid
from suasion.analysis.argdown.export_json import summary, to_json
from suasion.analysis.argdown.places import Source
from tests.analysis.argdown.texts_for_tests import documents, soup

BROKE = json.loads(Path(__file__).with_name("broke.json").read_text(encoding="utf-8"))
SLOW = settings(max_examples=800, deadline=None, suppress_health_check=list(HealthCheck))


def holds_for_any_text(text: str) -> None:
    document = parse(text)
    lines = len(Source(text).starts)
    for error in document.errors:
        assert 1 <= error.line <= lines and error.column >= 1
        assert re.fullmatch(r"[a-z]+(-[a-z]+)*", error.code) and error.message.endswith((".", ")"))
    assert list(document.errors) == sorted(document.errors, key=lambda error: error.offset)
    every_export_works(document)


def every_export_works(document: Document) -> None:
    assert to_text(document)
    assert to_dot(document) and to_mermaid(document)
    json.dumps(summary(document))
    json.dumps(to_json(document), default=str)


@SLOW
@given(soup)
def test_any_text_is_read_and_exported(text: str) -> None:
    holds_for_any_text(text)


@pytest.mark.parametrize("text", BROKE)
def test_what_once_broke_is_read_and_exported(text: str) -> None:
    holds_for_any_text(text)


DAMAGE = st.sampled_from(["", "[", "<", "{", "\n", "\n\n", "(1) ", "--", "*", "\\", "+ ", "\t"])


@settings(SLOW, max_examples=200)
@given(documents, st.integers(0, 10**6), st.integers(0, 12), DAMAGE)
def test_a_damaged_document_is_read_and_exported(text: str, place: int, length: int, inserted: str) -> None:
    place %= len(text) + 1
    holds_for_any_text(text[:place] + inserted + text[place + length :])


@SLOW
@given(soup)
def test_no_word_is_dropped_without_an_error(text: str) -> None:
    """Each word of the text stands in what is printed as often, unless an error says that something is wrong."""
    document = parse(text)
    if document.errors:
        return
    text, printed = text.replace("\\", ""), to_text(document).replace("\\", "")
    for word in ("word", "more", "ß", "\x00", "A", "t u", "a: 1"):
        assert printed.count(word) >= text.count(word), printed


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("+ [A]\n\n[B]: later", "B"),
        ("[A]: x\n[B]: later", "B"),
        ("[A]: x\n   + [C]\n  + [B]: later", "B"),
        ("[A]: x {a: [}\n\n[B]: later", "B"),
        ("===\na: [\n===\n\n[B]: later", "B"),
        ("<A>: x\n\n(1) x\n\n[B]: later", "B"),
        ("(1) x\n-- open\n(2) y\n\n[B]: later", "B"),
        ("# \n\n[B]: later", "B"),
    ],
)
def test_reading_goes_on_after_an_error(text: str, label: str) -> None:
    document = parse(text)
    assert document.errors
    assert document.claims[label].texts == ["later"]


def test_all_errors_are_told_and_not_just_the_first() -> None:
    document = parse("[A]: x [B] y\n\n    + c\n\n[D]:\n\n[E] f")
    assert [(error.line, error.code) for error in document.errors] == [
        (1, "label-in-text"),
        (3, "relation-after-empty-line"),
        (5, "no-text"),
        (7, "text-after-reference"),
    ]
