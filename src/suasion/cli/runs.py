"""``suasion runs``: list, show, lineage, verify."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

runs_app = typer.Typer(no_args_is_help=True, help="Look at the runs: what was done, from what, and whether it is still as it was.")

Root = Annotated[Path, typer.Option("--root", "-R", envvar="SUASION_RUNS", help="The folder of the runs.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Name = Annotated[str, typer.Argument(help="A run's name or folder.")]
Names = Annotated[list[str] | None, typer.Argument(help="Names or folders; all runs if none.")]
DEFAULT_ROOT = Path("runs")


@runs_app.command("list")
def list_command(root: Root = DEFAULT_ROOT, json: AsJson = False) -> None:
    """List the runs, oldest first."""
    from suasion.runs.run import find_runs

    runs = find_runs(root)
    if json:
        _print_json([run.manifest.model_dump() | {"state": run.state, "path": str(run.path)} for run in runs])
        return
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    if not runs:
        typer.echo(f"No runs in {root}.")
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("run", "state", "started (UTC)", "parents"):
        table.add_column(column, overflow="fold")
    for run in runs:
        parents = ", ".join(f"{role} {name}" for role, name in run.manifest.parents.items())
        colour = {"done": "green", "failed": "red", "running": "blue"}.get(run.state, "yellow")
        started = run.manifest.started[:16].replace("T", " ")
        table.add_row(Text(run.name), Text(run.state, style=colour), started, Text(parents, style="dim"))
    Console().print(table)


@runs_app.command("show")
def show_command(name: Name, root: Root = DEFAULT_ROOT, json: AsJson = False) -> None:
    """Show one run: how it ended, its results, what was asked for."""
    from suasion.config import flatten
    from suasion.runs.run import open_run

    run = open_run(name, root)
    if json:
        _print_json(run.manifest.model_dump() | {"state": run.state, "path": str(run.path)})
        return
    manifest = run.manifest
    facts = {"state": run.state, "kind": manifest.kind, "folder": str(run.path), "started": manifest.started, "finished": manifest.finished}
    blocks = {
        run.name: facts | ({"error": manifest.error} if manifest.error else {}),
        "results": flatten(manifest.results),
        "parents": manifest.parents,
        "set": manifest.arguments.passed,
        "left to default": manifest.arguments.defaulted,
        "outputs": {name: digest[:12] for name, digest in manifest.outputs.items()},
    }
    for title, values in blocks.items():
        if values:
            typer.secho(title, bold=True)
            width = max(map(len, values))
            typer.echo("\n".join(f"  {key:<{width}}  {'-' if value is None else value}" for key, value in values.items()))


@runs_app.command("lineage")
def lineage_command(name: Name, root: Root = DEFAULT_ROOT) -> None:
    """Show what a run was made from, and what that was made from."""
    from suasion.runs.lineage import lineage, text_tree
    from suasion.runs.run import open_run

    typer.echo(text_tree(lineage(open_run(name, root).path, root)))


@runs_app.command("verify")
def verify_command(names: Names = None, root: Root = DEFAULT_ROOT) -> None:
    """Check that runs are still as they were: their files, their parents, their base. Exits with 1 if anything is wrong."""
    from suasion.runs.run import open_run
    from suasion.runs.verify import run_folders, verify

    folders = [_folder_of(name, root, run_folders(root)) or open_run(name, root).path for name in names] if names else run_folders(root)
    faulty = 0
    for folder in folders:
        problems = verify(folder, root)
        faulty += bool(problems)
        for problem in problems:
            typer.echo(f"{folder.name}: {problem}")
    typer.echo(f"{len(folders)} runs looked at, {f'{faulty} with something wrong' if faulty else 'nothing wrong'}.")
    if faulty:
        raise typer.Exit(1)


def _folder_of(name: str, root: Path, folders: list[Path]) -> Path | None:
    """The folder of a run by name even where its manifest cannot be read: that is what is to be told."""
    return root / name if root / name in folders else None


def _print_json(value: object) -> None:
    import json

    typer.echo(json.dumps(value, indent=2, ensure_ascii=True))
