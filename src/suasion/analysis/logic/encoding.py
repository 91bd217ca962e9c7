"""Formulas as numbers: what a prover gets to see, and what answers are cached by.

A set of formulas becomes one array of triples in postfix order. Names are numbered by first use and bound variables by
distance (de Bruijn), so questions that differ only in names are one question, and no text of anybody reaches a solver.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from suasion.analysis.logic.syntax import And, Atom, Exists, ForAll, Formula, Function, Iff, Implies, Not, Or, Term

# operation: its two numbers
BOUND, APPLY, HOLDS, EQUAL, NOT, AND, OR, IMPLIES, IFF, ALL, SOME, DONE = range(12)
#   BOUND distance 0 · APPLY function, terms · HOLDS predicate, terms · AND, OR parts 0 · ALL, SOME variables 0
#   DONE: a formula ends

Tree: TypeAlias = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Encoded:
    """The numbers as bytes, and the names they stand for: position is number, value is (name, number of terms)."""

    numbers: bytes
    functions: tuple[tuple[str, int], ...]
    predicates: tuple[tuple[str, int], ...]


def encode(formulas: Sequence[Formula]) -> Encoded:
    """All formulas as one question: can they be true together?

    Raises:
        RecursionError: a tree built by hand that is far deeper than the parser allows.
    """
    encoder = _Encoder()
    for formula in formulas:
        encoder.formula(formula, {}, 0)
        encoder.numbers.extend((DONE, 0, 0))
    return Encoded(encoder.numbers.tobytes(), tuple(encoder.functions), tuple(encoder.predicates))


def decode(numbers: bytes) -> array[int]:
    """The triples of an encoded question, one after the other."""
    triples = array("i")
    triples.frombytes(numbers)
    return triples


def as_trees(triples: array[int]) -> list[Tree]:
    """The formulas as nested tuples: operation, its two numbers, then the parts."""
    stack: list[Tree] = []
    done: list[Tree] = []
    numbers = iter(triples)
    for operation, first, second in zip(numbers, numbers, numbers, strict=True):
        if operation == DONE:
            done.append(stack.pop())
            continue
        if operation in (APPLY, HOLDS):
            count = second
        elif operation in (AND, OR):
            count = first
        else:
            count = {BOUND: 0, NOT: 1, ALL: 1, SOME: 1}.get(operation, 2)
        inner = stack[len(stack) - count :]
        del stack[len(stack) - count :]
        stack.append((operation, first, second, *inner))
    return done


class _Encoder:
    def __init__(self) -> None:
        self.numbers = array("i")
        self.functions: dict[tuple[str, int], int] = {}
        self.predicates: dict[tuple[str, int], int] = {}

    def formula(self, formula: Formula, bound: dict[str, int], depth: int) -> None:
        if isinstance(formula, Atom):
            for argument in formula.arguments:
                self.term(argument, bound, depth)
            count = len(formula.arguments)
            self.numbers.extend((HOLDS, self.predicates.setdefault((formula.name, count), len(self.predicates)), count))
        elif isinstance(formula, ForAll | Exists):
            inner = dict(bound)
            for name in formula.variables:
                inner[name] = depth
                depth += 1
            self.formula(formula.body, inner, depth)
            self.numbers.extend((ALL if isinstance(formula, ForAll) else SOME, len(formula.variables), 0))
        elif isinstance(formula, And | Or):
            for part in formula.parts:
                self.formula(part, bound, depth)
            self.numbers.extend((AND if isinstance(formula, And) else OR, len(formula.parts), 0))
        elif isinstance(formula, Not):
            self.formula(formula.body, bound, depth)
            self.numbers.extend((NOT, 0, 0))
        elif isinstance(formula, Implies | Iff):
            self.formula(formula.left, bound, depth)
            self.formula(formula.right, bound, depth)
            self.numbers.extend((IMPLIES if isinstance(formula, Implies) else IFF, 0, 0))
        else:
            self.term(formula.left, bound, depth)
            self.term(formula.right, bound, depth)
            self.numbers.extend((EQUAL, 0, 0))

    def term(self, term: Term, bound: dict[str, int], depth: int) -> None:
        if isinstance(term, Function):
            for argument in term.arguments:
                self.term(argument, bound, depth)
            key = (term.name, len(term.arguments))
        elif term.name in bound:
            self.numbers.extend((BOUND, depth - bound[term.name] - 1, 0))
            return
        else:
            key = (term.name, 0)
        self.numbers.extend((APPLY, self.functions.setdefault(key, len(self.functions)), key[1]))
