"""One line of a Reddit dump: a submission, a comment, or the reason why it is neither. Lenient, because types changed from year to year.

What a line is gets decided by its content. r/DeltaLog's submissions tell awards, and become labels.
"""

from __future__ import annotations

import html
import json
import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec

from suasion.persuasion.mining.debates import DELETED, Comment, Label, Post
from suasion.persuasion.mining.sources.deltalog import is_deltalog, labels

MAX_LINE = 8 << 20
"""Bytes. Reddit allows 40,000 characters; a line beyond this is not a comment, and is skipped without being held in memory."""
DELTALOG = "deltalog"

_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[a-zA-Z]\w{1,31});")

Thing = Post | Comment | Label


@dataclass
class Reading:
    """What happened while the sources were read.

    Attributes:
        lines: lines by fate: ``read``, and every reason why one was not used.
        mended: lines kept after repair, by what was wrong.
        damaged: file name -> bytes of it that could be read, for compressed files that broke off.
    """

    lines: Counter[str] = field(default_factory=Counter)
    mended: Counter[str] = field(default_factory=Counter)
    damaged: dict[str, int] = field(default_factory=dict)


class RawLine(msgspec.Struct, gc=False):
    """The fields of a dump's line that matter, of any type."""

    id: Any = None
    name: Any = None
    author: Any = None
    title: Any = None
    selftext: Any = None
    body: Any = None
    link_id: Any = None
    parent_id: Any = None
    created_utc: Any = None
    score: Any = None
    edited: Any = None
    distinguished: Any = None
    is_submitter: Any = None
    subreddit: Any = None
    children: Any = None
    kind: Any = None


_decoder = msgspec.json.Decoder(RawLine)


def read_line(line: bytes, reading: Reading, subreddit: str | None) -> Sequence[Thing]:
    """What a line tells: one post or comment, the labels of a DeltaLog post, or nothing with the reason counted in ``reading``.

    Args:
        subreddit: lines that say they are of another one are dropped (but for r/DeltaLog's); ``None`` takes all.
    """
    line = line.strip().removeprefix(b"\xef\xbb\xbf")
    if not line:
        return ()
    reading.lines["read"] += 1
    if len(line) > MAX_LINE:
        reading.lines["line too long"] += 1
        return ()
    try:
        raw = _decoder.decode(line)
    except (msgspec.DecodeError, RecursionError):
        mended = _mend(line)
        if isinstance(mended, str):
            reading.lines[mended] += 1
            return ()
        raw = mended
        reading.mended["invalid characters replaced"] += 1
    things = _things_of(raw, subreddit)
    if isinstance(things, str):
        reading.lines[things] += 1
        return ()
    return things


def comment_of(raw: Any) -> Comment | str:
    """The comment of a decoded line (anything with the attributes of :class:`RawLine`), or the reason why it is none."""
    comment_id = bare_id(raw.id) or bare_id(getattr(raw, "name", None))
    debate_id, parent_id = bare_id(raw.link_id), bare_id(raw.parent_id)
    if not comment_id:
        return "no id"
    if not debate_id or not parent_id:
        return "no link_id or parent_id"
    return Comment(
        comment_id,
        debate_id,
        parent_id,
        parent_is_post=raw.parent_id.startswith("t3_") or (parent_id == debate_id and not raw.parent_id.startswith("t1_")),
        author=author_name(raw.author),
        text=unescape_once(raw.body) if isinstance(raw.body, str) else "",
        created_utc=seconds(raw.created_utc),
        score=whole_number(raw.score),
        edited=was_edited(raw.edited),
        distinguished=raw.distinguished if isinstance(raw.distinguished, str) and raw.distinguished else None,
        by_submitter=raw.is_submitter is True,
    )


def is_of(subreddit: Any, wanted: str | None) -> bool:
    """Whether a line belongs to the wanted subreddit; one that names none does."""
    return wanted is None or not isinstance(subreddit, str) or not subreddit or subreddit.lower() == wanted.lower()


def unescape_once(text: str) -> str:
    """Undo one level of HTML escaping: ``&amp;#8710;`` becomes ``&#8710;``. Only entities closed by ``;``: links are full of bare ``&``."""
    if "&" not in text:
        return text
    first, *pieces = text.split("&")
    for place, piece in enumerate(pieces):
        if piece.startswith("gt;"):  # nearly always one of three, and then the pattern would take many times as long
            pieces[place] = f">{piece[3:]}"
        elif piece.startswith("lt;"):
            pieces[place] = f"<{piece[3:]}"
        elif piece.startswith("amp;"):
            pieces[place] = f"&{piece[4:]}"
        else:
            break
    else:
        return first + "".join(pieces)
    return _ENTITY.sub(lambda match: html.unescape(match[0]), text)


def bare_id(fullname: Any) -> str | None:
    """An id without its kind: ``t1_c0abc`` and ``c0abc`` are the same comment."""
    if not isinstance(fullname, str):
        return None
    return fullname[3:] if fullname.startswith(("t1_", "t3_")) else fullname


def author_name(value: Any) -> str:
    """The name, or ``[deleted]`` where there is none."""
    return value if isinstance(value, str) and value else DELETED


def was_edited(value: Any) -> bool:
    """``edited`` is false, true or the time of the edit, as a number or as text."""
    return value not in (None, False, 0, "", "false", "False")


def seconds(value: Any) -> int | None:
    """Seconds since 1970; zero and less are a lost time, not a time."""
    number = whole_number(value)
    return number if number is not None and number > 0 else None


def whole_number(value: Any) -> int | None:
    """A number of any era (int, float, text) as a 64-bit int."""
    if type(value) is int and -(2**63) <= value < 2**63:  # nearly always
        return value
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        number = value if isinstance(value, int) else float(value)
    except ValueError:
        return None
    return int(number) if math.isfinite(number) and -(2**63) <= number < 2**63 else None


def _mend(line: bytes) -> RawLine | str:
    """A second, lenient look: invalid UTF-8, lone surrogates and raw control characters are replaced; else the reason why it is no use."""
    try:
        value = json.loads(line.decode("utf-8", "replace"), strict=False)
    except (ValueError, RecursionError):
        return "not JSON"
    if not isinstance(value, dict):
        return "not an object"
    return msgspec.convert({key: _encodable(value.get(key)) for key in RawLine.__struct_fields__}, RawLine)


def _encodable(value: Any) -> Any:
    return value.encode("utf-8", "replace").decode("utf-8") if isinstance(value, str) else value


def _things_of(raw: RawLine, subreddit: str | None) -> Sequence[Thing] | str:
    thing = comment_of(raw) if raw.body is not None or raw.link_id is not None else _post(raw)
    if isinstance(thing, Post) and is_deltalog(raw.subreddit if isinstance(raw.subreddit, str) else None, thing.title, thing.text):
        return labels(thing.text) or "a DeltaLog post that names no award"
    if not is_of(raw.subreddit, subreddit):
        return "another subreddit"
    return thing if isinstance(thing, str) else (thing,)


def _post(raw: RawLine) -> Post | str:
    if isinstance(raw.children, list) or raw.kind == "more":
        return "a stub for more comments"
    if not isinstance(raw.title, str) and not isinstance(raw.selftext, str):
        return "neither submission nor comment"
    debate_id = bare_id(raw.id) or bare_id(raw.name)
    if not debate_id:
        return "no id"
    title, text = (unescape_once(value) if isinstance(value, str) else "" for value in (raw.title, raw.selftext))
    return Post(debate_id, author_name(raw.author), title, text, seconds(raw.created_utc), whole_number(raw.score))
