"""The questions a prover answers. Each asks, of one or more sets of formulas, whether they can be true together.

Domains are not empty, as in classical logic; a free variable is taken for a name of some one thing.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from suasion.analysis.logic.answers import Entailed, Entailment, No, NotEntailed, Parts, Undecided, Yes, YesNo
from suasion.analysis.logic.engine import Reason
from suasion.analysis.logic.models import Model
from suasion.analysis.logic.syntax import And, ForAll, Formula, Iff, Implies, Not

Formulas: TypeAlias = tuple[Formula, ...]


@dataclass(frozen=True, slots=True)
class Together:
    """Whether some formulas can be true together (``None``: undecided, for a reason), and a world where they are."""

    possible: bool | None
    model: Model | None = None
    reason: Reason | None = None


# A plan gives sets of formulas to ask about, is sent what was found for each, and may then ask for more, before it
# returns the answer. So parts are only asked about where the whole is valid, and many plans go on side by side.
EntailmentPlan: TypeAlias = Generator[Iterable[Formulas], Sequence[Together], Entailment]
YesNoPlan: TypeAlias = Generator[Iterable[Formulas], Sequence[Together], YesNo]
PartsPlan: TypeAlias = Generator[Iterable[Formulas], Sequence[Together], Parts]
"""Its answer shows no world, so none is looked for: see :func:`shows_world`."""


@dataclass(frozen=True, slots=True)
class Entails:
    """Does the conclusion follow? → :class:`Entailed`, :class:`NotEntailed`, :class:`Undecided`"""

    premises: Formulas
    conclusion: Formula

    def plan(self) -> EntailmentPlan:
        (one,) = yield [(*self.premises, Not(self.conclusion))]
        if one.possible is None:
            return Undecided(one.reason or "incomplete")
        return NotEntailed(one.model) if one.possible else Entailed()


@dataclass(frozen=True, slots=True)
class Consistent:
    """Can the formulas be true together? → :class:`Yes` with a world, :class:`No`, :class:`Undecided`"""

    formulas: Formulas

    def plan(self) -> YesNoPlan:
        (one,) = yield [self.formulas]
        if one.possible is None:
            return Undecided(one.reason or "incomplete")
        return Yes(one.model) if one.possible else No()


@dataclass(frozen=True, slots=True)
class Equivalent:
    """Are both true in the same worlds? → :class:`Yes`, :class:`No` with a world that tells them apart,
    :class:`Undecided`"""

    left: Formula
    right: Formula

    def plan(self) -> YesNoPlan:
        return (yield from _impossible(Not(Iff(self.left, self.right))))


@dataclass(frozen=True, slots=True)
class Tautology:
    """Is it true in every world? → :class:`Yes`, :class:`No` with a world where it is false, :class:`Undecided`"""

    formula: Formula

    def plan(self) -> YesNoPlan:
        return (yield from _impossible(Not(self.formula)))


@dataclass(frozen=True, slots=True)
class Contrary:
    """Can the two not be true together? (They may both be false.) → :class:`Yes`, :class:`No` with a world where both
    are, :class:`Undecided`"""

    left: Formula
    right: Formula

    def plan(self) -> YesNoPlan:
        return (yield from _impossible(self.left, self.right))


@dataclass(frozen=True, slots=True)
class Contradictory:
    """Is always exactly one of the two true? → :class:`Yes`, :class:`No` with a world where both are true or both
    false, :class:`Undecided`. One formula alone contradicts itself where it is not :class:`Consistent`."""

    left: Formula
    right: Formula

    def plan(self) -> YesNoPlan:
        return (yield from _impossible(Iff(self.left, self.right)))


@dataclass(frozen=True, slots=True)
class NeededPremises:
    """Which premises does a valid argument need? → :class:`Parts`: ``yes`` are needed (without that one nothing
    follows), ``no`` are superfluous, one at a time. A single premise is superfluous where the conclusion is a
    tautology. The same question finds redundant ``from`` items of one inference."""

    premises: Formulas
    conclusion: Formula

    def plan(self) -> PartsPlan:
        premises, denied = self.premises, Not(self.conclusion)
        (whole,) = yield [(*premises, denied)]
        if whole.possible is not False:
            return _not_proved(whole, range(len(premises)))
        found = yield ((*premises[:number], *premises[number + 1 :], denied) for number in range(len(premises)))
        return _split(range(len(premises)), [one.possible for one in found])


@dataclass(frozen=True, slots=True)
class IrrelevantConjuncts:
    """Which conjuncts within the premises does a valid argument not need? → :class:`Parts` of pairs (premise,
    conjunct): ``yes`` are irrelevant. Conjuncts are what :func:`conjuncts` finds; premises with one conjunct are not
    looked at."""

    premises: Formulas
    conclusion: Formula

    def plan(self) -> PartsPlan:
        parts = [conjuncts(premise) for premise in self.premises]
        pairs = [(number, part) for number, own in enumerate(parts) if len(own) > 1 for part in range(len(own))]
        (whole,) = yield [(*self.premises, Not(self.conclusion))]
        if whole.possible is not False:
            return _not_proved(whole, pairs)
        found = yield self._without(parts, pairs)
        return _split(pairs, [None if one.possible is None else not one.possible for one in found])

    def _without(self, parts: Sequence[Formulas], pairs: Sequence[tuple[int, int]]) -> Iterator[Formulas]:
        for number, part in pairs:
            rest = (*parts[number][:part], *parts[number][part + 1 :])
            yield (*self.premises[:number], *rest, *self.premises[number + 1 :], Not(self.conclusion))


@dataclass(frozen=True, slots=True)
class Petitio:
    """Which premises are equivalent to the conclusion? → :class:`Parts` of premises: ``yes`` beg the question"""

    premises: Formulas
    conclusion: Formula

    def plan(self) -> PartsPlan:
        found = yield ((Not(Iff(premise, self.conclusion)),) for premise in self.premises)
        verdicts = [None if one.possible is None else not one.possible for one in found]
        return _split(range(len(self.premises)), verdicts)


@dataclass(frozen=True, slots=True)
class RedundantSteps:
    """Which intermediate conclusions does an argument not need? → :class:`Parts` of items: ``yes`` are redundant.

    An item is redundant where every later inference that uses it is valid without it; so also where none uses it.

    Args:
        items: premises and conclusions in order; the last is the final conclusion.
        sources: for each conclusion (its number) the numbers of the items it is inferred from.
    """

    items: Formulas
    sources: Mapping[int, tuple[int, ...]]

    def plan(self) -> PartsPlan:
        steps = [step for step in sorted(self.sources) if step != len(self.items) - 1]
        uses = [(step, use) for step in steps for use in sorted(self.sources) if step in self.sources[use]]
        found = yield (self._without(step, use) for step, use in uses)
        possible: dict[int, list[bool | None]] = {step: [] for step in steps}
        for (step, _), one in zip(uses, found, strict=True):
            possible[step].append(one.possible)
        return _split(steps, [False if True in several else None if None in several else True for several in possible.values()])

    def _without(self, step: int, use: int) -> Formulas:
        return (*(self.items[source] for source in self.sources[use] if source != step), Not(self.items[use]))


Question: TypeAlias = (
    Entails
    | Consistent
    | Equivalent
    | Tautology
    | Contrary
    | Contradictory
    | NeededPremises
    | IrrelevantConjuncts
    | Petitio
    | RedundantSteps
)


def conjuncts(formula: Formula) -> Formulas:
    """The formula as several that say the same together: parts of ``&``, below universal quantifiers and after arrows
    too."""
    match formula:
        case And(parts):
            return tuple(conjunct for part in parts for conjunct in conjuncts(part))
        case ForAll(variables, body):
            return tuple(ForAll(variables, conjunct) for conjunct in conjuncts(body))
        case Implies(left, right):
            return tuple(Implies(left, conjunct) for conjunct in conjuncts(right))
    return (formula,)


def _impossible(*formulas: Formula) -> YesNoPlan:
    (one,) = yield [formulas]
    if one.possible is None:
        return Undecided(one.reason or "incomplete")
    return No(one.model) if one.possible else Yes()


def _not_proved(whole: Together, items: Iterable[Any]) -> Parts:
    """What is needed in an argument that is not valid, or not known to be?"""
    return Parts(applies=False) if whole.possible else Parts(undecided=tuple(items))


def _split(items: Iterable[Any], verdicts: Sequence[bool | None]) -> Parts:
    pairs = list(zip(items, verdicts, strict=True))
    yes, no, undecided = (tuple(item for item, verdict in pairs if verdict is wanted) for wanted in (True, False, None))
    return Parts(yes, no, undecided)


def shows_world(question: Question) -> bool:
    """Whether the answer may hold a world; finding one takes longer than the proof."""
    return not isinstance(question, NeededPremises | IrrelevantConjuncts | Petitio | RedundantSteps)
