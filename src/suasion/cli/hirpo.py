"""``suasion hirpo``: a model learns formal argument analysis from verifiers."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from suasion.cli.common import ROOT, AsJson, DryRun, Out, Overrides, Root, Tracker, quiet_libraries, show

hirpo_app = typer.Typer(help="Learn formal argument analysis from verifiers (HIRPO).", no_args_is_help=True)


@hirpo_app.command("run")
def hirpo_run(
    config: Annotated[Path, typer.Argument(metavar="CONFIG", help="A recipe (recipes/hirpo/…), or a published data-generation file.")],
    overrides: Overrides = None,
    training: Annotated[
        Path | None, typer.Option("--training", help="The published training file that goes with a published data-generation file.")
    ] = None,
    texts: Annotated[Path, typer.Option("--texts", help="The folder that relative paths to exercises are from.")] = Path(),
    out: Out = None,
    root: Root = ROOT,
    dry_run: DryRun = False,
    again: Annotated[bool, typer.Option("--again", help="Run parts again that are done and unchanged.")] = False,
    tracker: Tracker = None,
    as_json: AsJson = False,
) -> None:
    """Generate, verify, pair, train, evaluate, epoch by epoch. What is done is skipped, what was killed goes on where it was."""
    from suasion.analysis.hirpo.published import load_hirpo
    from suasion.config import to_yaml
    from suasion.progress import say

    quiet_libraries()
    read = load_hirpo(config, training, overrides or [])
    for notice in read.notices:
        say(f"HIRPO: {notice}")
    if dry_run:
        typer.echo(to_yaml(read.config), nl=False)
        return
    from suasion.analysis.hirpo.hirpo import run_hirpo
    from suasion.analysis.hirpo.stage import Journey

    journey = Journey(read.config, root, texts, skip_done=not again, trackers=tuple(tracker or ()), out=out)
    show(run_hirpo(journey), as_json=as_json)
