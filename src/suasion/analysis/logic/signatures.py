"""Which symbols an argument uses, as what, with how many terms; and where one is used in two ways."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from suasion.analysis.logic.issues import Issue, shown
from suasion.analysis.logic.syntax import Atom, Constant, Exists, ForAll, Formula, Function, Node, Variable, walk

Kind: TypeAlias = Literal["sentence", "predicate", "function", "constant", "variable"]
_KINDS: dict[Kind, str] = {
    "sentence": "a sentence letter",
    "predicate": "a predicate",
    "function": "a function",
    "constant": "a name of a thing",
    "variable": "a free variable",
}


@dataclass(frozen=True, slots=True)
class Symbol:
    """A name as it is first used: its kind, its number of terms, the formula (from 0) and the character (from 1)."""

    name: str
    kind: Kind
    arity: int
    formula: int
    position: int


@dataclass(frozen=True, slots=True)
class Signature:
    """Every name that is not bound, in the order of the text, and what is inconsistent.

    Codes of the issues: ``symbol-kind`` and ``symbol-arity`` (one name used in two ways), ``open-formula`` (a variable
    that no quantifier binds), ``similar-names`` (two names that differ only in capitals).
    """

    symbols: Mapping[str, Symbol]
    issues: tuple[Issue, ...]


def signature_of(formulas: Sequence[Formula | None], names: Sequence[str] = ()) -> Signature:
    """The symbols of a whole argument. Linear in its size.

    Args:
        formulas: premises and conclusions; ``None`` where one could not be read, so that the numbers stay right.
        names: what to call each formula in messages, "(1)" say; "formula 1" and so on by default.
    """
    called = [names[number] if number < len(names) else f"formula {number + 1}" for number in range(len(formulas))]
    symbols: dict[str, Symbol] = {}
    issues: dict[tuple[str, str, int], Issue] = {}
    for number, formula in enumerate(formulas):
        if formula is None:
            continue
        quantified = _quantified(formula)
        for node, bound in walk(formula):
            symbol = _symbol(node, number)
            if symbol is None or (symbol.name in bound and symbol.kind == "variable"):
                continue
            if symbol.kind == "variable" or (symbol.kind == "constant" and symbol.name in quantified):
                issues.setdefault(("open-formula", symbol.name, number), _open(symbol, symbol.name in quantified))
            first = symbols.setdefault(symbol.name, symbol)
            clash = _clash(first, symbol, called)
            if clash:
                issues.setdefault((clash.code, symbol.name, 0), clash)
    return Signature(symbols, (*issues.values(), *_similar(symbols)))


def _quantified(formula: Formula) -> set[str]:
    return {name for node, _ in walk(formula) if isinstance(node, ForAll | Exists) for name in node.variables}


def _symbol(node: Node, number: int) -> Symbol | None:
    match node:
        case Atom(name, arguments, at):
            return Symbol(name, "predicate" if arguments else "sentence", len(arguments), number, at)
        case Function(name, arguments, at):
            return Symbol(name, "function", len(arguments), number, at)
        case Constant(name, at):
            return Symbol(name, "constant", 0, number, at)
        case Variable(name, at):
            return Symbol(name, "variable", 0, number, at)
    return None


def _open(symbol: Symbol, bound_elsewhere: bool) -> Issue:
    name = shown(symbol.name)
    if bound_elsewhere:
        message = f"'{name}' stands outside the scope of its quantifier, so this is an open formula."
        hint = f"A quantifier reaches only to the next operator: put brackets around its scope, all {name}.(… -> …)."
    else:
        message = f"'{name}' looks like a variable, but no quantifier binds it, so this is an open formula."
        hint = f"Begin with all {name}.(…) or exists {name}.(…), or name a thing with another letter, a say."
    return Issue("open-formula", message, hint, symbol.position, symbol.formula)


def _clash(first: Symbol, symbol: Symbol, called: Sequence[str]) -> Issue | None:
    things = {"constant", "variable"}
    if first.kind == symbol.kind or {first.kind, symbol.kind} <= things:
        if first.arity == symbol.arity:
            return None
        here, there = (
            f"{_terms(symbol.arity)} in {called[symbol.formula]}",
            f"{_terms(first.arity)} in {called[first.formula]}",
        )
        message = f"'{shown(symbol.name)}' has {there} and {here}."
        return Issue(
            "symbol-arity",
            message,
            "Use a symbol with the same number of terms everywhere.",
            symbol.position,
            symbol.formula,
        )
    message = (
        f"'{shown(symbol.name)}' is {_KINDS[first.kind]} in {called[first.formula]} (character {first.position}) "
        f"and {_KINDS[symbol.kind]} in {called[symbol.formula]} (character {symbol.position})."
    )
    return Issue("symbol-kind", message, "Give the two meanings two names.", symbol.position, symbol.formula)


def _terms(arity: int) -> str:
    return "1 term" if arity == 1 else f"{arity} terms"


def _similar(symbols: Mapping[str, Symbol]) -> list[Issue]:
    seen: dict[tuple[str, str, int], Symbol] = {}
    issues = []
    for symbol in symbols.values():
        other = seen.setdefault((symbol.name.casefold(), symbol.kind, symbol.arity), symbol)
        if other is not symbol:
            message = f"'{shown(symbol.name)}' and '{shown(other.name)}' differ only in capitals, and are two symbols."
            issues.append(Issue("similar-names", message, "Spell a symbol alike everywhere.", symbol.position, symbol.formula))
    return issues
