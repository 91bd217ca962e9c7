"""Text into a formula, after the syntax NLTK publishes (https://www.nltk.org/howto/logic.html), by a parser of our own.

Operators from tight to loose, as NLTK's: ``=`` and ``!=``; ``-`` and the quantifiers; ``&``; ``|``; ``->``; ``<->``.
Binary ones group to the left. What NLTK also reads but is not first-order (lambda, application of formulas, quantified
predicates) is an error that says so. Two readings differ: ``-a = b`` is ``-(a = b)`` here (NLTK's negated term has no
meaning), and quantified names may be long.

One pass with two stacks: linear in the text, and no nesting can overflow Python's stack.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from suasion.analysis.logic.issues import Issue, shown
from suasion.analysis.logic.scopes import scope_issues
from suasion.analysis.logic.syntax import (
    MAX_DEPTH,
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
    looks_variable,
)
from suasion.analysis.logic.tokens import SIGNS, Token, tokenize

MAX_LENGTH = 200_000  # characters
_TIGHTNESS = {"=": 1, "!=": 1, "not": 2, "all": 3, "exists": 3, "and": 4, "or": 5, "implies": 6, "iff": 7}
_INFIX = {"=", "!=", "and", "or", "implies", "iff"}
_OPEN = {"group", "call"}


@dataclass(frozen=True, slots=True)
class Parsed:
    """What came of a text: a formula, or errors. Warnings name what was read although it is not NLTK's way of
    writing."""

    text: str
    formula: Formula | None
    errors: tuple[Issue, ...] = ()
    warnings: tuple[Issue, ...] = ()


def parse(text: object) -> Parsed:
    """Read one formula. Never raises; linear in the text.

    Args:
        text: a formula; anything that is not text (YAML makes ``yes`` or ``[p, q]`` out of a formula without quotes) is
            an error too.
    """
    if not isinstance(text, str):
        message = f"A formula is text, but this is of another kind: {shown(repr(text))}"
        return Parsed("", None, (Issue("not-text", f"{message}.", "Put the formula in quotes."),))
    if len(text) > MAX_LENGTH:
        message = f"This formula has {len(text):,} characters; at most {MAX_LENGTH:,} are read."
        return Parsed(text, None, (Issue("too-long", message, "Split it, or use shorter names."),))
    tokens, warnings, strange = tokenize(text)
    if strange:
        return Parsed(text, None, (strange,), tuple(warnings))
    reader = _Reader(tokens)
    try:
        formula = reader.read()
    except _Stop as stop:
        return Parsed(text, None, (stop.issue,), (*warnings, *reader.warnings.values()))
    errors, more = scope_issues(formula)
    warnings = sorted([*warnings, *reader.warnings.values(), *more], key=lambda issue: issue.position)
    return Parsed(text, None if errors else formula, tuple(errors), tuple(warnings))


class _Stop(Exception):
    def __init__(self, code: str, message: str, hint: str, at: int) -> None:
        self.issue = Issue(code, message, hint, at)


@dataclass(slots=True)
class _Part:
    """Something read: a node, or an unfinished chain (``p & q & …``) of the operator ``chain``."""

    node: Formula | None
    depth: int
    at: int
    chain: str = ""
    parts: list[Formula] = field(default_factory=list)

    def formula(self) -> Formula:
        if self.chain:
            self.node = And(tuple(self.parts)) if self.chain == "and" else Or(tuple(self.parts))
            self.chain = ""
        assert self.node is not None  # noqa: S101 - a part has a node or is a chain
        return self.node


@dataclass(slots=True)
class _Operator:
    """Something that waits for what follows: an operator, a quantifier, an open bracket (``group``), a predicate's
    bracket (``call``)."""

    kind: str
    at: int
    name: str = ""
    names: tuple[str, ...] = ()
    arguments: list[Term] = field(default_factory=list)
    depth: int = 0  # of the deepest term among them
    start: int = 0  # where a predicate's name stands


class _Reader:
    def __init__(self, tokens: list[Token]) -> None:
        self.tokens = tokens
        self.next = 0
        self.parts: list[_Part] = []
        self.operators: list[_Operator] = []
        self.bound: dict[str, int] = {}
        self.warnings: dict[str, Issue] = {}  # the first of each kind

    def read(self) -> Formula:
        """The whole formula, or :class:`_Stop`."""
        if self.tokens[0].kind == "end":
            raise _Stop("empty", "There is no formula.", "Write one, F(a) say.", 0)
        wanted = True  # an operand comes next, not an operator
        while True:
            token = self.tokens[self.next]
            self.next += 1
            if wanted:
                wanted = self._operand(token)
            elif token.kind == "end":
                self._reduce_to_bracket()
                if self.operators:
                    bracket = self.operators[-1]
                    raise _Stop("unclosed-bracket", "This bracket is never closed.", "Add a ) where it ends.", bracket.at)
                return self.parts[0].formula()
            else:
                wanted = self._after_operand(token)

    def _warn(self, code: str, message: str, hint: str, at: int) -> None:
        self.warnings.setdefault(code, Issue(code, message, hint, at))

    def _operand(self, token: Token) -> bool:
        """Take what begins an operand; whether one is still wanted after it."""
        following = self.tokens[self.next] if token.kind != "end" else token
        if token.kind == "name" and following.kind == "(":
            self.next += 1
            if self.tokens[self.next].kind == ")":
                hint = f"Write {shown(token.text)} alone, or name the things: {shown(token.text)}(a)."
                raise _Stop("no-terms", f"'{shown(token.text)}()' has no terms.", hint, token.at)
            self.operators.append(_Operator("call", following.at, token.text, start=token.at))
            return True
        if token.kind == "name":
            if token.text.lower() == "if" and following.kind in ("name", "not", "(", "all", "exists"):
                raise _Stop("if-then", "'if … then' is not read.", "Write p -> q.", token.at)
            self.parts.append(_Part(Atom(token.text, at=token.at), 1, token.at))
            return False
        if token.kind == "(":
            if following.kind == ")":
                raise _Stop(
                    "empty-brackets",
                    "There is nothing between these brackets.",
                    "Take them away or fill them.",
                    token.at,
                )
            self.operators.append(_Operator("group", token.at))
        elif token.kind == "not":
            self.operators.append(_Operator("not", token.at))
        elif token.kind in ("all", "exists"):
            self._quantifier(token)
        else:
            raise self._missing(token)
        return True

    def _missing(self, token: Token) -> _Stop:
        before = self.tokens[self.next - 2] if self.next > 1 else None
        after = f" after '{shown(before.text)}'" if before else ""
        if token.kind == "end":
            return _Stop(
                "unfinished",
                f"The formula ends too early{after}.",
                "Complete it, or take the last sign away.",
                token.at,
            )
        hint = "Write a formula or a term there, or take the sign away."
        return _Stop("operand-missing", f"Something is missing{after}, before '{token.text}'.", hint, token.at)

    def _quantifier(self, token: Token) -> None:
        """Read the variables and the full stop; where the stop is left out, the body begins where it cannot be a
        variable."""
        names: list[str] = []
        while True:
            current, following = self.tokens[self.next], self.tokens[min(self.next + 1, len(self.tokens) - 1)]
            if current.kind == "name" and (not names or self._is_variable(current, following)):
                names.append(current.text)
                self.next += 1
                if following.kind == "," and self.tokens[self.next + 1].kind == "name":
                    self.next += 1
                    hint = f"Write {SIGNS[token.kind]} {' '.join(names)} {self.tokens[self.next].text}. without commas."
                    self._warn("variable-comma", "NLTK has no commas between variables.", hint, following.at)
                continue
            if not names:
                message = f"After '{token.text}' comes a variable, not '{shown(current.text) or 'the end'}'."
                raise _Stop("variable-missing", message, f"Write {SIGNS[token.kind]} x.(…).", current.at)
            break
        if current.kind in (".", ":"):
            self.next += 1
        if current.kind not in (".", "("):
            hint = f"Write {SIGNS[token.kind]} {' '.join(names)}.(…)."
            self._warn("quantifier-dot", "A full stop belongs after a quantifier's variables.", hint, current.at)
        for name in names:
            self.bound[name] = self.bound.get(name, 0) + 1
        self.operators.append(_Operator(token.kind, token.at, names=tuple(names)))

    @staticmethod
    def _is_variable(current: Token, following: Token) -> bool:
        if following.kind == "(":
            return following.at > current.at + len(current.text)  # 'all x y (…)', but 'all x F(x)'
        return following.kind in ("name", ".", ":", ",", "all", "exists")

    def _after_operand(self, token: Token) -> bool:
        """Take what may follow an operand; whether an operand is wanted after it."""
        if token.kind in _INFIX:
            self._infix(token)
            return True
        if token.kind == ")":
            self._close(token)
            return False
        if token.kind == ",":
            self._reduce_to_bracket()
            if not self.operators or self.operators[-1].kind != "call":
                raise _Stop("comma", "A comma only stands between terms, as in R(a, b).", "Join formulas with &.", token.at)
            self._argument()
            return True
        if token.kind == "(":
            raise _Stop(
                "application",
                "A bracket follows a finished formula or term.",
                "Put &, |, -> or <-> between, or F(a, b).",
                token.at,
            )
        if token.kind == "." and self.tokens[self.next].kind == "end":
            raise _Stop("full-stop", "A formula does not end in a full stop.", "Take it away.", token.at)
        before = self.tokens[self.next - 2]
        if token.kind == "not" and token.text == "-" and before.kind == "name" and self.tokens[self.next].kind == "name":
            name = f"{shown(before.text)}_{shown(self.tokens[self.next].text)}"
            raise _Stop(
                "hyphen",
                "A hyphen in a name is read as 'not'.",
                f"Write {name}, or put an operator before the '-'.",
                token.at,
            )
        if token.kind == "name" and before.kind == "name" and (before.text.lower() == "if" or token.text.lower() in ("then", "if")):
            raise _Stop("if-then", "'if … then' is not read.", "Write p -> q.", token.at)
        message = f"Between '{shown(before.text)}' and '{shown(token.text)}' an operator is missing."
        hint = "Put &, |, -> or <-> there. Join names of several words with _ (happy_dog); terms stand in brackets: F(a)."
        raise _Stop("operator-missing", message, hint, token.at)

    def _infix(self, token: Token) -> None:
        tightness = _TIGHTNESS[token.kind]
        while self.operators and self.operators[-1].kind not in _OPEN and _TIGHTNESS[self.operators[-1].kind] <= tightness:
            last = self.operators[-1].kind
            if tightness == 1:
                raise _Stop("chained-equality", "Equality does not chain.", "Write a = b & b = c.", token.at)
            if last == token.kind and last in ("implies", "iff"):
                sign = SIGNS[last]
                message = f"'p {sign} q {sign} r' is read as '(p {sign} q) {sign} r'."
                self._warn("chained-arrow", message, "Write the brackets that you mean.", token.at)
            self._reduce()
        if tightness == 1 and self.operators and self.operators[-1].kind == "not":
            self._warn("negated-equality", "'-a = b' is read as '-(a = b)'.", "Write a != b.", self.operators[-1].at)
        self.operators.append(_Operator(token.kind, token.at))

    def _close(self, token: Token) -> None:
        self._reduce_to_bracket()
        if not self.operators:
            raise _Stop("unopened-bracket", "This bracket was never opened.", "Take it away, or add a ( before.", token.at)
        bracket = self.operators[-1]
        if bracket.kind == "call":
            self._argument()
            self.operators.pop()
            self._push(Atom(bracket.name, tuple(bracket.arguments), bracket.start), bracket.depth, bracket.start)
        else:
            self.operators.pop()
            part = self.parts[-1]
            part.formula()  # a chain in brackets is finished: (p & q) & r is not p & q & r
            part.at = bracket.at

    def _argument(self) -> None:
        part, call = self.parts.pop(), self.operators[-1]
        call.arguments.append(self._term(part))
        call.depth = max(call.depth, part.depth)

    def _reduce_to_bracket(self) -> None:
        while self.operators and self.operators[-1].kind not in _OPEN:
            self._reduce()

    def _reduce(self) -> None:
        """Apply the last operator to what was read after (and before) it."""
        operator = self.operators.pop()
        last = self.parts.pop()
        kind = operator.kind
        if kind == "not":
            self._push(Not(last.formula()), last.depth, operator.at)
        elif kind in ("all", "exists"):
            body = last.formula()
            for name in operator.names:
                self.bound[name] -= 1
            quantified = ForAll if kind == "all" else Exists
            # each variable counts, as all x.all y.P does: what is bound at one place stays few
            self._push(quantified(operator.names, body, operator.at), last.depth + len(operator.names) - 1, operator.at)
        elif kind in ("=", "!="):
            first = self.parts.pop()
            equality = Equality(self._term(first), self._term(last))
            depth = max(first.depth, last.depth)
            self._push(equality if kind == "=" else Not(equality), depth, first.at)
        elif kind in ("and", "or"):
            self._chain(kind, last)
        else:
            first = self.parts.pop()
            joined = Implies if kind == "implies" else Iff
            self._push(joined(first.formula(), last.formula()), max(first.depth, last.depth), first.at)

    def _chain(self, kind: str, last: _Part) -> None:
        first = self.parts[-1]
        if first.chain != kind:
            begun = _Part(None, first.depth + 1, first.at, kind, [first.formula()])
            self.parts[-1] = first = begun
        first.parts.append(last.formula())
        first.depth = max(first.depth, last.depth + 1)
        self._limit(first.depth, first.at)

    def _push(self, node: Formula, below: int, at: int) -> None:
        self._limit(below + 1, at)
        self.parts.append(_Part(node, below + 1, at))

    @staticmethod
    def _limit(depth: int, at: int) -> None:
        if depth > MAX_DEPTH:
            hint = "Write it flatter: p & q & r needs no brackets, and long chains of arrows can be split."
            raise _Stop(
                "too-deep",
                f"This formula is nested more than {MAX_DEPTH} deep (each quantified variable counts).",
                hint,
                at,
            )

    def _term(self, part: _Part) -> Term:
        node = part.formula()
        if not isinstance(node, Atom):
            message = "A formula stands where a term is needed: only names and functions of names denote things."
            raise _Stop("formula-as-term", message, "Between sentences write <->; inside a predicate write a name.", part.at)
        if node.arguments:
            return Function(node.name, node.arguments, node.at)
        if self.bound.get(node.name) or looks_variable(node.name):
            return Variable(node.name, node.at)
        return Constant(node.name, node.at)
