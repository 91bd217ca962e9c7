"""Formulas of first-order logic with equality and function symbols, as a typed and frozen tree.

A formula is exactly what was written: ``(p & q) & r`` and ``p & q & r`` are two trees, ``all x y.P`` and ``all x.all
y.P`` too. Positions (``at``, the first character counts 1) do not take part in comparison.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

MAX_DEPTH = 100  # deeper trees are refused by the parser: nobody means them, and Python's and the solvers' stacks stay safe


@dataclass(frozen=True, slots=True)
class Variable:
    """A name bound by a quantifier, or one that is free and looks like a variable (``u`` to ``z``, digits may
    follow)."""

    name: str
    at: int = field(default=0, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Constant:
    """A name of one thing."""

    name: str
    at: int = field(default=0, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Function:
    """A function symbol with its terms: ``father(rex)``."""

    name: str
    arguments: tuple[Term, ...]
    at: int = field(default=0, compare=False, repr=False)


Term: TypeAlias = Variable | Constant | Function


@dataclass(frozen=True, slots=True)
class Atom:
    """A predicate with its terms, or without any: a sentence letter."""

    name: str
    arguments: tuple[Term, ...] = ()
    at: int = field(default=0, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Equality:
    """``left = right``. ``left != right`` is its :class:`Not`."""

    left: Term
    right: Term


@dataclass(frozen=True, slots=True)
class Not:
    """``-body``"""

    body: Formula


@dataclass(frozen=True, slots=True)
class And:
    """``p & q & r``: two parts or more."""

    parts: tuple[Formula, ...]


@dataclass(frozen=True, slots=True)
class Or:
    """``p | q | r``: two parts or more."""

    parts: tuple[Formula, ...]


@dataclass(frozen=True, slots=True)
class Implies:
    """``left -> right``"""

    left: Formula
    right: Formula


@dataclass(frozen=True, slots=True)
class Iff:
    """``left <-> right``"""

    left: Formula
    right: Formula


@dataclass(frozen=True, slots=True)
class ForAll:
    """``all x y.body``"""

    variables: tuple[str, ...]
    body: Formula
    at: int = field(default=0, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Exists:
    """``exists x y.body``"""

    variables: tuple[str, ...]
    body: Formula
    at: int = field(default=0, compare=False, repr=False)


Quantified: TypeAlias = ForAll | Exists
Formula: TypeAlias = Atom | Equality | Not | And | Or | Implies | Iff | ForAll | Exists
Node: TypeAlias = Formula | Term


def children(node: Node) -> tuple[Node, ...]:
    """The formulas and terms directly below, in the order of the text."""
    match node:
        case Atom(arguments=arguments) | Function(arguments=arguments):
            return arguments
        case And(parts) | Or(parts):
            return parts
        case Equality(left, right) | Implies(left, right) | Iff(left, right):
            return (left, right)
        case Not(body) | ForAll(body=body) | Exists(body=body):
            return (body,)
    return ()


def walk(formula: Formula) -> Iterator[tuple[Node, frozenset[str]]]:
    """Every node with the variables bound around it, in the order of the text, without recursion."""
    waiting: list[tuple[Node, frozenset[str]]] = [(formula, frozenset())]
    while waiting:
        node, bound = waiting.pop()
        yield node, bound
        if isinstance(node, ForAll | Exists):
            bound = bound.union(node.variables)
        waiting.extend((child, bound) for child in reversed(children(node)))


def looks_variable(name: str) -> bool:
    """Whether a free name is read as a variable by convention: ``u``, ``v``, ``w``, ``x``, ``y``, ``z``, digits may
    follow."""
    return name[:1] in set("uvwxyz") and (len(name) == 1 or name[1:].isdigit())
