"""``suasion mine``: dumps in, tables of debates out."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from suasion.cli.common import ROOT, AsJson, Out, Root, make_journey


def mine_command(
    sources: Annotated[
        list[str], typer.Argument(metavar="SOURCE…", help="Dump files or folders of them; the word 'sample' for the shipped debates.")
    ],
    out: Out = None,
    root: Root = ROOT,
    as_json: AsJson = False,
) -> None:
    """Mine debates from Reddit dumps: posts, comments and awards as Parquet, and counts.json with the reason for every drop."""
    from suasion.cli.tables import print_steps
    from suasion.files import read_json
    from suasion.persuasion.stages.mine import mine_stage

    run = mine_stage(make_journey(None, None, root), sources, out)
    counts = read_json(run.path / "counts.json")
    if as_json:
        typer.echo(json.dumps({"run": run.name, "folder": str(run.path)} | run.results | {"counts": counts}, indent=2, ensure_ascii=False))
        return
    print_steps(f"Mined into {run.path}", counts)
    found = run.results
    typer.echo(f"{found['by_author']:,} awards by the posts' authors to {found['winners']:,} replies, in {found['posts']:,} debates.")
