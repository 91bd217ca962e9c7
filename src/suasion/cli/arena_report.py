"""``suasion arena report`` and ``suasion arena simulate``: a study's numbers, and raters that are none."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from suasion.cli.common import ROOT, RecipeFile, Root, make_journey

StudyFolder = Annotated[Path, typer.Argument(metavar="STUDY", help="The study's folder.")]


def report_command(
    study: StudyFolder,
    judges: Annotated[
        list[str] | None,
        typer.Option("--judge", metavar="RUN", help="A judge whose agreement with people is wanted: a run, or a rule's name (repeatable)."),
    ] = None,
    scores: Annotated[
        Path | None,
        typer.Option("--scores", metavar="FILE.jsonl", help='Further judges\' scores: rows {"reply": ID, "NAME": number, …}.'),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("-o", "--out", help="Where the report goes. Default: report.html in the study's folder.")
    ] = None,
    recipe: RecipeFile = None,
    root: Root = ROOT,
    as_json: Annotated[bool, typer.Option("--json", help="Print the numbers as JSON on stdout.")] = False,
) -> None:
    """Report a study: win rates, strengths, agreement, screening, judges against people, with intervals clustered by premise and rater.

    At any time: before the first ballot it says what the study can show, while it runs it has intervals for those who look early.
    """
    from suasion.persuasion.arena.judges import read_scores, scores_of
    from suasion.persuasion.arena.report import write_study_report
    from suasion.persuasion.arena.results import results_of
    from suasion.persuasion.arena.store import open_store

    with open_store(study) as store:
        known = read_scores(scores, {reply.id for reply in store.replies()}) if scores else {}
        if judges:
            from suasion.persuasion.stages.judge import load_judge

            journey = make_journey(recipe, [], root)
            known |= {name: scores_of(load_judge(journey, name, name)[0], store) for name in judges}
        results = results_of(store, known)
    path = write_study_report(results, out or study / "report.html")
    if as_json:
        typer.echo(json.dumps({"report": str(path)} | results.as_dict(), indent=2, ensure_ascii=False))
        return
    for line in results.told():
        typer.echo(line)
    typer.echo(f"report: {path}")


def simulate_command(
    study: StudyFolder,
    overrides: Annotated[
        list[str] | None,
        typer.Argument(metavar="[KEY=VALUE…]", help="What the raters are like: strengths.SYSTEM=0.8 lazy=0.1 noise=1.5 side=0.2 …"),
    ] = None,
    raters: Annotated[
        int | None, typer.Option("--raters", min=1, help="At most so many. Default: all that the design has room for.")
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="The same seed gives the same answers.")] = 0,
) -> None:
    """Let simulated raters answer a study that nobody has seen, to plan the real one. Such a study is marked for good, and takes no people.

    Exit status: 2 if somebody was invited already.
    """
    from suasion.config import validate
    from suasion.persuasion.arena.simulate import World, fill
    from suasion.persuasion.arena.store import open_store

    world = validate({}, World, overrides or [])
    with open_store(study) as store:
        done = fill(store, world, raters=raters, seed=seed)
    typer.echo(f"{done['answers']} answers by {done['raters']} simulated raters; no person has answered.")
    typer.echo(f"Next: suasion arena report {study}")
