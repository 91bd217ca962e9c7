"""The study's store: invitations, series and ballots, safe against kills, double clicks and fifty raters at once.

Writes wait for each other in line, and are on the disk when the call returns. What was answered once stays:
the same answer again changes nothing, another answer to the same item is told apart and changes nothing either.
"""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from functools import cached_property
from pathlib import Path
from types import TracebackType

from suasion.errors import SuasionError
from suasion.persuasion.arena.ballots import Ballot
from suasion.persuasion.arena.database import Database
from suasion.persuasion.arena.layout import Slot
from suasion.persuasion.arena.rows import Item, Outcome, Rater, ShownReply, ballot_of, item_of, rater_of
from suasion.persuasion.arena.schema import DATABASE
from suasion.persuasion.arena.series import make_series
from suasion.persuasion.arena.study import Study

MOST_NICKNAME, MOST_REASON = 60, 2000  # characters


class Store:
    """An open study. It may be used from many threads."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._database = Database(folder / DATABASE)
        _ = self.study  # a study that cannot be read is told now

    def __enter__(self) -> Store:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Close every connection."""
        self._database.close()

    # ---- what is fixed -------------------------------------------------------------------------------------------------------------

    @cached_property
    def study(self) -> Study:
        """The settings, as they were when the study was made."""
        return Study.model_validate_json(self._fixed("study"))

    @cached_property
    def secret(self) -> bytes:
        """What links and forms are signed with."""
        return bytes.fromhex(self._fixed("secret"))

    def systems(self) -> list[str]:
        """The systems' names, in order."""
        return list(json.loads(self._fixed("systems")))

    def note(self, key: str) -> str | None:
        """A text kept under this key."""
        row = self._database.row("SELECT text FROM notes WHERE key = ?", key)
        return None if row is None else str(row["text"])

    def set_note(self, key: str, text: str) -> None:
        """Keep a text under this key."""
        with self._database.writing() as database:
            database.execute("INSERT INTO notes VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET text = excluded.text", (key, text))

    def _fixed(self, key: str) -> str:
        text = self.note(key)
        if text is None:
            raise SuasionError(f"The study's database lacks '{key}'.", where=self.folder)
        return text

    @property
    def simulation(self) -> str:
        """What was said of the simulated raters; empty where people answer."""
        return self.note("simulation") or ""

    def mark_simulated(self, world: str) -> None:
        """Make this a study of simulated raters, for good.

        Raises:
            SuasionError: somebody was invited already, or it is one.
        """
        if not world:
            raise SuasionError("A simulation needs a description of its world.")
        with self._database.writing() as database:
            if self.note("simulation") is not None or self._database.row("SELECT 1 FROM raters"):
                raise SuasionError(
                    "This study has raters already; simulated ones are never mixed with people.",
                    where=self.folder,
                    hint="Make a new study with `suasion arena create`.",
                )
            database.execute("INSERT INTO notes VALUES ('simulation', ?)", (world,))

    @property
    def closed(self) -> bool:
        """Whether no more ballots are taken."""
        return self.note("closed_at") is not None

    def close_study(self) -> None:
        """Take no more ballots."""
        if not self.closed:
            self.set_note("closed_at", str(time.time()))

    # ---- raters --------------------------------------------------------------------------------------------------------------------

    def seats_left(self) -> int:
        """How many more raters the design has room for."""
        row = self._database.row("SELECT count(DISTINCT seat) AS number FROM slots WHERE seat NOT IN (SELECT seat FROM raters)")
        return int(row["number"]) if row else 0

    def invite(self, nickname: str = "") -> Rater:
        """Give the next free seat to a new rater and draw the series. In a simulated study the rater is marked as simulated.

        Raises:
            SuasionError: no seat is left, or the study is closed.
        """
        with self._database.writing() as database:
            if self.closed:
                raise SuasionError("The study is closed.", where=self.folder)
            free = self._database.row("SELECT min(seat) AS seat FROM slots WHERE seat NOT IN (SELECT seat FROM raters)")
            if free is None or free["seat"] is None:
                hint = "Revoke an invitation that is not used, or make a study with more raters per premise."
                raise SuasionError("Every seat of the design is taken.", where=self.folder, hint=hint)
            last = self._database.row("SELECT coalesce(max(number), 0) AS number FROM raters")
            rater = secrets.token_urlsafe(9)
            number = (last["number"] if last else 0) + 1
            simulated = bool(self.simulation)
            database.execute(
                "INSERT INTO raters (id, number, nickname, seat, simulated, invited_at) VALUES (?, ?, ?, ?, ?, ?)",
                (rater, number, nickname[:MOST_NICKNAME], free["seat"], simulated, time.time()),
            )
            rows = database.execute("SELECT * FROM slots WHERE seat = ? ORDER BY place", (free["seat"],)).fetchall()
            slots = [Slot(row["premise"], (row["first"], row["second"]) if row["second"] else (row["first"],)) for row in rows]
            for turn in make_series(self.study, slots, number):
                database.execute(
                    "INSERT INTO items (id, rater, place, kind, premise, left, right, expected) "
                    "VALUES (:id, :rater, :place, :kind, :premise, "
                    "(SELECT id FROM replies WHERE premise = :premise AND system = :left), "
                    "(SELECT id FROM replies WHERE premise = :premise AND system = :right), :expected)",
                    asdict(turn) | {"id": secrets.token_urlsafe(12), "rater": rater},
                )
            return self.rater(rater)  # type: ignore[return-value]

    def rater(self, rater_id: str) -> Rater | None:
        """The rater of this id."""
        row = self._database.row("SELECT * FROM raters WHERE id = ?", rater_id)
        return None if row is None else rater_of(row)

    def raters(self) -> list[Rater]:
        """Everybody who was invited, in that order."""
        return [rater_of(row) for row in self._database.rows("SELECT * FROM raters ORDER BY number")]

    def consent(self, rater_id: str, nickname: str = "", told: dict[str, str] | None = None) -> None:
        """Note that the rater agreed to take part; the first time counts."""
        with self._database.writing() as database:
            database.execute(
                "UPDATE raters SET consented_at = ?, told = ?, nickname = CASE WHEN ? = '' THEN nickname ELSE ? END "
                "WHERE id = ? AND consented_at IS NULL",
                (time.time(), json.dumps(told or {}, ensure_ascii=False), *[nickname[:MOST_NICKNAME]] * 2, rater_id),
            )

    def revoke(self, rater_id: str) -> None:
        """Take an invitation back. Ballots that were given stay; those that were not go to a free seat, for the next who is invited."""
        with self._database.writing() as database:
            rater = self.rater(rater_id)
            if rater is None:
                raise SuasionError(f"There is no rater '{rater_id}'.", where=self.folder, hint="List them with `suasion arena invite`.")
            if rater.revoked_at is not None:
                return
            database.execute("UPDATE raters SET revoked_at = ? WHERE id = ?", (time.time(), rater_id))
            database.execute(
                "UPDATE slots SET seat = (SELECT max(seat) + 1 FROM slots) WHERE seat = ? AND premise NOT IN "
                "(SELECT items.premise FROM items JOIN ballots ON ballots.item = items.id WHERE items.rater = ? AND kind = 'ballot')",
                (rater.seat, rater_id),
            )

    # ---- items and ballots ---------------------------------------------------------------------------------------------------------

    def items(self, rater_id: str) -> list[Item]:
        """The rater's series, practice first."""
        return [item_of(row) for row in self._database.rows("SELECT * FROM pages WHERE rater = ? ORDER BY place", rater_id)]

    def item(self, item_id: str) -> Item | None:
        """The item of this id."""
        row = self._database.row("SELECT * FROM pages WHERE id = ?", item_id)
        return None if row is None else item_of(row)

    def answer_of(self, item_id: str) -> tuple[str, int | None, int | None]:
        """Answer, opinion before and after of an answered item.

        Raises:
            SuasionError: it has no answer.
        """
        row = self._database.row("SELECT answer, before, after FROM ballots WHERE item = ?", item_id)
        if row is None:
            raise SuasionError("This ballot has no answer yet.")
        return row["answer"], row["before"], row["after"]

    def next_item(self, rater_id: str) -> Item | None:
        """The first item without an answer; ``None`` where all have one."""
        query = "SELECT id FROM items WHERE rater = ? AND NOT EXISTS (SELECT 1 FROM ballots WHERE item = items.id) ORDER BY place LIMIT 1"
        row = self._database.row(query, rater_id)
        return None if row is None else self.item(row["id"])

    def done_of(self, rater_id: str) -> tuple[int, int]:
        """How many items are answered, and how many there are, practice not counted."""
        row = self._database.row(
            "SELECT count(ballots.item) AS done, count(*) AS total FROM items LEFT JOIN ballots ON ballots.item = items.id "
            "WHERE items.rater = ? AND items.place >= 0",
            rater_id,
        )
        return (int(row["done"]), int(row["total"])) if row else (0, 0)

    def show(self, item_id: str) -> None:
        """Note when an item was first shown."""
        with self._database.writing(at_leisure=True) as database:
            database.execute("UPDATE items SET shown_at = ? WHERE id = ? AND shown_at IS NULL", (time.time(), item_id))

    def opinion_before(self, item_id: str, before: int) -> None:
        """Note the opinion before the reply was shown; the first one counts."""
        with self._database.writing() as database:
            database.execute("UPDATE items SET before = ?, before_at = ? WHERE id = ? AND before IS NULL", (before, time.time(), item_id))

    def record(
        self,
        item_id: str,
        rater_id: str,
        *,
        answer: str = "",
        strength: int | None = None,
        reason: str = "",
        before: int | None = None,
        after: int | None = None,
        shown_at: float | None = None,
        answered_at: float | None = None,
    ) -> Outcome:
        """Store an answer; when this returns, it is on the disk.

        Args:
            answer: in a preference study, one of the study's answers.
            before: in a change-of-view study; left out, what :meth:`opinion_before` noted.
            shown_at: left out, what :meth:`show` noted.

        Raises:
            SuasionError: no such item of this rater, an answer that the study does not have, a closed study, a revoked rater.
        """
        now = time.time() if answered_at is None else answered_at
        with self._database.writing() as database:
            item = self._database.row("SELECT * FROM items WHERE id = ? AND rater = ?", item_id, rater_id)
            if item is None:
                raise SuasionError("There is no such ballot.")
            before = item["before"] if before is None else before
            self._check_answer(answer, strength, before, after)
            stored = self._database.row("SELECT * FROM ballots WHERE item = ?", item_id)
            if stored is not None:
                same = (stored["answer"], stored["strength"], stored["reason"], stored["after"]) == (
                    answer,
                    strength,
                    reason[:MOST_REASON],
                    after,
                )
                return Outcome.AGAIN if same else Outcome.OTHER
            rater = self.rater(rater_id)
            if self.closed or rater is None or rater.revoked_at is not None:
                raise SuasionError("The study is closed." if self.closed else "The invitation was taken back.")
            shown = next((time for time in (shown_at, item["shown_at"]) if time is not None), now)
            database.execute(
                "INSERT INTO ballots VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (item_id, rater_id, answer, strength, reason[:MOST_REASON], before, after, shown, now),
            )
            return Outcome.STORED

    def _check_answer(self, answer: str, strength: int | None, before: int | None, after: int | None) -> None:
        study = self.study
        if study.design == "preference":
            fits = answer in study.answers and before is None and after is None
            needed = study.strength and answer in ("left", "right")
            fits = fits and (strength in (1, 2, 3) if needed else strength is None)
        else:
            fits = not answer and strength is None and all(one is not None and 1 <= one <= study.scale for one in (before, after))
        if not fits:
            raise SuasionError("This is not an answer of the study.")

    @contextmanager
    def bulk(self) -> Iterator[None]:
        """Everything that this thread writes inside is one transaction: quick, and all or nothing."""
        with self._database.writing():
            yield

    def backup(self, path: Path) -> Path:
        """Copy the database, whole and consistent, while raters go on; return the path."""
        return self._database.backup(path)

    # ---- read-outs -----------------------------------------------------------------------------------------------------------------

    def ballots(self) -> list[Ballot]:
        """Every answer but practice, with the systems' names, in the order of raters and places."""
        rows = self._database.rows("SELECT * FROM answers WHERE place >= 0 ORDER BY number, place")
        return [ballot_of(row) for row in rows]

    def replies(self) -> list[ShownReply]:
        """Every reply of the study; those of practice ballots and checks are left out."""
        rows = self._database.rows(
            "SELECT * FROM replies WHERE premise IN (SELECT id FROM premises WHERE NOT builtin) ORDER BY premise, system"
        )
        return [ShownReply(row["id"], row["premise"], row["system"], row["text"], row["words"]) for row in rows]

    def premises(self) -> dict[str, str]:
        """Id to text, of the study's own premises."""
        return {row["id"]: row["text"] for row in self._database.rows("SELECT id, text FROM premises WHERE NOT builtin ORDER BY id")}

    def sources(self) -> dict[str, str]:
        """Premise id to its debate's id, where that is known."""
        return {row["id"]: row["source"] for row in self._database.rows("SELECT id, source FROM premises WHERE source != '' ORDER BY id")}


def open_store(folder: Path) -> Store:
    """Open a study.

    Raises:
        SuasionError: there is none in this folder, or it cannot be read.
    """
    return Store(folder)
