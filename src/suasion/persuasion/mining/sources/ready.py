"""Ready tables of pairs: a winner and a loser to one prompt, from files, folders of files, or the Hub of Hugging Face."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import Any

from suasion.errors import SuasionError
from suasion.persuasion.mining.sources.lines import Reading
from suasion.persuasion.mining.sources.packed import Advance
from suasion.persuasion.mining.sources.ready_columns import NAMES, are_texts, choose, texts_of, word
from suasion.persuasion.mining.sources.ready_rows import columns_of, form_of, rows

KNOWN = "tables with a row for each pair: Parquet, JSON lines, a JSON list, CSV or TSV"

_SPLITS = {
    "train": re.compile(r"(?<![a-z])train", re.IGNORECASE),
    "validation": re.compile(r"(?<![a-z])(?:valid|val(?![a-z])|dev(?![a-z]))", re.IGNORECASE),
    "test": re.compile(r"(?<![a-z])(?:test|eval|held.?out)", re.IGNORECASE),
}
_DATASET = re.compile(r"[\w.-]{1,96}(?:/[\w.-]{1,96})?")


@dataclass(frozen=True)
class ReadyPair:
    """A pair as its source gives it, not cleaned.

    ``title`` and ``text`` are the premise (``title`` is empty where there is only one text), ``split`` is train, validation or test, and
    ``author`` wrote the post.
    """

    title: str
    text: str
    winner: str
    loser: str
    split: str | None = None
    debate_id: str | None = None
    winner_id: str | None = None
    loser_id: str | None = None
    winner_author: str | None = None
    loser_author: str | None = None
    author: str | None = None


def is_table(path: Path) -> bool:
    """Whether a file (or a file of a folder) is a table of pairs: by the names of its columns, and by what its first rows hold."""
    try:
        return bool(_tables(path)) if path.is_dir() else _is_table(path, None)
    except (SuasionError, OSError):
        return False


def read(source: Path | str, reading: Reading, advance: Advance, columns: Mapping[str, str] | None = None) -> Iterator[ReadyPair]:
    """The pairs of a table, a folder of tables, or a dataset that ``datasets.load_dataset`` knows by its id, in order.

    Args:
        source: a file or folder; what is neither is taken for an id. A folder's (or a dataset's) parts tell the split by their names.
        reading: counts every row, and those of no use by reason.
        advance: told of the bytes taken from files.
        columns: meaning -> column (see :data:`NAMES`), for a table whose columns have names of their own.

    Texts stay as they are. A prompt of several turns becomes one text.

    Raises:
        SuasionError: there is no such file, folder or dataset; it is no table; its columns are not known.
    """
    path = Path(source)
    if path.is_dir():
        files = _tables(path, columns)
        if not files:
            raise SuasionError(
                "This folder holds no table of pairs.",
                where=path,
                hint=f"Known are {KNOWN}. Name a file to hear which columns it has and how to name them.",
            )
        for file in files:
            yield from _file_pairs(file, reading, advance, columns)
    elif path.exists():
        yield from _file_pairs(path, reading, advance, columns)
    else:
        for split, found in _dataset(str(source)):
            first = list(islice(found, 8))
            chosen = choose(list(dict.fromkeys(key for row in first for key in row)), columns, source)
            yield from _pairs(chain(first, found), chosen, _split(split), reading)


def _file_pairs(path: Path, reading: Reading, advance: Advance, columns: Mapping[str, str] | None) -> Iterator[ReadyPair]:
    form = form_of(path)
    if form is None:
        try:
            path.open("rb").close()
        except OSError as error:
            raise SuasionError(f"Cannot be read: {error.strerror or error}", where=path) from error
        raise SuasionError("This file is no table that is known here.", where=path, hint=f"Known are {KNOWN}.")
    chosen = choose(columns_of(path, form), columns, path)
    yield from _pairs(rows(path, form, list(dict.fromkeys(chosen.values())), reading, advance), chosen, _split(path.name), reading)


def _pairs(found: Iterable[Mapping[str, Any]], chosen: Mapping[str, str], split: str | None, reading: Reading) -> Iterator[ReadyPair]:
    for row in found:
        reading.lines["read"] += 1
        texts = texts_of(row, chosen)
        if isinstance(texts, str):
            reading.lines[texts] += 1
            continue
        about = {meaning: word(row.get(chosen[meaning])) if meaning in chosen else None for meaning in NAMES}
        title, text, winner, loser = texts
        yield ReadyPair(
            title=title,
            text=text,
            winner=winner,
            loser=loser,
            split=_split(about["split"] or "") or split,
            debate_id=about["debate_id"],
            winner_id=about["winner_id"],
            loser_id=about["loser_id"],
            winner_author=about["winner_author"],
            loser_author=about["loser_author"],
            author=about["author"],
        )


def _tables(folder: Path, columns: Mapping[str, str] | None = None) -> list[Path]:
    """The tables of pairs in a folder, and in its ``data`` folder where the Hub's layout puts them, by name."""
    try:
        files = sorted(path for place in (folder, folder / "data") if place.is_dir() for path in place.iterdir())
    except OSError as error:
        raise SuasionError(f"Cannot be read: {error.strerror or error}", where=folder) from error
    return [path for path in files if path.is_file() and not path.name.startswith(".") and _is_table(path, columns)]


def _is_table(path: Path, columns: Mapping[str, str] | None) -> bool:
    """As :func:`is_table`, but a damaged Parquet file raises: it may not be left out of its folder in silence."""
    form = form_of(path)
    if form is None:
        return False
    there = columns_of(path, form)
    try:
        chosen = choose(there, columns)
    except SuasionError:
        return False
    first = next(rows(path, form, list(chosen.values()), Reading(), lambda size: None), None)
    return first is not None and are_texts(first, chosen)


def _dataset(name: str) -> list[tuple[str, Iterator[Mapping[str, Any]]]]:
    """(split, rows) of a dataset of the Hub, streamed."""
    if not _DATASET.fullmatch(name) or name.startswith("."):
        raise SuasionError("There is no such file or folder.", where=name, hint=f"Known are {KNOWN}; or the id of a dataset, OWNER/NAME.")
    import datasets

    try:
        return [(str(split), _guarded(part, name)) for split, part in datasets.load_dataset(name, streaming=True).items()]
    except Exception as error:  # the network, the Hub and every file format have errors of their own
        raise SuasionError(
            f"There is no such file or folder, and no dataset of this id could be loaded: {type(error).__name__}: {error!s:.200}",
            where=name,
            hint="Check the path or the id. Without a network, download the dataset elsewhere and give its folder.",
        ) from error


def _guarded(part: Iterable[Mapping[str, Any]], name: str) -> Iterator[Mapping[str, Any]]:
    try:
        yield from part
    except Exception as error:
        raise SuasionError(f"The dataset breaks off: {type(error).__name__}: {error!s:.200}", where=name, hint="Try again.") from error


def _split(name: str) -> str | None:
    """The split that a name tells: ``test_prefs`` is test, ``cmv-train.jsonl`` train; None where it tells none or two."""
    told = [split for split, pattern in _SPLITS.items() if pattern.search(name)]
    return told[0] if len(told) == 1 else None
