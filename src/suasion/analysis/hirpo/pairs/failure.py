"""Of two invalid answers the one that makes only some of the other's mistakes: what there is to learn while nothing succeeds yet.

The chosen answer must *dominate*: each of its mistakes the other makes too, and as often or more often, and the other makes at least one
kind of mistake that it does not make. Neither may hide behind what was not asked: where a mistake kept checks from being made, it did so in
both, and what could not be decided in the chosen answer counts as a mistake of it, in the rejected one as none.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from suasion.analysis.hirpo.pairs.asked import Asked, mistakes_of, with_parents
from suasion.analysis.hirpo.pairs.draws import one_of
from suasion.analysis.hirpo.pairs.pair import PreferencePair
from suasion.analysis.hirpo.tries import Try
from suasion.analysis.tasks.prompts import with_hints
from suasion.analysis.verification.findings import Finding

if TYPE_CHECKING:
    import numpy as np

_TOLD = 8  # hints of each sort


def dominates(one: Try, other: Try) -> bool:
    """Whether an invalid answer makes only some of another's mistakes."""
    if not one.verdict or not other.verdict:
        return False
    ours = Counter(finding.code for finding in one.verdict.findings)
    theirs = Counter(finding.code for finding in mistakes_of(other))
    return ours.keys() < theirs.keys() and all(theirs[code] >= number for code, number in ours.items())


def failure(asked: Asked, generator: np.random.Generator) -> PreferencePair | None:
    """An answer that no other dominates, preferred to one that it dominates, under a prompt that says what to avoid above all, and what is
    forgiven. ``None`` where none dominates another."""
    beaten = {one.path: [other for other in asked.invalid if dominates(one, other)] for one in asked.invalid}
    best = [one for one in asked.invalid if beaten[one.path] and not any(dominates(other, one) for other in asked.invalid)]
    if not best:
        return None
    chosen = one_of(best, generator)
    rejected = one_of(beaten[chosen.path], generator)
    own = {finding.code for finding in chosen.verdict.findings} if chosen.verdict else set()
    avoided = {finding.code: finding for finding in reversed(mistakes_of(rejected)) if finding.code not in own}
    forgiven = {finding.code: finding for finding in reversed(mistakes_of(chosen))}
    hints = [f"Above all, see to this: {rule}" for rule in _rules(asked, list(avoided.values()))]
    hints += [f"It is forgiven here if this is not met: {rule}" for rule in _rules(asked, list(forgiven.values()))]
    turns = asked.turns_with(with_hints(asked.turns[-1]["content"], hints))
    return asked.pair(asked.kind("failure", "failure-revision"), chosen, rejected, turns, codes=tuple(sorted(avoided)))


def _rules(asked: Asked, findings: Sequence[Finding]) -> list[str]:
    """What was not met, in the words of the task's requirements: they speak of no particular answer."""
    required = {check.code: check.requirement for check in asked.assignment.declared.checks}
    rules = [next((required[code] for code in with_parents(one.code) if required.get(code)), one.message) for one in findings]
    return list(dict.fromkeys(rules))[:_TOLD]
