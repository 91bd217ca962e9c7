"""``suasion argdown``: check, format and draw Argdown files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from suasion.cli.excerpts import count, read_text, show_line
from suasion.errors import SuasionError

if TYPE_CHECKING:
    from suasion.analysis.argdown import Document

argdown_app = typer.Typer(
    no_args_is_help=True,
    help=(
        "Check, format and draw Argdown: arguments as plain text (argdown.org).\n\n"
        "[Claim]: A sentence, with what speaks for it (+) and against it (-) indented below:\n\n"
        "    + <Argument>: Why it is so.\n\n"
        "    - [Other claim]\n\n"
        "<Argument> is taken apart in a paragraph of its own:  (1) premise, (2) premise, ---- and (3) conclusion, one a line."
    ),
)

File = Annotated[str, typer.Argument(metavar="FILE", help="An Argdown file; - for standard input.")]
Files = Annotated[list[str], typer.Argument(metavar="FILE…", help="Argdown files; - for standard input.")]
_SHOWN = 100


@argdown_app.command("check")
def check_command(
    files: Files,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print errors, claims, arguments and relations as JSON (for several files: a list).")
    ] = False,
) -> None:
    """Check files: every error with its line, and what to do about it.

    Exit status: 0 no errors, 1 errors, 2 a file cannot be read.
    """
    from suasion.analysis.argdown import parse
    from suasion.analysis.argdown.export_json import summary

    status, summaries = 0, []
    for file in files:
        try:
            document = parse(read_text(file))
        except SuasionError as error:
            typer.echo(f"Error: {error}", err=True)
            status = 2
            continue
        status = max(status, 1 if document.errors else 0)
        if as_json:
            summaries.append(({"file": file} if len(files) > 1 else {}) | summary(document))
        else:
            _show(document, file)
            claims, arguments, relations = len(document.claims), len(document.arguments), len(document.relations)
            counts = f"{count(claims, 'claim')}, {count(arguments, 'argument')}, {count(relations, 'relation')}"
            verdict = f"{count(len(document.errors), 'error')}." if document.errors else "no errors."
            typer.echo(f"{file}: {counts}; {verdict}")
    if as_json and summaries:
        typer.echo(json.dumps(summaries if len(files) > 1 else summaries[0], indent=2, ensure_ascii=True))
    if status:
        raise typer.Exit(status)


@argdown_app.command("format")
def format_command(
    file: File, write: Annotated[bool, typer.Option("--write", help="Write it back into the file. Default: print it.")] = False
) -> None:
    """Bring a file into one form: four spaces a level, one empty line between paragraphs. Nothing that is said changes; comments stay.

    A file with errors is left as it is (exit status 1).
    """
    from suasion.analysis.argdown import to_text

    text = to_text(_sound(file))
    if not write:
        typer.echo(text, nl=False)
        return
    if file == "-":
        raise SuasionError("Standard input cannot be written back.", hint="Leave --write away: the text is then printed.")
    from suasion.files import write_text

    if text == read_text(file):
        typer.echo(f"{file} is in form.")
    else:
        write_text(Path(file), text)
        typer.echo(f"{file} is written.")


@argdown_app.command("map")
def map_command(
    file: File,
    to: Annotated[Literal["dot", "mermaid", "json", "svg"], typer.Option("--to", help="The form of the map.")] = "mermaid",
    out: Annotated[Path | None, typer.Option("-o", "--out", help="The file to write. Default: print it.")] = None,
) -> None:
    """Draw the map: Graphviz DOT, Mermaid (for Markdown), SVG (needs Graphviz), or JSON as the official tool exports it.

    Nodes that nothing joins are left out. Of a file with errors no map is drawn (exit status 1).
    """
    from suasion.analysis.argdown.drawings import to_dot, to_mermaid, to_svg
    from suasion.analysis.argdown.export_json import to_json

    document = _sound(file)
    if to == "json":
        text = json.dumps(to_json(document), indent=2, ensure_ascii=False) + "\n"
    else:
        text = {"dot": to_dot, "mermaid": to_mermaid, "svg": to_svg}[to](document)
    if out is None:
        typer.echo(text, nl=False)
        return
    from suasion.files import write_text

    write_text(out, text)
    typer.echo(f"{out} is written.")


def _sound(file: str) -> Document:
    """The document in a file; ends the program where it has errors."""
    from suasion.analysis.argdown import parse

    document = parse(read_text(file))
    if document.errors:
        _show(document, file, err=True)
        typer.echo(f"{file}: {count(len(document.errors), 'error')}; nothing is written.", err=True)
        raise typer.Exit(1)
    return document


def _show(document: Document, file: str, *, err: bool = False) -> None:
    for error in document.errors[:_SHOWN]:
        where = typer.style(f"{file}:{error.line}:{error.column}", bold=True)
        typer.echo(f"{where} {typer.style(error.code, fg='red')} {error.message}", err=err)
        show_line(document.source.line(error.line), error.column, err=err)
    if len(document.errors) > _SHOWN:
        typer.echo(f"… and {len(document.errors) - _SHOWN:,} more errors; --json has them all.", err=err)
