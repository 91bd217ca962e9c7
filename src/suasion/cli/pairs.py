"""``suasion pairs``: mined debates in, length-matched winner/loser pairs out."""

from __future__ import annotations

from typing import Annotated

import typer

from suasion.cli.common import ROOT, AsJson, DryRun, Out, Overrides, RecipeFile, Root, make_journey, show


def pairs_command(
    mined: Annotated[str, typer.Argument(metavar="MINED", help="A folder that 'suasion mine' wrote, or the name of its run.")],
    overrides: Overrides = None,
    out: Out = None,
    recipe: RecipeFile = None,
    root: Root = ROOT,
    dry_run: DryRun = False,
    as_json: AsJson = False,
) -> None:
    """Make pairs of winners and losers, matched on length, split without leaks, with a data card."""
    from suasion.cli.tables import print_splits, print_steps
    from suasion.persuasion.stages.pairs import pairs_stage

    run = pairs_stage(make_journey(recipe, overrides, root, dry_run=dry_run), mined, out)
    if as_json:
        show(run, as_json=True)
        return
    print_steps(
        f"From debates to pairs, in {run.path}",
        {step: {"read": entry["in"], "kept": entry["kept"]} | entry["dropped"] for step, entry in run.results["steps"].items()},
    )
    print_splits(run.results)
