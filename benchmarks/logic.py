"""Claim: at least 1,200 ordinary first-order entailment questions a second and core, warm, countermodels included; and
a hostile question costs its limit and no more.

Rival: a fresh z3 solver for each question through z3's own Python layer, as most scripts do it, on the same questions
    in the same run.
Everything is held to one core, the worker process too. Prints the ratio of the best of several rounds, and checks that
both agree.
"""

from __future__ import annotations

import os
import random
import time

import z3

from suasion.analysis.logic import parse
from suasion.analysis.logic.answers import Entailed, Undecided
from suasion.analysis.logic.pool import Limits
from suasion.analysis.logic.prover import Prover
from suasion.analysis.logic.questions import Entails
from suasion.analysis.logic.syntax import (
    And,
    Atom,
    Equality,
    Exists,
    ForAll,
    Formula,
    Function,
    Iff,
    Implies,
    Not,
    Or,
    Term,
)

ROUNDS, QUESTIONS, RIVALS = 5, 1000, 250
LIMIT = 1.0  # seconds for a question
# only infinite worlds show that a sentence does not follow from these: z3 alone would never end
ENDLESS = ["all x.exists y.R(x, y)", "all x.-R(x, x)", "all x y z.(R(x, y) & R(y, z) -> R(x, z))"]
# ordinary arguments, half of them valid: predicates A to E, relations R and S, names a and b, sentence letters P and Q
FORMS = [
    (["all x.(A(x) -> B(x))", "A(a)"], "B(a)"),
    (["all x.(A(x) -> B(x))", "B(a)"], "A(a)"),
    (["all x.(A(x) -> B(x))", "all x.(B(x) -> C(x))", "all x.(C(x) -> D(x))"], "all x.(A(x) -> D(x))"),
    (["all x.(A(x) -> B(x))", "exists x.(B(x) & C(x))"], "exists x.(A(x) & C(x))"),
    (["all x.(A(x) & B(x) -> C(x))", "A(a)", "B(a)", "-D(a)"], "exists x.(C(x) & -D(x))"),
    (["all x.(A(x) -> B(x) | C(x))", "A(a) & A(b)", "-B(a)"], "C(a) & C(b)"),
    (["all x.(A(x) -> exists y.(B(y) & R(x, y)))", "A(a)", "all x.(B(x) -> C(x))"], "exists y.(C(y) & R(a, y))"),
    (["all x.(A(x) -> exists y.(B(y) & R(x, y)))", "A(a)", "all x.(B(x) -> C(x))"], "exists y.(D(y) & R(a, y))"),
    (["all x y.(R(x, y) -> R(y, x))", "all x y z.(R(x, y) & R(y, z) -> R(x, z))", "R(a, b)"], "R(a, a)"),
    (["all x y.(R(x, y) -> S(y, x))", "R(a, b)", "A(b)"], "exists x.(A(x) & S(a, x))"),
    (["P -> Q", "Q -> exists x.A(x)", "all x.(A(x) -> B(x))", "P"], "exists x.B(x)"),
    (["P | A(a)", "P -> B(a)", "all x.(A(x) -> B(x))", "-C(a)"], "B(a) & C(a)"),
    (["a = b | A(a)", "B(b)", "-A(a)"], "B(a)"),
    (["all x.(A(x) -> B(x))", "all x.(C(x) -> -B(x))", "C(a)"], "-A(a)"),
]


def questions(count: int, generator: random.Random) -> list[Entails]:
    """Forms with more premises that do not matter, so that hardly two questions are alike."""
    made = []
    for number in range(count):
        premises, conclusion = FORMS[number % len(FORMS)]
        texts = [*premises, *(_irrelevant(generator) for _ in range(3))]
        generator.shuffle(texts)
        read = [parse(text).formula for text in [*texts, conclusion]]
        formulas = [formula for formula in read if formula is not None]
        made.append(Entails(tuple(formulas[:-1]), formulas[-1]))
    return made


def _irrelevant(generator: random.Random) -> str:
    return f"{generator.choice('ABCDE')}(c{generator.randrange(3)}) | {generator.choice('EFGH')}({generator.choice('ab')})"


def fresh_solver(question: Entails) -> bool:
    """The rival: z3's Python classes and a new solver."""
    things = z3.DeclareSort("Thing")

    def term(one: Term, bound: dict[str, z3.ExprRef]) -> z3.ExprRef:
        if isinstance(one, Function):
            return z3.Function(one.name, *[things] * (len(one.arguments) + 1))(*[term(part, bound) for part in one.arguments])
        return bound[one.name] if one.name in bound else z3.Const(one.name, things)

    def built(formula: Formula, bound: dict[str, z3.ExprRef]) -> z3.ExprRef:
        match formula:
            case Atom(name, arguments):
                if not arguments:
                    return z3.Bool(name)
                return z3.Function(name, *[things] * len(arguments), z3.BoolSort())(*[term(one, bound) for one in arguments])
            case Equality(left, right):
                return term(left, bound) == term(right, bound)
            case Not(body):
                return z3.Not(built(body, bound))
            case And(parts):
                return z3.And(*[built(part, bound) for part in parts])
            case Or(parts):
                return z3.Or(*[built(part, bound) for part in parts])
            case Implies(left, right):
                return z3.Implies(built(left, bound), built(right, bound))
            case Iff(left, right):
                return built(left, bound) == built(right, bound)
            case ForAll(variables, body) | Exists(variables, body):
                inner = {name: z3.Const(name, things) for name in variables}
                quantified = z3.ForAll if isinstance(formula, ForAll) else z3.Exists
                return quantified(list(inner.values()), built(body, bound | inner))

    solver = z3.Solver()
    solver.add(*[built(premise, {}) for premise in question.premises], z3.Not(built(question.conclusion, {})))
    return bool(solver.check() == z3.unsat)


def main() -> None:
    """Measure both, each round with new questions."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    generator = random.Random(0)
    ours: list[float] = []
    bare: list[float] = []
    theirs: list[float] = []
    valid = 0
    with Prover(workers=1) as prover, Prover(workers=1, models=False) as without:
        for one in (prover, without):
            one.ask(questions(20, generator))
        for _ in range(ROUNDS):
            asked = questions(QUESTIONS, generator)
            started = time.perf_counter()
            answers = prover.ask(asked)
            ours.append(QUESTIONS / (time.perf_counter() - started))
            started = time.perf_counter()
            without.ask(asked)
            bare.append(QUESTIONS / (time.perf_counter() - started))
            started = time.perf_counter()
            expected = [fresh_solver(question) for question in asked[:RIVALS]]
            theirs.append(RIVALS / (time.perf_counter() - started))
            if [isinstance(answer, Entailed) for answer in answers[:RIVALS]] != expected:
                raise SystemExit("The two disagree.")
            valid += sum(isinstance(answer, Entailed) for answer in answers)
    best, plain, rival = max(ours), max(bare), max(theirs)
    print(f"{ROUNDS} rounds of {QUESTIONS} questions, {valid / ROUNDS / QUESTIONS:.0%} valid; on one core, the best round")
    print(f"suasion {best:,.0f} questions/s with countermodels, {plain:,.0f} without; a fresh z3 solver each {rival:,.0f}")
    print(f"ratio {best / rival:.1f} with countermodels, {plain / rival:.1f} without")
    hostile(questions(200, generator))


def hostile(others: list[Entails]) -> None:
    """One question without an end in the middle of ordinary ones."""
    premises = [parse(text).formula for text in ENDLESS]
    endless = Entails(tuple(formula for formula in premises if formula is not None), Atom("p"))
    asked = [*others[:100], endless, *others[100:]]
    with Prover(workers=1, limits=Limits(steps=2_000_000_000, seconds=LIMIT)) as prover:
        prover.ask(questions(20, random.Random(1)))
        started = time.perf_counter()
        answers = prover.ask(asked)
        seconds = time.perf_counter() - started
    undecided = [number for number, answer in enumerate(answers) if isinstance(answer, Undecided)]
    if undecided != [100]:
        raise SystemExit(f"Undecided were {undecided}, and not the hostile question alone.")
    print(f"a hostile question (limit {LIMIT:.0f} s) among {len(others)}: all others decided, {seconds:.2f} s in all")


if __name__ == "__main__":
    main()
