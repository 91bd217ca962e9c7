"""``suasion sft``: the writer imitates winning replies."""

from __future__ import annotations

from suasion.cli.common import ROOT, AsJson, DryRun, Out, Overrides, PairsSource, RecipeFile, Root, Tracker, make_journey, show


def sft_command(
    pairs: PairsSource,
    overrides: Overrides = None,
    out: Out = None,
    recipe: RecipeFile = None,
    root: Root = ROOT,
    dry_run: DryRun = False,
    tracker: Tracker = None,
    as_json: AsJson = False,
) -> None:
    """Fine-tune the base on winning replies. Only the reply is scored; a killed run goes on from its last checkpoint."""
    from suasion.persuasion.stages.sft import sft_stage

    show(sft_stage(make_journey(recipe, overrides, root, tracker, dry_run=dry_run), pairs, out), as_json=as_json)
