"""The stage ``judge``: the base with a one-number head learns which reply won; the saved head is proved before the run is done."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import numpy as np

from suasion.models.loading import save_adapter
from suasion.models.reward_model import RewardModel
from suasion.persuasion.dataset import load_pairs
from suasion.persuasion.judging.judge import RULES, Judge, prove_head
from suasion.persuasion.judging.probes import score_pairs
from suasion.persuasion.stages.common import Journey, Plan, finished_run, perform
from suasion.persuasion.stages.pairs import data_source
from suasion.runs.run import Run
from suasion.statistics import clustered_share
from suasion.training.reward import render_pairs, train_reward


def judge_stage(journey: Journey, pairs: str | Run, out: Path | None = None) -> Run:
    """Train a judge in a run of kind ``Judge``; its adapter and head lie in ``adapter/``."""
    folder, parents, inputs = data_source(pairs, journey.root, "Pairs", "train.parquet")
    recipe, base = journey.recipe, journey.base

    def work(run: Run) -> None:
        renderer = journey.renderer
        train, validation = load_pairs(folder, "train"), load_pairs(folder, "validation")
        rendered, truncation = render_pairs(renderer, [(pair.premise, pair.winner, pair.loser) for pair in train])
        model = train_reward(base, renderer, rendered, recipe.lora, recipe.judge, run, recipe.seed)
        adapter = save_adapter(model, base, run.path / "adapter")
        trained, reloaded = RewardModel(model, renderer), RewardModel.load(adapter, base, renderer)
        rows = [row for pair in rendered[:4] for row in (pair.chosen, pair.rejected)]
        full_precision = base.config.quantization == "none" and next(iter(model.parameters())).element_size() == np.float32().itemsize
        proof = prove_head(trained, reloaded, rows, exact=full_precision)
        run.results = {"truncation": asdict(truncation), "head_proof": asdict(proof)}
        if validation:
            scored = score_pairs(reloaded, validation)
            run.results["validation_accuracy"] = clustered_share(scored.correct, scored.debates).as_dict()

    return perform(journey, Plan("Judge", ("seed", "base", "lora", "rendering", "judge"), parents, inputs, on_base=True), work, out)


def load_judge(journey: Journey, name: str | Run) -> tuple[Judge, Run | None]:
    """A judge by its run (or the run's name, or a rule such as ``longest``), ready to score."""
    if isinstance(name, str) and name in RULES:
        return RULES[name], None
    run = name if isinstance(name, Run) else finished_run(name, journey.root, "Judge")
    return RewardModel.load(run.path / "adapter", journey.base, journey.renderer, label="Judge scores"), run
