"""Declarations (symbol → meaning, as people write them) into phrases with places for the terms.

Read are "x is a man", "… is a man", "is mortal", "mortal", "man", "loves", "larger than", "father of", keys with places
of their own ("loves(x, y)": "x loves y"), and nothing at all. English without a lexicon: a few word lists and endings,
so that the usual case sounds right and the unusual one is still clear.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

Pieces: TypeAlias = tuple[str | int, ...]  # text, and the numbers of the terms that belong between

_KEY = re.compile(r"\s*([^\s()]+)\s*(?:\(([^()]*)\))?\s*$")
_PREFIX = re.compile(r"\s*\w+\s*\(([^()]*)\)\s*(?::|=|means)\s*(?=\S)")
_BLANK = re.compile(r"(?<!\w)(?:…|\.\.\.|_+|\{\w*\})(?!\w)")
_VARIABLE = re.compile(r"(?<![\w'])[u-zU-Z]\d*(?!\w)")
_BRACED = re.compile(r"\{(\w+)\}")
LONGEST = 300  # characters of a declaration that are used


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_WHOLE = {"are": "is", "were": "was", "have": "has", "do": "does", "be": "is", "being": "is"}
_AUXILIARY = _words("is was has can cannot will would should must may might does did shall had could needs ought isn't") | set(_WHOLE)
_ARTICLES = {"a", "an", "the", "one", "some", "every"}
_PREPOSITIONS = _words(
    "of to in on at by for with from than as about above below under over near behind before after beside between "
    "among against into inside outside within without like unlike toward towards through upon left right"
)
_COMPARATIVES = _words(
    "taller larger bigger older younger smaller greater better worse richer poorer faster slower stronger weaker "
    "heavier lighter cheaper earlier later higher lower wiser longer shorter nearer more less"
)
_VERBS = _words("love like know see help cause support attack believe hate want need own have admire trust fear follow respect owe")
_ADJECTIVES = _words(
    "good bad big small large tall short old young new kind wise happy sad rich poor free right wrong true false "
    "just fair cruel red green blue black white brown hot cold warm wet dry open safe sick ill well dead alive "
    "guilty innocent mad rare brave loyal equal even odd prime finite human mortal moral legal real ideal wild tame "
    "evil divine sane fit unfit strong weak smart clever cheap healthy hungry angry guilty necessary sufficient "
    "perfect sound valid rational immortal immoral illegal harmful"
)
_ENDINGS = tuple(sorted(_words("able ible ilar iliar ular ous ful less ive ical ic ish ed ing ant ent ary worthy free")))
_NOUNS = _words("king thing being student parent agent accident president animal event building servant plant critic")
_NOUNS |= _words("music logic public")


@dataclass(frozen=True, slots=True)
class _Declared:
    text: str
    places: tuple[str, ...]  # the variables of its own key, "loves(x, y)"


class Wording:
    """Phrases for symbols.

    Args:
        declarations: symbol, or symbol with places, to its meaning. Values that are no text are used as Python shows
            them.
    """

    def __init__(self, declarations: Mapping[str, object] | None = None) -> None:
        self._declared: dict[str, _Declared] = {}
        for key, value in (declarations or {}).items():
            name, places = symbol_of(str(key))
            text = re.sub(r"(?<![.])[.;,]$", "", " ".join(str(value)[:LONGEST].split()))
            own = _PREFIX.match(text)
            if own:
                places, text = places or _split(own[1]), text[own.end() :]
            text = _without_braces(text, places)
            self._declared.setdefault(name, _Declared(text, places))

    def sentence(self, name: str) -> str:
        """A sentence letter: its meaning, or itself."""
        declared = self._declared.get(name)
        return declared.text if declared and declared.text else name.replace("_", " ")

    def thing(self, name: str) -> str:
        """The name of a thing."""
        return self.sentence(name)

    def predicate(self, name: str, arity: int) -> Pieces:
        """A predicate with places for its terms: ``(0, " is larger than ", 1)``."""
        text, places = self._text(name)
        pieces = _with_places(text, places, arity)
        if pieces:
            return pieces
        if _has_places(text):
            return _listed(f"“{text}” holds of ", arity)
        if arity == 1:
            return (0, f" {_property(text)}")
        if arity == 2:
            return (0, f" {_relation(text)} ", 1)
        return (*_listed("", arity), f" stand in the relation “{text}”")

    def function(self, name: str, arity: int) -> Pieces:
        """A function with places for its terms: ``("the father of ", 0)``."""
        text, places = self._text(name)
        pieces = _with_places(text, places, arity)
        if pieces:
            return pieces
        if _has_places(text):
            return _listed(f"the value of “{text}” for ", arity)
        words = text.split()
        if words[-1].lower() not in _PREPOSITIONS:
            text += " of"
        if words[0].lower() not in _ARTICLES:
            text = f"the {text}"
        return _listed(f"{text} ", arity)

    def _text(self, name: str) -> tuple[str, tuple[str, ...]]:
        declared = self._declared.get(name)
        if declared and declared.text:
            return declared.text, declared.places
        words = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).replace("_", " ").strip() or name
        return (words if words.isupper() else words.lower()), ()


def symbol_of(key: str) -> tuple[str, tuple[str, ...]]:
    """The symbol that the key of a declaration is about, and its places: ``"loves(x, y)"`` → ``("loves", ("x",
    "y"))``."""
    found = _KEY.match(key)
    return (found[1], _split(found[2] or "")) if found else (key.strip(), ())


def _split(places: str) -> tuple[str, ...]:
    return tuple(place.strip() for place in places.split(",") if place.strip())


def _without_braces(text: str, places: Sequence[str]) -> str:
    """``{x} is a man`` as ``x is a man``; braces around anything but a place stay, as a blank."""

    def bare(found: re.Match[str]) -> str:
        return found[1] if found[1] in places or _VARIABLE.match(found[1]) else found[0]

    return _BRACED.sub(bare, text)


def _has_places(text: str) -> bool:
    return bool(_VARIABLE.search(text) or _BLANK.search(text))


def _with_places(text: str, places: tuple[str, ...], arity: int) -> Pieces | None:
    """The text cut at its places, if they are as many as the terms."""
    if len(places) == arity and all(re.search(_word(place), text) for place in places):
        # "a is a man": only the first a is the place
        cuts = [(found.start(), found.end(), number) for number, place in enumerate(places) for found in _found(place, text)]
        return _cut(text, sorted(cuts))
    variables = sorted(set(_VARIABLE.findall(text)), key=lambda name: (name.lower()[0], name))
    if len(variables) == arity:
        return _cut(text, [(found.start(), found.end(), variables.index(found[0])) for found in _VARIABLE.finditer(text)])
    blanks = list(_BLANK.finditer(text))
    if len(blanks) == arity:
        return _cut(text, [(found.start(), found.end(), number) for number, found in enumerate(blanks)])
    return None


def _word(place: str) -> str:
    return rf"(?<!\w){re.escape(place)}(?!\w)"


def _found(place: str, text: str) -> list[re.Match[str]]:
    return list(re.finditer(_word(place), text))[: 1 if place.lower() in ("a", "i") else None]


def _cut(text: str, cuts: Sequence[tuple[int, int, int]]) -> Pieces:
    pieces: list[str | int] = []
    at = 0
    for start, end, number in cuts:
        pieces += [text[at:start], number]
        at = end
    return tuple(piece for piece in (*pieces, text[at:]) if piece != "")


def _listed(before: str, arity: int) -> Pieces:
    """Text before the terms, then the terms as a list."""
    between: list[str | int] = [before] if before else []
    for number in range(arity):
        if number:
            between.append(" and " if number == arity - 1 else ", ")
        between.append(number)
    return tuple(between)


def _property(text: str) -> str:
    """What is said of one thing, beginning with a verb."""
    words = text.split()
    first = words[0].lower()
    if first in _AUXILIARY:
        return " ".join([_WHOLE.get(first, first), *words[1:]])
    if first in _ARTICLES or first in _PREPOSITIONS or first == "not" or len(text) == 1:
        return f"is {text}"
    if _is_verb(first):
        return text
    if _is_adjective(first) and (len(words) == 1 or words[1].lower() in _PREPOSITIONS | {"and", "or"}):
        return f"is {text}"
    return f"is {_article(text)} {text}"


def _relation(text: str) -> str:
    """What stands between two things, beginning with a verb."""
    words = text.split()
    first, last = words[0].lower(), words[-1].lower()
    if len(text) == 1 or (len(words) == 1 and text.isupper()):
        return f"stands in the relation {text} to"
    if first in _AUXILIARY:
        return " ".join([_WHOLE.get(first, first), *words[1:]])
    if len(words) == 1 and first in _VERBS:
        return {"have": "has"}.get(first, f"{first}s")
    if first in _PREPOSITIONS or (first in _ARTICLES and last in _PREPOSITIONS):
        return f"is {text}"
    if first in _COMPARATIVES:
        return f"is {text}" if last == "than" else f"is {text} than"
    if _is_verb(first):
        return text
    if _is_adjective(first):
        return f"is {text}" if last in _PREPOSITIONS else f"is {text} to"
    return f"is {_article(text)} {text}" if last in _PREPOSITIONS else f"is {_article(text)} {text} of"


def _is_verb(word: str) -> bool:
    return len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is"))


def _is_adjective(word: str) -> bool:
    return word in _ADJECTIVES or (len(word) > 4 and word.endswith(_ENDINGS) and word not in _NOUNS)


def _article(text: str) -> str:
    first = text[0].lower()
    return "an" if first in "aeio" or (first == "u" and not text.lower().startswith(("uni", "use", "uti", "eu"))) else "a"
