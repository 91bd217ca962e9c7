"""``suasion arena``: a blind test by people, from its making to its end."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Annotated

import typer

from suasion.cli.arena_report import report_command, simulate_command
from suasion.cli.common import ROOT, AsJson, Root

arena_app = typer.Typer(
    no_args_is_help=True, help="Let people compare replies blind: make a study, serve its pages, invite, export, close."
)

StudyFolder = Annotated[Path, typer.Argument(metavar="STUDY", help="The study's folder.")]
_SETTING = re.compile(r"[a-z_]+(?:\.[a-z_]+)*=")


@arena_app.command("create")
def create_command(
    study: Annotated[Path, typer.Argument(metavar="STUDY", help="A new folder for the study.")],
    replies: Annotated[
        list[str],
        typer.Option("--replies", help="Runs of `suasion evaluate` (`latest`: the newest), or JSONL files; any number, one after another."),
    ],
    more: Annotated[list[str] | None, typer.Argument(metavar="[RUN|FILE|KEY=VALUE…]", help="Further replies, and settings.")] = None,
    settings: Annotated[Path | None, typer.Option("--settings", help="A YAML file of settings. Default: the defaults.")] = None,
    root: Root = ROOT,
) -> None:
    """Make a study from replies: draw who sees what, hide who wrote what, fix the rules.

    suasion arena create my-study --replies 2026-12-01_Eval_Run1 other.jsonl raters_per_premise=5

    Replies that changed a view in the real debate take part as the system 'human', where the runs have them (humans=false leaves them out).
    The settings are written to STUDY/study.yaml, and cannot be changed afterwards.
    """
    from suasion.config import load_config, validate
    from suasion.persuasion.arena.create import create_study
    from suasion.persuasion.arena.power import what_it_can_show
    from suasion.persuasion.arena.sources import read_sources
    from suasion.persuasion.arena.study import Study

    words = more or []
    overrides = [word for word in words if _SETTING.match(word)]
    names = [*replies, *(word for word in words if not _SETTING.match(word))]
    chosen = load_config(settings, Study, overrides) if settings else validate({}, Study, overrides)
    made = create_study(study, chosen, read_sources(names, root, humans=chosen.humans))
    left_out = f" ({made.left_out} without a reply of every system are left out)" if made.left_out else ""
    typer.echo(f"systems: {', '.join(made.systems)}")
    typer.echo(f"premises: {made.premises}{left_out}")
    typer.echo(f"raters: {len(made.seats)}, each {_range(made.seats)} ballots; {sum(made.seats)} ballots in all")
    for line in what_it_can_show(chosen, len(made.systems), made.premises):
        typer.echo(line)
    typer.echo(f"next: suasion arena invite {study} --number {len(made.seats)}; suasion arena serve {study}")


@arena_app.command("serve")
def serve_command(
    study: StudyFolder,
    host: Annotated[
        str, typer.Option("--host", help="The address to listen at. Others than this machine's own let others in.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="The port; 0 takes a free one and says which.")] = 8010,
    address: Annotated[
        str | None, typer.Option("--address", help="What raters' links begin with, where it is another: https://arena.example.org, say.")
    ] = None,
    backup_minutes: Annotated[float, typer.Option("--backup-minutes", min=0.01, help="Minutes between backups (STUDY/backups).")] = 10.0,
    rate: Annotated[float, typer.Option("--rate", min=0.1, help="Requests a second that one rater may make.")] = 10.0,
) -> None:
    """Serve the study's pages to raters until Ctrl-C (needs the extra serve). A server that is killed loses no ballot: start it again."""
    from suasion.errors import SuasionError

    try:
        from suasion.persuasion.arena.serve import serve
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("fastapi", "starlette", "uvicorn"):
            raise
        raise SuasionError("The server's libraries are not installed.", hint="pip install 'suasion[serve]'") from error
    serve(study, host, port, address=address, backup_minutes=backup_minutes, requests_per_second=rate)


@arena_app.command("invite")
def invite_command(
    study: StudyFolder,
    number: Annotated[int, typer.Option("-n", "--number", min=0, help="So many new links; 0 only lists.")] = 0,
    nickname: Annotated[list[str] | None, typer.Option("--nickname", help="One new link for this person (may be given again).")] = None,
    address: Annotated[str, typer.Option("--address", help="What the links begin with.")] = "http://127.0.0.1:8010",
    revoke: Annotated[list[int] | None, typer.Option("--revoke", help="Take back the link of the rater with this number.")] = None,
    as_json: AsJson = False,
) -> None:
    """Make links, one a person; take links back; list everybody with how much they have answered."""
    from suasion.persuasion.arena.invitations import invite_all, listed
    from suasion.persuasion.arena.store import open_store

    with open_store(study) as store:
        invite_all(store, [*(nickname or []), *[""] * number], revoke or [])
        rows = listed(store, address)
        free = store.seats_left()
    if as_json:
        typer.echo(json.dumps({"raters": rows, "seats_left": free}, indent=2, ensure_ascii=False))
        return
    for row in rows:
        typer.echo(f"{row['number']:>3}  {row['done']}/{row['total']}  {row['state']:<9}  {row['nickname'] or '-'}  {row['link'] or '-'}")
    typer.echo(f"raters: {len(rows)}, free seats: {free}")


@arena_app.command("export")
def export_command(
    study: StudyFolder,
    out: Annotated[Path, typer.Option("-o", "--out", help="A folder for ballots.jsonl, replies.jsonl, premises.jsonl and study.yaml.")],
) -> None:
    """Write the ballots, with the names of the systems, and what they are about. Nicknames are left out."""
    from suasion.persuasion.arena.export import export
    from suasion.persuasion.arena.store import open_store

    with open_store(study) as store:
        counts = export(store, out)
    typer.echo(f"{counts['ballots']} ballots, {counts['replies']} replies, {counts['premises']} premises in {out}")


@arena_app.command("backup")
def backup_command(study: StudyFolder) -> None:
    """Copy the study's database while it is in use."""
    from suasion.persuasion.arena.export import back_up
    from suasion.persuasion.arena.store import open_store

    with open_store(study) as store:
        typer.echo(str(study / back_up(store)))


@arena_app.command("close")
def close_command(study: StudyFolder) -> None:
    """Take no more ballots, for good."""
    from suasion.persuasion.arena.store import open_store

    with open_store(study) as store:
        store.close_study()
        answered = len(store.ballots())
    typer.echo(f"The study is closed with {answered} answers. What they say: suasion arena report {study}")


arena_app.command("report")(report_command)
arena_app.command("simulate")(simulate_command)


def _range(numbers: tuple[int, ...]) -> str:
    low, high = min(numbers), max(numbers)
    return str(low) if low == high else f"{low} or {high}"
