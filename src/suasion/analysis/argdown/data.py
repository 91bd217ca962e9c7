"""Inline data and front matter: YAML 1.2, read so that no text can harm.

Aliases are refused (they can blow up), as are more than ``LARGEST`` characters and nesting deeper than ``DEEPEST``.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import yaml

from suasion import config
from suasion.analysis.argdown.flow import read_flow

LARGEST = 100_000
DEEPEST = 30
_TOO_DEEP = f"This data is nested more than {DEEPEST} deep. Make it flatter."
_BLOCK_START = re.compile(r"\{[ \t]*\n")
_BLOCK_END = re.compile(r"\}\s*\Z")
_Events = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class _Loader(_Events):  # type: ignore[misc, valid-type]
    """The rules of this project's configuration files, on the YAML library's fast parser where that is there."""

    yaml_implicit_resolvers = config._Loader.yaml_implicit_resolvers
    yaml_constructors = config._Loader.yaml_constructors


class Trouble(NamedTuple):
    """Why a text is no good as data, and how far from its start (in characters) that shows."""

    message: str
    offset: int


def read_data(raw: str) -> tuple[Any, Trouble | None]:
    """The value of ``{…}``. On one line it is YAML's flow form; where the brace ends its line, block form (``key: value`` lines)."""
    block = _BLOCK_START.match(raw)
    if not block:
        plain = read_flow(raw)
        return read_yaml(raw) if plain is None else (plain, None)
    value, trouble = read_yaml(_BLOCK_END.sub("", raw[block.end() :]))
    if trouble and raw.rstrip().endswith(",\n}"):
        return None, Trouble("Over several lines, data is written without commas: one 'key: value' a line.", trouble.offset + block.end())
    return value, trouble and Trouble(trouble.message, trouble.offset + block.end())


def read_yaml(text: str) -> tuple[Any, Trouble | None]:
    """What YAML 1.2 makes of a text, and what is wrong with it."""
    if len(text) > LARGEST:
        return None, Trouble(
            f"This data has {len(text):,} characters; at most {LARGEST:,} are read. Keep large data in a file of its own.", 0
        )
    try:
        trouble = _refused(text)
        return (None, trouble) if trouble else (yaml.load(text, Loader=_Loader), None)  # noqa: S506 - a SafeLoader
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        offset = 0 if mark is None else _offset(text, mark.line, mark.column)
        if "nesting depth" in (error.problem or ""):  # the library's own limit, met while it looked ahead
            return None, Trouble(_TOO_DEEP, offset)
        problem = (error.problem or error.context or "it cannot be read").rstrip(".")
        return None, Trouble(f"This is not valid YAML: {problem}. {_advice(text)}", offset)
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        return None, Trouble(f"This is not valid YAML: {str(error).splitlines()[0].rstrip('.')}. {_advice(text)}", 0)


def _refused(text: str) -> Trouble | None:
    """Aliases and deep nesting, seen before anything is built."""
    depth = 0
    for event in yaml.parse(text, Loader=_Events):
        if isinstance(event, yaml.AliasEvent):
            return Trouble("Data may not use YAML aliases (*name). Write the value out.", _offset(text, *_place(event)))
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
            if depth > DEEPEST:
                return Trouble(_TOO_DEEP, _offset(text, *_place(event)))
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
    return None


def _place(event: yaml.Event) -> tuple[int, int]:
    return (event.start_mark.line, event.start_mark.column) if event.start_mark else (0, 0)


def _offset(text: str, line: int, column: int) -> int:
    lines = text.splitlines(keepends=True)
    return min(sum(map(len, lines[:line])) + column, len(text))


def _advice(text: str) -> str:
    if not text.startswith("{"):
        return "Check the indentation, and quote values that hold ': ' or start with a special sign."
    return "Quote values that hold , : { } [ ] or #. If no data was meant, write \\{ instead of {."
