"""Formulas and declarations are read from inline data, whatever stands there."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from suasion.analysis.argdown import parse
from suasion.analysis.logic import to_text
from suasion.analysis.verification.formal import Formalisations, read_formalisations
from suasion.analysis.verification.references import number_of, sources

ARGUMENT = """\
<Loyal>: g

(1) [A]: Dogs are loyal. {{formalization: 'p', declarations: {{p: 'Dogs are loyal'}}}}
(2) {second}
-- {{from: {named}}} --
(3) Keep dogs. {{formalisation: 'q'}}
"""


def read(
    second: str = "If loyal, keep. {formalization: 'p -> q', declarations: {q: 'Keep dogs'}}", named: str = "[1, '2']"
) -> Formalisations:
    return read_formalisations(parse(ARGUMENT.format(second=second, named=named)))


def test_what_is_read() -> None:
    formal = read()
    (one,) = formal.arguments.values()
    assert [to_text(line.formula) for line in one.lines if line.formula] == ["p", "p -> q", "q"]
    assert [line.text for line in one.lines] == ["Dogs are loyal.", "If loyal, keep.", "Keep dogs."]
    assert one.premises == [0, 1] and one.sources == {2: (0, 1)}
    assert formal.declarations == {"p": "Dogs are loyal", "q": "Keep dogs"}
    assert [formal.name(writing) for writing in formal.writings] == ["(1)", "(2)", "(3)"]
    assert set(formal.signature.symbols) == {"p", "q"} and formal.signature.issues == ()


def test_a_mere_reference_has_the_formula_of_its_claim() -> None:
    text = "[A]: Dogs bark. {formalization: 'p'}\n\n<One>\n\n(1) [A]\n-- {from: ['1']} --\n(2) [B]: Keep. {formalization: 'q'}\n"
    (one,) = read_formalisations(parse(text)).arguments.values()
    assert one.lines[0].formula == read().formulas["A"] and one.lines[0].text == "Dogs bark."


@pytest.mark.parametrize(
    ("data", "faults", "errors"),
    [
        ("{formalization: [p, q]}", [], ["not-text"]),
        ("{formalization: 3}", [], ["not-text"]),
        ("{formalization: null}", [], []),
        ("{formalization: p, formalisation: q}", ["formalization"], []),
        ("{formalization: p, declarations: p}", ["declarations"], []),
        ("{formalization: p, declarations: [p]}", ["declarations"], []),
        ("{formalization: p, declarations: {p: 3}}", ["declarations"], []),
        ("{formalization: p, declarations: {p: ''}}", ["declarations"], []),
        ("{formalization: p, declarations: {1: a, 1.5: c}}", ["declarations"] * 2, []),
        ("{formalization: p, declarations: null}", [], []),
        ("{formalization: yes, declarations: {yes: it is so}}", [], []),
        ("[formalization, p]", [], []),
        ("{}", [], []),
    ],
)
def test_wrong_kinds_are_faults(data: str, faults: list[str], errors: list[str]) -> None:
    writings = [writing for writing in read(f"If loyal, keep. {data}").writings if writing.claim not in ("A", "Untitled 2")]
    assert [fault.key for writing in writings for fault in writing.faults] == faults
    assert [error.code for writing in writings if writing.parsed for error in writing.parsed.errors] == errors


def test_a_comma_without_quotes_is_hinted_at() -> None:
    writing = read("R. {formalization: R(a,b)}").writings[1]
    assert writing.parsed and writing.parsed.errors and "quotes" in writing.hint


@pytest.mark.parametrize(("item", "number"), [("1", "1"), (" 2 ", "2"), (3, "3"), (True, None), (1.0, None), (None, None), ([1], None)])
def test_numbers_of_lines(item: object, number: str | None) -> None:
    assert number_of(item) == number


@pytest.mark.parametrize(
    ("named", "found"),
    [("['1', '1', 2]", (0, 1)), ("['3', '9']", ()), ("'1'", ()), ("{a: 1}", ()), ("[]", ()), ("[[1], true, 1.0, '2']", (1,))],
)
def test_sources(named: str, found: tuple[int, ...]) -> None:
    (argument,) = parse(ARGUMENT.format(second="b.", named=named)).arguments.values()
    assert sources(argument) == {2: found}


@given(st.text(st.sampled_from("[]{}<>()'\",:#-\n 12pq&|").filter(bool), max_size=60))
@settings(max_examples=150, deadline=None)
def test_reading_never_fails(text: str) -> None:
    for document in (parse(text), parse(ARGUMENT.format(second=text, named=f"[{text}]")), None):
        formal = read_formalisations(document)
        assert all(formal.name(writing) for writing in formal.writings)
        assert set(formal.declarations) == {symbol for writing in formal.writings for symbol in writing.declarations}
        assert all(issue.formula < len(formal.writings) for issue in formal.signature.issues)
        for one in formal.arguments.values():
            assert all(source < place for place, found in one.sources.items() for source in found)


def test_a_numbered_line_that_is_an_argument() -> None:
    assert read_formalisations(parse("<A>\n\n(1) <B>\n-- {from: [1]} --\n(2) <A>")).arguments["A"].lines[0].formula is None
