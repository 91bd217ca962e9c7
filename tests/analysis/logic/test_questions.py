"""The questions about arguments, one by one."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from suasion.analysis.logic import parse
from suasion.analysis.logic.answers import No, Parts, Undecided, Yes
from suasion.analysis.logic.models import holds
from suasion.analysis.logic.pool import Limits
from suasion.analysis.logic.prover import Prover
from suasion.analysis.logic.questions import (
    Consistent,
    Contradictory,
    Contrary,
    Entails,
    Equivalent,
    IrrelevantConjuncts,
    NeededPremises,
    Petitio,
    RedundantSteps,
    Tautology,
    conjuncts,
)
from suasion.analysis.logic.syntax import Formula


@pytest.fixture(scope="module")
def prover() -> Iterator[Prover]:
    with Prover(workers=0) as one:
        yield one


def read(*texts: str) -> tuple[Formula, ...]:
    formulas = tuple(parse(text).formula for text in texts)
    assert None not in formulas
    return formulas  # type: ignore[return-value]


def test_consistency_shows_a_world(prover: Prover) -> None:
    formulas = read("all x.(F(x) -> G(x))", "F(a)", "-G(b)")
    answer = prover.answer(Consistent(formulas))
    assert isinstance(answer, Yes) and answer.model is not None
    assert all(holds(formula, answer.model) for formula in formulas)
    assert prover.answer(Consistent((*formulas, *read("a = b")))) == No()
    assert isinstance(prover.answer(Consistent(())), Yes)


@pytest.mark.parametrize(
    ("left", "right", "same"),
    [
        ("p -> q", "-q -> -p", True),
        ("-all x.F(x)", "exists x.-F(x)", True),
        ("all x.(F(x) & G(x))", "all x.F(x) & all x.G(x)", True),
        ("exists x.(F(x) & G(x))", "exists x.F(x) & exists x.G(x)", False),
        ("p -> q", "q -> p", False),
    ],
)
def test_equivalence(prover: Prover, left: str, right: str, same: bool) -> None:
    one, other = read(left, right)
    answer = prover.answer(Equivalent(one, other))
    if same:
        assert answer == Yes()
    else:
        assert isinstance(answer, No) and answer.model is not None
        assert holds(one, answer.model) != holds(other, answer.model)


def test_tautologies(prover: Prover) -> None:
    valid, other = read("exists x.(F(x) -> all y.F(y))", "exists x.F(x) -> all y.F(y)")
    assert prover.answer(Tautology(valid)) == Yes()
    answer = prover.answer(Tautology(other))
    assert isinstance(answer, No) and answer.model is not None and not holds(other, answer.model)


def test_contrary_is_not_contradictory(prover: Prover) -> None:
    all_are, none_is, some_is_not = read("all x.F(x)", "all x.-F(x)", "exists x.-F(x)")
    assert prover.answer(Contrary(all_are, none_is)) == Yes()
    answer = prover.answer(Contradictory(all_are, none_is))
    assert isinstance(answer, No) and answer.model is not None
    assert holds(all_are, answer.model) == holds(none_is, answer.model)
    assert prover.answer(Contradictory(all_are, some_is_not)) == Yes()
    assert isinstance(prover.answer(Contrary(*read("p", "q"))), No)


def test_needed_premises(prover: Prover) -> None:
    assert prover.answer(NeededPremises(read("p -> q", "p", "r"), *read("q"))) == Parts(yes=(0, 1), no=(2,))
    assert prover.answer(NeededPremises(read("p"), *read("q | -q"))) == Parts(no=(0,))  # a single premise counts too
    assert prover.answer(NeededPremises(read("p", "p & p"), *read("p"))) == Parts(no=(0, 1))  # each for itself
    assert prover.answer(NeededPremises(read("p"), *read("q"))) == Parts(applies=False)


def test_irrelevant_conjuncts(prover: Prover) -> None:
    assert prover.answer(IrrelevantConjuncts(read("p & r", "p -> q"), *read("q"))) == Parts(yes=((0, 1),), no=((0, 0),))
    hidden = read("all x.(F(x) -> G(x) & H(x))", "F(a)")
    assert prover.answer(IrrelevantConjuncts(hidden, *read("H(a)"))) == Parts(yes=((0, 0),), no=((0, 1),))
    assert prover.answer(IrrelevantConjuncts(read("p", "p -> q"), *read("q"))) == Parts()
    assert prover.answer(IrrelevantConjuncts(read("p & r"), *read("q"))) == Parts(applies=False)


def test_conjuncts_say_the_same_together(prover: Prover) -> None:
    (formula,) = read("all x.(F(x) -> (G(x) & all y.(H(y) & R(x, y)))) & p")
    parts = conjuncts(formula)
    assert len(parts) == 4
    for part in parts:
        assert type(prover.answer(Entails((formula,), part))).__name__ == "Entailed"
    assert type(prover.answer(Entails(parts, formula))).__name__ == "Entailed"


def test_petitio(prover: Prover) -> None:
    assert prover.answer(Petitio(read("q", "-(-p)", "p & (q | -q)"), *read("p"))) == Parts(yes=(1, 2), no=(0,))


def test_redundant_steps(prover: Prover) -> None:
    items = read("p", "p -> q", "q", "q -> r", "r | s", "r")
    sources = {2: (0, 1), 4: (2, 3), 5: (2, 3, 4)}
    assert prover.answer(RedundantSteps(items, sources)) == Parts(yes=(4,), no=(2,))
    assert prover.answer(RedundantSteps(read("p", "p | q", "p"), {1: (0,), 2: (0,)})) == Parts(yes=(1,))  # used nowhere


def test_one_undecided_part_leaves_the_others_decided() -> None:
    endless = read("all x.exists y.R(x, y)", "all x.-R(x, x)", "all x y z.(R(x, y) & R(y, z) -> R(x, z))")
    with Prover(workers=0, limits=Limits(steps=50_000)) as prover:
        answer = prover.answer(NeededPremises((*endless, *read("q", "p")), *read("p")))
        assert answer.undecided == (4,) and answer.no == (0, 1, 2, 3)
        assert prover.answer(NeededPremises(endless, *read("p"))).undecided == (0, 1, 2)
        assert isinstance(prover.answer(Consistent(endless)), Undecided)


def test_parts_are_only_asked_about_where_the_whole_is_valid() -> None:
    asked: list[int] = []
    with Prover(workers=0) as prover:
        p, q, r = read("p", "q", "r")
        assert prover.ask([NeededPremises((p, q), r)], done=lambda: asked.append(1)) == [Parts(applies=False)]
        assert len(asked) == 1
        assert prover.ask([NeededPremises((p, q), p)], done=lambda: asked.append(1)) == [Parts(yes=(0,), no=(1,))]
        assert len(asked) == 4


def test_too_many_parts_are_undecided_and_not_a_flood(prover: Prover, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("suasion.analysis.logic.prover.CHUNK", 20_000)
    (formula,) = read(" & ".join(f"p{number}" for number in range(100)))
    answer = prover.answer(IrrelevantConjuncts((formula,), *read("p0")))
    assert answer.no == ((0, 0),) and len(answer.yes) > 5 and len(answer.undecided) > 50
    assert len(answer.yes) + len(answer.undecided) == 99
    several = [NeededPremises(read("p", *(f"q{number} | p" for number in range(count))), *read("p")) for count in range(1, 15)]
    assert [len(answer.no) for answer in prover.ask(several)] == list(range(1, 15))  # in several chunks


def test_batches_keep_their_order(prover: Prover) -> None:
    p, q = read("p", "q")
    answers = prover.ask([Tautology(p), Consistent((p,)), NeededPremises((p, q), p), Equivalent(p, p)])
    assert [type(answer) for answer in answers] == [No, Yes, Parts, Yes]
    assert prover.ask([]) == []


def test_worlds_are_found_only_where_they_are_shown_whatever_was_asked_before() -> None:
    texts = ("all x.(F(x) -> G(x))", "F(a)", "G(a)", "F(b)")
    *premises, conclusion, other = [one for one in (parse(text).formula for text in texts) if one]
    follows, does_not = Entails(tuple(premises), conclusion), Entails(tuple(premises), other)
    questions = [NeededPremises(tuple(premises), conclusion), does_not, follows, Petitio(tuple(premises), conclusion)]
    with Prover(workers=0) as prover:
        expected = prover.ask(questions)
        assert expected[1].countermodel is not None
        asked: list[bytes] = []
        prove = prover._prove
        prover._prove = lambda new, done: (asked.extend(new), prove(new, done))[1]  # type: ignore[method-assign]
        assert prover.ask(questions[::-1]) == expected[::-1]
        assert not asked
    for step in (1, -1):
        with Prover(workers=0) as prover:
            assert [prover.answer(one) for one in questions[::step]] == expected[::step]
