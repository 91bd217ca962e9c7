"""``suasion evaluate``: writers against the base on held-out premises."""

from __future__ import annotations

from typing import Annotated

import typer

from suasion.cli.common import ROOT, AsJson, DryRun, Out, Overrides, PairsSource, RecipeFile, Root, make_journey, show


def evaluate_command(
    writer: Annotated[
        list[str], typer.Option("--writer", help="A writer's run (may be given again, the last one is the one in question).")
    ],
    judge: Annotated[str, typer.Option("--judge", help="The judge's run.")],
    pairs: PairsSource,
    overrides: Overrides = None,
    audit: Annotated[str | None, typer.Option("--audit", help="The judge's audit, for the report. Default: its newest one.")] = None,
    out: Out = None,
    recipe: RecipeFile = None,
    root: Root = ROOT,
    dry_run: DryRun = False,
    as_json: AsJson = False,
) -> None:
    """Sample base and writers with the same seeds on held-out premises: judge score, win rate, BLEU, ROUGE-L, length; report.html."""
    from suasion.persuasion.stages.evaluate import evaluate_stage

    show(evaluate_stage(make_journey(recipe, overrides, root, dry_run=dry_run), writer, judge, pairs, audit, out), as_json=as_json)
