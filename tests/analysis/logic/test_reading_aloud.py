"""Formulas in plain English: what the issue asks for, the ways people declare symbols, and no two formulas read
alike."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, settings

from suasion.analysis.logic import parse
from suasion.analysis.logic.reading import NOT, read_aloud
from suasion.analysis.logic.syntax import And, Atom, Exists, ForAll, Formula, Iff, Implies, Not, Or, Variable
from suasion.analysis.logic.wording import Wording, symbol_of
from tests.analysis.logic.formulas_for_tests import formulas

DECLARED = {
    "F": "x is a man",
    "G": "is mortal",
    "H": "dog",
    "L(x, y)": "x loves y",
    "R": "x is larger than y",
    "B": "below",
    "f": "father of",
    "m": "x's mother",
    "s": "Socrates",
    "a": "Rex",
    "b": "Fido",
    "p": "it rains",
    "q": "the street is wet",
    "r": "it snows or hails",
}


@pytest.mark.parametrize(
    ("text", "english"),
    [
        ("all x.(F(x) -> G(x))", "for every x, if x is a man then x is mortal"),
        ("F(s) & -G(s)", "Socrates is a man and Socrates is not mortal"),
        ("p -> q", "if it rains then the street is wet"),
        ("-(p & q)", "it is not the case that both it rains and the street is wet"),
        ("-p & q", "both it is not the case that it rains and the street is wet"),
        ("p & q -> F(s)", "if it rains and the street is wet then Socrates is a man"),
        ("p -> q | r", "if it rains then either the street is wet or “it snows or hails”"),
        ("p <-> q", "it rains if and only if the street is wet"),
        ("(p <-> q) & p", "both these two are equivalent: (i) it rains, and (ii) the street is wet and it rains"),
        ("p & q & G(s)", "it rains, the street is wet and Socrates is mortal"),
        (
            "-(p | q | -G(s))",
            f"{NOT}at least one of these holds: (i) it rains, (ii) the street is wet, or (iii) Socrates is not mortal",
        ),
        (
            "all x.exists y.(L(x, y) & x != y)",
            "for every x, there is some y such that x loves y and x is not the same as y",
        ),
        ("-exists x.(H(x) & -G(x))", "there is no x such that x is a dog and x is not mortal"),
        ("all x y.(R(x, y) -> -R(y, x))", "for every x and y, if x is larger than y then y is not larger than x"),
        ("G(f(m(a)))", "the father of Rex's mother is mortal"),
        ("f(a) = b", "the father of Rex is the same as Fido"),
        ("B(a, b)", "Rex is below Fido"),
        ("all x.(F(x) & exists x.G(x))", "for every x, both x is a man and there is some y such that y is mortal"),
        ("Mortal(socrates) -> is_happy(plato)", "if socrates is mortal then plato is happy"),
        ("-L(a, b)", "it is not the case that Rex loves Fido"),
    ],
)
def test_readings(text: str, english: str) -> None:
    formula = parse(text).formula
    assert formula is not None
    assert read_aloud(formula, DECLARED) == english


@pytest.mark.parametrize(
    ("key", "declared", "english"),
    [
        ("F", "x is a man", "Rex is a man"),
        ("F", "is a man", "Rex is a man"),
        ("F", "a man", "Rex is a man"),
        ("F", "man", "Rex is a man"),
        ("F", "old man", "Rex is an old man"),
        ("F", "mortal", "Rex is mortal"),
        ("F", "are mortal", "Rex is mortal"),
        ("F", "being mortal", "Rex is mortal"),
        ("F", "barks", "Rex barks"),
        ("F", "loves Mary.", "Rex loves Mary"),
        ("F", "in Paris", "Rex is in Paris"),
        ("F", "... barks", "Rex barks"),
        ("F", "__ is a dog", "Rex is a dog"),
        ("F", "{x} is a dog", "Rex is a dog"),
        ("F(a)", "{a} is a dog", "Rex is a dog"),
        ("F", "{0} is a dog", "Rex is a dog"),
        ("F(a)", "a is a dog", "Rex is a dog"),
        ("F(x)", "x is a dog", "Rex is a dog"),
        ("F", "F(x): x is a dog", "Rex is a dog"),
        ("F", "F", "Rex is F"),
        ("F", "can swim", "Rex can swim"),
        ("F", "x loves y", "“x loves y” holds of Rex"),
        ("F", 3, "Rex is 3"),
        ("F", "", "Rex is F"),
    ],
)
def test_ways_to_declare_a_property(key: str, declared: object, english: str) -> None:
    formula = parse("F(a)").formula
    assert formula is not None
    assert read_aloud(formula, {key: declared, "a": "Rex"}) == english


@pytest.mark.parametrize(
    ("key", "declared", "english"),
    [
        ("R", "x loves y", "Rex loves Fido"),
        ("R", "y is loved by x", "Fido is loved by Rex"),
        ("R(b, a)", "a is loved by b", "Fido is loved by Rex"),
        ("R", "loves", "Rex loves Fido"),
        ("R", "love", "Rex loves Fido"),
        ("R", "is larger than", "Rex is larger than Fido"),
        ("R", "larger than", "Rex is larger than Fido"),
        ("R", "larger", "Rex is larger than Fido"),
        ("R", "parent", "Rex is a parent of Fido"),
        ("R", "parent of", "Rex is a parent of Fido"),
        ("R", "the owner of", "Rex is the owner of Fido"),
        ("R", "similar to", "Rex is similar to Fido"),
        ("R", "kind to", "Rex is kind to Fido"),
        ("R", "depends on", "Rex depends on Fido"),
        ("R", "_ barks at _", "Rex barks at Fido"),
        ("R", "R", "Rex stands in the relation R to Fido"),
    ],
)
def test_ways_to_declare_a_relation(key: str, declared: str, english: str) -> None:
    formula = parse("R(a, b)").formula
    assert formula is not None
    assert read_aloud(formula, {key: declared, "a": "Rex", "b": "Fido"}) == english


def test_a_bound_variable_is_never_called_like_a_thing() -> None:
    formula = parse("exists y.(F(y) & L(y, c))").formula
    assert formula is not None
    assert read_aloud(formula, {"c": "y", "F": "is free", "L": "loves"}) == "there is some x such that x is free and x loves y"


def test_keys_of_declarations() -> None:
    assert symbol_of("loves(x, y)") == ("loves", ("x", "y"))
    assert symbol_of(" F ") == ("F", ())
    assert symbol_of("two words") == ("two words", ())


def small_formulas() -> list[Formula]:
    """All formulas of two levels over a few atoms, some with quantifiers: enough for every way an operator can reach
    too far."""
    x = Variable("x")
    atoms: list[Formula] = [Atom("p"), Atom("q"), Atom("F", (x,)), Not(Atom("p")), Not(Atom("F", (x,)))]

    def larger(few: list[Formula]) -> list[Formula]:
        made: list[Formula] = [Not(one) for one in few] + [ForAll(("x",), one) for one in few] + [Exists(("x",), one) for one in few]
        for left, right in product(few, repeat=2):
            made += [And((left, right)), Or((left, right)), Implies(left, right), Iff(left, right)]
        return made

    first = larger(atoms)
    second = larger(atoms[:2] + first[::4])
    three = [kind(parts) for kind in (And, Or) for parts in product(atoms[:2] + first[::29], repeat=3)]
    return list(dict.fromkeys([*atoms, *first, *second, *three, *larger(second[::211] + three[::97])]))


@pytest.mark.parametrize("joining", [False, True])
def test_no_two_formulas_are_read_alike(joining: bool) -> None:
    declared = {"p": "it rains and it pours" if joining else "it rains", "q": "it snows", "F": "x is free"}
    heard: dict[str, Formula] = {}
    for formula in small_formulas():
        other = heard.setdefault(read_aloud(formula, declared), formula)
        assert other == formula, (read_aloud(formula, declared), formula, other)
    assert len(heard) > 5000


@settings(max_examples=200, deadline=None)
@given(formulas())
def test_every_formula_has_a_reading_on_one_line(formula: Formula) -> None:
    for declarations in (
        None,
        {"P": "x is\nat y", "man": "a man", "a": ["x"], "father": None, "g": "x plus y", "is_happy": "…"},
    ):
        text = read_aloud(formula, declarations)
        assert text.strip() == text and "\n" not in text and "  " not in text


def test_declarations_are_cut_and_on_one_line() -> None:
    wording = Wording({"p": "a\n\tb  c.", "q": "x" * 10_000})
    assert wording.sentence("p") == "a b c"
    assert len(wording.sentence("q")) <= 300
