"""From a row of whatever table to a text: the column that holds it, several sources joined, a mined post cleaned."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from suasion.analysis.hirpo.exercises.rows import rows_of
from suasion.analysis.hirpo.exercises.settings import SourceConfig
from suasion.analysis.hirpo.names import nearest
from suasion.analysis.tasks.problem import BETWEEN_SOURCES
from suasion.analysis.verification.rows import clean_text
from suasion.errors import SuasionError

USUAL = ("text", "source_text", "source", "sources", "prompt", "argument", "content", "body")
"""Names of the column with the text, in the order in which they are tried."""

_POST = {"debate_id", "title", "text"}
"""Columns of ``posts.parquet`` as ``suasion mine`` writes it."""

_GONE = re.compile(r"\s*\[\s*(?:deleted|removed)[^\]]*\]\s*", re.IGNORECASE)
_FOOTER = re.compile(
    r"^[>*_ \t]*(?:hello, users of cmv|this is a footnote from (?:your|the)(?: cmv)? moderators).*",
    re.IGNORECASE | re.MULTILINE | re.DOTALL,
)
_LABEL = re.compile(r"^\W*(?:cmv|change my view)\b\s*[:.,;–-]+\s*|[\s.,:;–-]*\bcmv\W*$", re.IGNORECASE)


@dataclass(frozen=True)
class Text:
    """A text of a source; "" where the row has none. ``group``: texts of one group stay together."""

    text: str
    origin: str
    group: str


def texts_of(source: SourceConfig, folder: Path) -> Iterator[Text]:
    """The texts of a source, in its order.

    Raises:
        SuasionError: it cannot be read, or has no such column; the columns that there are are told.
    """
    for origin, row in rows_of(source, folder):
        unknown = [name for name in (*source.where, source.group, source.column) if name and name not in row]
        if unknown:
            raise SuasionError(
                f"There is no column {unknown[0]!r}{nearest(unknown[0], row)}", where=origin, hint=f"There are: {', '.join(map(str, row))}."
            )
        if any(row[name] != value for name, value in source.where.items()):
            continue
        text = clean_text(_text(row, source.column, origin)).strip()
        yield Text(text, origin, f"{source.group}={row[source.group]}" if source.group else text)


def _text(row: Mapping[str, Any], column: str, origin: str) -> str:
    if not column and row.keys() >= _POST:
        return _post(row)
    name = column or next((one for one in USUAL if one in row), "")
    if not name:
        raise SuasionError(
            "No column looks like the text.", where=origin, hint=f"Name it as 'column'; there are: {', '.join(map(str, row))}."
        )
    value = row[name]
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        return BETWEEN_SOURCES.join(one.strip() for one in value if one.strip())
    if isinstance(value, list) and all(isinstance(one, Mapping) for one in value):  # a chat: what its user says
        said = [one.get("content") for one in value if one.get("role") == "user"]
        return said[-1] if said and isinstance(said[-1], str) else ""
    raise SuasionError(f"The column {name!r} holds {type(value).__name__} and no text.", where=origin, hint="Name another as 'column'.")


def _post(row: Mapping[str, Any]) -> str:
    """A mined post: its title, an empty line, its text; "" where the text is gone. Forum talk around the view is taken off."""
    title, text = str(row["title"] or ""), str(row["text"] or "")
    if not text.strip() or _GONE.fullmatch(text):
        return ""
    return f"{_LABEL.sub('', title).strip()}\n\n{_FOOTER.sub('', text).strip()}".strip()
