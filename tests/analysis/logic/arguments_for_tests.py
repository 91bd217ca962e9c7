"""Arguments whose status is known by construction: valid ones grow from their conclusion by rules, invalid ones come
with a world."""

from __future__ import annotations

import random
from itertools import product

from suasion.analysis.logic.models import Model, holds
from suasion.analysis.logic.syntax import (
    And,
    Atom,
    Constant,
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
    Variable,
)
from tests.analysis.logic.formulas_for_tests import Chance

Argument = tuple[tuple[Formula, ...], Formula]


def valid_argument(seed: int) -> Argument:
    """Premises from which the conclusion follows by two to four nested rules of natural deduction."""
    generator = random.Random(seed)
    chance = Chance(generator)
    goal = chance.formula(generator.choice((1, 2)))
    premises = _derive(goal, generator.choice((2, 3, 4)), generator, chance)
    generator.shuffle(premises)
    return tuple(premises), goal


def _derive(goal: Formula, depth: int, generator: random.Random, chance: Chance) -> list[Formula]:
    """Premises that yield the goal; each branch is a rule of inference, read from below."""
    if depth == 0:
        return [goal]

    def derive(*subgoals: Formula) -> list[Formula]:
        return [premise for subgoal in subgoals for premise in _derive(subgoal, depth - 1, generator, chance)]

    other = chance.formula(1)
    third = chance.formula(1)
    rules = [
        lambda: derive(other, Implies(other, goal)),  # modus ponens
        lambda: derive(Or((goal, other)), Not(other)),  # disjunctive syllogism
        lambda: derive(And((other, goal))),  # from a conjunction
        lambda: derive(Iff(goal, other), other),
        lambda: derive(Or((other, third)), Implies(other, goal), Implies(third, goal)),  # cases
        lambda: derive(Implies(Not(goal), And((other, Not(other))))),  # reductio
    ]
    match goal:
        case And(parts):
            rules += [lambda: derive(*parts)] * 4
        case Or(parts):
            rules += [lambda: derive(generator.choice(parts))] * 3
        case Implies(left, right):
            rules += [
                lambda: derive(Implies(left, other), Implies(other, right)),
                lambda: derive(Implies(Not(right), Not(left))),
            ] * 2
        case Not(Exists(variables, body)):
            rules += [lambda: derive(ForAll(variables, Not(body)))] * 4
        case Not(ForAll(variables, body)):
            rules += [lambda: derive(Exists(variables, Not(body)))] * 4
        case Not(body):
            rules += [lambda: derive(Implies(body, other), Not(other))] * 3  # modus tollens
        case Exists((variable,), body):
            thing = Constant(generator.choice(chance.constants))
            rules += [lambda: derive(replaced(body, variable, thing))] * 4
        case ForAll((variable,), Implies(left, right)):
            middle = Atom("M", (Variable(variable),))
            rules += [lambda: derive(ForAll((variable,), Implies(left, middle)), ForAll((variable,), Implies(middle, right)))] * 4
        case ForAll((variable,), body):
            middle = Atom("M", (Variable(variable),))
            rules += [lambda: derive(ForAll((variable,), middle), ForAll((variable,), Implies(middle, body)))] * 3
        case Atom(name, arguments) if arguments:
            first = arguments[0]
            general = ForAll(("z",), Implies(Atom("M", (Variable("z"),)), Atom(name, (Variable("z"), *arguments[1:]))))
            same = Constant(generator.choice(chance.constants))
            rules += [lambda: derive(general, Atom("M", (first,)))] * 3  # a universal premise and its case
            rules += [lambda: derive(Equality(first, same), Atom(name, (same, *arguments[1:])))] * 2  # the same thing
    return generator.choice(rules)()


def invalid_argument(seed: int) -> tuple[Argument, Model]:
    """Two to four premises that are true in the world given, and a conclusion that is false in it."""
    generator = random.Random(seed)
    chance = Chance(generator)
    model = _world(generator, chance)
    true: list[Formula] = []
    false: list[Formula] = []
    count = generator.choice((2, 3, 4))
    while len(true) < count or not false:
        formula = chance.formula(generator.choice((1, 2, 3)))
        (true if holds(formula, model) else false).append(formula)
    return (tuple(true[:count]), false[0]), model


def _world(generator: random.Random, chance: Chance) -> Model:
    size = generator.choice((1, 2, 3, 4))
    things = range(size)
    names = {(name, 0): {(): generator.choice(things)} for name in chance.constants}
    functions = {(name, 1): {(thing,): generator.choice(things) for thing in things} for name in chance.functions}
    arities = [(name, 0) for name in chance.sentences] + [(name, 1) for name in chance.unary] + [(name, 2) for name in chance.binary]
    predicates = {
        (name, arity): frozenset(row for row in product(things, repeat=arity) if generator.random() < 0.5) for name, arity in arities
    }
    return Model(size, {**names, **functions}, predicates)


def replaced(formula: Formula, variable: str, thing: Constant) -> Formula:
    """The formula with a name of a thing for a free variable."""
    match formula:
        case Atom(name, arguments):
            return Atom(name, tuple(_replaced(term, variable, thing) for term in arguments))
        case Equality(left, right):
            return Equality(_replaced(left, variable, thing), _replaced(right, variable, thing))
        case Not(body):
            return Not(replaced(body, variable, thing))
        case And(parts):
            return And(tuple(replaced(part, variable, thing) for part in parts))
        case Or(parts):
            return Or(tuple(replaced(part, variable, thing) for part in parts))
        case Implies(left, right):
            return Implies(replaced(left, variable, thing), replaced(right, variable, thing))
        case Iff(left, right):
            return Iff(replaced(left, variable, thing), replaced(right, variable, thing))
        case ForAll(variables, body) | Exists(variables, body):
            return formula if variable in variables else type(formula)(variables, replaced(body, variable, thing))


def _replaced(term: Term, variable: str, thing: Constant) -> Term:
    if isinstance(term, Function):
        return Function(term.name, tuple(_replaced(argument, variable, thing) for argument in term.arguments))
    return thing if term == Variable(variable) else term
