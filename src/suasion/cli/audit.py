"""``suasion audit``: try to fool a judge before a writer does."""

from __future__ import annotations

from typing import Annotated

import typer

from suasion.cli.common import ROOT, AsJson, DryRun, Out, Overrides, PairsSource, RecipeFile, Root, make_journey, show


def audit_command(
    judge: Annotated[
        str,
        typer.Argument(
            metavar="JUDGE",
            help="A judge's run, llm (the recipe's language model), or a baseline: longest, shortest, shallow, words, sentences.",
        ),
    ],
    pairs: PairsSource,
    overrides: Overrides = None,
    transfer: Annotated[
        list[str] | None,
        typer.Option(
            "--transfer",
            metavar="NAME_OR_FOLDER",
            help="Pairs from elsewhere: UKPConvArg1, Tan et al.'s pair task, a run of kind Pairs (may be given again).",
        ),
    ] = None,
    out: Out = None,
    recipe: RecipeFile = None,
    root: Root = ROOT,
    dry_run: DryRun = False,
    as_json: AsJson = False,
) -> None:
    """Audit a judge on held-out pairs: accuracy beside all baselines, length, the premise, calibration, tricks, and a search for what
    fools it. Exit status 1: it failed."""
    from suasion.persuasion.stages.audit import audit_stage

    run = audit_stage(make_journey(recipe, overrides, root, dry_run=dry_run), judge, pairs, out, transfer or ())
    show(run, as_json=as_json)
    if run.results["verdict"] != "pass":
        raise typer.Exit(1)
