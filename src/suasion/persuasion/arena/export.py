"""What a study gives out: its ballots with the systems' names, the texts they are about, and copies of its database."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from suasion.config import to_yaml
from suasion.files import write_text
from suasion.persuasion.arena.ballots import write_ballots
from suasion.persuasion.arena.store import Store

BACKUPS = "backups"


def export(store: Store, folder: Path) -> dict[str, int]:
    """Write ``ballots.jsonl``, ``replies.jsonl``, ``premises.jsonl`` and ``study.yaml``; return how many rows each has.

    No nickname and no answer to the study's further questions is among them. Ballots of simulated raters say so, each.
    """
    ballots, texts, debates = store.ballots(), store.premises(), store.sources()
    premises = [{"premise_id": key, "premise": text, "debate_id": debates.get(key)} for key, text in texts.items()]
    replies = [
        {"reply": one.id, "premise_id": one.premise, "premise": texts[one.premise]}
        | {"system": one.system, "text": one.text, "words": one.words}
        for one in store.replies()
    ]
    write_ballots(ballots, folder / "ballots.jsonl")
    _write_rows(folder / "replies.jsonl", replies)
    _write_rows(folder / "premises.jsonl", premises)
    write_text(folder / "study.yaml", to_yaml(store.study))
    return {"ballots": len(ballots), "replies": len(replies), "premises": len(premises)}


def back_up(store: Store) -> str:
    """Copy a running study's database to a new file in its folder ``backups``; return its name there."""
    stamp = time.strftime("%Y%m%d-%H%M%S", time.gmtime())
    return store.backup(store.folder / BACKUPS / f"arena-{stamp}.sqlite").relative_to(store.folder).as_posix()


def _write_rows(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    write_text(path, "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))
