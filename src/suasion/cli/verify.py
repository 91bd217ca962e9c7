"""``suasion verify``: judge an answer to a task of argument analysis, or a file of answers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from suasion.cli.excerpts import count, read_text, show_line
from suasion.errors import SuasionError

if TYPE_CHECKING:
    from suasion.analysis.verification.findings import Verdict

STATUS = {"valid": 0, "invalid": 1, "undecided": 3}
_COLOURS = {"valid": "green", "invalid": "red", "undecided": "yellow"}


def verify_command(
    file: Annotated[
        str | None, typer.Argument(metavar="[FILE]", help="A model's answer as text or Markdown; - for standard input.")
    ] = None,
    task: Annotated[str | None, typer.Option("--task", "-t", help="What was asked: argmap, logreco, argmap_plus_infreco …")] = None,
    source: Annotated[str | None, typer.Option("--source", "-s", help="The file with the text that was to be analysed.")] = None,
    reference: Annotated[
        str | None,
        typer.Option("--reference", help="What a sequential task starts from: a file with the annotation, map or reconstruction."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print verdict, findings and scores as JSON.")] = False,
    batch: Annotated[
        Path | None,
        typer.Option("--batch", metavar="FILE.jsonl", help="Judge many answers instead: rows {id, task, source, answer[, reference]}."),
    ] = None,
) -> None:
    """Judge an answer: valid, invalid or undecided, with every finding at its place and what to do about it.

    With --batch, one JSON line is printed for each row, in their order; --task and --source stand in for what rows leave out.

    Exit status: 0 valid, 1 invalid, 3 undecided, 2 something cannot be read; of a batch, 2 if a row cannot be read, else 1 if an answer is
    invalid, else 3 if one is undecided.
    """
    given = {name: value for name, value in (("task", task), ("source", source), ("reference", reference)) if value is not None}
    defaults = {name: value if name == "task" else read_text(value) for name, value in given.items()}
    if batch is not None:
        if file is not None:
            raise SuasionError("An answer and a batch were given.", hint="Give one of the two.")
        raise typer.Exit(_batch(batch, defaults))
    if file is None or task is None or source is None:
        missing = next(name for name, value in (("FILE", file), ("--task", task), ("--source", source)) if value is None)
        raise SuasionError(f"{missing} is missing.", hint="suasion verify FILE --task T --source S, or suasion verify --batch FILE.jsonl")
    answer = read_text(file)
    verdict = _judged(task, defaults["source"], answer, defaults.get("reference", ""))
    if as_json:
        typer.echo(json.dumps(_told(verdict), indent=2))
    else:
        _show(verdict, file, answer)
    raise typer.Exit(STATUS[verdict.name])


def _batch(path: Path, defaults: dict[str, str]) -> int:
    """Judge the rows of a file; gives the exit status."""
    from suasion.analysis.batches import verify_file

    seen: set[int] = set()
    for name, found in verify_file(path, defaults):
        told = {"error": found} if isinstance(found, str) else _told(found)
        seen.add(2 if isinstance(found, str) else STATUS[found.name])
        typer.echo(json.dumps({"id": name} | told))
    return next((status for status in (2, 1, 3) if status in seen), 0)


def _judged(task: str, source: str, answer: str, reference: str) -> Verdict:
    from functools import partial

    from suasion.analysis.tasks import get_task, scores
    from suasion.analysis.verification.verify import verify

    asked = get_task(task)
    return verify(asked, source, [answer], reference, scores=partial(scores, asked))[0]


def _told(verdict: Verdict) -> dict[str, Any]:
    findings = [{"code": one.code, "message": one.message, "line": one.line, "column": one.column} for one in verdict.findings]
    return {"verdict": verdict.name, "findings": findings, "scores": dict(verdict.scores)}


def _show(verdict: Verdict, file: str, answer: str) -> None:
    from suasion.analysis.verification.blocks import split_lines

    lines = split_lines(answer)
    for finding in verdict.findings:
        place = "" if finding.line is None else f":{finding.line}:{finding.column or 1}"
        colour = _COLOURS["undecided" if finding.undecided else "invalid"]
        message = "".join(sign if sign.isprintable() else " " for sign in finding.message)
        typer.echo(f"{typer.style(f'{file}{place}', bold=True)} {typer.style(finding.code, fg=colour)} {message}")
        if finding.line is not None and finding.line <= len(lines):
            show_line(lines[finding.line - 1], finding.column or 1, colour=colour)
    told = f"; {count(len(verdict.findings), 'finding')}" if verdict.findings else ""
    typer.echo(f"{file}: {typer.style(verdict.name, fg=_COLOURS[verdict.name])}{told}.")
