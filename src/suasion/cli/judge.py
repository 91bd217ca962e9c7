"""``suasion judge``: the base with a one-number head learns which reply won."""

from __future__ import annotations

from suasion.cli.common import ROOT, AsJson, DryRun, Out, Overrides, PairsSource, RecipeFile, Root, Tracker, make_journey, show


def judge_command(
    pairs: PairsSource,
    overrides: Overrides = None,
    out: Out = None,
    recipe: RecipeFile = None,
    root: Root = ROOT,
    dry_run: DryRun = False,
    tracker: Tracker = None,
    as_json: AsJson = False,
) -> None:
    """Train a judge on pairs. Before the run is done, the saved head is loaded again and proved to give the same scores."""
    from suasion.persuasion.stages.judge import judge_stage

    show(judge_stage(make_journey(recipe, overrides, root, tracker, dry_run=dry_run), pairs, out), as_json=as_json)
