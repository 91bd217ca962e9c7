"""Rows of tables, and texts of folders, wherever they are: local files first, then the hub."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from suasion.analysis.hirpo.exercises.settings import SourceConfig
from suasion.errors import SuasionError

TABLES = (".parquet", ".jsonl")
TEXTS = (".txt", ".md")
_DATASET = re.compile(r"[\w-][\w.-]*/[\w-][\w.-]*")


def rows_of(source: SourceConfig, folder: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Each row of a source with where it is from. A text of a folder is a row with the column ``text``.

    Args:
        source: see :class:`SourceConfig`.
        folder: that relative paths are from.

    Raises:
        SuasionError: nothing is there, it cannot be read, or (a data set) not be loaded.
    """
    path = folder / Path(source.path).expanduser()
    if path.exists():
        yield from _local(path, source)
    elif _DATASET.fullmatch(source.path):
        yield from _dataset(source)
    else:
        raise SuasionError(
            "There is no such file or folder.",
            where=path,
            hint="Exercises are files (.jsonl, .parquet, .txt), folders, or OWNER/NAME on the hub.",
        )


def _local(path: Path, source: SourceConfig) -> Iterator[tuple[str, Mapping[str, Any]]]:
    if not path.is_dir():
        yield from _file(path)
        return
    tables = [path / f"{name}{suffix}" for name in (source.split or "train", "posts") for suffix in TABLES]
    if source.split:
        tables = tables[: len(TABLES)]
    table = next((one for one in tables if one.is_file()), None)
    if table:
        yield from _file(table)
        return
    texts = sorted(one for one in path.rglob("*") if one.suffix.lower() in TEXTS and one.is_file())
    if source.split or not texts:
        looked = f"no table '{source.split}'" if source.split else "neither a table (train, posts) nor a text (.txt, .md)"
        raise SuasionError(f"In this folder there is {looked}.", where=path, hint="Name a file of it, or its split.")
    for text in texts:
        yield from _file(text)


def _file(path: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    suffix = path.suffix.lower()
    if suffix not in (*TABLES, *TEXTS):
        raise SuasionError(f"Exercises are not read from {suffix or 'such'} files.", where=path, hint="Use .jsonl, .parquet, .txt or .md.")
    try:
        if suffix in TEXTS:
            yield path.name, {"text": path.read_text(encoding="utf-8")}
        else:
            for number, row in _parquet(path) if suffix == ".parquet" else _jsonl(path):
                yield f"{path.name}#{number}", row
    except (OSError, UnicodeDecodeError) as error:
        raise SuasionError(f"Cannot read the texts: {error}", where=path) from error


def _jsonl(path: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            try:
                row = json.loads(line)
            except (ValueError, RecursionError) as error:
                raise SuasionError(f"Line {number} is not JSON: {error}", where=path) from error
            if not isinstance(row, dict):
                raise SuasionError(f"Line {number} is no JSON object.", where=path, hint="Write one object a line.")
            yield number, row


def _parquet(path: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    number = 0
    try:
        with pq.ParquetFile(path) as file:
            for batch in file.iter_batches(1024):
                for row in batch.to_pylist():
                    number += 1
                    yield number, row
    except pa.ArrowException as error:
        raise SuasionError(f"Cannot read the table: {error!s:.200}", where=path) from error


def _dataset(source: SourceConfig) -> Iterator[tuple[str, Mapping[str, Any]]]:
    label = ":".join(part for part in (source.path, source.name, source.split or "train") if part)
    try:
        import datasets

        table = datasets.load_dataset(source.path, source.name or None, split=source.split or "train", revision=source.revision)
    except Exception as error:  # the network, the hub and every file format have errors of their own
        raise SuasionError(
            f"There is no such file or folder, and no data set of this id could be loaded: {type(error).__name__}: {error!s:.200}",
            where=label,
            hint="Check id, name and split. Without a network, download it elsewhere and give its files as path.",
        ) from error
    for number, row in enumerate(table, start=1):
        yield f"{label}#{number}", row
