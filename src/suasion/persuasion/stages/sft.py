"""The stage ``sft``: the writer imitates the winning replies of the training debates."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from suasion.errors import SuasionError
from suasion.models.loading import save_adapter
from suasion.persuasion.dataset import Pair, load_pairs
from suasion.persuasion.stages.common import Journey, Plan, perform
from suasion.persuasion.stages.pairs import data_source
from suasion.runs.run import Run
from suasion.training.sft import Example, train_sft


def sft_stage(journey: Journey, pairs: str | Run, out: Path | None = None) -> Run:
    """Train the first writer in a run of kind ``SFT``; its adapter lies in ``adapter/``."""
    folder, parents, inputs = data_source(pairs, journey.root, "Pairs", "train.parquet")
    recipe = journey.recipe

    def work(run: Run) -> None:
        examples, held_out = _winners(load_pairs(folder, "train")), _winners(load_pairs(folder, "validation"))
        if not examples:
            raise SuasionError("There is no winning reply to learn from.", where=folder)
        model, results = train_sft(journey.base, journey.renderer, examples, held_out, recipe.lora, recipe.sft, run, recipe.seed)
        save_adapter(model, journey.base, run.path / "adapter")
        run.results = dict(results)

    sections = ("seed", "processes", "base", "lora", "rendering", "sft")
    return perform(journey, Plan("SFT", sections, parents, inputs, on_base=True, together=True), work, out)


def _winners(pairs: Sequence[Pair]) -> list[Example]:
    """Each winning reply once, however many pairs it stands in."""
    distinct = {(pair.debate_id, pair.winner_id): Example(pair.premise, pair.winner) for pair in pairs}
    return list(distinct.values())
