"""What a prover says of whole reconstructions, asked in few rounds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest

from suasion.analysis.argdown import parse
from suasion.analysis.logic.answers import Answer, Entailed, No, NotEntailed, Undecided, Yes
from suasion.analysis.logic.pool import Limits
from suasion.analysis.logic.prover import Prover
from suasion.analysis.logic.questions import Question
from suasion.analysis.verification.formal import read_formalisations
from suasion.analysis.verification.proofs import ArgumentProofs, Proofs, proofs_of, prove


class Counting(Prover):
    """Counts batches and questions."""

    rounds, asked = 0, 0

    def ask(self, questions: Sequence[Question], *rest: object) -> list[Answer]:
        self.rounds, self.asked = self.rounds + 1, self.asked + len(questions)
        return super().ask(questions)


@pytest.fixture
def prover() -> Iterator[Counting]:
    with Counting(workers=0, limits=Limits(steps=200_000)) as one:
        yield one


def text(*lines: str, name: str = "A") -> str:
    """An argument: ``p`` is a premise, ``1 2: q`` a conclusion from (1) and (2)."""
    written = [f"<{name}>", ""]
    for number, line in enumerate(lines, 1):
        named, colon, formula = line.rpartition(":")
        if colon:
            written.append(f"-- {{from: [{', '.join(named.split())}]}} --")
        written.append(f"({number}) {name} {number}. {{formalization: '{formula.strip()}'}}")
    return "\n".join(written) + "\n\n"


def proved(prover: Prover, *lines: str) -> ArgumentProofs:
    return proofs_of(read_formalisations(parse(text(*lines))), prover).arguments["A"]


def test_a_good_argument(prover: Counting) -> None:
    found = proved(prover, "p -> q", "p", "1 2: q", "q -> r", "3 4: r")
    assert isinstance(found.valid, Entailed) and isinstance(found.consistent, Yes)
    assert [type(step) for step in found.steps.values()] == [Entailed, Entailed]
    assert found.needed.yes == (0, 1, 3) and not found.used and found.tautology is None and not found.begging.yes
    assert prover.rounds == 1


def test_redundant_sources_are_found_though_all_premises_are_needed(prover: Prover) -> None:
    found = proved(prover, "p -> q", "p", "1 2: q", "q -> r", "1 3 4: r")
    assert found.needed.no == () and found.used[4].no == (0,)


def test_irrelevant_premises_and_what_follows_in_steps(prover: Prover) -> None:
    found = proved(prover, "p", "s", "1 2: p | q", "p | q -> r", "3 4: r")
    assert found.needed.no == (1,) and found.used[2].no == (1,)


def test_trivial_arguments(prover: Prover) -> None:
    assert isinstance(proved(prover, "p", "1: q | -q").tautology, Yes)
    assert proved(prover, "p", "1: --p").begging.yes == (0,)
    assert proved(prover, "q", "p", "1 2: p & p").begging.yes == (1,)
    assert proved(prover, "p", "q", "1 2: q & --p").only_joins
    assert not proved(prover, "p", "p -> q", "1 2: p & q").only_joins
    assert isinstance(proved(prover, "p & -p", "1: q").consistent, No)


def test_gaps(prover: Prover) -> None:
    found = proved(prover, "p -> q", "p", "1: q", "q -> r", "2 3 4: r")
    assert isinstance(found.valid, Entailed) and isinstance(found.steps[2], NotEntailed)


def test_what_shares_nothing_is_not_needed_even_where_validity_is_undecided(prover: Prover) -> None:
    order = ["all x.exists y.R(x,y)", "all x.-R(x,x)", "all x y z.((R(x,y) & R(y,z)) -> R(x,z))"]
    end = "exists x.all y.(-(x = y) -> R(y,x))"
    assert proved(prover, *order, "F(a)", f"1 2 3 4: {end}").separate == (3,)
    found = proved(prover, *order, "exists x y.(F(x) & -F(y))", f"1 2 3 4: {end}")  # says that there are two things
    assert isinstance(found.valid, Undecided) and found.separate == ()


def test_steps_may_prove_what_cannot_be_proved_at_once(prover: Prover, monkeypatch: pytest.MonkeyPatch) -> None:
    real = prover.ask

    def doubting(questions: Sequence[Question], *rest: object) -> list[Answer]:
        answers = real(questions)
        return [Undecided("steps") if len(getattr(one, "premises", ())) == 3 and isinstance(answer, Entailed) else answer
                for one, answer in zip(questions, answers, strict=True)]  # fmt: skip

    monkeypatch.setattr(prover, "ask", doubting)
    assert isinstance(proved(prover, "p -> q", "p", "1 2: q", "q -> r", "3 4: r").valid, Entailed)


def test_many_answers_are_asked_about_together_and_once(prover: Counting) -> None:
    several = [read_formalisations(parse(text(f"p{number}", f"p{number} -> q", "1 2: q"))) for number in range(20)]
    first = prove(several, prover)
    assert prover.rounds == 1
    again = prove(several, prover)
    assert prover.rounds == 1 and all(one is other for one, other in zip(first, again, strict=True))


def test_too_much_is_not_asked(prover: Counting) -> None:
    for lines in (["p"] * 250 + ["1: p"], [" & ".join(["p"] * 300), "1: p"], [f"{'p' * 21_000}", "1: p"]):
        assert proofs_of(read_formalisations(parse(text(*lines))), prover) == Proofs(too_large=True)
    assert prover.asked == 0


def test_lines_without_formulas_are_not_asked_about(prover: Prover) -> None:
    assert proofs_of(read_formalisations(parse(text("p", "1: (q"))), prover).arguments == {}


def test_relations_and_sentences_with_two_formulas(prover: Prover) -> None:
    document = parse(
        "[A]: a. {formalization: 'p & q'}\n    +> [B]: b. {formalization: 'p'}\n    -> [C]: c. {formalization: '-q'}\n"
        "    >< [D]: d. {formalization: '-p'}\n\n[A]: a. {formalization: 'q & p'}\n\n[A]: a. {formalization: 'p | q'}\n"
    )
    proofs = proofs_of(read_formalisations(document), prover)
    assert [(relation.target.label, type(answer)) for relation, answer in proofs.relations] == [("B", Entailed), ("C", Yes), ("D", No)]
    assert [type(answer) for _, _, answer in proofs.twice] == [Yes, No]
