"""One answer of one rater, with everything the statistics need to know about it: what `export` writes and `report` reads."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, Literal, get_args

from suasion.errors import SuasionError
from suasion.files import write_text

#: What an answer is for. Only `ballot` counts; the others are attention checks. Practice is never exported.
Kind = Literal["ballot", "gibberish", "repeat", "instructed"]
#: Which reply the rater took. `both_bad` is a tie that says more.
Answer = Literal["left", "right", "tie", "both_bad"]

_ANSWERS = ("", *get_args(Answer))
_SWAPPED = {"left": "right", "right": "left"}


@dataclass(frozen=True)
class Ballot:
    """One answer. Times are seconds since 1970 (UTC) by the server's clock; systems stand here by their names, which no rater has seen.

    In a study of preference, ``answer`` tells which reply was taken. In a study of changed views one reply is shown: its system is
    ``left``, ``right`` and ``answer`` are empty, and ``before`` and ``after`` are how far the rater shares the premise's view (1 not at
    all): the further it falls, the more the reply has moved them.
    """

    rater: str  # an opaque id, never a nickname
    premise: str  # the premise's id
    left: str  # a system's name; empty in a gibberish check
    right: str = ""
    kind: Kind = "ballot"
    answer: Answer | Literal[""] = ""
    strength: int | None = None  # 1 slightly … 3 clearly, where the study asks
    reason: str = ""
    before: int | None = None
    after: int | None = None
    shown_at: float = 0.0
    answered_at: float = 0.0
    place: int = 0  # in the rater's series, practice not counted: (rater, place) is unique
    expected: str | None = None  # gibberish: the side an attentive rater takes; instructed: the `after` that was asked for
    left_words: int = 0
    right_words: int = 0
    left_reply: str = ""  # the replies' ids: judges' scores are joined by them
    right_reply: str = ""
    simulated: bool = False

    @property
    def seconds(self) -> float:
        """From the page's first showing to the answer."""
        return self.answered_at - self.shown_at

    @property
    def credit(self) -> float:
        """What the left reply gets: 1, 0, or half for a tie and for two bad ones."""
        return {"left": 1.0, "right": 0.0}.get(self.answer, 0.5)

    @property
    def pair(self) -> tuple[str, str]:
        """The two systems, in the order of their names."""
        return (self.left, self.right) if self.left <= self.right else (self.right, self.left)

    @property
    def fall(self) -> float:
        """How far agreement with the premise fell, in points of the study's scale; NaN where it was not asked for."""
        return float("nan") if self.before is None or self.after is None else float(self.before - self.after)

    def as_dict(self) -> dict[str, Any]:
        """A JSON-able copy."""
        return asdict(self)


def swapped(answer: str) -> str:
    """The same verdict after the two replies have changed sides."""
    return _SWAPPED.get(answer, answer)


def comparisons(ballots: Iterable[Ballot]) -> list[Ballot]:
    """The preferences that count: no checks."""
    return [ballot for ballot in ballots if ballot.kind == "ballot" and ballot.answer]


def view_changes(ballots: Iterable[Ballot]) -> list[Ballot]:
    """The opinions before and after that count: no checks."""
    return [ballot for ballot in ballots if ballot.kind == "ballot" and not math.isnan(ballot.fall)]


def write_ballots(ballots: Iterable[Ballot], path: Path) -> Path:
    """Write ballots as JSON lines, whole or not at all; return the path."""
    return write_text(path, "".join(json.dumps(ballot.as_dict(), ensure_ascii=False) + "\n" for ballot in ballots))


def read_ballots(path: Path) -> list[Ballot]:
    """Read what :func:`write_ballots` wrote.

    Raises:
        SuasionError: no such file, a line that is no ballot, a ballot that stands twice, or simulated ballots among people's.
    """
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise SuasionError(f"Cannot read the ballots: {error}", where=path) from error
    ballots = [_parsed(line, f"{path}, line {number}") for number, line in enumerate(lines, 1) if line.strip()]
    check_ballots(ballots, path)
    return ballots


def check_ballots(ballots: Iterable[Ballot], where: object = None, *, simulated: bool | None = None) -> None:
    """Refuse ballots that no statistics can be made from.

    Args:
        simulated: what all of them must be; None: all alike.

    Raises:
        SuasionError: a place of a rater's series stands twice, or simulated ballots stand among people's.
    """
    seen: set[tuple[str, int]] = set()
    makers: set[bool] = set() if simulated is None else {simulated}
    for ballot in ballots:
        key = (ballot.rater, ballot.place)
        if key in seen:
            raise SuasionError(f"The answer of rater {ballot.rater} at place {ballot.place} stands twice.", where=where)
        seen.add(key)
        makers.add(ballot.simulated)
    if len(makers) > 1:
        hint = "Numbers are made from people or from a simulation, never from both."
        raise SuasionError("Simulated ballots are mixed with people's.", where=where, hint=hint)


def from_row(row: Mapping[str, Any], where: object = None) -> Ballot:
    """A ballot from its JSON.

    Raises:
        SuasionError: a field is missing, unknown or of the wrong kind; all wrong ones are named.
    """
    known = {one.name: str(one.type) for one in fields(Ballot)}
    wrong = [f"no {name}" for name in ("rater", "premise", "left") if name not in row]
    wrong += [f"{name!r:.40} is unknown" for name in row if name not in known]
    wrong += [f"{name} cannot be {value!r:.40}" for name, value in row.items() if name in known and not _fits(value, known[name])]
    for name, allowed in (("kind", get_args(Kind)), ("answer", _ANSWERS)):
        if isinstance(value := row.get(name, allowed[0]), str) and value not in allowed:
            wrong.append(f"{name} cannot be {value!r:.40}")
    if wrong:
        raise SuasionError(f"This is no ballot: {'; '.join(wrong)}.", where=where)
    return Ballot(**row)


def _parsed(line: str, where: str) -> Ballot:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise SuasionError(f"This line is not JSON: {error}", where=where) from error
    if not isinstance(row, Mapping):
        raise SuasionError("A ballot is a mapping of names to values.", where=where)
    return from_row(row, where)


def _fits(value: Any, annotation: str) -> bool:
    """Whether a JSON value can stand in a field so annotated."""
    if value is None:
        return "None" in annotation
    if isinstance(value, bool):
        return annotation == "bool"
    if isinstance(value, int):
        return annotation.startswith(("int", "float")) and abs(value) < 1 << 53
    if isinstance(value, float):
        return annotation.startswith("float") and math.isfinite(value)
    return isinstance(value, str) and not annotation.startswith(("int", "float", "bool"))
