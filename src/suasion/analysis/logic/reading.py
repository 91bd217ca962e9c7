"""A formula read aloud in plain English: ``all x.(F(x) -> G(x))`` is "for every x, if x is a man then x is mortal".

Two formulas that differ are read differently. Where an outer word could be taken to reach further than it does, the
inner part begins with a word that says how it goes on (both … and, either … or, if … then), and longer or nested ones
are numbered.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import count

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
    walk,
)
from suasion.analysis.logic.wording import Pieces, Wording

_JOINING = re.compile(r"\b(?:and|or|if|then|both|either|neither|nor|unless|iff|because)\b|[,;:]", re.IGNORECASE)
_SCOPED = re.compile(
    r"\b(?:not|never|no|none|every\w*|all|some\w*|any\w*|each|only|and|or|if|nothing|nobody|both|either)\b",
    re.IGNORECASE,
)
_DENIED = {"is": "is not", "was": "was not", "can": "cannot", "will": "will not", "has to": "does not have to"}
_NUMBERS = (("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x"), tuple("abcdefghij"), (*"123456789", "10"))
NOT = "it is not the case that "


def read_aloud(formula: Formula, declarations: Mapping[str, object] | Wording | None = None) -> str:
    """The formula as an English clause, without a capital and a full stop.

    Args:
        formula: any formula; free variables are read as they are.
        declarations: symbol → meaning, see :mod:`suasion.analysis.logic.wording`; what is missing is read from the
            symbol itself.
    """
    wording = declarations if isinstance(declarations, Wording) else Wording(declarations)
    taken = {wording.thing(node.name) for node, bound in walk(formula) if isinstance(node, Constant) and node.name not in bound}
    return _Reader(wording, taken).clause(formula, {}, True, 0)


def denial(pieces: Pieces) -> Pieces | None:
    """The phrase with "not" in it, where that says just the opposite ("0 is not a man"); ``None`` where it takes a
    longer way."""
    if len(pieces) < 2 or pieces[0] != 0 or not isinstance(pieces[1], str):
        return None
    if any(isinstance(piece, str) and _SCOPED.search(piece) for piece in pieces):
        return None
    for word, denied in _DENIED.items():
        if re.match(rf" {word}\b", pieces[1]):
            return (0, f" {denied}{pieces[1][len(word) + 1 :]}", *pieces[2:])
    return None


def filled(pieces: Pieces, terms: Sequence[str]) -> str:
    """A phrase with its terms."""
    return "".join(piece if isinstance(piece, str) else terms[piece] for piece in pieces)


class _Reader:
    def __init__(self, wording: Wording, taken: set[str]) -> None:
        self.wording, self.taken = wording, taken

    def clause(self, formula: Formula, names: dict[str, str], closed: bool, level: int) -> str:
        """The formula as a clause.

        Args:
            formula: what to read.
            names: how bound variables are called.
            closed: whether nothing can follow that might be taken for a part of this clause.
            level: how many numbered lists are open, for the style of the numbers.
        """
        match formula:
            case Atom() | Equality():
                return self._simple(formula, names, False, closed)
            case Not(Atom() | Equality() as body) if self._deniable(body):
                return self._simple(body, names, True, closed)
            case Not(Exists(variables, body)):
                return self._bound("there is no {} such that ", "there are no {} such that ", variables, body, names, closed, level)
            case Not(body):
                return NOT + self.clause(body, names, False, level)
            case And(parts):
                return self._joined(parts, names, closed, level, ("and", "both", "all of these hold"))
            case Or(parts):
                return self._joined(parts, names, closed, level, ("or", "either", "at least one of these holds"))
            case Implies(left, right):
                return f"if {self.clause(left, names, True, level)} then {self.clause(right, names, False, level)}"
            case Iff(left, right):
                if closed and self._is_simple(left) and self._is_simple(right):
                    clauses = [self.clause(side, names, False, level) for side in (left, right)]
                    return " if and only if ".join(clauses)
                return self._numbered("these two are equivalent", "and", (left, right), names, level)
            case ForAll(variables, body):
                return self._bound("for every {}, ", "for every {}, ", variables, body, names, closed, level)
            case Exists(variables, body):
                return self._bound("there is some {} such that ", "there are some {} such that ", variables, body, names, closed, level)

    def _joined(self, parts: tuple[Formula, ...], names: dict[str, str], closed: bool, level: int, words: tuple[str, str, str]) -> str:
        joint, opening, heading = words
        plain = closed and all(self._is_simple(part) for part in parts)
        if len(parts) > 2 and not plain:
            return self._numbered(heading, joint, parts, names, level)
        clauses = [self.clause(part, names, False, level) for part in parts]
        text = f"{', '.join(clauses[:-1])} {joint} {clauses[-1]}"
        return text if plain else f"{opening} {text}"

    def _numbered(self, heading: str, joint: str, parts: tuple[Formula, ...], names: dict[str, str], level: int) -> str:
        style = _NUMBERS[level % len(_NUMBERS)]
        numbers = [style[number] if number < len(style) else str(number + 1) for number in range(len(parts))]
        clauses = [f"({number}) {self.clause(part, names, False, level + 1)}" for number, part in zip(numbers, parts, strict=True)]
        return f"{heading}: {', '.join(clauses[:-1])}, {joint} {clauses[-1]}"

    def _bound(
        self,
        one: str,
        several: str,
        variables: tuple[str, ...],
        body: Formula,
        names: dict[str, str],
        closed: bool,
        level: int,
    ) -> str:
        inner = dict(names)
        called: list[str] = []
        for variable in variables:
            inner[variable] = next(name for name in _choices(variable) if name not in self.taken and name not in [*names.values(), *called])
            called.append(inner[variable])
        listed = called[0] if len(called) == 1 else f"{', '.join(called[:-1])} and {called[-1]}"
        opening = (one if len(called) == 1 else several).format(listed)
        return opening + self.clause(body, inner, closed, level)

    def _simple(self, formula: Atom | Equality, names: dict[str, str], denied: bool, closed: bool) -> str:
        if isinstance(formula, Equality):
            verb = "is not" if denied else "is"
            return f"{self._term(formula.left, names)} {verb} the same as {self._term(formula.right, names)}"
        pieces = self._pieces(formula)
        text = filled((denial(pieces) or pieces) if denied else pieces, [self._term(term, names) for term in formula.arguments])
        # a sentence that joins others itself must not be taken for what joins it
        return text if closed or not _JOINING.search("".join(piece for piece in pieces if isinstance(piece, str))) else f"“{text}”"

    def _pieces(self, atom: Atom) -> Pieces:
        if not atom.arguments:
            return (self.wording.sentence(atom.name),)
        return self.wording.predicate(atom.name, len(atom.arguments))

    def _deniable(self, formula: Formula) -> bool:
        return isinstance(formula, Equality) or (isinstance(formula, Atom) and denial(self._pieces(formula)) is not None)

    def _is_simple(self, formula: Formula) -> bool:
        """Whether it is read without a word that reaches over what follows."""
        return isinstance(formula, Atom | Equality) or (isinstance(formula, Not) and self._deniable(formula.body))

    def _term(self, term: Term, names: dict[str, str]) -> str:
        if isinstance(term, Function):
            return filled(
                self.wording.function(term.name, len(term.arguments)),
                [self._term(part, names) for part in term.arguments],
            )
        return names[term.name] if term.name in names else self.wording.thing(term.name)


def _choices(variable: str) -> Iterator[str]:
    """Names for a bound variable: its own, then others."""
    yield variable
    yield from "xyzuvw"
    yield from (f"x{number}" for number in count(1))
