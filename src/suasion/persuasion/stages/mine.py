"""The stage ``mine``: dumps and corpora in, tables of debates out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path

from suasion.errors import SuasionError
from suasion.files import sha256_file
from suasion.persuasion.mining.mine import mine
from suasion.persuasion.mining.sources.forms import files_of, find_sources, sample_folder
from suasion.persuasion.stages.common import Journey, Plan, perform
from suasion.runs.run import Run


def mine_stage(journey: Journey, sources: Sequence[str], out: Path | None = None, workers: int | None = None) -> Run:
    """Mine the sources (files, folders, or the word ``sample``) into a run of kind ``Mine``.

    Args:
        workers: processes that parse (see :func:`mine`); they change the pace and nothing else.
    """
    if not sources:
        raise SuasionError("No source of debates is named.", hint="Set mine.sources in the recipe, or give --data FOLDER.")
    settings = journey.recipe.mine
    paths = [sample_folder() if source == "sample" else Path(source) for source in sources]
    files = [path for source in find_sources(paths, settings.form) for path in files_of(source)]
    names = [path.name for path in files]
    inputs = {path.name if names.count(path.name) == 1 else str(path): sha256_file(path) for path in files}
    # The content decides, not where it lies: the sources' paths are no part of the plan.
    placeless = journey.recipe.model_copy(update={"mine": settings.model_copy(update={"sources": ()})})

    def work(run: Run) -> None:
        result = mine(paths, run.path, form=settings.form, subreddit=settings.subreddit, workers=workers)
        run.results = {key: value for key, value in asdict(result).items() if key != "counts"}

    return perform(replace(journey, recipe=placeless), Plan("Mine", ("mine",), {}, inputs, on_base=False), work, out)
