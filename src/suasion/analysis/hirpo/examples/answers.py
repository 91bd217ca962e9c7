"""Answers made of an outline: annotations, maps and reconstructions, in the form that the tasks ask for."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence

from suasion.analysis.argdown.escape import escaped
from suasion.analysis.hirpo.examples.outline import Part, labels
from suasion.analysis.tasks.prompts.fences import fenced

_MOST_PREMISES = 3
_CONCLUDED = " {formalization: 'c'}"


def annotation(source: str, parts: Sequence[Part], generator: random.Random) -> str:
    """The source with its sentences marked."""
    return fenced(_marked(source, parts, {}), "xml")


def map_(source: str, parts: Sequence[Part], generator: random.Random) -> str:
    """A map: the claim, and below each part what supports and attacks it."""
    return fenced(_drawn(parts, labels(parts), {}), "argdown")


def reconstruction(source: str, parts: Sequence[Part], generator: random.Random) -> str:
    """An argument in standard form: supporting sentences, a premise that ties them to the claim, and the claim."""
    return fenced(_argument(parts, generator, formal=False), "argdown")


def formal_reconstruction(source: str, parts: Sequence[Part], generator: random.Random) -> str:
    """The same with sentence letters: from p, q and (p & q) -> c follows c."""
    return fenced(_argument(parts, generator, formal=True), "argdown")


def annotation_and_map(source: str, parts: Sequence[Part], generator: random.Random) -> str:
    """A map, and the source marked with the nodes' labels."""
    names = labels(parts)
    marked = _marked(source, parts, {number: f' argument_label="{name}"' for number, name in enumerate(names)})
    drawn = _drawn(parts, names, {number: f" {{annotation_ids: ['{number + 1}']}}" for number in range(len(parts))})
    return fenced(marked, 'xml {filename="annotation.txt"}') + "\n\n" + fenced(drawn, 'argdown {filename="map.ad"}')


ANSWERS: Mapping[str, Callable[[str, Sequence[Part], random.Random], str]] = {
    "arganno": annotation,
    "argmap": map_,
    "infreco": reconstruction,
    "logreco": formal_reconstruction,
    "argmap_plus_arganno": annotation_and_map,
}
"""By the task whose rules hold."""


def _marked(source: str, parts: Sequence[Part], more: Mapping[int, str]) -> str:
    text, place = "", 0
    for number, part in enumerate(parts):
        verb = "attacks" if part.attacks else "supports"
        link = "" if part.to is None else f' {verb}="{part.to + 1}"'
        end = part.start + len(part.text)
        mark = f'<proposition id="{number + 1}"{link}{more.get(number, "")}>'
        text += f"{source[place : part.start]}{mark}{source[part.start : end]}</proposition>"
        place = end
    return text + source[place:]


def _drawn(parts: Sequence[Part], names: Sequence[str], more: Mapping[int, str]) -> str:
    lines: list[str] = []

    def draw(number: int, depth: int) -> None:
        part = parts[number]
        name = f"[{names[number]}]" if part.to is None else f"<{names[number]}>"
        sign = "" if part.to is None else ("<- " if part.attacks else "<+ ")
        lines.append(f"{'    ' * depth}{sign}{name}: {_words(part.plain)}{more.get(number, '')}")
        for below, other in enumerate(parts):
            if other.to == number:
                draw(below, depth + 1)

    draw(next(number for number, part in enumerate(parts) if part.to is None), 0)
    return "\n".join(lines)


def _argument(parts: Sequence[Part], generator: random.Random, *, formal: bool) -> str:
    claim = next(part for part in parts if part.to is None)
    reasons = [part.plain for part in parts if part.to is not None and not part.attacks][:_MOST_PREMISES] or [
        part.plain for part in parts if part.to is not None
    ][:1]
    conclusion = claim.plain
    tie = f"If {' and '.join(_clause(reason) for reason in reasons)}, then {_clause(conclusion)}."
    premises = [*reasons, tie]
    if generator.random() < 0.5:
        premises = [tie, *reasons]
    letters = ["p", "q", "r"][: len(reasons)]
    sentences = dict(zip(reasons, letters, strict=True))
    name = labels([claim])[0]
    lines = [f"<{name}>: {_words(conclusion)}", ""]
    for number, premise in enumerate(premises, 1):
        lines.append(f"({number}) {_words(premise)}{_formula(premise, sentences, conclusion) if formal else ''}")
    lines.append(f"-- {{from: [{', '.join(repr(str(number + 1)) for number in range(len(premises)))}]}} --")
    lines.append(f"({len(premises) + 1}) {_words(conclusion)}{_CONCLUDED if formal else ''}")
    return "\n".join(lines)


def _formula(premise: str, letters: Mapping[str, str], conclusion: str) -> str:
    if premise in letters:
        letter = letters[premise]
        return f" {{formalization: '{letter}', declarations: {{{letter}: '{_quoted(premise)}'}}}}"
    all_of = " & ".join(letters.values())
    left = f"({all_of})" if len(letters) > 1 else all_of
    return f" {{formalization: '{left} -> c', declarations: {{c: '{_quoted(conclusion)}'}}}}"


def _quoted(text: str) -> str:
    return text.rstrip(".").replace("'", "''")


def _clause(sentence: str) -> str:
    """A sentence inside another: without its full stop, its first letter small unless it is a name or "I"."""
    bare = sentence.rstrip(".")
    first = bare.split(" ", 1)[0]
    return bare if first in ("I", "I'm", "I'd", "I've") or first.isupper() or not first.istitle() else bare[:1].lower() + bare[1:]


def _words(text: str) -> str:
    return escaped(" ".join(text.split()), line_start=False, before_piece=False)
