"""Countermodels in words."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from suasion.analysis.logic import parse
from suasion.analysis.logic.answers import NotEntailed
from suasion.analysis.logic.describing import describe
from suasion.analysis.logic.models import Model, holds
from suasion.analysis.logic.prover import Prover
from suasion.analysis.logic.questions import Entails
from tests.analysis.logic.arguments_for_tests import invalid_argument
from tests.analysis.logic.test_reading_aloud import DECLARED

PROVER = Prover(workers=0)


@pytest.mark.parametrize(
    ("premises", "conclusion", "words"),
    [
        (["F(s)"], "G(s)", "Take one thing, Socrates, that is a man and not mortal."),
        (["all x.(F(x) -> G(x))", "G(s)"], "F(s)", "Take one thing, Socrates, that is mortal and not a man."),
        (["p"], "q", "Suppose it rains and it is not the case that the street is wet."),
        (["p -> q", "q"], "p", "Suppose the street is wet and it is not the case that it rains."),
        (["p", "H(a)"], "H(b)", "Suppose it rains. Take two things: Rex, that is a dog; and Fido, that is not a dog."),
        (
            ["exists x.F(x)"],
            "all x.F(x)",
            "Take two things: the first thing, that is not a man; and the second thing, that is a man.",
        ),
        (["p"], "exists x.F(x)", "Suppose it rains. Take one thing that is not a man."),
        (["all x.x = x"], "exists x y.x != y", "Take one thing."),
        (["a = b", "F(a)"], "G(b)", "Take one thing, Rex, also called Fido, that is a man and not mortal."),
        (
            ["L(a, b)"],
            "L(b, a)",
            "Take two things, Rex and Fido. Rex loves Fido. In no other case is it true that x loves y.",
        ),
        (
            ["G(f(a))"],
            "G(a)",
            "Take two things: Rex, that is not mortal; and the other thing, that is mortal. "
            "The father of Rex is the other thing. The father of the other thing is Rex.",
        ),
    ],
)
def test_countermodels(premises: list[str], conclusion: str, words: str) -> None:
    read = [parse(text).formula for text in [*premises, conclusion]]
    assert None not in read
    answer = PROVER.answer(Entails(tuple(read[:-1]), read[-1]))  # type: ignore[arg-type]
    assert isinstance(answer, NotEntailed) and answer.countermodel is not None
    assert describe(answer.countermodel, DECLARED) == words


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10_000))
def test_every_world_has_words(seed: int) -> None:
    _, model = invalid_argument(seed)
    for declarations in (None, DECLARED):
        text = describe(model, declarations)
        assert text.endswith(".") and "\n" not in text and len(text) < 4000


def test_truth_in_a_world_is_the_textbook_s() -> None:
    model = Model(2, {("a", 0): {(): 1}, ("f", 1): {(0,): 1, (1,): 0}}, {("F", 1): frozenset({(1,)}), ("p", 0): frozenset({()})})
    truths = {
        "F(a)": True,
        "F(f(a))": False,
        "all x.(F(x) | F(f(x)))": True,
        "exists x y.(x != y & F(x) & F(y))": False,
        "p & -(f(a) = a)": True,
    }
    for text, truth in truths.items():
        formula = parse(text).formula
        assert formula is not None
        assert holds(formula, model) is truth
