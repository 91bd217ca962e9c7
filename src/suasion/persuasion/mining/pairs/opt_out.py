"""People who do not want their words used: their names, and ids of posts and comments."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from suasion.errors import SuasionError
from suasion.persuasion.mining.pairs.settings import PairsConfig

_ENTRY = re.compile(r"(?:/?(?:u|user)/)?([\w-]+)", re.IGNORECASE)


def opted_out(config: PairsConfig) -> frozenset[str]:
    """Names and bare ids in lower case, out of ``opt_out`` and ``opt_out_file``.

    A name may stand with or without ``u/``, an id with or without ``t1_`` or ``t3_``, both in any case. The file holds one a line; what
    follows a ``#`` is a comment.

    Raises:
        SuasionError: the file cannot be read, or an entry is neither a name nor an id: it would protect nobody.
    """
    found: set[str] = set()
    for place, entry in [*_listed(config.opt_out), *_in_file(config.opt_out_file)]:
        match = _ENTRY.fullmatch(entry)
        if match is None:
            raise SuasionError(f"'{entry}' is neither a name nor an id.", where=place, hint="Write one name or one id an entry.")
        name = match[1].lower()
        found |= {name, name.removeprefix("t1_").removeprefix("t3_")}  # both: an account may be called t1_something
    return frozenset(found - {""})


def _listed(entries: Iterable[str]) -> list[tuple[str, str]]:
    return [("pairs.opt_out", entry.strip()) for entry in entries]


def _in_file(path: Path | None) -> list[tuple[str, str]]:
    if path is None:
        return []
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise SuasionError(f"Cannot read the opt-out list: {error}", where=path, hint="Set pairs.opt_out_file to a text file.") from error
    entries = ((number, line.partition("#")[0].strip()) for number, line in enumerate(lines, 1))
    return [(f"{path}, line {number}", entry) for number, entry in entries if entry]
