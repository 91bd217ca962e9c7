"""The stage ``mine``: dumps in, tables of debates out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from suasion.errors import SuasionError
from suasion.files import sha256_file
from suasion.persuasion.mining.mine import mine
from suasion.persuasion.mining.sources import find_files, sample_folder
from suasion.persuasion.stages.common import Journey, Plan, perform
from suasion.runs.run import Run


def mine_stage(journey: Journey, sources: Sequence[str], out: Path | None = None) -> Run:
    """Mine the sources (files, folders, or the word ``sample``) into a run of kind ``Mine``."""
    if not sources:
        raise SuasionError("No source of debates is named.", hint="Set mine.sources in the recipe, or give --data FOLDER.")
    files = find_files([sample_folder() if source == "sample" else Path(source) for source in sources])
    names = [path.name for path in files]
    inputs = {path.name if names.count(path.name) == 1 else str(path): sha256_file(path) for path in files}

    def work(run: Run) -> None:
        result = mine(files, run.path)
        run.results = {key: value for key, value in asdict(result).items() if key != "counts"}

    # The content decides, not where it lies: the sources' paths are no part of the plan.
    return perform(journey, Plan("Mine", (), {}, inputs, on_base=False), work, out)
