"""The same readings as NLTK, whose syntax it is: on formulas by chance, with and without the brackets that could be
spared."""

from __future__ import annotations

import random
import re

import pytest
from nltk.sem.logic import Expression

from suasion.analysis.logic import parse, to_text
from suasion.analysis.logic.syntax import And, Atom, Equality, Exists, ForAll, Formula, Iff, Implies, Not, Or
from suasion.analysis.logic.writing import term_text
from tests.analysis.logic.formulas_for_tests import Chance


def with_all_brackets(formula: Formula) -> str:
    """The formula as NLTK prints it: binary, every operator in brackets."""
    match formula:
        case Atom(name, arguments):
            return f"{name}({','.join(term_text(term).replace(' ', '') for term in arguments)})" if arguments else name
        case Equality(left, right):
            return f"({term_text(left)} = {term_text(right)})".replace(", ", ",")
        case Not(body):
            return f"-{with_all_brackets(body)}"
        case And(parts) | Or(parts):
            sign = "&" if isinstance(formula, And) else "|"
            text = with_all_brackets(parts[0])
            for part in parts[1:]:
                text = f"({text} {sign} {with_all_brackets(part)})"
            return text
        case Implies(left, right):
            return f"({with_all_brackets(left)} -> {with_all_brackets(right)})"
        case Iff(left, right):
            return f"({with_all_brackets(left)} <-> {with_all_brackets(right)})"
        case ForAll(variables, body):
            return f"all {' '.join(variables)}.{with_all_brackets(body)}"
        case Exists(variables, body):
            return f"exists {' '.join(variables)}.{with_all_brackets(body)}"


def nltk_reading(text: str) -> object:
    return Expression.fromstring(text)


@pytest.mark.parametrize("seed", range(150))
def test_nltk_reads_the_same(seed: int) -> None:
    formula = Chance(random.Random(seed), functions=("father",)).formula(4)  # a lower-case letter is no function to NLTK
    assert nltk_reading(to_text(formula)) == nltk_reading(with_all_brackets(formula))
    assert parse(with_all_brackets(formula)).errors == ()


@pytest.mark.parametrize("seed", range(300))
def test_flat_text_is_grouped_as_by_nltk(seed: int) -> None:
    """Operators in a row without any brackets: precedence and direction."""
    generator = random.Random(seed)
    atoms = ["p", "q", "-p", "F(a)", "all x.F(x)", "exists x.-R(x,a)", "a = b", "a != b", "(p)", "--q", "-all x.F(x)"]
    signs = ["&", "|", "->", "<->", "and", "or", "implies", "iff", "=>", "<=>", "^"]
    text = " ".join(word for _ in range(generator.randint(2, 6)) for word in (generator.choice(atoms), generator.choice(signs)))
    text = text.rsplit(" ", 1)[0]
    formula = parse(text).formula
    assert formula is not None
    assert nltk_reading(text) == nltk_reading(with_all_brackets(formula)), text


def test_what_is_first_order_to_nltk_is_read_here() -> None:
    texts = [
        "all x.(dog(x) -> exists y.(cat(y) & chase(x,y)))",
        "exists x.(x = adam)",
        "all x y.(P(x) -> Q(x,y))",
        "F (a)",
        "all x (F(x))",
        "F'(a)",
    ]
    for text in texts:
        assert re.match(r"[\w(]", str(nltk_reading(text)))
        assert parse(text).formula is not None
