"""The real texts that lie beside the checkout, raw, for tests of the rules."""

from __future__ import annotations

import bz2
import html
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

CMV = Path(__file__).resolve().parents[3] / "../shared/data/cmv"


def _ndjson(path: Path) -> list[dict[str, Any]]:
    text = bz2.decompress(path.read_bytes()).decode() if path.suffix == ".bz2" else path.read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def _pairs() -> list[dict[str, Any]]:
    return _ndjson(CMV / "text-pairs/train.jsonl")


def replies() -> Iterator[str]:
    """Every reply: of the threads (but the bot's), of the ready pairs, of the pair task."""
    for row in _ndjson(CMV / "full-threads/changemyview_comments.ndjson"):
        if str(row.get("author")).lower() != "deltabot":
            yield html.unescape(row["body"])
    for row in _pairs():
        yield from (row["winner"], row["loser"])
    for row in _ndjson(CMV / "tan2016-sample/pair_task/heldout_pair_data.jsonlist.bz2"):
        yield from (comment["body"] for side in ("positive", "negative") for comment in row[side]["comments"])


def posts() -> Iterator[str]:
    """Every post of the threads and of the ready pairs."""
    yield from (html.unescape(row["selftext"]) for row in _ndjson(CMV / "full-threads/changemyview_submissions.ndjson"))
    yield from {row["op_text"] for row in _pairs()}
