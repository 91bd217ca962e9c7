"""``suasion practice``: the writer against the judge."""

from __future__ import annotations

from typing import Annotated

import typer

from suasion.cli.common import ROOT, AsJson, DryRun, Out, Overrides, PairsSource, RecipeFile, Root, Tracker, make_journey, show


def practice_command(
    writer: Annotated[str, typer.Option("--writer", help="The writer to go on from: a run of kind SFT or GRPO.")],
    judge: Annotated[str, typer.Option("--judge", help="The judge's run. It must have passed an audit.")],
    pairs: PairsSource,
    overrides: Overrides = None,
    audit: Annotated[str | None, typer.Option("--audit", help="The judge's audit. Default: its newest one.")] = None,
    out: Out = None,
    recipe: RecipeFile = None,
    root: Root = ROOT,
    dry_run: DryRun = False,
    tracker: Tracker = None,
    as_json: AsJson = False,
) -> None:
    """Practise with GRPO: four replies a premise, those above their group's average are pushed up.

    Refused (exit status 1) if the judge failed its audit.
    """
    from suasion.persuasion.stages.practice import practice_stage

    show(practice_stage(make_journey(recipe, overrides, root, tracker, dry_run=dry_run), writer, judge, pairs, audit, out), as_json=as_json)
