"""The stage ``pairs``: mined debates in, length-matched winners and losers out."""

from __future__ import annotations

from pathlib import Path

from suasion.errors import SuasionError
from suasion.files import sha256_file
from suasion.persuasion.mining.pairs import make_pairs
from suasion.persuasion.stages.common import Journey, Plan, finished_run, perform
from suasion.runs.manifest import MANIFEST_FILE
from suasion.runs.run import Run


def pairs_stage(journey: Journey, mined: str | Run, out: Path | None = None) -> Run:
    """Make pairs from a mining run (or its name, or a plain folder with its tables) in a run of kind ``Pairs``."""
    folder, parents, inputs = data_source(mined, journey.root, "Mine", "posts.parquet")

    def work(run: Run) -> None:
        result = make_pairs(folder, run.path, journey.recipe.pairs, journey.recipe.seed)
        longer_wins = {name: estimate.as_dict() for name, estimate in result.longer_wins.items()}
        run.results = {"pairs": result.pairs, "premises": result.premises, "longer_wins": longer_wins, "steps": result.steps}

    return perform(journey, Plan("Pairs", ("seed", "pairs"), parents, inputs, on_base=False), work, out)


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
