"""Small models, found by spelling every quantifier out over a few things: propositional logic, which the solver always
decides.

Of all models of a size the least is taken (things as early as can be, then as few truths as can be, atom by atom), so
the same question gives the same model whatever the solver was asked before, and a model says no more than it must.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product
from math import prod
from typing import TypeAlias

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
from suasion.analysis.logic.terms import Terms
from suasion.analysis.logic.z3api import array_of

BUDGET = 50_000  # cases and connectives spelled out for one size; above, the size is left alone
LETTERS = 1_500  # atoms of one size, each of which may have to be settled by a question of its own
_TRUE, _FALSE = 1, -1  # z3's numbers
Truth: TypeAlias = bool | int  # known, or a z3 term (a pointer: never 0 or 1)


@dataclass(slots=True)
class FiniteModel:
    """``size`` things, numbered from 0, and a table for each symbol's number.

    A function's runs over all tuples of things, the last thing fastest; a predicate's lists the tuples that it holds
    of.
    """

    size: int
    functions: dict[int, list[int]] = field(default_factory=dict)
    predicates: dict[int, list[tuple[int, ...]]] = field(default_factory=dict)


class TooBig(Exception):
    """Spelling this size out would go over the budget, or the solver's allowance."""


def find_model(terms: Terms, solver: int, triples: array[int]) -> FiniteModel | None:
    """The least model of the first size that has one; ``None`` when no small size has, or they are too big to spell
    out.

    First the constants are different things, as writers mean them, with up to two more; then they may be the same.
    """
    trees = as_trees(triples)
    symbols = sorted({tree[:3] for root in trees for tree in _nodes(root) if tree[0] in (APPLY, HOLDS)})
    constants = sorted(number for operation, number, arity in symbols if operation == APPLY and arity == 0)
    count = max(1, len(constants))
    tries = [(count, True), (count + 1, True), (1, False), (2, False), (3, False), (count + 2, True), (4, False)]
    seen = set()
    for size, apart in tries:
        if not constants:
            apart = False
        if (size, apart) not in seen:
            seen.add((size, apart))
            try:
                model = _Spelled(terms, trees, symbols, size, constants if apart else []).solve(solver)
            except TooBig:
                model = None
            if model:
                return model
    return None


def _nodes(root: Tree) -> Iterator[Tree]:
    waiting = [root]
    while waiting:
        yield (tree := waiting.pop())
        waiting.extend(tree[3:])


class _Spelled:
    def __init__(self, terms: Terms, trees: list[Tree], symbols: list[tuple[int, int, int]], size: int, apart: list[int]) -> None:
        self.terms, self.trees, self.symbols, self.size = terms, trees, symbols, size
        self.z3, self.context = terms.z3, terms.context
        self.left = BUDGET
        if any(operation == APPLY and size**arity > LETTERS for operation, _, arity in symbols):
            raise TooBig
        self.letters: dict[tuple[int, ...], tuple[int, int]] = {}  # (operation, number, things…): symbol and term
        self.fixed = {number: place for place, number in enumerate(apart)}
        self.conditions: list[Truth] = []

    def solve(self, solver: int) -> FiniteModel | None:
        z3, context = self.z3, self.context
        z3.solver_push(context, solver)
        try:
            truths = [self._formula(tree, ()) for tree in self.trees] + self.conditions
            if any(truth is False for truth in truths):
                return None
            for truth in truths:
                if truth is not True:
                    z3.solver_assert(context, solver, truth)
            return self._least(solver) if z3.solver_check(context, solver) == _TRUE else None
        finally:
            z3.solver_pop(context, solver, 1)
            self.terms.forget()

    def _least(self, solver: int) -> FiniteModel:
        """Settle letter after letter at "false" wherever that is possible."""
        z3, context = self.z3, self.context
        # functions first; of their values the last things first, so that a thing as early as can be is left
        order = sorted(self.letters, key=lambda key: (key[0] != APPLY, *(-part if key[0] == APPLY else part for part in key[1:])))
        values = self._values(solver, order)
        settled: list[int] = []  # told to the solver only when it is asked again
        for place, key in enumerate(order):
            letter = self.letters[key][1]
            if values[key]:
                for one in settled:
                    z3.solver_assert(context, solver, one)
                denied = self.terms.hold(z3.mk_not(context, letter))
                possible = z3.solver_check_assumptions(context, solver, 1, array_of([denied]))
                if possible not in (_TRUE, _FALSE):
                    raise TooBig  # rather no model than one that depends on where the solver stood
                if possible == _TRUE:
                    values |= self._values(solver, order[place:])
                settled = [denied if possible == _TRUE else letter]
            else:
                settled.append(self.terms.hold(z3.mk_not(context, letter)))
        return self._model(values)

    def _values(self, solver: int, keys: Sequence[tuple[int, ...]]) -> dict[tuple[int, ...], bool]:
        z3, context = self.z3, self.context
        model = z3.solver_get_model(context, solver)
        z3.model_inc_ref(context, model)
        values = {}
        for key in keys:
            value = z3.model_get_const_interp(context, model, self.letters[key][0])
            values[key] = bool(value) and z3.get_bool_value(context, value) == _TRUE
        z3.model_dec_ref(context, model)
        return values

    def _model(self, values: dict[tuple[int, ...], bool]) -> FiniteModel:
        things = range(self.size)
        predicates: dict[int, list[tuple[int, ...]]] = {number: [] for operation, number, _ in self.symbols if operation == HOLDS}
        for operation, number, *row in sorted(key for key, truth in values.items() if truth):
            if operation == HOLDS:
                predicates[number].append(tuple(row))
        functions = {}
        for operation, number, arity in self.symbols:
            if number in self.fixed and (operation, arity) == (APPLY, 0):
                functions[number] = [self.fixed[number]]
            elif operation == APPLY:
                rows = product(things, repeat=arity)
                functions[number] = [next((thing for thing in things if values.get((APPLY, number, *row, thing))), 0) for row in rows]
        return FiniteModel(self.size, functions, predicates)

    def _letter(self, key: tuple[int, ...]) -> int:
        if key not in self.letters:
            if len(self.letters) >= LETTERS:
                raise TooBig
            self.letters[key] = self.terms.letter(len(self.letters))
        return self.letters[key][1]

    def _formula(self, tree: Tree, things: tuple[int, ...]) -> Truth:
        operation = tree[0]
        if operation == HOLDS:
            known = self._known(tree[3:], things)
            if known is not None:
                return self._letter((HOLDS, tree[1], *known))
            choices = self._rows([self._term(part, things) for part in tree[3:]])
            return self._any([self._all([*truth, self._letter((HOLDS, tree[1], *row))]) for row, truth in choices])
        if operation == EQUAL:
            left, right = self._term(tree[3], things), self._term(tree[4], things)
            return self._any([self._all([left[thing], right[thing]]) for thing in left if thing in right])
        if operation in (ALL, SOME):
            rows = product(range(self.size), repeat=tree[1])
            join = self._all if operation == ALL else self._any
            truths = []
            for row in rows:
                self._spend()
                truths.append(self._formula(tree[3], things + row))
                if truths[-1] is (operation == SOME):
                    break
            return join(truths)
        parts = [self._formula(part, things) for part in tree[3:]]
        if operation == NOT:
            return self._not(parts[0])
        if operation == AND:
            return self._all(parts)
        if operation == OR:
            return self._any(parts)
        if operation == IMPLIES:
            return self._any([self._not(parts[0]), parts[1]])
        assert operation == IFF  # noqa: S101 - no other operations exist
        if isinstance(parts[0], bool):
            return parts[1] if parts[0] else self._not(parts[1])
        if isinstance(parts[1], bool):
            return parts[0] if parts[1] else self._not(parts[0])
        return self._make(self.z3.mk_iff(self.context, parts[0], parts[1]))

    def _known(self, terms: tuple[Tree, ...], things: tuple[int, ...]) -> list[int] | None:
        """The things that terms denote, where no letter decides that."""
        row = []
        for term in terms:
            if term[0] == BOUND:
                row.append(things[-1 - term[1]])
            elif term[2] == 0 and term[1] in self.fixed:
                row.append(self.fixed[term[1]])
            else:
                return None
        return row

    def _term(self, tree: Tree, things: tuple[int, ...]) -> dict[int, Truth]:
        """Which thing a term may denote: thing → under which condition."""
        if tree[0] == BOUND:
            return {things[-1 - tree[1]]: True}
        number = tree[1]
        if not tree[3:] and number in self.fixed:
            return {self.fixed[number]: True}
        found: dict[int, list[Truth]] = {}
        for row, truth in self._rows([self._term(part, things) for part in tree[3:]]):
            for thing, letter in self._value(number, row).items():
                found.setdefault(thing, []).append(self._all([*truth, letter]))
        return {thing: self._any(truths) for thing, truths in found.items()}

    def _value(self, number: int, row: tuple[int, ...]) -> dict[int, Truth]:
        """The letters that say which thing a function gives; exactly one of them is true."""
        if self.size == 1:
            return {0: True}
        known = (APPLY, number, *row, 0) in self.letters
        letters: dict[int, Truth] = {thing: self._letter((APPLY, number, *row, thing)) for thing in range(self.size)}
        if not known:
            denied = {thing: self._not(letter) for thing, letter in letters.items()}
            self.conditions.append(self._any(list(letters.values())))
            self.conditions += [self._any([denied[one], denied[other]]) for one in letters for other in letters if one < other]
        return letters

    def _rows(self, terms: list[dict[int, Truth]]) -> list[tuple[tuple[int, ...], list[Truth]]]:
        """Every tuple of things that the terms may denote, with its conditions."""
        self._spend(prod(map(len, terms)))
        return [(tuple(thing for thing, _ in row), [truth for _, truth in row]) for row in product(*(term.items() for term in terms))]

    def _not(self, truth: Truth) -> Truth:
        return (not truth) if isinstance(truth, bool) else self._make(self.z3.mk_not(self.context, truth))

    def _all(self, truths: list[Truth]) -> Truth:
        return self._join(truths, True)

    def _any(self, truths: list[Truth]) -> Truth:
        return self._join(truths, False)

    def _join(self, truths: list[Truth], neutral: bool) -> Truth:
        open_ = []
        for truth in truths:
            if isinstance(truth, bool):
                if truth is not neutral:
                    return truth
            else:
                open_.append(truth)
        if len(open_) <= 1:
            return open_[0] if open_ else neutral
        make = self.z3.mk_and if neutral else self.z3.mk_or
        return self._make(make(self.context, len(open_), array_of(open_)))

    def _make(self, term: int) -> int:
        self._spend()
        return self.terms.hold(term)

    def _spend(self, cases: int = 1) -> None:
        self.left -= cases
        if self.left < 0:
            raise TooBig
