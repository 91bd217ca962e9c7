"""Text into formulas: NLTK's syntax, what people write besides, errors with a place and advice, and no text that breaks
it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from suasion.analysis.logic import parse, to_text
from suasion.analysis.logic.parser import MAX_LENGTH
from suasion.analysis.logic.syntax import (
    MAX_DEPTH,
    And,
    Atom,
    Constant,
    Equality,
    Exists,
    ForAll,
    Function,
    Iff,
    Implies,
    Not,
    Or,
    Variable,
)
from tests.analysis.logic.formulas_for_tests import formulas
from tests.work_done import lines_run

P, Q, R = Atom("p"), Atom("q"), Atom("r")
X = Variable("x")
BROKE = json.loads((Path(__file__).parent / "broke.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("text", "formula"),
    [
        ("p -> q", Implies(P, Q)),
        ("P -> Q", Implies(Atom("P"), Atom("Q"))),
        ("all x.(man(x) -> Mortal(x))", ForAll(("x",), Implies(Atom("man", (X,)), Atom("Mortal", (X,))))),
        ("Mortal(Socrates)", Atom("Mortal", (Constant("Socrates"),))),
        ("a = b", Equality(Constant("a"), Constant("b"))),
        ("a != b", Not(Equality(Constant("a"), Constant("b")))),
        ("K(father(rex))", Atom("K", (Function("father", (Constant("rex"),)),))),
        ("father(rex) = max", Equality(Function("father", (Constant("rex"),)), Constant("max"))),
        ("all x y.R(x, y)", ForAll(("x", "y"), Atom("R", (X, Variable("y"))))),
        ("some x.F(x)", Exists(("x",), Atom("F", (X,)))),
        ("F(x)", Atom("F", (X,))),
        ("good_dog <=> !happy_owner", Iff(Atom("good_dog"), Not(Atom("happy_owner")))),
        ("F(e)", Atom("F", (Constant("e"),))),
        ("(a) = (b)", Equality(Constant("a"), Constant("b"))),
        ("p & q & r", And((P, Q, R))),
        ("(p & q) & r", And((And((P, Q)), R))),
        ("p | q & -r", Or((P, And((Q, Not(R)))))),
        ("p -> q -> r", Implies(Implies(P, Q), R)),
        ("p <-> q -> r", Iff(P, Implies(Q, R))),
        ("-p & q", And((Not(P), Q))),
        ("all x.F(x) & p", And((ForAll(("x",), Atom("F", (X,))), P))),
        ("-all x.F(x) -> p", Implies(Not(ForAll(("x",), Atom("F", (X,)))), P)),
        ("all x.x = x", ForAll(("x",), Equality(X, X))),
        ("all x (F(x))", ForAll(("x",), Atom("F", (X,)))),
        ("all person.F(person)", ForAll(("person",), Atom("F", (Variable("person"),)))),
    ],
)
def test_reads_the_published_syntax(text: str, formula: object) -> None:
    assert parse(text).formula == formula, parse(text).errors


@pytest.mark.parametrize(
    ("text", "same", "code"),
    [
        ("∀x∃y(R(x,y) ∧ ¬F(y)) → p ∨ q", "all x.exists y.(R(x,y) & -F(y)) -> p | q", "unicode-operator"),
        ("a ≠ b ↔ p", "a != b <-> p", "unicode-operator"),
        ("p and NOT q OR r IMPLIES p IFF q", "p & -q | r -> p <-> q", "word-operator"),
        ("FORALL x.EXISTS y.R(x, y)", "all x.exists y.R(x, y)", "word-operator"),
        ("p AND q", "p & q", "word-operator"),
        ("~p && q || r", "-p & q | r", "foreign-operator"),
        ("∀x F(x)", "all x.F(x)", "quantifier-dot"),
        ("∀x: F(x)", "all x.F(x)", "quantifier-dot"),
        ("all x, y.R(x, y)", "all x y.R(x, y)", "variable-comma"),
        ("∀x,y (R(x,y))", "all x y.R(x, y)", "variable-comma"),
        ("-a = b", "a != b", "negated-equality"),
        ("p -> q -> r", "(p -> q) -> r", "chained-arrow"),
        ("all x.(Fx -> Gx)", "all x.(Fx -> Gx)", "vacuous-quantifier"),
        ("all x.exists x.F(x)", "all x.exists x.F(x)", "rebound-variable"),
    ],
)
def test_reads_what_people_write_with_a_named_warning(text: str, same: str, code: str) -> None:
    parsed = parse(text)
    assert parsed.formula == parse(same).formula
    assert parsed.formula is not None
    (warning, *_) = [issue for issue in parsed.warnings if issue.code == code]
    assert 0 < warning.position <= len(text) and warning.message


def test_nltk_syntax_gives_no_warning() -> None:
    for text in (
        "all x.(F(x) -> exists y.(R(x,y) & x != y)) <-> -p | q",
        "!p ^ q => r",
        "all x y.(P(x) & exists z.(S(x,y,z)))",
        "p and not q or r implies p iff q",
        "forall x.exist y.x == y",
    ):
        assert parse(text).warnings == ()


@pytest.mark.parametrize(
    ("text", "code", "position"),
    [
        ("", "empty", 0),
        ("  ", "empty", 0),
        ("p -> ", "unfinished", 6),
        ("p & & q", "operand-missing", 5),
        ("p q", "operator-missing", 3),
        ("R(a", "unclosed-bracket", 2),
        ("(p & (q | r)", "unclosed-bracket", 1),
        ("p)", "unopened-bracket", 2),
        ("F()", "no-terms", 1),
        ("()", "empty-brackets", 1),
        ("F(a), G(b)", "comma", 5),
        ("F(p & q)", "formula-as-term", 3),
        ("F(-a)", "formula-as-term", 3),
        ("a = b = c", "chained-equality", 7),
        ("F(a)(b)", "application", 5),
        (r"(\x.F(x))(a)", "lambda", 2),
        ("λx.F(x)", "lambda", 1),
        (r"\forall x F(x)", "tex", 1),
        ("iota x.F(x)", "description", 1),
        ("good-dog -> happy", "hyphen", 5),
        ("if p then q", "if-then", 1),
        ("p.", "full-stop", 2),
        ("all", "variable-missing", 4),
        ("all .p", "variable-missing", 5),
        ("all x", "unfinished", 6),
        ("all x.x", "variable-as-sentence", 7),
        ("all f.P(f(a))", "second-order", 9),
        ("all P.P(a)", "second-order", 7),
        ("p [", "bracket", 3),
        ("∃!x F(x)", "unique-quantifier", 1),
        ("'p'", "quote", 1),
        ("p # q", "character", 3),
        ("p \x00", "character", 3),
        ("p ⊢ q", "turnstile", 3),
        ("□p", "modal", 1),
    ],
)
def test_errors_say_where_and_what_to_do(text: str, code: str, position: int) -> None:
    parsed = parse(text)
    assert parsed.formula is None
    (error, *_) = parsed.errors
    assert (error.code, error.position) == (code, position)
    assert error.message.endswith((".", "…")) and error.hint.endswith(".")
    assert str(error).isprintable()


@pytest.mark.parametrize("value", [None, True, 3, ["p", "q"], {"p": "q"}, b"p"])
def test_what_is_no_text_is_an_error(value: object) -> None:
    (error,) = parse(value).errors
    assert error.code == "not-text" and "quotes" in error.hint


def test_positions_are_kept_and_do_not_count_in_comparison() -> None:
    formula = parse("  F(a) & G(b)").formula
    assert isinstance(formula, And)
    first, second = formula.parts
    assert isinstance(first, Atom) and isinstance(second, Atom)
    assert (first.at, second.at, second.arguments[0].at) == (3, 10, 12)
    assert formula == parse("F(a)&G(b)").formula


@settings(max_examples=400, deadline=None)
@given(formulas())
def test_what_is_written_is_read_again(formula: object) -> None:
    text = to_text(formula)  # type: ignore[arg-type]
    assert parse(text).formula == formula, text


SIGNS = st.sampled_from([*"()-&|.,=!<>^xyabpqFGR ∀∃∧¬→'\\\n\"", "->", "<->", "all ", "exists x.", "F(", "if ", "λ", "not ", "≠", "𝔸", "१"])


@settings(max_examples=500, deadline=None)
@given(st.one_of(st.text(max_size=60), st.lists(SIGNS, max_size=25).map("".join)))
def test_no_text_breaks_it(text: str) -> None:
    parsed = parse(text)
    assert (parsed.formula is None) == bool(parsed.errors)
    for issue in (*parsed.errors, *parsed.warnings):
        assert 0 <= issue.position <= len(text) + 1
        assert str(issue).isprintable()
    if parsed.formula is not None:
        assert parse(to_text(parsed.formula)).formula == parsed.formula


@pytest.mark.parametrize("text", BROKE)
def test_texts_that_broke_something_once(text: str) -> None:
    parsed = parse(text)
    assert (parsed.formula is None) == bool(parsed.errors)
    if parsed.formula is not None:
        assert parse(to_text(parsed.formula)).formula == parsed.formula


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("(" * 5000 + "p" + ")" * 5000, ""),
        ("(" * 5000, "unfinished"),
        (")" * 100_000, "operand-missing"),
        ("-" * 100_000 + "p", "too-deep"),
        ("p & " * 25_000 + "p", ""),
        ("p -> " * 25_000 + "p", "too-deep"),
        ("f(" * 5000 + "a" + ")" * 5000, "too-deep"),
        ("all x." * 5000 + "p", "too-deep"),
        ("all " + "x " * 50_000 + ".p", "too-deep"),
        ("all " + " ".join(f"x{number}" for number in range(90)) + ".(" + " & ".join(["all y.F(y)"] * 8000) + ")", ""),
        ("F(" + "a," * 50_000 + "a)", ""),
        ("x" * 100_000, ""),
        ("p & (q | " * 5000, "unfinished"),
        ("p" * (MAX_LENGTH + 1), "too-long"),
    ],
)
@pytest.mark.timeout(60)
def test_long_and_deep_texts_end(text: str, code: str) -> None:
    parsed = parse(text)
    assert [error.code for error in parsed.errors] == ([code] if code else [])
    assert all(len(str(issue)) < 400 for issue in (*parsed.errors, *parsed.warnings))


def test_work_grows_with_the_text() -> None:
    def work(count: int) -> int:
        text = " & ".join(f"(F(a{number}) | -all x.(G(x) -> R(x, b)))" for number in range(count))
        return lines_run(lambda: parse(text))

    assert work(400) < 12 * work(40)  # tenfold; a quadratic parser takes a hundredfold


def test_the_deepest_formula_allowed_is_handled_everywhere() -> None:
    text = "-" * (MAX_DEPTH - 1) + "p"
    formula = parse(text).formula
    assert formula is not None
    assert to_text(formula) == text
    assert hash(formula) == hash(parse(text).formula) and repr(formula)
    assert parse("-" + text).errors[0].code == "too-deep"
