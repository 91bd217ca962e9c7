"""The stage ``pairs``: mined debates or ready pairs in, length-matched winners and losers out."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from suasion.errors import SuasionError
from suasion.files import sha256_file, sha256_json
from suasion.persuasion.mining.pairs.origin import files_of_pairs, is_dataset_id, is_mined
from suasion.persuasion.mining.pairs.pairs import make_pairs
from suasion.persuasion.mining.pairs.replies import CountTokens
from suasion.persuasion.mining.sources.ready import KNOWN
from suasion.persuasion.stages.common import Journey, Plan, finished_run, perform
from suasion.runs.manifest import MANIFEST_FILE
from suasion.runs.run import Run

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

_BATCH = 1000  # texts that are turned into tokens at once
_COLUMNS = "Columns of other names are told by pairs.columns.chosen=NAME pairs.columns.rejected=NAME."


def pairs_stage(journey: Journey, source: str | Run, out: Path | None = None) -> Run:
    """Make pairs in a run of kind ``Pairs``, their lengths counted in tokens of the base.

    Args:
        source: a mining run (or its name, or a plain folder with its tables); or ready pairs: a file, a folder, or the id of a data set.
    """
    place, parents, inputs = _source(journey, source)
    if (opt_out := journey.recipe.pairs.opt_out_file) is not None:
        inputs = {**inputs, "opt_out_file": sha256_file(opt_out)}  # who asked to be left out since the last run is left out of the next

    def work(run: Run) -> None:
        recipe = journey.recipe
        result = make_pairs(place, run.path, recipe.pairs, recipe.seed, token_counter(journey.base.tokenizer))
        run.results = {
            "pairs": result.pairs,
            "premises": result.premises,
            "longer_wins": {name: estimate.as_dict() for name, estimate in result.longer_wins.items()},
            "matching_cost": result.matching_cost,
            "steps": result.steps,
            "leaks": len(result.leaks),
        }

    return perform(journey, Plan("Pairs", ("seed", "base", "pairs"), parents, inputs, on_base=True), work, out)


def token_counter(tokenizer: PreTrainedTokenizerBase) -> CountTokens:
    """Counts the tokens of texts as they stand inside a conversation: without beginning and end."""

    def count(texts: Sequence[str], /) -> list[int]:
        numbers: list[int] = []
        for start in range(0, len(texts), _BATCH):
            batch = [text.encode("utf-8", "replace").decode() for text in texts[start : start + _BATCH]]  # half an emoji stops a tokenizer
            ids = tokenizer(batch, add_special_tokens=False, return_attention_mask=False, verbose=False)["input_ids"]
            numbers += [max(1, len(one)) for one in ids]
        return numbers

    return count


def _source(journey: Journey, given: str | Run) -> tuple[Path | str, dict[str, Run], dict[str, str]]:
    """Mined debates as :func:`data_source` finds them, or ready pairs with the hashes of their files."""
    if isinstance(given, str) and not is_mined(Path(given)) and not (Path(given) / MANIFEST_FILE).is_file():
        path = Path(given)
        if path.exists() and (files := files_of_pairs(path, journey.recipe.pairs)):
            return path, {}, {file.name: sha256_file(file) for file in files}
        if path.is_file():
            raise SuasionError(
                "This file is no table of pairs.", where=path, hint=f"Known are {KNOWN}, and the pair task of Tan et al. {_COLUMNS}"
            )
        if not path.exists() and not _is_run(journey.root, given) and is_dataset_id(given):
            return given, {}, {given: sha256_json(given)}
    return data_source(given, journey.root, "Mine", "posts.parquet")


def _is_run(root: Path, name: str) -> bool:
    return (root / name / MANIFEST_FILE).is_file()


def data_source(given: str | Run, root: Path, kind: str, table: str) -> tuple[Path, dict[str, Run], dict[str, str]]:
    """Tables that are a run's, or lie in a plain folder: their folder, the parent (if a run), and what is to be hashed (if none).

    Raises:
        SuasionError: there is no such run or folder, or it does not hold ``table``.
    """
    if isinstance(given, Run):
        return given.path, {kind.lower(): given}, {}
    folder = Path(given)
    if folder.is_dir() and not (folder / MANIFEST_FILE).is_file():
        if not (folder / table).is_file():
            raise SuasionError(f"This folder holds no {table}.", where=folder, hint=f"Make it with `suasion {kind.lower()}`.")
        return folder, {}, {path.name: sha256_file(path) for path in sorted(folder.glob("*.parquet"))}
    run = finished_run(given, root, kind)
    return run.path, {kind.lower(): run}, {}
