"""What stands behind an opening fence: the kind of the block, and its metadata in any of the usual spellings."""

from __future__ import annotations

import re

MOST_CHARACTERS = 1_000
_ALIASES = {"ad": "argdown", "argdown-map": "argdown"}
_KIND = re.compile(r"\{?\s*\.?(?P<kind>[A-Za-z][\w+-]*)")
_PAIR = re.compile(
    r"""["']?(?P<key>[A-Za-z_][\w-]{0,40})["']?\s*[=:]\s*(?:"(?P<double>[^"]*)"|'(?P<single>[^']*)'|(?P<bare>[^\s,;{}"']+))"""
)
_FILE = re.compile(r"(?P<name>[\w./\\-]+\.(?:ad|argdown|txt|xml))(?![\w.])", re.IGNORECASE)
_NAMES = ("filename", "file", "file_name", "title", "name", "path")


def read_info(info: str) -> tuple[str, dict[str, str]]:
    """Kind and metadata of an info string.

    ``argdown {filename="map.ad"}``, ``argdown filename=map.ad``, ``argdown {"title": "map.ad"}``, ``argdown:map.ad``, ``argdown map.ad``
    and ``{.argdown filename='map.ad'}`` all give ``argdown`` and ``filename: map.ad``. What makes no sense is left out; nothing is an
    error.
    """
    info = info[:MOST_CHARACTERS]
    match = _KIND.match(info)
    kind = match["kind"].lower() if match else ""
    rest = info[match.end() :] if match else info
    metadata = {pair["key"].lower(): pair["double"] or pair["single"] or pair["bare"] or "" for pair in _PAIR.finditer(rest)}
    named = next((metadata[key] for key in _NAMES if metadata.get(key)), None)
    if named is None and (file := _FILE.search(rest)):
        named = file["name"]
    return _ALIASES.get(kind, kind), metadata | ({"filename": named} if named else {})
