"""How a formalisation fits its sentence, and which logic it needs."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from suasion.analysis.logic.reading import read_aloud
from suasion.analysis.logic.syntax import Atom, walk
from suasion.analysis.logic.wording import Wording
from suasion.analysis.tasks.measures.wording import mean, mean_similarity
from suasion.analysis.verification.case import Case


def faithfulness(case: Case, arguments: int | None = None) -> float:
    """How near sentences are to their formulas read aloud with the declared meanings, in [0, 1].

    Of the first so many arguments, or of all.
    """
    return mean_similarity(_readings(case, arguments))


def predicate_logic(case: Case) -> float:
    """The share of formulas without a sentence letter, in [0, 1]; 0 where there is no formula. What stands in ``a = b`` is no sentence."""
    formulas = [line.formula for argument in case.formal.arguments.values() for line in argument.lines if line.formula]
    return mean(not any(isinstance(node, Atom) and not node.arguments for node, _ in walk(formula)) for formula in formulas)


def _readings(case: Case, arguments: int | None) -> Iterator[tuple[str, str]]:
    wording = Wording(case.formal.declarations)
    for argument in islice(case.formal.arguments.values(), arguments):
        for line in argument.lines:
            if line.formula:
                yield line.text or "", read_aloud(line.formula, wording)
