"""The real Argdown files beside the repository, and what the official parser (``@argdown/core`` 2.0.1) made of each."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from suasion.analysis.argdown import Document

FOLDER = Path(__file__).resolve().parents[4] / "shared" / "data" / "argdown-files"
_RECORD = FOLDER / "oracle_argdown-core-2.0.1.jsonl"
Reading = dict[str, list[Any]]


@dataclass(frozen=True)
class Recorded:
    """One file with the official parser's reading; ``reading`` is ``None`` where it rejected the file."""

    name: str
    text: str
    reading: Reading | None


def recorded_files() -> list[Recorded]:
    """All of them; none where the folder is absent."""
    if not _RECORD.is_file():
        return []
    rows = [json.loads(line) for line in _RECORD.read_text(encoding="utf-8").splitlines()]
    return [Recorded(row["file"], _text(row["file"]), _official(row)) for row in rows]


def our_reading(document: Document) -> Reading:
    """What is compared, as this project reads it."""
    return {
        "claims": sorted([claim.label, len(claim.members), sorted(claim.tags)] for claim in document.claims.values()),
        "arguments": sorted(
            [one.label, len(one.members), sorted(one.tags), [[step.role, step.label] for step in one.pcs]]
            for one in document.arguments.values()
        ),
        "relations": _relations((one.type, one.source.label, one.target.label) for one in document.relations),
    }


def _text(name: str) -> str:
    return (FOLDER / name.removeprefix("fenced/")).read_bytes().decode("utf-8")


def _official(row: dict[str, Any]) -> Reading | None:
    if row["lexer_errors"] or row["parser_errors"] or row["exceptions"]:
        return None
    return {
        "claims": sorted([one["title"], one["members"], sorted(one["tags"])] for one in row["statements"]),
        "arguments": sorted(
            [one["title"], one["members"], sorted(one["tags"]), [[step["role"], step["title"]] for step in one["pcs"]]]
            for one in row["arguments"]
        ),
        "relations": _relations((one["type"], one["from"] or "", one["to"] or "") for one in row["relations"]),
    }


def _relations(relations: Iterable[tuple[str, str, str]]) -> list[list[str]]:
    """Sorted; the ends of what holds both ways have no order."""
    both_ways = ("contradictory", "contrary")
    return sorted([kind, *(sorted((source, target)) if kind in both_ways else (source, target))] for kind, source, target in relations)
