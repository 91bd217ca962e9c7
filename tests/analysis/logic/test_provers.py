"""Arguments whose status is known: every one is decided rightly, by z3 and by cvc5, and every countermodel is one."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from suasion.analysis.logic import parse, to_text
from suasion.analysis.logic.answers import Entailed, NotEntailed, Undecided
from suasion.analysis.logic.encoding import decode, encode
from suasion.analysis.logic.models import holds
from suasion.analysis.logic.prover import Prover
from suasion.analysis.logic.questions import Entails
from suasion.analysis.logic.second import second_opinion
from suasion.analysis.logic.syntax import Formula, Not
from tests.analysis.logic.arguments_for_tests import invalid_argument, valid_argument
from tests.analysis.logic.formulas_for_tests import formulas

COUNT = 200


@pytest.fixture(scope="module")
def prover() -> Iterator[Prover]:
    with Prover(workers=1) as one:
        yield one


def entails(*texts: str) -> Entails:
    read = [parse(text).formula for text in texts]
    assert None not in read
    return Entails(tuple(read[:-1]), read[-1])  # type: ignore[arg-type]


def shown(question: Entails) -> str:
    return f"{[to_text(premise) for premise in question.premises]} |- {to_text(question.conclusion)}"


def assert_countermodel(question: Entails, answer: object) -> None:
    assert isinstance(answer, NotEntailed), shown(question)
    assert answer.countermodel is not None, shown(question)
    assert all(holds(premise, answer.countermodel) for premise in question.premises), shown(question)
    assert not holds(question.conclusion, answer.countermodel), shown(question)


def test_valid_arguments_are_proved(prover: Prover) -> None:
    questions = [Entails(*valid_argument(seed)) for seed in range(COUNT)]
    for question, answer in zip(questions, prover.ask(questions), strict=True):
        assert answer == Entailed(), shown(question)


def test_invalid_arguments_get_a_countermodel(prover: Prover) -> None:
    questions = [Entails(*invalid_argument(seed)[0]) for seed in range(COUNT)]
    for question, answer in zip(questions, prover.ask(questions), strict=True):
        assert_countermodel(question, answer)


@pytest.mark.parametrize("expected", [False, True])
def test_cvc5_agrees(expected: bool) -> None:
    decided = 0
    for seed in range(COUNT):
        premises, conclusion = invalid_argument(seed)[0] if expected else valid_argument(seed)
        together = second_opinion(decode(encode((*premises, Not(conclusion))).numbers))
        assert together in (expected, None), shown(Entails(premises, conclusion))
        decided += together is not None
    assert decided >= 0.95 * COUNT


@settings(max_examples=60, deadline=None)
@given(st.lists(formulas(depth=2), max_size=2), formulas(depth=2))
def test_the_two_provers_never_contradict_each_other(premises: list[Formula], conclusion: Formula) -> None:
    question = Entails(tuple(premises), conclusion)
    answer = INSIDE.answer(question)
    together = second_opinion(decode(encode((*premises, Not(conclusion))).numbers), steps=3000)
    if isinstance(answer, NotEntailed):
        assert together is not False, shown(question)
        if answer.countermodel:
            assert_countermodel(question, answer)
    if isinstance(answer, Entailed):
        assert together is not True, shown(question)


INSIDE = Prover(workers=0)


@pytest.mark.parametrize(
    ("texts", "follows"),
    [
        (["all x.(F(x) -> G(x))", "F(a)", "G(a)"], True),
        (["a = b", "F(a)", "F(b)"], True),
        (["all x.K(father(x))", "K(father(rex))"], True),
        (["all x.F(x)", "exists x.F(x)"], True),  # domains are not empty
        (["all x.(Man(x) -> Mortal(x))", "Man(Socrates)", "Mortal(Socrates)"], True),
        (["argument -> conclusion3", "argument", "conclusion3"], True),
        (["F(x)", "F(x)"], True),
        (["F(x)", "all x.F(x)"], False),  # a free variable is some one thing
        (["a != b", "F(a)", "F(b)"], False),
        (["all x.exists y.R(x, y)", "exists y.all x.R(x, y)"], False),
        (["exists y.all x.R(x, y)", "all x.exists y.R(x, y)"], True),
        (["p", "q"], False),
        (["p & F(p)", "q"], False),  # one name in two uses is two symbols: told of elsewhere, and no danger here
        (["all x y z.(x = y | y = z | x = z)", "exists x.F(x)", "all x.F(x)"], False),
        (["F(f(f(f(a))))", "all x.(F(f(x)) -> F(x))", "F(a)"], True),
        (["all x.all y.R(x, y, x)", "all y.R(a, y, a)"], True),
    ],
)
def test_textbook_cases(prover: Prover, texts: list[str], follows: bool) -> None:
    question = entails(*texts)
    answer = prover.answer(question)
    if follows:
        assert answer == Entailed()
    else:
        assert_countermodel(question, answer)


def test_only_infinite_countermodels_are_undecided_within_the_limit(prover: Prover) -> None:
    texts = (
        "all x.exists y.R(x,y)",
        "all x.-R(x,x)",
        "all x y z.((R(x,y) & R(y,z)) -> R(x,z))",
        "F(a)",
        "exists x.all y.(-(x = y) -> R(y,x))",
    )
    answer = prover.answer(entails(*texts))
    assert isinstance(answer, Undecided)
    assert answer.message


def test_a_world_too_large_to_be_told_is_still_a_no(prover: Prover) -> None:
    names = [f"a{number}" for number in range(7)]
    apart = " & ".join(f"{one} != {other}" for number, one in enumerate(names) for other in names[:number])
    assert isinstance(prover.answer(entails(f"exists {' '.join(names)}.({apart})", "p")), NotEntailed)


@pytest.mark.parametrize("places", [12, 40])
def test_predicates_and_functions_of_many_places(prover: Prover, places: int) -> None:
    one, other = ",".join(["a", "b"] * (places // 2)), ",".join(["b", "a"] * (places // 2))
    assert_countermodel(entails(f"R({one})", f"R({other})"), prover.answer(entails(f"R({one})", f"R({other})")))
    assert isinstance(prover.answer(entails(f"F(f({one}))", "F(a)")), NotEntailed)
    variables = [f"x{number}" for number in range(places)]
    general = f"all {' '.join(variables)}.R({','.join(variables)})"
    assert prover.answer(entails(general, f"R({one})")) == Entailed()
    assert isinstance(prover.answer(entails(general, f"R({one}) & p")), NotEntailed)


def test_the_same_question_gives_the_same_world_whatever_was_asked_before() -> None:
    questions = [Entails(*invalid_argument(seed)[0]) for seed in range(40)]
    with Prover(workers=0) as one, Prover(workers=0) as other:
        first = one.ask(questions)
        other.ask([Entails(*valid_argument(seed)) for seed in range(30)])
        assert other.ask(questions[::-1])[::-1] == first
