"""What the verbs share: their options, and the recipe behind them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from suasion.runs import ranks

if TYPE_CHECKING:
    from suasion.persuasion.stages.common import Journey
    from suasion.runs.run import Run

Overrides = Annotated[
    list[str] | None, typer.Argument(metavar="[KEY=VALUE…]", help="Settings laid over the recipe, for example practice.num_generations=8.")
]
RecipeFile = Annotated[Path | None, typer.Option("-r", "--recipe", help="A recipe to take the settings from. Default: the defaults.")]
Out = Annotated[
    Path | None, typer.Option("-o", "--out", help="A new or empty folder for the run. Default: a name of its own below --root.")
]
Root = Annotated[Path, typer.Option("-R", "--root", envvar="SUASION_RUNS", help="Where runs are kept.")]
Tracker = Annotated[list[str] | None, typer.Option("--tracker", help="Also log to wandb, trackio or tensorboard (may be given again).")]
AsJson = Annotated[bool, typer.Option("--json", help="Print the results as JSON on stdout.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Print the resolved recipe and stop.")]
PairsSource = Annotated[str, typer.Option("--pairs", help="The run (or folder) that `suasion pairs` made.")]
ROOT = Path("runs")


def make_journey(
    recipe: Path | None,
    overrides: list[str] | None,
    root: Path,
    tracker: list[str] | None = None,
    *,
    skip_done: bool = False,
    dry_run: bool = False,
) -> Journey:
    """The recipe with its overrides, ready to run stages of. A dry run prints it and ends the program here."""
    from suasion.config import load_config, to_yaml, validate
    from suasion.persuasion.arms import described
    from suasion.persuasion.recipe import Recipe

    quiet_libraries()
    ranks.join()
    read = load_config(recipe, Recipe, overrides or []) if recipe else validate({}, Recipe, overrides or [])
    if dry_run:
        if ranks.leads():
            typer.echo(to_yaml(read) + "".join(f"# {line}\n" for line in described(read)), nl=False)
        raise typer.Exit
    from suasion.persuasion.stages.common import Journey

    return Journey(read, root, skip_done=skip_done, trackers=tuple(tracker or ()))


def show(run: Run, *, as_json: bool) -> None:
    """Say where a run's results are, or print them; of several processes, rank 0 does."""
    ranks.leave()
    if not ranks.leads():
        return
    if as_json:
        typer.echo(json.dumps({"run": run.name, "folder": str(run.path)} | run.results, indent=2, ensure_ascii=False))
        return
    for key, value in run.results.items():
        if isinstance(value, int | float | str | bool):
            typer.echo(f"{key}: {_short(value)}")
    typer.echo(f"run: {run.path}")
    if (run.path / "report.html").is_file():
        typer.echo(f"report: {run.path / 'report.html'}")


def quiet_libraries() -> None:
    """Our own progress is what a reader should see; the libraries' bars and advice would bury it. Set SUASION_DEBUG=1 to see them."""
    import logging
    import os
    import warnings

    if os.environ.get("SUASION_DEBUG"):
        return
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")
    os.environ.setdefault("HF_HUB_DISABLE_PROGRESS_BARS", "1")
    os.environ.setdefault("HF_DATASETS_DISABLE_PROGRESS_BARS", "1")
    os.environ.setdefault("TRL_EXPERIMENTAL_SILENCE", "1")
    for name in ("bitsandbytes", "transformers", "trl", "peft", "accelerate", "torch", "matplotlib"):
        logging.getLogger(name).setLevel(logging.ERROR)
    warnings.filterwarnings("ignore")


def _short(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
