"""``suasion pairs``: debates in, length-matched winner/loser pairs out; ``suasion pairs verify``: do their splits share nothing?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from suasion.cli.common import ROOT, AsJson, DryRun, Out, Overrides, RecipeFile, Root, make_journey, show


class _Default(TyperCommand):
    """What the group does of its own; in help and errors it goes by the group's name."""

    def make_context(self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any) -> Any:
        return super().make_context(parent.info_name, args, parent=parent.parent, **extra)


class _DefaultGroup(TyperGroup):
    """A group that does its default unless the first word names a command: ``suasion pairs MINED``, ``suasion pairs verify FOLDER``."""

    def __init__(self, *args: Any, **named: Any) -> None:
        super().__init__(*args, **named)
        self.default = self.commands.pop("make")

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        given = args if args and args[0] in {*self.commands, *ctx.help_option_names} else ["", *args]
        return super().parse_args(ctx, given)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        return self.default if cmd_name == "" else super().get_command(ctx, cmd_name)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        self.default.format_help(typer.Context(self.default, info_name=ctx.info_name, parent=ctx.parent), formatter)


pairs_app = typer.Typer(
    cls=_DefaultGroup,
    help="Make pairs of winners and losers, matched on length, split without leaks, with a data card; `pairs verify` proves the splits.",
)


@pairs_app.command("make", cls=_Default)
def pairs_command(
    source: Annotated[
        str,
        typer.Argument(
            metavar="MINED",
            help="What 'suasion mine' wrote: a folder, or the name of its run. Or ready pairs: a table, a folder, OWNER/NAME.",
        ),
    ],
    overrides: Overrides = None,
    out: Out = None,
    recipe: RecipeFile = None,
    root: Root = ROOT,
    dry_run: DryRun = False,
    as_json: AsJson = False,
) -> None:
    """Make pairs of winners and losers, matched on length, split without leaks, with a data card.

    Prove the splits of any such folder:  suasion pairs verify FOLDER  (its options: suasion pairs verify --help).

    A folder or run called verify is reached as ./verify.
    """
    from suasion.cli.tables import print_splits, print_steps
    from suasion.persuasion.stages.pairs import pairs_stage

    run = pairs_stage(make_journey(recipe, overrides, root, dry_run=dry_run), source, out)
    if as_json:
        show(run, as_json=True)
        return
    print_steps(
        f"From debates to pairs, in {run.path}",
        {step: {"read": entry["in"], "kept": entry["kept"]} | entry["dropped"] for step, entry in run.results["steps"].items()},
    )
    print_splits(run.results)


@pairs_app.command("verify")
def verify_command(
    folder: Annotated[
        Path, typer.Argument(metavar="FOLDER", help="A folder of pairs: made by 'suasion pairs', or by anybody else in that form.")
    ],
    near_duplicate: Annotated[
        float | None,
        typer.Option(
            min=0.01, max=1, help="Texts that share so much of their word 5-grams are one text. Default: as datacard.json says, else 0.8."
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Prove that train, validation and test share no debate, no author of a reply, no text or near-copy of one.

    Exits with 1 when something leaks: each leak is named. Whether length tells the winner is shown beside, and is no leak.
    """
    from suasion.persuasion.mining.pairs.leaks import verify

    found = verify(folder, near_duplicate)
    if as_json:
        import json

        typer.echo(json.dumps({"folder": str(folder)} | found.as_dict(), indent=2, ensure_ascii=False))
    else:
        for leak in found.leaks:
            typer.echo(f"LEAK ({leak.kind}): {leak}")
        for note in found.notes:
            typer.echo(f"note: {note}")
        for split, measures in found.length_auc.items():
            for measure, auc in measures.items():
                told = "says nothing" if auc.low <= 0.5 <= auc.high else "WARNING: tells the winner"
                typer.echo(f"length in {measure}, {split}: AUC {auc}: {told}")
        rows = ", ".join(f"{number:,} in {name}" for name, number in found.rows.items())
        typer.echo(f"{len(found.leaks) or 'No'} leak{'' if len(found.leaks) == 1 else 's'}. Rows: {rows}.")
    if found.leaks:
        raise typer.Exit(1)
