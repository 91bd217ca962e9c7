"""``suasion audit``: try to fool a judge before a writer does."""

from __future__ import annotations

from typing import Annotated

import typer

from suasion.cli.common import ROOT, AsJson, DryRun, Out, Overrides, PairsSource, RecipeFile, Root, make_journey, show


def audit_command(
    judge: Annotated[str, typer.Argument(metavar="JUDGE", help="A judge's run, or a rule to see it fail: longest, shortest.")],
    pairs: PairsSource,
    overrides: Overrides = None,
    out: Out = None,
    recipe: RecipeFile = None,
    root: Root = ROOT,
    dry_run: DryRun = False,
    as_json: AsJson = False,
) -> None:
    """Audit a judge on held-out pairs: accuracy beside rules that read nothing, length, padding. Exit status 1: it failed."""
    from suasion.persuasion.stages.audit import audit_stage

    run = audit_stage(make_journey(recipe, overrides, root, dry_run=dry_run), judge, pairs, out)
    show(run, as_json=as_json)
    if run.results["verdict"] != "pass":
        raise typer.Exit(1)
