"""The data of Tan et al. 2016, "Winning Arguments": ``*.jsonlist`` files, packed with bzip2 or gzip or plain, told apart by their keys.

* ``all``: one submission a line with all its ``comments`` in a flat list, in the fields of Reddit's API;
* ``pair_task``: a post, a reply that won and one that did not: pairs as they stand, for an external benchmark;
* ``op_task``: posts by whether their authors awarded anybody: no replies, hence no debates.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

from suasion.errors import SuasionError
from suasion.persuasion.mining.debates import DELETED, Comment, Post, is_gone
from suasion.persuasion.mining.sources.jsonrows import objects, peek
from suasion.persuasion.mining.sources.lines import (
    RawLine,
    Reading,
    author_name,
    bare_id,
    comment_of,
    seconds,
    unescape_once,
    whole_number,
)
from suasion.persuasion.mining.sources.packed import Advance
from suasion.persuasion.mining.sources.ready import ReadyPair

MAX_LINE = 64 << 20
"""Bytes of a line of ``all``: a submission with all its comments."""

Kind = Literal["all", "pair_task", "op_task"]
Side = tuple[str, str | None, str | None]
"""Text, author and id of one side of a pair."""

_TRAIN, _HELDOUT = re.compile(r"train", re.IGNORECASE), re.compile(r"held.?out|test", re.IGNORECASE)


def kind_of(path: Path) -> Kind | None:
    """Which part of the data a file is, by the keys of its first lines; None where it is none of them."""
    for row in peek(path, count=3, limit=MAX_LINE):
        if row.keys() & {"op_text", "op_name", "op_title"} and isinstance(row.get("positive"), dict | list) and "negative" in row:
            return "pair_task"
        if "delta_label" in row and row.keys() & {"title", "selftext", "name"}:
            return "op_task"
        if isinstance(row.get("comments"), list) and row.keys() & {"title", "selftext"}:
            return "all"
    return None


def read(path: Path, reading: Reading, advance: Advance) -> Iterator[Post | Comment]:
    """Every post of an ``all`` file, each before its comments.

    Args:
        path: the file.
        reading: counts every submission and every entry of its ``comments`` as one line.
        advance: told of the bytes taken from the file.

    Raises:
        SuasionError: the file cannot be read, or is another part of the data.
    """
    kind = kind_of(path)
    if kind == "pair_task":
        raise SuasionError(
            "These are pairs, and no debates.", where=path, hint="Give the file to `suasion pairs` instead of `suasion mine`."
        )
    if kind == "op_task":
        raise SuasionError(
            "This is the op_task of Tan et al. 2016: posts, and whether their authors awarded anybody. It holds no replies, so no debates.",
            where=path,
            hint="Give the files of `all` to `suasion mine`, or those of `pair_task` to `suasion pairs`.",
        )
    for row in objects(path, reading, advance, MAX_LINE):
        reading.lines["read"] += 1
        debate_id = bare_id(row.get("id")) or bare_id(row.get("name"))
        comments = row.get("comments")
        if not debate_id:
            reading.lines["no id"] += 1
        elif not isinstance(row.get("title"), str) and not isinstance(row.get("selftext"), str):
            reading.lines["neither submission nor comment"] += 1
        else:
            yield Post(
                debate_id,
                author_name(row.get("author")),
                _text(row.get("title")),
                _text(row.get("selftext")),
                seconds(row.get("created_utc")),
                whole_number(row.get("score")),
            )
        for raw in comments if isinstance(comments, list) else ():
            reading.lines["read"] += 1
            comment = _comment(raw, debate_id)
            if isinstance(comment, str):
                reading.lines[comment] += 1
            else:
                yield comment


def read_pairs(path: Path, reading: Reading, advance: Advance, unit: Literal["root", "path"] = "root") -> Iterator[ReadyPair]:
    """The pairs of a ``pair_task`` file.

    Args:
        path: the file; its name tells the split (``train``, or ``heldout`` for test).
        reading: counts every pair, and those of no use by reason.
        advance: told of the bytes taken from the file.
        unit: ``root`` takes the reply to the post, ``path`` all comments of the challenger, joined by a blank line. The ids are those
            of the reply to the post and of the last comment.

    Texts are unescaped once from HTML.

    Raises:
        SuasionError: the file cannot be read.
    """
    split = "test" if _HELDOUT.search(path.name) else "train" if _TRAIN.search(path.name) else None
    for row in objects(path, reading, advance, MAX_LINE):
        reading.lines["read"] += 1
        winner, loser = _side(row.get("positive"), unit), _side(row.get("negative"), unit)
        title, text = _text(row.get("op_title")), _text(row.get("op_text"))
        if isinstance(winner, str) or isinstance(loser, str):
            reading.lines[winner if isinstance(winner, str) else str(loser)] += 1
            continue
        if winner[0] == loser[0]:
            reading.lines["winner and loser are the same"] += 1
            continue
        yield ReadyPair(
            title=title,
            text=text,
            winner=winner[0],
            loser=loser[0],
            split=split,
            debate_id=bare_id(row.get("op_name")),
            winner_id=winner[2],
            loser_id=loser[2],
            winner_author=winner[1],
            loser_author=loser[1],
            author=_known(row.get("op_author")),
        )


def _side(value: Any, unit: str) -> Side | str:
    """One side of a pair, a dictionary or (as the data's own README has it) a bare list of comments; or why it is of no use."""
    about = value if isinstance(value, dict) else {}
    entries = about.get("comments") if about else value
    comments = [entry for entry in entries if isinstance(entry, dict)] if isinstance(entries, list) else []
    if not comments:
        return "no winner or no loser"
    root = bare_id(about.get("ancestor"))
    comments.sort(key=lambda entry: root is not None and _id(entry) != root)  # the reply to the post first, the others as they come
    chosen = comments[:1] if unit == "root" else comments
    texts = [text for entry in chosen if not is_gone(text := _text(entry.get("body")))]
    if not texts or (unit == "root" and len(texts) < len(chosen)):
        return "an empty or deleted text"
    return "\n\n".join(texts), _known(about.get("author")) or _known(comments[0].get("author")), _id(chosen[-1])


def _comment(raw: Any, debate_id: str | None) -> Comment | str:
    if not isinstance(raw, dict):
        return "not an object"
    if isinstance(raw.get("children"), list) or raw.get("kind") == "more":
        return "a stub for more comments"
    line = RawLine(**{name: raw.get(name) for name in RawLine.__struct_fields__})
    line.link_id = line.link_id or debate_id
    return comment_of(line)


def _id(entry: dict[str, Any]) -> str | None:
    return bare_id(entry.get("name")) or bare_id(entry.get("id"))


def _known(author: Any) -> str | None:
    return author if isinstance(author, str) and author not in ("", DELETED) else None


def _text(value: Any) -> str:
    return unescape_once(value) if isinstance(value, str) else ""
