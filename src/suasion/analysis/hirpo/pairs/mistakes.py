"""The mirrored pair: a prompt that asks for the very mistakes that an invalid answer made, and that answer preferred.

It teaches what the mistakes are. It is made less often the better the model does, and less often still for mistakes that the configuration
says so of (``ask_for_invalid``).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from suasion.analysis.hirpo.pairs.asked import Asked, codes_of, mistakes_of, with_parents
from suasion.analysis.hirpo.pairs.pair import Kind, PreferencePair
from suasion.analysis.hirpo.tries import Try
from suasion.analysis.tasks.prompts import with_mistakes

if TYPE_CHECKING:
    import numpy as np


def chance(share_valid: float, codes: tuple[str, ...], ask_for_invalid: Mapping[str, float]) -> float:
    """How likely the mirror is made.

    Args:
        share_valid: of the answers to the question.
        codes: of the mistakes that the invalid answer made.
        ask_for_invalid: an upper bound for each mistake, by the code of its check; one that was not made bounds nothing.
    """
    made = {check for code in codes for check in with_parents(code)}
    return min([1 - share_valid, *(bound for code, bound in ask_for_invalid.items() if code in made)])


def mistakes(
    asked: Asked,
    valid: Try,
    invalid: Try,
    share_valid: float,
    ask_for_invalid: Mapping[str, float],
    generator: np.random.Generator,
    kind: Kind | None = None,
) -> PreferencePair | None:
    """The invalid answer preferred to the valid one where its mistakes are asked for; ``None`` where chance will not have it."""
    made = mistakes_of(invalid)
    codes = codes_of(made)
    if not made or float(generator.random()) >= chance(share_valid, codes, ask_for_invalid):
        return None
    turns = asked.turns_with(with_mistakes(asked.turns[-1]["content"], made))
    return asked.pair(kind or asked.kind("mistakes", "mistakes-revision"), invalid, valid, turns, codes=codes)
