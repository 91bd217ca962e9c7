"""A file of answers to any tasks, one JSON object a line: read, judged and told in order, in bounded memory."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from suasion.analysis.service import Row, verify_many
from suasion.analysis.tasks import get_task
from suasion.analysis.verification.findings import Verdict
from suasion.errors import SuasionError

_FIELDS = ("task", "source", "answer")


def verify_file(path: Path, defaults: Mapping[str, str], workers: int | None = None) -> Iterator[tuple[Any, Verdict | str]]:
    """Each row's id with its verdict, or with what is wrong with the row; empty lines are left out.

    Args:
        path: a JSONL file in UTF-8, rows ``{id, task, source, answer[, reference]}``.
        defaults: what stands for fields that a row leaves out.
        workers: processes that judge; by default one a core.

    Raises:
        SuasionError: the file cannot be read.
    """
    waiting: deque[tuple[Any, str]] = deque()  # rows that were read: their ids, and what is wrong with those that are not judged

    def rows() -> Iterator[Row]:
        for number, line in enumerate(_lines(path), start=1):
            if line.strip():
                name, row = _row(line, number, defaults)
                waiting.append((name, row if isinstance(row, str) else ""))
                if isinstance(row, Row):
                    yield row

    for _, verdict in verify_many(rows(), workers):
        while waiting[0][1]:
            yield waiting.popleft()
        yield waiting.popleft()[0], verdict
    yield from waiting


def _lines(path: Path) -> Iterator[bytes]:
    try:
        with path.open("rb") as lines:
            yield from lines
    except OSError as error:
        raise SuasionError(f"The file cannot be read: {error.strerror or error}.", where=path, hint="Check the path.") from error


def _row(line: bytes, number: int, defaults: Mapping[str, str]) -> tuple[Any, Row | str]:
    """The id of a line, and the row or what is wrong with it."""
    try:
        read = json.loads(line)
    except (ValueError, RecursionError) as error:
        return None, f"Line {number:,} is not JSON: {error}"
    if not isinstance(read, dict):
        return None, f'Line {number:,} is no object. Write {{"id": …, "task": …, "source": …, "answer": …}}.'
    name = read.get("id")
    fields = {"reference": "", **defaults, **{key: read[key] for key in (*_FIELDS, "reference") if read.get(key) is not None}}
    for key in _FIELDS:
        if key not in fields:
            return name, f"Line {number:,} has no {key}."
    for key, value in fields.items():
        if not isinstance(value, str):
            return name, f"Line {number:,}: {key} is not text."
    try:
        get_task(fields["task"])
    except SuasionError as error:
        return name, f"Line {number:,}: {error.what} {error.hint or ''}".rstrip()
    return name, Row(str(number), **fields)
