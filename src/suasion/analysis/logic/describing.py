"""A small world in words: "Take one thing, Socrates, that is a man and not mortal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from suasion.analysis.logic.models import Model
from suasion.analysis.logic.reading import NOT, denial, filled
from suasion.analysis.logic.wording import Pieces, Wording

_COUNTS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_ORDER = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_NAMELESS = "it"
FACTS = 24  # sentences about relations and functions, at most


def describe(model: Model, declarations: Mapping[str, object] | Wording | None = None) -> str:
    """The world in English sentences. A symbol that is not told of is nowhere true.

    Args:
        model: a world, of a countermodel say.
        declarations: symbol → meaning, as for :func:`~suasion.analysis.logic.reading.read_aloud`.
    """
    wording = declarations if isinstance(declarations, Wording) else Wording(declarations)
    sentences = []
    letters = [(name, bool(rows)) for (name, arity), rows in model.predicates.items() if arity == 0]
    if letters:
        # what is true first: a "not" must not seem to reach over what follows it
        clauses = [("" if truth else NOT) + wording.sentence(name) for name, truth in sorted(letters, key=lambda letter: not letter[1])]
        sentences.append(f"Suppose {_listed(clauses)}.")
    properties = [(name, rows) for (name, arity), rows in model.predicates.items() if arity == 1]
    relations = [(key, rows) for key, rows in model.predicates.items() if key[1] > 1]
    if properties or relations or model.functions or model.size > 1 or not letters:
        called = _called(model, wording)
        sentences.append(_things(model, wording, called, properties))
        sentences += _facts(model, wording, [name for name, _ in called], relations)
    return " ".join(sentences)


def _called(model: Model, wording: Wording) -> list[tuple[str, list[str]]]:
    """For each thing what to call it, and its other names. Things without a name are counted."""
    names: list[list[str]] = [[] for _ in range(model.size)]
    for name, thing in model.named().items():
        names[thing].append(wording.thing(name))
    nameless = sum(not own for own in names)
    called = []
    counted = 0
    for own in names:
        if own:
            called.append((own[0], own[1:]))
            continue
        if nameless == 1:
            called.append(("the other thing" if model.size > 1 else _NAMELESS, []))
        else:
            called.append((f"the {_ORDER[counted] if counted < len(_ORDER) else f'{counted + 1}th'} thing", []))
        counted += 1
    return called


def _things(
    model: Model,
    wording: Wording,
    called: Sequence[tuple[str, list[str]]],
    properties: Sequence[tuple[str, frozenset[tuple[int, ...]]]],
) -> str:
    told = []
    for thing, (name, others) in enumerate(called):
        known = sorted(
            ((wording.predicate(symbol, 1), (thing,) in rows) for symbol, rows in properties),
            key=lambda one: not one[1],
        )
        what = _said([_phrase(pieces, truth) for pieces, truth in known])
        if model.size == 1 and name == _NAMELESS:
            return f"Take one thing{what}."
        also = f", also called {_listed(others)}" if others else ""
        told.append(f"{name}{also},{what}" if what else f"{name}{also}")
    if model.size == 1:
        return f"Take one thing, {told[0]}."
    number = _COUNTS[model.size] if model.size < len(_COUNTS) else str(model.size)
    if properties:
        return f"Take {number} things: {'; '.join(told[:-1])}; and {told[-1]}."
    return f"Take {number} things, {_listed(told)}."


def _phrase(pieces: Pieces, truth: bool) -> str:
    """What is said of a thing, as it goes on after "that": "is a man", or a whole clause about "it"."""
    said = pieces if truth else denial(pieces)
    if said and said[0] == 0 and said.count(0) == 1:
        return filled(said[1:], []).strip()
    return f"is such that {'' if truth else NOT}{filled(pieces, ['it'])}"


def _said(phrases: Sequence[str]) -> str:
    """Phrases as one relative clause; "is" is said once."""
    if not phrases:
        return ""
    listed = [phrases[0]]
    for before, phrase in pairwise(phrases):
        listed.append(phrase.removeprefix("is ") if before.startswith("is ") and phrase.startswith("is ") else phrase)
    return f" that {_listed(listed)}"


def _facts(
    model: Model,
    wording: Wording,
    called: Sequence[str],
    relations: Sequence[tuple[tuple[str, int], frozenset[tuple[int, ...]]]],
) -> list[str]:
    facts = []
    for (name, arity), table in model.functions.items():
        if arity:
            pieces = wording.function(name, arity)
            facts += [f"{filled(pieces, [called[thing] for thing in row])} is {called[value]}." for row, value in sorted(table.items())]
    for (name, arity), rows in relations:
        pieces = wording.predicate(name, arity)
        facts += [f"{filled(pieces, [called[thing] for thing in row])}." for row in sorted(rows)]
        general = filled(pieces, [*"xyzuvw", *(f"x{number}" for number in range(1, arity))])
        if not rows:
            facts.append(f"In no case is it true that {general}.")
        elif len(rows) < model.size**arity:
            facts.append(f"In no other case is it true that {general}.")
    if len(facts) > FACTS:
        facts = [*facts[:FACTS], f"And so on: {len(facts) - FACTS} more."]
    return [fact[0].upper() + fact[1:] for fact in facts]


def _listed(items: Sequence[str]) -> str:
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} and {items[-1]}"
