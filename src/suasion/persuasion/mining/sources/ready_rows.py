"""The rows of a ready table as dictionaries: Parquet, JSON lines, a JSON list, CSV or TSV, told apart by content; one at a time."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Literal

from suasion.errors import SuasionError
from suasion.persuasion.mining.sources.jsonrows import MAX_LINE, objects, peek
from suasion.persuasion.mining.sources.lines import Reading
from suasion.persuasion.mining.sources.packed import Advance, blocks, lines

Form = Literal["Parquet", "JSON", "CSV"]

_BATCH = 256
_DELIMITERS = (",", "\t", ";")
_MOST_COLUMNS = 1000


def form_of(path: Path) -> Form | None:
    """What kind of table a file is; None where it is none or cannot be read."""
    try:
        with path.open("rb") as file:
            if file.read(4) == b"PAR1":
                return "Parquet"
        if peek(path, count=1):
            return "JSON"
        return "CSV" if _header(path) else None
    except (OSError, SuasionError):
        return None


def columns_of(path: Path, form: Form) -> list[str]:
    """The names of a table's columns; of JSON, the keys of its first rows.

    Raises:
        SuasionError: the file cannot be read.
    """
    if form == "Parquet":
        return list(_open_parquet(path).schema_arrow.names)
    if form == "JSON":
        return list(dict.fromkeys(key for row in peek(path) for key in row))
    header = _header(path)
    return header[1] if header else []


def rows(path: Path, form: Form, columns: Sequence[str], reading: Reading, advance: Advance) -> Iterator[dict[str, Any]]:
    """Every row, with at least the ``columns``; what cannot be read is counted, good rows are left for the caller to count.

    Raises:
        SuasionError: the file cannot be read.
    """
    if form == "Parquet":
        return _parquet_rows(path, columns, reading, advance)
    return objects(path, reading, advance) if form == "JSON" else _csv_rows(path, reading, advance)


def _open_parquet(path: Path) -> Any:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        return pq.ParquetFile(path, pre_buffer=False)
    except (OSError, pa.ArrowException) as error:
        raise SuasionError(
            f"This Parquet file cannot be read: {error!s:.200}", where=path, hint="It is damaged or cut off: make or download it again."
        ) from error


def _parquet_rows(path: Path, columns: Sequence[str], reading: Reading, advance: Advance) -> Iterator[dict[str, Any]]:
    """Row group by row group, so that damage in one does not lose the next."""
    import pyarrow as pa

    with _open_parquet(path) as file:
        read = 0
        for number in range(file.num_row_groups):
            group = file.metadata.row_group(number)
            size = sum(group.column(index).total_compressed_size for index in range(group.num_columns))
            given = 0
            try:
                for batch in file.iter_batches(_BATCH, row_groups=[number], columns=list(columns)):
                    given += batch.num_rows
                    yield from batch.to_pylist()
                read += size
            except (OSError, UnicodeDecodeError, pa.ArrowException):
                reading.damaged.setdefault(path.name, read)
                reading.lines["read"] += group.num_rows - given
                reading.lines["in a damaged part of the file"] += group.num_rows - given
            advance(size)


def _header(path: Path) -> tuple[str, list[str]] | None:
    """(delimiter, column names) of a CSV file: the delimiter that gives most columns; None where there are not even two."""
    content = blocks(path, Reading(), lambda size: None)
    block = next(content, b"").removeprefix(b"\xef\xbb\xbf")
    first = next(lines(iter([block]), MAX_LINE), None)
    if not first or b"\0" in first:
        return None
    try:
        text = first.decode()
        found = [(delimiter, next(csv.reader([text], delimiter=delimiter, strict=True))) for delimiter in _DELIMITERS]
    except (UnicodeDecodeError, csv.Error, StopIteration):
        return None
    delimiter, names = max(found, key=lambda one: len(one[1]))
    names = [name.strip() for name in names]
    return (delimiter, names) if 2 <= len(names) <= _MOST_COLUMNS and all(names) else None


def _csv_rows(path: Path, reading: Reading, advance: Advance) -> Iterator[dict[str, Any]]:
    """Rows of a CSV file, quotes over several lines included. Broken quoting costs its row."""
    header = _header(path)
    if header is None:
        raise SuasionError("This is no CSV file with a header.", where=path)
    delimiter, names = header
    csv.field_size_limit(MAX_LINE)  # the library's limit of 128 KiB is less than a long post
    table = csv.reader(_text(path, reading, advance), delimiter=delimiter, strict=True)
    next(table, None)
    while True:
        try:
            row = next(table)
        except StopIteration:
            return
        except csv.Error:
            reading.lines["read"] += 1
            reading.lines["broken quoting"] += 1
            continue
        if not row:
            continue
        if len(row) != len(names):
            reading.lines["read"] += 1
            reading.lines["another number of columns"] += 1
            continue
        yield dict(zip(names, row, strict=True))


def _text(path: Path, reading: Reading, advance: Advance) -> Iterator[str]:
    """The lines of a file as text, with their ends; those too long or with invalid characters counted."""
    for number, line in enumerate(lines(blocks(path, reading, advance), MAX_LINE)):
        if line is None:
            reading.lines["read"] += 1
            reading.lines["line too long"] += 1
            continue
        if number == 0:
            line = line.removeprefix(b"\xef\xbb\xbf")
        try:
            text = line.decode()
        except UnicodeDecodeError:
            text = line.decode("utf-8", "replace")
            reading.mended["invalid characters replaced"] += 1
        yield text + "\n"
