"""Formulas by chance: strategies for hypothesis, and a quick generator from a seed."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from hypothesis import strategies as st

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

VARIABLES = ("x", "y", "z", "w")


@dataclass
class Chance:
    """Well-formed closed formulas over a small vocabulary."""

    random: random.Random
    sentences: tuple[str, ...] = ("p", "q", "r")
    unary: tuple[str, ...] = ("F", "G", "H")
    binary: tuple[str, ...] = ("R", "S")
    constants: tuple[str, ...] = ("a", "b", "c")
    functions: tuple[str, ...] = ("f",)
    bound: list[str] = field(default_factory=list)

    def formula(self, depth: int) -> Formula:
        pick = self.random.random()
        if depth == 0 or pick < 0.15:
            return self.atom()
        if pick < 0.3:
            return Not(self.formula(depth - 1))
        if pick < 0.55:
            parts = tuple(self.formula(depth - 1) for _ in range(self.random.choice((2, 2, 2, 3))))
            return And(parts) if self.random.random() < 0.5 else Or(parts)
        if pick < 0.7:
            kind = Implies if self.random.random() < 0.7 else Iff
            return kind(self.formula(depth - 1), self.formula(depth - 1))
        free = [name for name in VARIABLES if name not in self.bound]
        if not free:
            return self.atom()
        self.bound.append(free[0])
        body = self.formula(depth - 1)
        self.bound.pop()
        return (ForAll if self.random.random() < 0.5 else Exists)((free[0],), body)

    def atom(self) -> Formula:
        pick = self.random.random()
        if self.bound and pick < 0.15:
            pick += 0.2
        if pick < 0.15 and self.sentences:
            return Atom(self.random.choice(self.sentences))
        if pick < 0.25:
            return Equality(self.term(), self.term())
        if pick < 0.65:
            return Atom(self.random.choice(self.unary), (self.term(),))
        return Atom(self.random.choice(self.binary), (self.term(), self.term()))

    def term(self) -> Term:
        if self.functions and self.random.random() < 0.1:
            return Function(self.random.choice(self.functions), (self.thing(),))
        return self.thing()

    def thing(self) -> Term:
        if self.bound and self.random.random() < 0.8:
            return Variable(self.random.choice(self.bound))
        return Constant(self.random.choice(self.constants))


@st.composite
def formulas(draw: st.DrawFn, depth: int = 4) -> Formula:
    """Closed formulas, every binder used or not, names of several characters among them."""
    return _formula(draw, depth, ())


def _formula(draw: st.DrawFn, depth: int, bound: tuple[str, ...]) -> Formula:
    kind = draw(
        st.sampled_from(("atom", "equality", "not", "and", "or", "implies", "iff", "all", "exists") if depth else ("atom", "equality"))
    )
    if kind == "atom":
        count = draw(st.integers(0, 3))
        return Atom(
            draw(st.sampled_from(("P", "Q", "man", "is_happy", "F1", "R'"))),
            tuple(_term(draw, 2, bound) for _ in range(count)),
        )
    if kind == "equality":
        return Equality(_term(draw, 2, bound), _term(draw, 2, bound))
    if kind == "not":
        return Not(_formula(draw, depth - 1, bound))
    if kind in ("and", "or"):
        parts = tuple(_formula(draw, depth - 1, bound) for _ in range(draw(st.integers(2, 3))))
        return And(parts) if kind == "and" else Or(parts)
    if kind in ("implies", "iff"):
        left, right = _formula(draw, depth - 1, bound), _formula(draw, depth - 1, bound)
        return Implies(left, right) if kind == "implies" else Iff(left, right)
    names = tuple(draw(st.lists(st.sampled_from(("x", "y", "z2", "d", "X", "thing")), min_size=1, max_size=2, unique=True)))
    body = _formula(draw, depth - 1, bound + names)
    return ForAll(names, body) if kind == "all" else Exists(names, body)


def _term(draw: st.DrawFn, depth: int, bound: tuple[str, ...]) -> Term:
    kind = draw(st.sampled_from(("bound", "constant", "function", "free")))
    if kind == "bound" and bound:
        return Variable(draw(st.sampled_from(bound)))
    if kind == "function" and depth:
        return Function(
            draw(st.sampled_from(("father", "g", "Mother"))),
            tuple(_term(draw, depth - 1, bound) for _ in range(draw(st.integers(1, 2)))),
        )
    if kind == "free":
        name = draw(st.sampled_from(("u", "v9")))
        return Variable(name)
    return Constant(draw(st.sampled_from(("a", "socrates", "Rex", "c_1"))))
