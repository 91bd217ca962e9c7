"""A formula's text as tokens: NLTK's signs, and the signs and words that people and models write besides.

NLTK's inventory is the reference (https://www.nltk.org/api/nltk.sem.logic.html, class ``Tokens``). Every other spelling
that is accepted gives a warning with a name.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from suasion.analysis.logic.issues import Issue, shown

# kind of token: spellings. These are NLTK's own; capital words and foreign signs give a warning.
_NLTK = {
    "not": ("-", "!", "not"),
    "and": ("&", "^", "and"),
    "or": ("|", "or"),
    "implies": ("->", "=>", "implies"),
    "iff": ("<->", "<=>", "iff"),
    "=": ("=", "=="),
    "!=": ("!=",),
    "all": ("all", "forall"),
    "exists": ("exists", "some", "exist"),
    "(": ("(",),
    ")": (")",),
    ",": (",",),
    ".": (".",),
    ":": (":",),
}
_WORDS = {
    "not": ("NOT", "Not"),
    "and": ("AND", "And"),
    "or": ("OR", "Or"),
    "implies": ("IMPLIES", "Implies"),
    "iff": ("IFF", "Iff"),
    "all": ("All", "ALL", "FORALL", "Forall", "ForAll"),
    "exists": ("Exists", "EXISTS", "Some"),
}
_UNICODE = {
    "not": "¬∼−–￢",  # look-alikes are the point
    "and": "∧⋀",
    "or": "∨⋁",
    "implies": "→⇒⊃⟶⟹",
    "iff": "↔⇔≡⟷⟺",
    "!=": "≠",
    "all": "∀",
    "exists": "∃",
}
_FOREIGN = {
    "not": ("~",),
    "and": ("&&", "/\\"),
    "or": ("||", "\\/"),
    "implies": ("-->", "==>"),
    "iff": ("<-->", "<==>"),
    "!=": ("=/=",),
}

SIGNS = {kind: spellings[0] for kind, spellings in _NLTK.items()}

_KINDS: dict[str, tuple[str, str]] = {}  # spelling: (kind, code of the warning or "")
for _table, _code in (
    (_FOREIGN, "foreign-operator"),
    (_UNICODE, "unicode-operator"),
    (_WORDS, "word-operator"),
    (_NLTK, ""),
):
    _KINDS |= {spelling: (kind, _code) for kind, spellings in _table.items() for spelling in spellings}

_ADVICE = {  # what is not first-order, or not logic at all, and how else to write it
    "∃!": ("unique-quantifier", "'∃!' is no quantifier here.", "Say it out: exists x.(F(x) & all y.(F(y) -> y = x))."),
    "∄": ("negated-quantifier", "'∄' is no quantifier here.", "Write -exists x.(…)."),
    "λ": ("lambda", "Lambda terms are not first-order logic.", "Write the predicate with its terms: F(a)."),
    "⊢": (
        "turnstile",
        "'⊢' says that something follows; it is no part of a formula.",
        "Give premises and conclusion apart.",
    ),
    "⊨": (
        "turnstile",
        "'⊨' says that something follows; it is no part of a formula.",
        "Give premises and conclusion apart.",
    ),
    "∴": (
        "turnstile",
        "'∴' says that something follows; it is no part of a formula.",
        "Give premises and conclusion apart.",
    ),
    "□": ("modal", "Modal operators are not first-order logic.", "Declare a predicate or a sentence letter instead."),
    "◇": ("modal", "Modal operators are not first-order logic.", "Declare a predicate or a sentence letter instead."),
    "⊥": ("truth-value", "'⊥' is no formula here.", "Write p & -p."),
    "⊤": ("truth-value", "'⊤' is no formula here.", "Write p | -p."),
    "⊕": ("exclusive-or", "'⊕' is no operator here.", "Write -(p <-> q) for: one of both, but not both."),
    "∈": ("membership", "'∈' is no sign here.", "Write a predicate: F(x), or In(x, s)."),
    "[": ("bracket", "Only round brackets are read.", "Write ( and )."),
    "]": ("bracket", "Only round brackets are read.", "Write ( and )."),
    "{": ("bracket", "Only round brackets are read.", "Write ( and )."),
    "}": ("bracket", "Only round brackets are read.", "Write ( and )."),
    "<": ("arithmetic", "'<' is no sign here.", "Write a predicate, Less(x, y) say; 'if and only if' is <->."),
    ">": ("arithmetic", "'>' is no sign here.", "Write a predicate, Greater(x, y) say; 'if … then' is ->."),
    "+": ("arithmetic", "Arithmetic is no part of the syntax.", "Write a function, plus(x, y) say."),
    "*": ("arithmetic", "Arithmetic is no part of the syntax.", "Write a function, times(x, y) say."),
    "/": ("arithmetic", "Arithmetic is no part of the syntax.", "Write a function, over(x, y) say."),
    '"': ("quote", "Quotes are not part of a name.", "Write names of letters, digits and _ without quotes."),
    "'": ("quote", "Quotes are not part of a name.", "Write names of letters, digits and _ without quotes."),
    "$": ("tex", "TeX is not read.", "Take the dollar signs away and write all, exists, &, |, ->, <->, -."),
    "iota": (
        "description",
        "'iota' (the one thing that …) is not first-order logic.",
        "Name the thing by a constant, or say exists x.(… & all y.(… -> y = x)).",
    ),
    ";": ("two-formulas", "';' is no sign here.", "One formula at a time: join two with &, or give them apart."),
}
_TEX = re.compile(r"\\[A-Za-z]{2,}")
_SPELLINGS = sorted((spelling for spelling in _KINDS if not spelling[0].isalpha()), key=len, reverse=True)
_TOKEN = re.compile(r"\s+|(?P<name>\w+'*)|(?P<sign>" + "|".join(map(re.escape, _SPELLINGS)) + ")")


@dataclass(frozen=True, slots=True)
class Token:
    """A kind (``name``, ``end``, or a key of ``SIGNS``), the text, and the character it begins at (from 1)."""

    kind: str
    text: str
    at: int


def tokenize(text: str) -> tuple[list[Token], list[Issue], Issue | None]:
    """Tokens (the last is ``end``), one warning a spelling, and the error that stopped it, if any. Linear time."""
    tokens: list[Token] = []
    warnings: dict[str, Issue] = {}
    at = 0
    while at < len(text):
        found = None if text.startswith("∃!", at) else _TOKEN.match(text, at)
        spelling = found and (found["name"] or found["sign"])
        if found is None or (spelling and (spelling[0] == "λ" or spelling == "iota")):
            return tokens, list(warnings.values()), _strange(text, at)
        if spelling:
            kind, code = _KINDS.get(spelling, ("name", ""))
            if code and spelling not in warnings:
                name = code.removesuffix("-operator")
                how = {"unicode": "", "word": "a word for ", "foreign": "another notation for "}[name]
                what = f"'{spelling}' is {how}NLTK's '{SIGNS[kind]}'." if how else f"'{spelling}' was read as NLTK's '{SIGNS[kind]}'."
                warnings[spelling] = Issue(code, what, f"Write {SIGNS[kind]}.", at + 1)
            tokens.append(Token(kind, spelling, at + 1))
        at = found.end()
    tokens.append(Token("end", "", len(text) + 1))
    return tokens, list(warnings.values()), None


def _strange(text: str, at: int) -> Issue:
    tex = _TEX.match(text, at)
    if tex:
        return Issue("tex", f"'{shown(tex[0])}' is TeX, which is not read.", "Write all, exists, &, |, ->, <->, -.", at + 1)
    sign = next((sign for sign in ("∃!", "iota") if text.startswith(sign, at)), text[at])
    if sign == "\\":
        return Issue("lambda", "Lambda terms are not first-order logic.", "Write the predicate with its terms: F(a).", at + 1)
    if sign in _ADVICE:
        code, message, hint = _ADVICE[sign]
        return Issue(code, message, hint, at + 1)
    named = f"'{sign}'" if sign.isprintable() else f"The character U+{ord(sign):04X}"
    return Issue("character", f"{named} is no part of the syntax.", "Names are made of letters, digits and _.", at + 1)
