"""A small world in which formulas are true or false, and the reading of a formula in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import product

from suasion.analysis.logic.encoding import Encoded
from suasion.analysis.logic.finite import FiniteModel
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


@dataclass(frozen=True, slots=True)
class Model:
    """Things are the numbers below ``size`` (at least 1). Keys are a symbol's name and its number of terms.

    ``functions`` gives a thing for each tuple of things (the empty tuple for the name of a thing); ``predicates`` gives
    the tuples that a predicate holds of (the empty tuple for a sentence letter that is true).
    """

    size: int
    functions: Mapping[tuple[str, int], Mapping[tuple[int, ...], int]] = field(default_factory=dict)
    predicates: Mapping[tuple[str, int], frozenset[tuple[int, ...]]] = field(default_factory=dict)

    def named(self) -> dict[str, int]:
        """Names of things and the things they name."""
        return {name: table[()] for (name, arity), table in self.functions.items() if arity == 0}


def named_model(found: FiniteModel, encoded: Encoded) -> Model:
    """A model by numbers, with the names of the formulas it was found for."""
    functions, predicates = found.functions, found.predicates
    return Model(
        found.size,
        {
            key: dict(zip(product(range(found.size), repeat=key[1]), functions[number], strict=True))
            for number, key in enumerate(encoded.functions)
            if number in functions
        },
        {key: frozenset(predicates[number]) for number, key in enumerate(encoded.predicates) if number in predicates},
    )


def holds(formula: Formula, model: Model, values: Mapping[str, int] | None = None) -> bool:
    """Whether the formula is true in the model; the textbook's definition of truth.

    Args:
        formula: all its symbols must be in the model.
        model: the world.
        values: what variables stand for.
    """
    values = values or {}
    match formula:
        case Atom(name, arguments):
            return tuple(denoted(term, model, values) for term in arguments) in model.predicates[name, len(arguments)]
        case Equality(left, right):
            return denoted(left, model, values) == denoted(right, model, values)
        case Not(body):
            return not holds(body, model, values)
        case And(parts):
            return all(holds(part, model, values) for part in parts)
        case Or(parts):
            return any(holds(part, model, values) for part in parts)
        case Implies(left, right):
            return not holds(left, model, values) or holds(right, model, values)
        case Iff(left, right):
            return holds(left, model, values) == holds(right, model, values)
        case ForAll(variables, body) | Exists(variables, body):
            rows = product(range(model.size), repeat=len(variables))
            truths = (holds(body, model, {**values, **dict(zip(variables, row, strict=True))}) for row in rows)
            return all(truths) if isinstance(formula, ForAll) else any(truths)


def denoted(term: Term, model: Model, values: Mapping[str, int]) -> int:
    """The thing that a term stands for."""
    if isinstance(term, Function):
        arguments = tuple(denoted(argument, model, values) for argument in term.arguments)
        return model.functions[term.name, len(arguments)][arguments]
    return values[term.name] if term.name in values else model.functions[term.name, 0][()]
