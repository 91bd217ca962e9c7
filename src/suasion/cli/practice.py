"""``suasion practice``: the writer against the judge."""

from __future__ import annotations

from typing import Annotated

import typer

from suasion.cli.common import ROOT, AsJson, DryRun, Out, Overrides, PairsSource, RecipeFile, Root, Tracker, make_journey, show


def practice_command(
    pairs: PairsSource,
    writer: Annotated[
        str | None, typer.Option("--writer", help="The writer to go on from: a run of kind SFT, or of an earlier practice.")
    ] = None,
    judge: Annotated[
        str | None, typer.Option("--judge", help="The judge's run. It must have passed an audit. Not needed by dpo and orpo.")
    ] = None,
    overrides: Overrides = None,
    audit: Annotated[str | None, typer.Option("--audit", help="The judge's audit. Default: its newest one.")] = None,
    out: Out = None,
    recipe: RecipeFile = None,
    root: Root = ROOT,
    dry_run: DryRun = False,
    tracker: Tracker = None,
    as_json: AsJson = False,
) -> None:
    """Practise with ``practice.method``: grpo (the default), ppo or rloo against the judge; dpo or orpo on the pairs.

    With a judge: replies are drawn, and those that it scores higher become likelier. Refused (exit status 1) if it failed its audit.
    """
    from suasion.persuasion.stages.practice import practice_stage

    show(practice_stage(make_journey(recipe, overrides, root, tracker, dry_run=dry_run), writer, judge, pairs, audit, out), as_json=as_json)
