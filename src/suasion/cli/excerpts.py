"""Files as the verbs read them, and the line of a file where something is wrong."""

from __future__ import annotations

import sys
from pathlib import Path

import typer

from suasion.errors import SuasionError

_WIDTH = 120


def read_text(file: str) -> str:
    """The text of a file; ``-`` is standard input.

    Raises:
        SuasionError: it cannot be read, or is not UTF-8.
    """
    try:
        data = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
    except OSError as error:
        raise SuasionError(
            f"The file cannot be read: {error.strerror or error}.", where=file, hint="Check the path and its rights."
        ) from error
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise SuasionError(f"This is not UTF-8 text (byte {error.start:,}).", where=file, hint="Save the file as UTF-8.") from error


def show_line(line: str, column: int, *, colour: str = "red", err: bool = False) -> None:
    """Print a line (of a long one, the piece around the place), and a caret under the place."""
    start = max(0, column - 1 - _WIDTH // 2) if len(line) > _WIDTH else 0
    piece = line[start : start + _WIDTH]
    before, behind = "… " if start else "", " …" if start + _WIDTH < len(line) else ""
    shown = "".join(sign if sign.isprintable() else " " for sign in piece)  # a tab, or what would move a terminal's cursor
    caret = " " * (len(before) + column - 1 - start) + "^"
    typer.echo(f"  {before}{shown}{behind}\n  {typer.style(caret, fg=colour)}", err=err)


def count(number: int, name: str) -> str:
    """``1 error``, ``2 errors``."""
    return f"{number:,} {name}" + ("" if number == 1 else "s")
