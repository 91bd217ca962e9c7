"""``suasion mine``: dumps and corpora in, tables of debates out."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from suasion.cli.common import ROOT, AsJson, Out, Root, make_journey


def mine_command(
    sources: Annotated[
        list[str],
        typer.Argument(metavar="SOURCE…", help="Files or folders; the word 'sample' for the shipped debates."),
    ],
    out: Out = None,
    form: Annotated[
        str | None, typer.Option("--form", help="dump, convokit or tan, where the content leaves it open. Default: by content.")
    ] = None,
    subreddit: Annotated[str, typer.Option("--subreddit", help="Whose lines of a dump are wanted; 'any' takes all.")] = "changemyview",
    workers: Annotated[
        int | None,
        typer.Option("--workers", min=0, help="Processes that parse beside the one that decompresses. Default: by processors, at most 3."),
    ] = None,
    root: Root = ROOT,
    as_json: AsJson = False,
) -> None:
    """Mine debates: posts, comments and awards as Parquet, and counts.json with the reason for every drop.

    Sources are Reddit dumps (NDJSON, plain or .zst, of one subreddit or of all of Reddit), the folder of ConvoKit's winning-args-corpus,
    and the discussions of Tan et al. 2016 (all/*.jsonlist.bz2). Tables of ready pairs go to 'suasion pairs'. A run that was killed goes on
    where it was when it is started again.
    """
    from suasion.cli.tables import print_steps
    from suasion.files import read_json
    from suasion.persuasion.stages.mine import mine_stage

    settings = [f"mine.subreddit={'null' if subreddit == 'any' else subreddit}"] + ([f"mine.form={form}"] if form else [])
    run = mine_stage(make_journey(None, settings, root), sources, out, workers)
    counts = read_json(run.path / "counts.json")
    if as_json:
        typer.echo(json.dumps({"run": run.name, "folder": str(run.path)} | run.results | {"counts": counts}, indent=2, ensure_ascii=False))
        return
    print_steps(f"Mined into {run.path}", counts)
    found = run.results
    typer.echo(f"{found['by_author']:,} awards by the posts' authors to {found['winners']:,} replies, in {found['posts']:,} debates.")
