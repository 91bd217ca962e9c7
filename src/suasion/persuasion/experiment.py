"""A journey with arms: what they share is run once, then every arm with every seed, then their comparison. Each stage is a run.

Nothing here keeps a state of its own: a stage that is done and unchanged is found and skipped, a killed one is taken up, so an
experiment that was killed goes on where it was.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from suasion.errors import SuasionError
from suasion.persuasion.evaluation.contest import Contender
from suasion.persuasion.stages.audit import audit_stage
from suasion.persuasion.stages.common import Journey
from suasion.persuasion.stages.comparison import comparison_stage
from suasion.persuasion.stages.gate import gate
from suasion.persuasion.stages.judge import judge_stage
from suasion.persuasion.stages.mine import mine_stage
from suasion.persuasion.stages.pairs import pairs_stage
from suasion.persuasion.stages.practice import practice_stage
from suasion.persuasion.stages.sft import sft_stage
from suasion.progress import say
from suasion.runs.run import Run


def run_experiment(journey: Journey, sources: Sequence[str] = ()) -> Run:
    """Run what is not done and unchanged; return the comparison, whose ``report.html`` tells the outcome.

    Every arm's judge is trained, audited and let through the gate before any writer is paid for. Shared work is found again among the
    runs, so stages are skipped when done whatever the journey says.

    Raises:
        Refused: an arm's judge failed its audit and the arm's recipe does not allow that.
    """
    recipe = journey.recipe
    shared = replace(journey, skip_done=True)
    mined = mine_stage(shared, sources or recipe.mine.sources)
    pairs = pairs_stage(shared, mined)
    arms: dict[str, tuple[Journey, Run, Run]] = {}
    for name in recipe.arms:
        say(f"Arm {name}: its judge")
        arm = shared.with_recipe(recipe.arm(name))
        of_judge = pairs_stage(arm, mined)
        judge = judge_stage(arm, of_judge)
        audit = audit_stage(arm, judge, of_judge)
        practice = arm.recipe.practice
        gate(judge, audit, allow_failed=practice.allow_failed_audit or not practice.asks_the_judge)
        arms[name] = arm, judge, audit
    independent = {name: _independent_judge(shared, name, mined) for name in recipe.comparison.independent}
    _check_independent(independent, {judge.name for _, judge, _ in arms.values()})
    writer = sft_stage(shared, pairs)
    contenders: list[Contender] = []
    seeds = recipe.arm_seeds or (recipe.seed,)
    for seed in seeds:  # by turns, so that a slow hour of the machine hits every arm alike
        for name, (arm, judge, audit) in arms.items():
            say(f"Arm {name}, seed {seed} ({len(contenders) + 1} of {len(seeds) * len(arms)})")
            seeded = arm.with_recipe(arm.recipe.model_copy(update={"seed": seed}))
            run = practice_stage(seeded, writer, judge, pairs, audit)
            contenders.append(Contender(name, seed, seeded.recipe, run, judge, audit))
    order = {name: place for place, name in enumerate(arms)}
    contenders.sort(key=lambda one: order[one.arm])
    return comparison_stage(shared, writer, contenders, pairs, independent)


def _independent_judge(journey: Journey, name: str, mined: Run) -> Run:
    """Trained on pairs that are split as the recipe's are: its seed is that of its training alone."""
    say(f"Independent judge {name}")
    own = journey.recipe.for_judge(name)
    pairs = pairs_stage(journey.with_recipe(own.model_copy(update={"seed": journey.recipe.seed})), mined)
    return judge_stage(journey.with_recipe(own), pairs)


def _check_independent(independent: Mapping[str, Run], practised: Collection[str]) -> None:
    """Refuse a judge that is no other than one that some arm practises against."""
    for name, judge in independent.items():
        if judge.name in practised:
            raise SuasionError(
                f"comparison.independent.{name} is {judge.name}, against which an arm practises: the same pairs, settings and seed.",
                hint="Give it another kind (judge.kind), another seed, or other pairs.",
            )
