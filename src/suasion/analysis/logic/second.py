"""A second opinion by cvc5, through its API alone: for what z3 leaves undecided, and as a cross-check in tests."""

from __future__ import annotations

from array import array
from typing import Any

from suasion.analysis.logic.encoding import (
    ALL,
    AND,
    APPLY,
    BOUND,
    EQUAL,
    HOLDS,
    IFF,
    IMPLIES,
    NOT,
    OR,
    SOME,
    Tree,
    as_trees,
)
from suasion.errors import SuasionError


def installed() -> Any:
    """The module cvc5.

    Raises:
        SuasionError: it is not installed.
    """
    try:
        import cvc5  # type: ignore[import-untyped, unused-ignore]
    except ImportError as error:
        raise SuasionError("The prover cvc5 is not installed.", hint="Install the package cvc5, or do without a second opinion.") from error
    return cvc5


def second_opinion(triples: array[int], steps: int = 30_000, seconds: float = 5.0) -> bool | None:
    """Whether the formulas of an encoded question can be true together; ``None`` when cvc5 cannot tell.

    Args:
        triples: an encoded question.
        steps: cvc5's resource units for each of two ways to look; they do not depend on the machine.
        seconds: cvc5's clock, in case the units run slowly.

    Raises:
        SuasionError: cvc5 is not installed.
    """
    cvc5 = installed()
    for option in (
        "full-saturate-quant",
        "finite-model-find",
    ):  # the first is better at contradictions, the second at models
        terms = cvc5.TermManager()
        solver = cvc5.Solver(terms)
        solver.setLogic("UF")
        for name, value in (("rlimit-per", steps), ("tlimit-per", int(500 * seconds)), (option, "true")):
            solver.setOption(name, str(value))
        for formula in _formulas(cvc5, terms, triples):
            solver.assertFormula(formula)
        result = solver.checkSat()
        if not result.isUnknown():
            return bool(result.isSat())
    return None


def _formulas(cvc5: Any, terms: Any, triples: array[int]) -> list[Any]:
    """The formulas as cvc5's terms; symbols and variables have no names."""
    things = terms.mkUninterpretedSort()
    kinds = cvc5.Kind
    symbols: dict[tuple[int, int, int], Any] = {}
    connectives = {
        EQUAL: kinds.EQUAL,
        NOT: kinds.NOT,
        AND: kinds.AND,
        OR: kinds.OR,
        IMPLIES: kinds.IMPLIES,
        IFF: kinds.EQUAL,
    }

    def symbol(key: tuple[int, int, int]) -> Any:
        if key not in symbols:
            operation, _, arity = key
            result = terms.getBooleanSort() if operation == HOLDS else things
            symbols[key] = terms.mkConst(terms.mkFunctionSort([things] * arity, result) if arity else result)
        return symbols[key]

    def build(tree: Tree, bound: list[Any]) -> Any:
        operation, first, second, *inner = tree
        if operation == BOUND:
            return bound[-1 - first]
        if operation in (APPLY, HOLDS):
            parts = [build(part, bound) for part in inner]
            return terms.mkTerm(kinds.APPLY_UF, symbol((operation, first, second)), *parts) if parts else symbol((operation, first, 0))
        if operation in (ALL, SOME):
            variables = [terms.mkVar(things) for _ in range(first)]
            body = build(inner[0], bound + variables)
            return terms.mkTerm(kinds.FORALL if operation == ALL else kinds.EXISTS, terms.mkTerm(kinds.VARIABLE_LIST, *variables), body)
        return terms.mkTerm(connectives[operation], *[build(part, bound) for part in inner])

    return [build(tree, []) for tree in as_trees(triples)]
