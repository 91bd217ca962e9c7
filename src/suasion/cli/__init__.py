"""The front door: one file a verb, no logic of its own. Nothing heavy is imported before a verb is called."""

from __future__ import annotations

import sys

import typer

from suasion.cli.arena import arena_app
from suasion.cli.argdown import argdown_app
from suasion.cli.audit import audit_command
from suasion.cli.evaluate import evaluate_command
from suasion.cli.hirpo import hirpo_app
from suasion.cli.judge import judge_command
from suasion.cli.mine import mine_command
from suasion.cli.pairs import pairs_app
from suasion.cli.practice import practice_command
from suasion.cli.run import run_command
from suasion.cli.runs import runs_app
from suasion.cli.serve import serve_command
from suasion.cli.sft import sft_command
from suasion.cli.verify import verify_command
from suasion.errors import SuasionError
from suasion.runs import ranks

app = typer.Typer(
    name="suasion",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help=(
        "Train language models to argue, and show how far they can be trusted to.\n\n"
        "The whole journey:  suasion run recipes/quickstart.yaml\n\n"
        "Stage by stage:  mine → pairs → judge → audit → sft → practice → evaluate. Each makes a run with a name nobody else can take."
    ),
)


@app.callback(invoke_without_command=True)
def _root(version: bool = typer.Option(False, "--version", help="Print the version.")) -> None:
    if version:
        from suasion import __version__

        typer.echo(__version__)
        raise typer.Exit


app.command("run")(run_command)
app.command("mine")(mine_command)
app.add_typer(pairs_app, name="pairs")
app.command("judge")(judge_command)
app.command("audit")(audit_command)
app.command("sft")(sft_command)
app.command("practice")(practice_command)
app.command("evaluate")(evaluate_command)
app.add_typer(arena_app, name="arena")
app.add_typer(argdown_app, name="argdown")
app.add_typer(hirpo_app, name="hirpo")
app.command("serve")(serve_command)
app.command("verify")(verify_command)
app.add_typer(runs_app, name="runs")


def main() -> None:
    """Run the command line. Exit status: 0 done, 1 the answer is no, 2 the input or the call is wrong, 130 interrupted."""
    try:
        app()
    except SuasionError as error:
        print(f"{ranks.signature()}Error: {error}", file=sys.stderr)
        sys.exit(error.exit_status)
    except KeyboardInterrupt:
        print("Interrupted. Start it again and it goes on where it was.", file=sys.stderr)
        sys.exit(130)
    except BrokenPipeError:
        sys.stderr.close()  # whoever read our output has gone: nothing is left to say
        sys.exit(0)
