"""Making a study: replies in, a folder with the settings, the design and the hidden names out; whole or not at all."""

from __future__ import annotations

import json
import random
import secrets
import shutil
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from suasion.config import to_yaml
from suasion.errors import SuasionError
from suasion.files import write_text
from suasion.persuasion.arena.examples import PRACTICE, checks, instructed
from suasion.persuasion.arena.layout import plan_seats, treatments
from suasion.persuasion.arena.schema import DATABASE, connect, make_database
from suasion.persuasion.arena.sources import Source, Written, merged
from suasion.persuasion.arena.study import Study
from suasion.persuasion.arena.tidy import tidy

SETTINGS = "study.yaml"
SOUND, GIBBERISH, INSTRUCTED = "(sound)", "(gibberish)", "(instructed)"
BETTER, WORSE = "(better)", "(worse)"


@dataclass(frozen=True)
class Made:
    """What a new study holds."""

    folder: Path
    systems: tuple[str, ...]
    premises: int
    left_out: int
    """Premises that some system has no reply to."""
    seats: tuple[int, ...]
    """Ballots of each rater's seat, attention checks not counted."""


def create_study(folder: Path, study: Study, sources: Sequence[Source]) -> Made:
    """Make the study's folder.

    Raises:
        SuasionError: the folder is not empty, or there is no premise that all systems have replied to; each system's number is told.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise SuasionError("There is something here already.", where=folder, hint="Give a new name: a study is never made over.")
    systems = merged(sources)
    kinds = treatments(list(systems), compare=study.design == "preference")
    everywhere = set.intersection(*(set(replies) for replies in systems.values()))
    all_premises = {premise for replies in systems.values() for premise in replies}
    if not everywhere:
        told = ", ".join(f"{name} has replied to {len(replies)}" for name, replies in sorted(systems.items()))
        raise SuasionError(f"There is no premise that every system has replied to: {told}.", hint="Give samples on the same premises.")
    rng = random.Random(study.seed)
    chosen = sorted(everywhere)
    rng.shuffle(chosen)
    chosen = chosen[: study.premises]
    debates = {premise: debate for source in sources for premise, debate in source.debates.items()}
    texts = {secrets.token_urlsafe(9): premise for premise in chosen}
    written = {premise: {name: rng.choice(systems[name][premise]) for name in sorted(systems)} for premise in chosen}
    seats = plan_seats(
        list(texts), kinds, raters_per_premise=study.raters_per_premise, ballots_per_rater=study.ballots_per_rater, seed=study.seed
    )
    making = folder.parent / f".{folder.name}.{secrets.token_hex(6)}.tmp"
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        making.mkdir(mode=0o700)  # it holds who is who, on both sides
        make_database(making / DATABASE)
        with closing(connect(making / DATABASE)) as database:
            database.execute("BEGIN")
            notes = {
                "study": study.model_dump_json(),
                "secret": secrets.token_hex(32),
                "systems": json.dumps(sorted(systems)),
                "sources": json.dumps({source.name: source.hashes for source in sources}),
            }
            database.executemany("INSERT INTO notes VALUES (?, ?)", notes.items())
            for key, premise in texts.items():
                database.execute("INSERT INTO premises VALUES (?, ?, ?, 0)", (key, premise, debates.get(premise, "")))
                database.executemany("INSERT INTO replies VALUES (?, ?, ?, ?, ?, ?)", _rows(key, written[premise]))
            for key, premise, replies in _built_in(study):
                database.execute("INSERT INTO premises VALUES (?, ?, '', 1)", (key, premise))
                database.executemany("INSERT INTO replies VALUES (?, ?, ?, ?, ?, ?)", _rows(key, replies))
            database.executemany(
                "INSERT INTO slots VALUES (?, ?, ?, ?, ?)",
                [
                    (seat, place, slot.premise, slot.systems[0], slot.systems[1] if len(slot.systems) > 1 else "")
                    for seat, slots in enumerate(seats)
                    for place, slot in enumerate(slots)
                ],
            )
            database.execute("COMMIT")
            database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        write_text(making / SETTINGS, to_yaml(study))
        making.rename(folder)
    except (OSError, sqlite3.Error) as error:
        raise SuasionError(f"The study cannot be written: {error}", where=folder) from error
    finally:
        shutil.rmtree(making, ignore_errors=True)
    return Made(folder, tuple(sorted(systems)), len(chosen), len(all_premises) - len(everywhere), tuple(map(len, seats)))


def create_from_replies(folder: Path, study: Study, premises: Mapping[str, str], replies: Mapping[str, Mapping[str, str]]) -> Made:
    """Make a study from texts at hand: ``premises`` id to text, ``replies`` system to premise id to text."""
    source = Source("replies")
    for system, texts in replies.items():
        for key, text in texts.items():
            source.add(system, premises[key], text)
    source.debates = {tidy(text): key for key, text in premises.items()}
    return create_study(folder, study, [source])


def _rows(premise: str, replies: Mapping[str, Written]) -> list[tuple[str, str, str, str, int, str]]:
    return [
        # What cannot be written as UTF-8 cannot be stored as text either.
        (
            secrets.token_urlsafe(9),
            premise,
            name,
            one.shown,
            len(one.shown.split()),
            one.original.encode("utf-8", "backslashreplace").decode(),
        )
        for name, one in replies.items()
    ]


def _built_in(study: Study) -> list[tuple[str, str, dict[str, Written]]]:
    """Premises and replies of practice ballots (ids ``practice-0``, …) and attention checks (``check-0``, …)."""
    made = []
    for number, example in enumerate((study.examples or PRACTICE) if study.practice else ()):
        made.append((f"practice-{number}", example.premise, {BETTER: example.better, WORSE: example.worse}))
    for number, check in enumerate(checks(study.seed)):
        replies = {SOUND: check.sound, GIBBERISH: check.gibberish, INSTRUCTED: instructed(check.sound, study.scale)}
        made.append((f"check-{number}", check.premise, replies))
    return [(key, tidy(premise), {name: Written(text, tidy(text)) for name, text in replies.items()}) for key, premise, replies in made]
