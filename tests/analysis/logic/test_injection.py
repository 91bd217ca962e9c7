"""No text of anybody reaches a solver: it sees numbers, whatever symbols are called and declared as."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import suasion.analysis.logic as logic
from suasion.analysis.logic import parse
from suasion.analysis.logic.answers import Entailed, NotEntailed
from suasion.analysis.logic.describing import describe
from suasion.analysis.logic.encoding import encode
from suasion.analysis.logic.prover import Prover
from suasion.analysis.logic.questions import Entails
from suasion.analysis.logic.reading import read_aloud
from suasion.analysis.logic.syntax import Atom, Constant, Formula, Implies

HOSTILE = [
    "p\n(assert (=> p q))",
    "moon\n(assert false)\n",
    '"; (assert false) ;',
    "|p| (assert false)",
    "assert",
    "declare-fun",
    "check-sat",
    "true",
    "false",
    "not",
    "Thing",
    "argument",
    "k!0",
    "x!1",
    "\x00",
    "p" * 100_000,
    "(",
    "'",
    "\u2028",
    "",
    " ",
]
PROVER = Prover(workers=0, second_opinion=True)


@pytest.mark.parametrize("name", HOSTILE, ids=range(len(HOSTILE)))
def test_names_cannot_prove_anything(name: str) -> None:
    p, q, other = Atom(name), Atom(f"{name}q"), Atom("q")
    assert isinstance(PROVER.answer(Entails((p,), q)), NotEntailed)
    assert isinstance(PROVER.answer(Entails((p,), other)), NotEntailed)
    assert PROVER.answer(Entails((p, Implies(p, q)), q)) == Entailed()
    assert isinstance(PROVER.answer(Entails((Atom(name, (Constant(name),)),), Atom(name, (Constant("q"),)))), NotEntailed)


@pytest.mark.parametrize("name", HOSTILE, ids=range(len(HOSTILE)))
def test_what_a_solver_sees_does_not_depend_on_names(name: str) -> None:
    def form(one: str, other: str) -> tuple[Formula, ...]:
        return (Implies(Atom(one, (Constant(one),)), Atom(other)), Atom(f"{one}!{other}"))

    assert encode(form(name, "other")).numbers == encode(form("F", "p")).numbers
    assert len(encode(form(name, "other")).numbers) % 12 == 0


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_declarations_only_ever_become_english(text: str) -> None:
    premise, conclusion = parse("p & (q | -q)").formula, parse("q").formula
    assert premise is not None and conclusion is not None
    answer = PROVER.answer(Entails((premise,), conclusion))
    assert isinstance(answer, NotEntailed) and answer.countermodel is not None
    declarations = {"p": "Dogs bark", "q": text, text: "q", "F": text, "a": text}
    spoken = [
        describe(answer.countermodel, declarations),
        read_aloud(premise, declarations),
        read_aloud(Atom("F", (Constant("a"),)), declarations),
    ]
    assert all("\n" not in one and len(one) < 2000 for one in spoken)


def test_the_sources_hand_no_text_to_a_solver() -> None:
    """z3 gets strings for the names of two parameters, cvc5 for options; nothing parses a program."""
    folder = Path(logic.__file__).parent
    sources = {file.name: file.read_text(encoding="utf-8") for file in folder.glob("*.py")}
    joined = "\n".join(sources.values())
    assert not re.search(r"smtlib|from_string|InputParser|eval\(|parse_smt|mk_string\b", joined)
    assert joined.count("mk_string_symbol(") == 1 and '(b"rlimit", steps), (b"timeout", milliseconds)' in sources["engine.py"]
    assert not re.search(r"mk(Const|Var|UninterpretedSort)\([^()]*[\"']", sources["second.py"])
