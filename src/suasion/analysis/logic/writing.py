"""A formula as NLTK's text, with exactly the brackets that are needed: ``parse(to_text(f)).formula == f`` for whatever
was parsed."""

from __future__ import annotations

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

_EQUALITY, _PREFIX, _AND, _OR, _IMPLIES, _IFF = range(6)  # from tight to loose


def to_text(formula: Formula) -> str:
    """The formula in NLTK's syntax."""
    return _written(formula)[0]


def term_text(term: Term) -> str:
    """A term: ``father(rex)``."""
    if isinstance(term, Function):
        return f"{term.name}({', '.join(map(term_text, term.arguments))})"
    return term.name


def _written(formula: Formula) -> tuple[str, int]:
    """The text and how tightly its outermost operator binds."""
    match formula:
        case Atom(name, arguments):
            return (f"{name}({', '.join(map(term_text, arguments))})" if arguments else name), _EQUALITY
        case Equality(left, right):
            return f"{term_text(left)} = {term_text(right)}", _EQUALITY
        case Not(Equality(left, right)):
            return f"{term_text(left)} != {term_text(right)}", _EQUALITY
        case Not(body):
            return "-" + _within(body, _PREFIX), _PREFIX
        case And(parts):
            return " & ".join(_within(part, _PREFIX) for part in parts), _AND
        case Or(parts):
            return " | ".join(_within(part, _AND) for part in parts), _OR
        case Implies(left, right):
            return f"{_within(left, _OR)} -> {_within(right, _OR)}", _IMPLIES
        case Iff(left, right):
            return f"{_within(left, _IMPLIES)} <-> {_within(right, _IMPLIES)}", _IFF
        case ForAll(variables, body):
            return f"all {' '.join(variables)}.{_within(body, _PREFIX)}", _PREFIX
        case Exists(variables, body):
            return f"exists {' '.join(variables)}.{_within(body, _PREFIX)}", _PREFIX


def _within(formula: Formula, loosest: int) -> str:
    text, tightness = _written(formula)
    return text if tightness <= loosest else f"({text})"
