"""The whole persuasion journey: mine → pairs → SFT and judge → audit → practice → evaluate, each a run with its parents."""

from __future__ import annotations

from collections.abc import Sequence

from suasion.persuasion.experiment import run_experiment
from suasion.persuasion.stages.audit import audit_stage
from suasion.persuasion.stages.common import Journey
from suasion.persuasion.stages.evaluate import evaluate_stage
from suasion.persuasion.stages.gate import gate
from suasion.persuasion.stages.judge import judge_stage
from suasion.persuasion.stages.mine import mine_stage
from suasion.persuasion.stages.pairs import pairs_stage
from suasion.persuasion.stages.practice import practice_stage
from suasion.persuasion.stages.sft import sft_stage
from suasion.progress import say
from suasion.runs.run import Run


def run_journey(journey: Journey, sources: Sequence[str] = ()) -> Run:
    """Run every stage that is not done and unchanged; return the evaluation, whose ``report.html`` tells the whole story. With arms it is
    their comparison (see :mod:`suasion.persuasion.experiment`).

    The judge is trained and audited before the writer: where it fails, nothing that needs it is paid for.

    Args:
        sources: debates to mine instead of the recipe's.
    """
    base = journey.base  # a model that is not there is told at once, not after the mining
    say(f"Base: {base.config.model}, {base.lock['quantization']} quantisation, weights {base.lock['weights'][:12]}")
    if journey.recipe.arms:
        return run_experiment(journey, sources)
    mined = mine_stage(journey, sources or journey.recipe.mine.sources)
    pairs = pairs_stage(journey, mined)
    judge = judge_stage(journey, pairs)
    audit = audit_stage(journey, judge, pairs)
    practice = journey.recipe.practice
    gate(judge, audit, allow_failed=practice.allow_failed_audit or not practice.asks_the_judge)
    writer = sft_stage(journey, pairs)
    practised = practice_stage(journey, writer, judge, pairs, audit)
    return evaluate_stage(journey, [writer, practised], judge, pairs, audit)
