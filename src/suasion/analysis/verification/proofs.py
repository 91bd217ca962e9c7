"""What a prover says of a reconstruction: every question of many answers, in as few rounds as there can be.

Only what is not settled by another answer is asked. Where a premise is equivalent to the conclusion, or the conclusion is a tautology,
no other premise is needed; so these two are asked about in a second round, of the few arguments that have superfluous premises.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias, cast

from suasion.analysis.argdown import Relation
from suasion.analysis.logic.answers import Answer, Entailed, Entailment, Parts, Undecided, Yes, YesNo
from suasion.analysis.logic.prover import Prover
from suasion.analysis.logic.questions import (
    Consistent,
    Contradictory,
    Contrary,
    Entails,
    Equivalent,
    IrrelevantConjuncts,
    NeededPremises,
    Petitio,
    Question,
    Tautology,
    conjuncts,
)
from suasion.analysis.logic.syntax import Equality, ForAll, Formula, Variable, walk
from suasion.analysis.verification.formal import Formalisations, Reconstructed, Writing

_Plan: TypeAlias = Generator[Sequence[Question], Sequence[Answer], None]
_ONE_THING = ForAll(("x", "y"), Equality(Variable("x"), Variable("y")))
LARGEST = 200  # lines of all arguments, and parts of conjunctions in them, together; one may cost the prover most of a second
LONGEST = 20_000  # characters of all formulas together


@dataclass(slots=True)
class ArgumentProofs:
    """What holds of one argument whose every line has a formula. Numbers are places of lines, from 0.

    Attributes:
        consistent: whether the premises can be true together.
        valid: whether the conclusion follows from the premises.
        steps: for each conclusion, whether it follows from what its inference names.
        needed: which premises the conclusion needs.
        used: for each conclusion, which of the lines its inference names it needs; empty where it is plain that all are needed.
        conjuncts: which parts of premises the conclusion does not need, as (premise, part).
        tautology: whether the conclusion is true come what may; ``None`` where a needed premise shows that it is not.
        begging: which premises are equivalent to the conclusion.
        only_joins: whether the conclusion is a conjunction each part of which is equivalent to a premise.
        separate: premises that cannot matter, as they share no symbol with the rest; only looked for where ``valid`` is undecided.
    """

    consistent: YesNo
    valid: Entailment
    steps: dict[int, Entailment] = field(default_factory=dict)
    needed: Parts = field(default_factory=Parts)
    used: dict[int, Parts] = field(default_factory=dict)
    conjuncts: Parts = field(default_factory=Parts)
    tautology: YesNo | None = None
    begging: Parts = field(default_factory=Parts)
    only_joins: bool = False
    separate: tuple[int, ...] = ()


@dataclass(slots=True)
class Proofs:
    """What a prover says of one answer: of its arguments, of written relations between claims, and of pairs of writings that formalise
    one sentence in two ways (whether these are equivalent). Nothing is asked where the answer is ``too_large``."""

    too_large: bool = False
    arguments: dict[str, ArgumentProofs] = field(default_factory=dict)
    relations: list[tuple[Relation, Answer]] = field(default_factory=list)
    twice: list[tuple[Writing, Writing, YesNo]] = field(default_factory=list)


def proofs_of(formal: Formalisations, prover: Prover) -> Proofs:
    """What the prover says of one reconstruction; asked once and kept with it."""
    return prove([formal], prover)[0]


def prove(several: Sequence[Formalisations], prover: Prover) -> list[Proofs]:
    """What the prover says of each reconstruction. Those that were not asked about before are asked about together."""
    new = [formal for formal in several if not formal.proved]
    plans: list[_Plan] = []
    for formal in new:
        proofs = Proofs(_is_too_large(formal))
        formal.proved.append(proofs)
        if not proofs.too_large:
            plans += [_argument(one, label, proofs) for label, one in formal.arguments.items() if all(line.formula for line in one.lines)]
            plans += [_relations(formal, proofs), _twice(formal, proofs)]
    waiting = [(plan, next(plan)) for plan in plans]
    while waiting:
        answers = iter(prover.ask([question for _, questions in waiting for question in questions]))
        further = []
        for plan, questions in waiting:
            try:
                further.append((plan, plan.send([next(answers) for _ in questions])))
            except StopIteration:
                continue
        waiting = further
    return [formal.proved[0] for formal in several]


def _is_too_large(formal: Formalisations) -> bool:
    if sum(len(writing.parsed.text) for writing in formal.writings if writing.parsed) > LONGEST or len(formal.writings) > 2 * LARGEST:
        return True
    parts = 0
    for one in formal.arguments.values():
        for line in one.lines:
            parts += len(conjuncts(line.formula)) if line.formula else 1
            if parts > LARGEST:
                return True
    return False


def _argument(one: Reconstructed, label: str, proofs: Proofs) -> _Plan:
    formulas = [cast(Formula, line.formula) for line in one.lines]
    places, end = one.premises, len(formulas) - 1
    premises, conclusion = tuple(formulas[place] for place in places), formulas[end]
    own = {place: found for place, found in one.sources.items() if found and not (place == end and list(found) == places)}
    steps = {place: (tuple(formulas[source] for source in found), formulas[place]) for place, found in own.items()}
    answers: Sequence[Any] = yield [
        Consistent(premises),
        Entails(premises, conclusion),
        NeededPremises(premises, conclusion),
        IrrelevantConjuncts(premises, conclusion),
        *(Entails(*step) for step in steps.values()),
    ]
    consistent, valid, needed, parts = answers[:4]
    result = proofs.arguments[label] = ArgumentProofs(consistent, valid, dict(zip(own, answers[4:], strict=True)), _at(needed, places))
    result.conjuncts = _pairs_at(parts, places)
    complete = len(own) == len(one.sources) and all(isinstance(step, Entailed) for step in result.steps.values())
    if isinstance(valid, Undecided) and complete:
        result.valid = Entailed()  # step by step it is proved
    if isinstance(result.valid, Entailed):
        if steps and not (len(needed.yes) == len(premises) and complete and _is_tree(one)):
            needs: Sequence[Any] = yield [NeededPremises(*step) for step in steps.values()]
            result.used = {place: _at(used, own[place]) for place, used in zip(own, needs, strict=True)}
        yield from _triviality(result, premises, conclusion, places)
    elif isinstance(valid, Undecided):
        yield from _separate(result, formulas, places)


def _is_tree(one: Reconstructed) -> bool:
    """Whether each line but the last is used exactly once. Where, besides, each step is valid and all premises are needed, each step needs
    all that it names: if it could spare a line, the conclusion could spare the premises that this line comes from."""
    used = Counter(source for found in one.sources.values() for source in found)
    return all(used[place] == 1 for place in range(len(one.lines) - 1))


def _triviality(result: ArgumentProofs, premises: tuple[Formula, ...], conclusion: Formula, places: Sequence[int]) -> _Plan:
    """Is the conclusion a tautology, a premise over again, or a mere list of premises?"""
    parts = conjuncts(conclusion)
    asked: list[Question] = [] if result.needed.yes else [Tautology(conclusion)]
    if len(result.needed.yes) < 2:
        asked.append(Petitio(premises, conclusion))
    joins: list[Question] = [Petitio(premises, part) for part in parts] if 1 < len(parts) <= len(premises) else []
    if not asked and not joins:
        return
    answers: Sequence[Any] = yield [*asked, *joins]
    if not result.needed.yes:
        result.tautology = answers[0]
    if len(result.needed.yes) < 2:
        result.begging = _at(answers[len(asked) - 1], places)
    result.only_joins = bool(joins) and all(one.yes for one in answers[len(asked) :])


def _separate(result: ArgumentProofs, formulas: Sequence[Formula], places: Sequence[int]) -> _Plan:
    """Premises that cannot matter, whether or not the argument is valid: they share no symbol with the rest, do not speak of identity, and
    can be true in a world of one thing, hence (by copies of that thing) in one of any size, beside whatever holds there."""
    symbols = {place: _symbols(formulas[place]) for place in {*places, len(formulas) - 1}}
    alone = []
    for place in places:
        others = set().union(*(own for other, own in symbols.items() if other != place))
        if symbols[place] and symbols[place].isdisjoint(others) and not _has_identity(formulas[place]):
            alone.append(place)
    if alone:
        answers = yield [Consistent((formulas[place], _ONE_THING)) for place in alone]
        result.separate = tuple(place for place, answer in zip(alone, answers, strict=True) if isinstance(answer, Yes))


def _relations(formal: Formalisations, proofs: Proofs) -> _Plan:
    """Relations that are written between claims which both have a formula."""
    formulas = formal.formulas
    asked: list[tuple[Relation, Question]] = []
    for relation in formal.document.sketched if formal.document else ():
        source, target = formulas.get(relation.source.label), formulas.get(relation.target.label)
        if not (source and target and relation.source.kind == relation.target.kind == "claim"):
            continue
        match relation.type:
            case "support":
                asked.append((relation, Entails((source,), target)))
            case "attack":
                asked.append((relation, Contrary(source, target)))
            case "contradictory":
                asked.append((relation, Contradictory(source, target)))
    answers = yield [question for _, question in asked]
    proofs.relations += [(relation, answer) for (relation, _), answer in zip(asked, answers, strict=True)]


def _twice(formal: Formalisations, proofs: Proofs) -> _Plan:
    """Writings that give another formula to a claim, or to the very words of one, than the first did."""
    first: dict[tuple[str, str], Writing] = {}
    asked: list[tuple[Writing, Writing]] = []
    for writing in formal.writings:
        if not writing.parsed or not writing.parsed.formula:
            continue
        words = " ".join(writing.node.text.split())
        for key in [("claim", writing.claim), *([("words", words)] if words else [])]:
            before = first.setdefault(key, writing)
            if before.parsed and before.parsed.formula != writing.parsed.formula:
                asked.append((before, writing))
                break
    answers: Sequence[Any] = yield [Equivalent(before.parsed.formula, writing.parsed.formula) for before, writing in asked]  # type: ignore[union-attr, arg-type]
    proofs.twice += [(before, writing, answer) for (before, writing), answer in zip(asked, answers, strict=True)]


def _at(parts: Parts, places: Sequence[int]) -> Parts:
    """Numbers of premises as places of lines."""
    yes, no, undecided = (tuple(places[number] for number in numbers) for numbers in (parts.yes, parts.no, parts.undecided))
    return Parts(yes, no, undecided, parts.applies)


def _pairs_at(parts: Parts, places: Sequence[int]) -> Parts:
    """The same for pairs of a premise and a part of it."""
    yes, no, undecided = (tuple((places[one], part) for one, part in pairs) for pairs in (parts.yes, parts.no, parts.undecided))
    return Parts(yes, no, undecided, parts.applies)


def _symbols(formula: Formula) -> set[str]:
    return {node.name for node, bound in walk(formula) if hasattr(node, "name") and node.name not in bound}


def _has_identity(formula: Formula) -> bool:
    return any(isinstance(node, Equality) for node, _ in walk(formula))
