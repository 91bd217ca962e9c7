"""Kinds and numbers of terms over a whole argument, with places."""

from __future__ import annotations

import pytest

from suasion.analysis.logic import parse
from suasion.analysis.logic.signatures import signature_of


def codes(*texts: str) -> list[str]:
    return [issue.code for issue in signature_of([parse(text).formula for text in texts]).issues]


def test_symbols_in_the_order_of_the_text() -> None:
    formulas = [parse(text).formula for text in ("all x.(Man(x) -> R(x, father(socrates)))", "p & Man(socrates)")]
    signature = signature_of(formulas)
    assert [(one.name, one.kind, one.arity, one.formula, one.position) for one in signature.symbols.values()] == [
        ("Man", "predicate", 1, 0, 8),
        ("R", "predicate", 2, 0, 18),
        ("father", "function", 1, 0, 23),
        ("socrates", "constant", 0, 0, 30),
        ("p", "sentence", 0, 1, 1),
    ]
    assert signature.issues == ()


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["a & F(a)"], ["symbol-kind"]),
        (["F(a)", "F(a, b)"], ["symbol-arity"]),
        (["F(a)", "F"], ["symbol-kind"]),
        (["K(father(a))", "father(a)"], ["symbol-kind"]),
        (["K(f(a))", "K(f(a, b))"], ["symbol-arity"]),
        (["F(x)"], ["open-formula"]),
        (["F(x) & all x.G(x)"], ["open-formula"]),
        (["all a.F(a) -> G(a)"], ["open-formula"]),
        (["all x.F(x) -> G(x)"], ["open-formula"]),
        (["F(Rex)", "F(rex)"], ["similar-names"]),
        (["all x.F(x)", "exists x.x = a"], []),
        (["p", "P(p1)"], []),
        (["all x.all y.(R(x, y) -> R(y, x))"], []),
    ],
)
def test_one_name_one_use(texts: list[str], expected: list[str]) -> None:
    assert codes(*texts) == expected


def test_messages_name_both_places_and_the_caller_names_the_formulas() -> None:
    formulas = [parse("p & a").formula, None, parse("F(a)").formula]
    (issue,) = signature_of(formulas, ["(1)", "(2)", "(3)"]).issues
    assert issue.message == "'a' is a sentence letter in (1) (character 5) and a name of a thing in (3) (character 3)."
    assert (issue.formula, issue.position) == (2, 3)


def test_an_open_formula_says_how_far_the_quantifier_reaches() -> None:
    (issue,) = signature_of([parse("all x.F(x) -> G(x)").formula]).issues
    assert issue.position == 17 and "all x.(… -> …)" in issue.hint


def test_free_variables_are_named_once_a_formula() -> None:
    assert codes("F(x) & G(x) & H(x)", "F(x)") == ["open-formula", "open-formula"]
