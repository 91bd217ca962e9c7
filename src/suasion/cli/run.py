"""``suasion run``: a whole journey from one recipe."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from suasion.cli.common import ROOT, AsJson, DryRun, Overrides, Root, Tracker, make_journey, show


def run_command(
    recipe: Annotated[Path, typer.Argument(metavar="RECIPE", help="A recipe, for example recipes/quickstart.yaml.")],
    overrides: Overrides = None,
    data: Annotated[
        list[str] | None,
        typer.Option("--data", help="Debates to learn from instead of the recipe's: dump files or folders (may be given again)."),
    ] = None,
    dry_run: DryRun = False,
    root: Root = ROOT,
    tracker: Tracker = None,
    as_json: AsJson = False,
) -> None:
    """Run a recipe from debates to report. Stages that are done and unchanged are skipped, killed ones go on where they were.

    A recipe with arms (recipes/showdown.yaml) runs the same journey several ways and ends in their comparison.
    """
    journey = make_journey(recipe, overrides, root, tracker, skip_done=True, dry_run=dry_run)
    from suasion.persuasion.journey import run_journey

    show(run_journey(journey, data or ()), as_json=as_json)
