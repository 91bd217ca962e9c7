"""What the store gives out: raters, the items of their series, replies; and how they are read from the database's rows."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from enum import Enum

from suasion.persuasion.arena.ballots import Ballot


@dataclass(frozen=True)
class Rater:
    """Somebody who was invited. Times are seconds since 1970, ``None``: not yet."""

    id: str
    number: int
    nickname: str
    seat: int
    simulated: bool
    invited_at: float
    consented_at: float | None
    revoked_at: float | None


@dataclass(frozen=True)
class Item:
    """One page of a rater's series. ``left`` and ``right`` are the systems' names: they stay on the server."""

    id: str
    rater: str
    place: int
    kind: str
    premise: str
    left: str
    right: str
    expected: str
    premise_text: str
    left_text: str
    right_text: str
    left_words: int
    right_words: int
    shown_at: float | None
    before: int | None
    answered: bool


class Outcome(Enum):
    """What became of an answer."""

    STORED = "stored"
    AGAIN = "the same answer was stored before"
    OTHER = "another answer was stored before, and stays"


@dataclass(frozen=True)
class ShownReply:
    """A reply of the study. There is one for each premise and system."""

    id: str
    premise: str
    system: str
    text: str
    words: int


def rater_of(row: sqlite3.Row) -> Rater:
    """A row of ``raters``."""
    values = {name: row[name] for name in ("id", "number", "nickname", "seat", "invited_at", "consented_at", "revoked_at")}
    return Rater(simulated=bool(row["simulated"]), **values)


def item_of(row: sqlite3.Row) -> Item:
    """A row of the view ``pages``."""
    names = ("id", "rater", "place", "kind", "premise", "expected", "premise_text", "left_text", "right_text", "left_words", "right_words")
    values = {name: row[name] for name in (*names, "shown_at", "before")}
    return Item(left=row["left_system"], right=row["right_system"], answered=bool(row["answered"]), **values)


def ballot_of(row: sqlite3.Row) -> Ballot:
    """A row of the view ``answers``."""
    check = row["kind"] in ("gibberish", "instructed")
    return Ballot(
        rater=row["rater"],
        premise=row["premise"],
        left="" if row["kind"] == "gibberish" else row["left_system"],
        right="" if row["kind"] == "gibberish" else row["right_system"],
        kind=row["kind"],
        answer=row["answer"],
        strength=row["strength"],
        reason=row["reason"],
        before=row["opinion_before"],
        after=row["after"],
        shown_at=row["ballot_shown_at"],
        answered_at=row["answered_at"],
        place=row["place"],
        expected=row["expected"] if check else None,
        left_words=row["left_words"],
        right_words=row["right_words"],
        left_reply=row["left"],
        right_reply=row["right"] or "",
        simulated=bool(row["simulated"]),
    )
