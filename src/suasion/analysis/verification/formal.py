"""The formulas of a reconstruction, read from its inline data: ``{formalization: 'p -> q', declarations: {p: '…', q: '…'}}``.

Reading never fails: what is of a wrong kind is kept as a fault, for checks to tell.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

from suasion.analysis.argdown import Argument, Claim, Document, Step
from suasion.analysis.argdown.elements import Node
from suasion.analysis.logic import Parsed, parse
from suasion.analysis.logic.issues import shown
from suasion.analysis.logic.signatures import Signature, signature_of
from suasion.analysis.logic.syntax import Formula
from suasion.analysis.verification.references import sources

FORMULA_KEYS = ("formalization", "formalisation")


class Fault(NamedTuple):
    """What is of a wrong kind in the data of a claim: which key, and a sentence."""

    key: str
    message: str


@dataclass(frozen=True, slots=True)
class Writing:
    """What the data of one node says formally. ``parsed`` is ``None`` where it says no formula; ``hint`` "
    "is told with its errors."""

    node: Node
    claim: str
    parsed: Parsed | None
    declarations: Mapping[str, str]
    faults: tuple[Fault, ...] = ()
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a reconstruction: its step, what it says, and its formalisation.

    A line that has no formula of its own has that of its claim, where the claim is formalised elsewhere.
    """

    step: Step
    text: str | None
    writing: Writing | None

    @property
    def formula(self) -> Formula | None:
        """Its formula; ``None`` where there is none or it cannot be read."""
        return self.writing.parsed.formula if self.writing and self.writing.parsed else None


@dataclass(frozen=True, slots=True)
class Reconstructed:
    """An argument with its lines in order; ``sources`` has for each conclusion the lines (from 0) that it is inferred from."""

    argument: Argument
    lines: tuple[Line, ...]
    sources: Mapping[int, tuple[int, ...]] = field(default_factory=dict)

    @property
    def premises(self) -> list[int]:
        """The places of its premises."""
        return [place for place, line in enumerate(self.lines) if line.step.role == "premise"]


@dataclass(frozen=True)
class Formalisations:
    """All that a document says formally. ``writings`` are in the order of the text; ``proved`` keeps what a prover said of it
    (:mod:`suasion.analysis.verification.proofs`)."""

    document: Document | None
    arguments: Mapping[str, Reconstructed]
    writings: tuple[Writing, ...]
    proved: list[Any] = field(default_factory=list, compare=False, repr=False)

    @cached_property
    def declarations(self) -> Mapping[str, str]:
        """What each symbol means; the first meaning where it is given several."""
        meanings: dict[str, str] = {}
        for writing in self.writings:
            for symbol, meaning in writing.declarations.items():
                meanings.setdefault(symbol, meaning)
        return meanings

    @cached_property
    def formulas(self) -> Mapping[str, Formula]:
        """The formula of each claim that has one; its first where it has several."""
        found: dict[str, Formula] = {}
        for writing in self.writings:
            if writing.parsed and writing.parsed.formula:
                found.setdefault(writing.claim, writing.parsed.formula)
        return found

    @cached_property
    def signature(self) -> Signature:
        """The symbols of all formulas; ``Issue.formula`` is the number of the writing."""
        formulas = [writing.parsed.formula if writing.parsed else None for writing in self.writings]
        return signature_of(formulas, [self.name(writing) for writing in self.writings])

    @cached_property
    def _numbers(self) -> Mapping[int, str]:
        several = len(self.arguments) > 1
        return {
            id(line.step.node): f"({line.step.number})" + (f" of <{shown(label)}>" if several else "")
            for label, one in self.arguments.items()
            for line in one.lines
        }

    def name(self, writing: Writing) -> str:
        """Where it is written, in the author's words: ``(2)``, ``[Keep]``."""
        return self._numbers.get(id(writing.node)) or (
            f"[{shown(writing.claim)}]" if writing.node.label else f"“{shown(writing.node.text)}”"
        )


def read_formalisations(document: Document | None) -> Formalisations:
    """The formulas and declarations of a document; empty where there is none."""
    if document is None:
        return Formalisations(None, {}, ())
    writings = sorted(_writings(document), key=lambda writing: writing.node.span.start)
    own = {id(writing.node): writing for writing in writings}
    first: dict[str, Writing] = {}
    for writing in writings:
        if writing.parsed:
            first.setdefault(writing.claim, writing)

    texts: dict[str, str | None] = {}  # of claims that lines only refer to

    def text(step: Step) -> str | None:
        if step.node.text:
            return step.node.text
        if step.label not in texts:
            claim = document.claims.get(step.label)  # none where a line is an argument, which is an error
            texts[step.label] = claim.text if claim else None
        return texts[step.label]

    def line(step: Step) -> Line:
        mine = own.get(id(step.node))
        writing = mine if mine and mine.parsed else first.get(step.label) or mine
        return Line(step, text(step), writing)

    reconstructed = {
        label: Reconstructed(argument, tuple(line(step) for step in argument.pcs), sources(argument))
        for label, argument in document.arguments.items()
        if argument.pcs
    }
    return Formalisations(document, reconstructed, tuple(writings))


def _writings(document: Document) -> Iterator[Writing]:
    for claim in document.claims.values():
        for node in claim.members:
            if node.data and isinstance(node.data.value, dict):
                writing = _writing(claim, node, node.data.value)
                if writing.parsed or writing.declarations or writing.faults:
                    yield writing


def _writing(claim: Claim, node: Node, data: Mapping[object, object]) -> Writing:
    texts = [data[key] for key in FORMULA_KEYS if data.get(key) is not None]
    declarations, faults = _declarations(data.get("declarations"))
    if len(texts) == 2 and texts[0] != texts[1]:
        faults.append(Fault(FORMULA_KEYS[0], "There are two different formulas, formalization and formalisation. Keep one."))
    hint = ""
    if any(value is None and isinstance(key, str) and ")" in key for key, value in data.items()):
        hint = "Put the formula in quotes: a comma outside quotes ends it."
    return Writing(node, claim.label, parse(texts[0]) if texts else None, declarations, tuple(faults), hint)


def _declarations(value: object) -> tuple[dict[str, str], list[Fault]]:
    """Symbols and meanings, and what is no such thing."""
    if value is None:
        return {}, []
    if not isinstance(value, dict):
        return {}, [Fault("declarations", "The declarations must be a mapping from symbols to meanings: {p: 'it rains'}.")]
    meanings: dict[str, str] = {}
    faults = []
    for symbol, meaning in value.items():
        if not isinstance(symbol, str):
            faults.append(
                Fault("declarations", f"The symbol {shown(repr(symbol))} is not text. Put it in quotes, and choose a name that is a word.")
            )
        elif not isinstance(meaning, str):
            faults.append(
                Fault("declarations", f"The meaning of '{shown(symbol)}' is not text. Say in words, within quotes, what it stands for.")
            )
        elif not meaning.strip():
            faults.append(Fault("declarations", f"The meaning of '{shown(symbol)}' is empty. Say in words what it stands for."))
        else:
            meanings[symbol.strip()] = meaning
    return meanings, faults
