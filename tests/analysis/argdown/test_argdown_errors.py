"""Each error: its code, its place, and a sentence that says what to do."""

from __future__ import annotations

import re

import pytest

from suasion.analysis.argdown import parse
from suasion.analysis.argdown.messages import MESSAGES

EXAMPLES = {
    "empty": ("// nothing", 1, 1),
    "no-empty-line": ("[A]: x\n[B]: y", 2, 1),
    "front-matter-end": ("===\na: 1\n===\n[A]: x", 4, 1),
    "front-matter-place": ("[A]: x\n\n===\na: 1\n===", 3, 1),
    "front-matter": ("===\na: [\n===\n\n[A]: x", 2, 5),
    "text-after-reference": ("[A] is so", 1, 4),
    "text-after-data": ("[A]: x {a: 1} more", 1, 14),
    "second-data": ("[A]: x {a: 1} {b: 2}", 1, 15),
    "data-alone": ("[A]: x\n\n{a: 1}", 3, 1),
    "data-not-closed": ("[A]: {x and {y}", 1, 6),
    "data": ("[A]: x {a: [1}", 1, 14),
    "backslash": ("[A]: x \\\ny", 1, 8),
    "odd-blanks": ("[A]: x\n\u00a0\u00a0+ [B]", 2, 1),
    "label-in-text": ("[A]: x [B] y", 1, 8),
    "no-text": ("[A]:\n\n[B]: x", 1, 5),
    "no-claim": ("[A]: x\n  +", 2, 3),
    "no-heading": ("# \n\n[A]: x", 1, 1),
    "relation-first": ("  + [A]", 1, 3),
    "relation-after-empty-line": ("[A]: x\n\n  + [B]", 3, 3),
    "relation-under-heading": ("# H\n\n  + [B]", 3, 3),
    "relation-not-indented": ("[A]: x\n+ [B]", 2, 1),
    "relation-indent": ("[A]: x\n    + [B]\n  + [C]", 3, 3),
    "contradiction": ("[A]: x\n  >< <B>", 2, 3),
    "nested-list": ("* a\n  * b", 2, 3),
    "list-indent": ("  * a\n* b", 2, 1),
    "argument-in-reconstruction": ("(1) <A>\n----\n(2) b", 1, 1),
    "conclusion-number": ("(1) a\n----\nb", 3, 1),
    "empty-line-in-reconstruction": ("(1) a\n\n(2) b\n----\n(3) c", 3, 1),
    "no-inference": ("(1) a\n(2) b", 1, 1),
    "no-conclusion": ("(1) a\n----", 2, 1),
    "ends-with-premise": ("(1) a\n----\n(2) b\n(3) c", 4, 1),
    "starts-with-inference": ("----\n(1) a", 1, 1),
    "two-inferences": ("(1) a\n----\n----\n(2) b", 3, 1),
    "inference-in-text": ("a\n---- so\nb", 2, 1),
    "inference-form": ("(1) a\n-- r,, s --\n(2) b", 2, 6),
    "inference-open": ("(1) a\n-- rule\n(2) b", 2, 1),
    "inference-relation": ("(1) a\n----\n  + [C]\n(2) b", 3, 3),
    "second-reconstruction": ("<A>\n\n(1) a\n----\n(2) b\n\n<A>\n\n(1) c\n----\n(2) d", 9, 1),
    "unclosed-bold": ("[A]: so **much", 1, 9),
    "unclosed-italic": ("[A]: so _much", 1, 9),
}
ADVICE = re.compile(r"\b(Put|Write|Move|Take|Indent|Close|Use|Quote|Check|Make|Keep|Give|Nothing but|may|must|write)\b")


@pytest.mark.parametrize(("code", "example"), EXAMPLES.items(), ids=EXAMPLES)
def test_an_error_has_its_code_its_place_and_advice(code: str, example: tuple[str, int, int]) -> None:
    text, line, column = example
    errors = parse(text).errors
    assert [(error.code, error.line, error.column) for error in errors] == [(code, line, column)]
    assert ADVICE.search(errors[0].message), errors[0].message


def test_every_code_has_an_example() -> None:
    assert MESSAGES.keys() <= EXAMPLES.keys()


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_lines_and_columns_do_not_depend_on_how_lines_end(line_end: str) -> None:
    for code, (text, line, column) in EXAMPLES.items():
        errors = parse(text.replace("\n", line_end)).errors
        assert (errors[0].code, errors[0].line, errors[0].column) == (code, line, column)


def test_a_byte_order_mark_is_not_counted() -> None:
    assert [(error.line, error.column) for error in parse("\ufeff[A]: x [B]").errors] == [(1, 8)]


def test_the_place_in_broken_data_is_right_behind_windows_line_ends() -> None:
    data = parse("[A]: x\r\n\r\n[B]: y {\r\na: 1\r\nb: *c\r\n}").errors
    front = parse("===\r\n\r\na: 1\r\nb: *c\r\n===\r\n\r\n[A]: x").errors
    assert [(error.code, error.line, error.column) for error in (*data, *front)] == [("data", 5, 4), ("front-matter", 4, 4)]


def test_elements_know_their_places() -> None:
    document = parse("# H\n\n[A]: dogs\n  + <B>: why\n\n(1) x\n----\n(2) y")
    node = document.arguments["B"].members[0]
    assert (node.span.line, node.span.column, node.span.end_line, node.span.end_column) == (4, 3, 4, 13)
    assert node.span.text == "+ <B>: why" and node.label_span.text == "<B>"
    assert document.relations[0].span.line == 4
    assert document.sections[0].span.line == 1
    assert document.arguments["Untitled 1"].pcs_span.line == 6
