"""The recorded answers of ../shared/data/argdown-cases: what is a matter of logic alone gets its right answer."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from suasion.analysis.logic import parse
from suasion.analysis.logic.parser import Parsed
from suasion.analysis.logic.prover import Prover
from suasion.analysis.logic.questions import Consistent, Entails, NeededPremises, Petitio, Tautology
from suasion.analysis.logic.signatures import signature_of

PROVER = Prover(workers=0)


def formulas_of(folder: Path, case: str) -> list[Parsed]:
    """The formulas of a recorded answer; all but the last are premises in these."""
    (file,) = [file for file in folder.glob(f"argdown-cases/{case}-*.txt") if ".src." not in file.name]
    texts = re.findall(r"formalization: '((?:[^']|'')*)'", file.read_text(encoding="utf-8"))
    return [parse(text.replace("''", "'")) for text in texts]


@pytest.mark.parametrize(
    "case",
    ["l01", "l02", "l04", "l05", "l12", "l16", "l18", "l19", "l20", "l28", "l31", "l34", "l36", "l37", "l42", "l44"],
)
def test_valid_ones(shared_data: Path, case: str) -> None:
    read = formulas_of(shared_data, case)
    formulas = [parsed.formula for parsed in read]
    assert all(formulas), [parsed.errors for parsed in read]
    assert signature_of(formulas).issues == ()
    answer = PROVER.answer(Entails(tuple(formulas[:-1]), formulas[-1]))  # type: ignore[arg-type]
    assert type(answer).__name__ == "Entailed"


@pytest.mark.parametrize(("case", "kind"), [("l21", "NotEntailed"), ("l21b", "NotEntailed"), ("l21c", "NotEntailed"), ("l32", "Undecided")])
def test_what_does_not_follow(shared_data: Path, case: str, kind: str) -> None:
    formulas = [parsed.formula for parsed in formulas_of(shared_data, case)]
    answer = PROVER.answer(Entails(tuple(formulas[:-1]), formulas[-1]))  # type: ignore[arg-type]
    assert type(answer).__name__ == kind


@pytest.mark.parametrize(("case", "code"), [("l29", "lambda"), ("l43", "unfinished")])
def test_bad_formulas(shared_data: Path, case: str, code: str) -> None:
    errors = [error for parsed in formulas_of(shared_data, case) for error in parsed.errors]
    assert [error.code for error in errors] == [code]


@pytest.mark.parametrize(("case", "code"), [("l17", "open-formula"), ("l41", "symbol-kind")])
def test_bad_symbols(shared_data: Path, case: str, code: str) -> None:
    issues = signature_of([parsed.formula for parsed in formulas_of(shared_data, case)]).issues
    assert {issue.code for issue in issues} == {code}


def test_other_faults(shared_data: Path) -> None:
    def read(case: str) -> tuple:
        return tuple(parsed.formula for parsed in formulas_of(shared_data, case))

    premise, conclusion = read("l11")
    assert type(PROVER.answer(Tautology(conclusion))).__name__ == "Yes"
    assert PROVER.answer(NeededPremises((premise,), conclusion)).no == (0,)
    premise, conclusion = read("l12")
    assert PROVER.answer(Petitio((premise,), conclusion)).yes == (0,)
    assert type(PROVER.answer(Consistent(read("l14")[:2]))).__name__ == "No"
    one, two, conclusion = read("l40")
    assert PROVER.answer(NeededPremises((one, two), conclusion)).no == (0,)
    one, two, three, four, five = read("l27")
    assert type(PROVER.answer(Entails((one,), four))).__name__ == "NotEntailed"
    assert type(PROVER.answer(Entails((two, three, four), five))).__name__ == "Entailed"
