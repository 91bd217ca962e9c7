"""A document that is printed and read again says the same."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from suasion.analysis.argdown import parse, to_text
from tests.analysis.argdown.recorded import Recorded, recorded_files
from tests.analysis.argdown.texts_for_tests import documents, soup

BROKE = json.loads(Path(__file__).with_name("broke.json").read_text(encoding="utf-8"))
FILES = recorded_files()
SLOW = settings(max_examples=250, deadline=None, suppress_health_check=list(HealthCheck))


def holds_round_trip(text: str) -> None:
    document = parse(text)
    printed = to_text(document)
    again = parse(printed)
    assert again == document, printed
    assert again.errors == (), printed
    assert to_text(again) == printed
    assert (again.claims.keys(), again.arguments.keys()) == (document.claims.keys(), document.arguments.keys())
    assert again.relations == document.relations and again.sketched == document.sketched


@SLOW
@given(documents)
def test_what_the_grammar_describes_survives_printing(text: str) -> None:
    if not parse(text).errors:
        holds_round_trip(text)


@settings(SLOW, max_examples=600)
@given(soup)
def test_any_text_without_errors_survives_printing(text: str) -> None:
    if not parse(text).errors:
        holds_round_trip(text)


@pytest.mark.skipif(not FILES, reason="needs ../shared/data beside the repository")
@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_a_real_file_survives_printing(file: Recorded) -> None:
    document = parse(file.text)
    assert parse(to_text(document)) == document
    if not document.errors:
        holds_round_trip(file.text)


@pytest.mark.parametrize("text", [text for text in BROKE if not parse(text).errors])
def test_what_once_broke_survives_printing(text: str) -> None:
    holds_round_trip(text)


def test_equality_does_not_look_at_places_but_at_all_that_is_said() -> None:
    assert parse("[A]: dogs") == parse("\n\n[A]:   dogs\n")
    assert parse("[A]: dogs") != parse("[A]: cats")
    assert parse("[A]: dogs") != parse("<A>: dogs")
    assert parse("[A]: x {a: 1}") != parse("[A]: x {a: 2}")
    assert parse("[A]: x // note") != parse("[A]: x")


def test_the_printed_form() -> None:
    text = "[A]:  dogs   bark\n\t+ <B>:why\n\t\t_> [C]\n\n\n\n(1) x {a: 1}\n--\nr1 , r2\n--\n(2) y"
    assert to_text(parse(text)) == ("[A]: dogs bark\n    + <B>: why\n        _> [C]\n\n(1) x {a: 1}\n-- r1, r2 --\n(2) y\n")
