"""The study's database, ``arena.sqlite``: its tables, what they forbid, and how it is opened.

====================  ==========================================================================================================
``notes``             key and text: the settings, the secret that signs links, the simulated world (empty where people answer), …
``premises``          opaque id, text as shown, the debate's id where known; ``builtin``: of a practice ballot or an attention check
``replies``           opaque id, premise, system, text as shown, its words, and the text as it came
``slots``             the design: seat, place, premise, the two systems (``second`` is empty where one reply is shown)
``raters``            opaque id, number, nickname, seat; when invited, consented, revoked; answers to the study's own questions
``items``             a rater's series, sides and order drawn at the invitation: place (practice below 0), kind, premise, left and
                      right reply, what an attentive rater answers to a check; when first shown; the opinion before
``ballots``           the answers, one an item
``pages``             a view: items with the texts that are shown
``answers``           a view: ballots with everything that the statistics need
====================  ==========================================================================================================

The database itself holds the promises: a ballot can be neither changed nor removed, there is one an item, its rater is the item's, and
simulated raters and people never stand in one study.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path

from suasion.errors import SuasionError

DATABASE = "arena.sqlite"
VERSION = 1
BUSY_SECONDS = 30.0

_TABLES = """
CREATE TABLE notes (key TEXT PRIMARY KEY, text TEXT NOT NULL) STRICT, WITHOUT ROWID;

CREATE TABLE premises (
    id TEXT PRIMARY KEY, text TEXT NOT NULL, source TEXT NOT NULL, builtin INTEGER NOT NULL CHECK (builtin IN (0, 1))
) STRICT, WITHOUT ROWID;

CREATE TABLE replies (
    id TEXT PRIMARY KEY, premise TEXT NOT NULL REFERENCES premises, system TEXT NOT NULL, text TEXT NOT NULL,
    words INTEGER NOT NULL, original TEXT NOT NULL, UNIQUE (premise, system)
) STRICT, WITHOUT ROWID;

CREATE TABLE slots (
    seat INTEGER NOT NULL, place INTEGER NOT NULL, premise TEXT NOT NULL REFERENCES premises, first TEXT NOT NULL, second TEXT NOT NULL,
    PRIMARY KEY (seat, place), UNIQUE (seat, premise)
) STRICT, WITHOUT ROWID;

CREATE TABLE raters (
    id TEXT PRIMARY KEY, number INTEGER NOT NULL UNIQUE, nickname TEXT NOT NULL, seat INTEGER NOT NULL UNIQUE,
    simulated INTEGER NOT NULL CHECK (simulated IN (0, 1)), invited_at REAL NOT NULL, consented_at REAL, revoked_at REAL,
    told TEXT NOT NULL DEFAULT '{}'
) STRICT, WITHOUT ROWID;

CREATE TABLE items (
    id TEXT PRIMARY KEY, rater TEXT NOT NULL REFERENCES raters, place INTEGER NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('practice', 'ballot', 'gibberish', 'repeat', 'instructed')),
    premise TEXT NOT NULL REFERENCES premises, left TEXT NOT NULL REFERENCES replies, right TEXT REFERENCES replies,
    expected TEXT NOT NULL, shown_at REAL, before INTEGER, before_at REAL,
    UNIQUE (rater, place), UNIQUE (id, rater)
) STRICT, WITHOUT ROWID;

CREATE TABLE ballots (
    item TEXT PRIMARY KEY, rater TEXT NOT NULL,
    answer TEXT NOT NULL CHECK (answer IN ('left', 'right', 'tie', 'both_bad', '')),
    strength INTEGER CHECK (strength BETWEEN 1 AND 3), reason TEXT NOT NULL, before INTEGER, after INTEGER,
    shown_at REAL NOT NULL, answered_at REAL NOT NULL,
    CHECK ((answer = '') = (after IS NOT NULL)),
    FOREIGN KEY (item, rater) REFERENCES items (id, rater)
) STRICT, WITHOUT ROWID;
CREATE INDEX ballots_of_rater ON ballots (rater);

CREATE VIEW pages AS
SELECT items.*, premises.text AS premise_text, one.system AS left_system, one.text AS left_text, one.words AS left_words,
       coalesce(two.system, '') AS right_system, coalesce(two.text, '') AS right_text, coalesce(two.words, 0) AS right_words,
       ballots.item IS NOT NULL AS answered
FROM items JOIN premises ON premises.id = items.premise JOIN replies AS one ON one.id = items.left
LEFT JOIN replies AS two ON two.id = items.right LEFT JOIN ballots ON ballots.item = items.id;

CREATE VIEW answers AS
SELECT pages.*, ballots.answer, ballots.strength, ballots.reason, ballots.before AS opinion_before, ballots.after,
       ballots.shown_at AS ballot_shown_at, ballots.answered_at, raters.simulated, raters.number
FROM ballots JOIN pages ON pages.id = ballots.item JOIN raters ON raters.id = ballots.rater;

CREATE TRIGGER ballots_are_not_changed BEFORE UPDATE ON ballots BEGIN SELECT RAISE(ABORT, 'a ballot is final'); END;
CREATE TRIGGER ballots_are_not_removed BEFORE DELETE ON ballots BEGIN SELECT RAISE(ABORT, 'a ballot is final'); END;
CREATE TRIGGER raters_are_of_one_kind BEFORE INSERT ON raters
WHEN NEW.simulated != EXISTS (SELECT 1 FROM notes WHERE key = 'simulation' AND text != '')
BEGIN SELECT RAISE(ABORT, 'simulated raters and people are never mixed'); END;
CREATE TRIGGER raters_stay_what_they_are BEFORE UPDATE OF simulated ON raters
BEGIN SELECT RAISE(ABORT, 'simulated raters and people are never mixed'); END;
CREATE TRIGGER simulation_is_noted_once BEFORE UPDATE ON notes WHEN OLD.key = 'simulation'
BEGIN SELECT RAISE(ABORT, 'a study is simulated or not, once and for all'); END;
CREATE TRIGGER simulation_is_not_forgotten BEFORE DELETE ON notes WHEN OLD.key = 'simulation'
BEGIN SELECT RAISE(ABORT, 'a study is simulated or not, once and for all'); END;
CREATE TRIGGER simulation_is_noted_first BEFORE INSERT ON notes
WHEN NEW.key = 'simulation' AND (EXISTS (SELECT 1 FROM raters) OR EXISTS (SELECT 1 FROM notes WHERE key = 'simulation'))
BEGIN SELECT RAISE(ABORT, 'a study is simulated or not, once and for all'); END;
"""


def make_database(path: Path) -> None:
    """Make an empty database with all tables.

    Raises:
        SuasionError: SQLite is too old.
    """
    if sqlite3.sqlite_version_info < (3, 37):
        raise SuasionError(f"SQLite {sqlite3.sqlite_version} is too old; 3.37 is needed.", hint="Use a newer Python.")
    connection = sqlite3.connect(path)
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.executescript(f"BEGIN;{_TABLES}PRAGMA user_version = {VERSION};COMMIT;")
    finally:
        connection.close()


def connect(path: Path) -> sqlite3.Connection:
    """Open a study's database: a commit is on the disk before it returns, and whoever finds it busy waits.

    Raises:
        SuasionError: there is none, it is damaged, or of a later version.
    """
    if not path.is_file():
        raise SuasionError("There is no study here.", where=path.parent, hint="Make one with `suasion arena create`.")
    try:
        connection = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
        try:
            connection.row_factory = sqlite3.Row
            connection.execute("PRAGMA foreign_keys = ON")
            connection.execute("PRAGMA synchronous = FULL")
            (version,) = connection.execute("PRAGMA user_version").fetchone()
            (mode,) = connection.execute("PRAGMA journal_mode = WAL").fetchone()
        except BaseException:
            connection.close()
            raise
    except sqlite3.Error as error:
        raise SuasionError(f"The study's database cannot be opened: {error}", where=path) from error
    if version != VERSION or mode != "wal":
        connection.close()
        what = f"it has version {version}, not {VERSION}" if version != VERSION else f"its journal is '{mode}', not 'wal'"
        raise SuasionError(f"The study's database is not as it should be: {what}.", where=path)
    return connection
