"""What was said to be stored is stored, whenever the process is killed."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from suasion.persuasion.arena.schema import DATABASE
from suasion.persuasion.arena.store import open_store

_ANSWERS = """
import sys
from pathlib import Path
from suasion.persuasion.arena.store import open_store

store = open_store(Path(sys.argv[1]))
rater = store.raters()[0].id
for item in store.items(rater):
    if not item.answered:
        store.show(item.id)
        store.record(item.id, rater, answer="left")
        print(item.id, flush=True)
"""


@pytest.mark.parametrize("kills", [[1, 1, 2, 5, 9]])
def test_a_killed_process_has_stored_what_it_said(study: Callable[..., Path], kills: list[int]) -> None:
    folder = study(premises=60, ballots_per_rater=60)
    with open_store(folder) as store:
        rater = store.invite().id
    told: list[str] = []
    for after in kills:
        with subprocess.Popen([sys.executable, "-c", _ANSWERS, str(folder)], stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout
            told += [process.stdout.readline().strip() for _ in range(after)]
            process.kill()
            told += [line.strip() for line in process.stdout if line.endswith("\n")]
        with open_store(folder) as store:
            stored = [item.id for item in store.items(rater) if item.answered]
            assert set(told) <= set(stored) and len(stored) - len(told) <= len(kills), "at most the one under way is stored untold"
    with sqlite3.connect(folder / DATABASE) as database:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    assert len(set(told)) == len(told) >= sum(kills)
