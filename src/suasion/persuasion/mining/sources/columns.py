"""Blocks of a dump's lines straight into Arrow columns: the fast way for comments, which are nearly all that a dump holds.

A block is decoded at once as comments of the usual types. Where that fails, its lines are looked at one by one, and those that are
unusual are read by :mod:`suasion.persuasion.mining.sources.lines`, whose rules are the reference: both ways give the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Annotated

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from msgspec.structs import astuple

from suasion.persuasion.mining.awards import may_hold_token
from suasion.persuasion.mining.debates import DELETED, POSTS, READ_COMMENTS, Comment, Label, Post
from suasion.persuasion.mining.sources.lines import (
    MAX_LINE,
    Reading,
    comment_of,
    is_of,
    read_line,
    seconds,
    unescape_once,
    whole_number,
)
from suasion.persuasion.mining.sources.submissions import lines_in, usual_posts

_AT_ONCE = 1 << 20  # bytes: what is decoded stays in the processor's cache until it lies in columns, which halves the time

_LOOK = 1 << 14

_POST, _COMMENT, _BARE = 0x74335F, 0x74315F, 1  # "t3_" and "t1_" as numbers

_Number = int | float | str | None


class _Usual(msgspec.Struct, gc=False):
    """A comment whose fields have the types that they mostly have."""

    id: Annotated[str, msgspec.Meta(min_length=1)]
    link_id: str
    parent_id: str
    body: str
    author: str | None = None
    created_utc: _Number = None
    score: _Number = None
    edited: bool | int | float | None = None
    distinguished: str | None = None
    is_submitter: bool | None = None
    subreddit: str | None = None


_decoder = msgspec.json.Decoder(_Usual)


@dataclass
class Batch:
    """What some lines held."""

    comments: list[pa.RecordBatch] = field(default_factory=list)
    """Of the schema :data:`READ_COMMENTS`."""
    posts: list[pa.RecordBatch] = field(default_factory=list)
    """Of the schema :data:`POSTS`."""
    labels: list[Label] = field(default_factory=list)
    reading: Reading = field(default_factory=Reading)


def read_block(block: memoryview, subreddit: str | None) -> Batch:
    """Everything that a block of whole lines holds; comments in order, posts in order, labels in order."""
    batch = Batch()
    for part in _parts(block):
        if len(part) <= MAX_LINE and (posts := usual_posts(part, subreddit)):
            batch.reading.lines["read"] += len(posts)
            batch.posts.append(posts)
            continue
        for rows, others in _decoded(part, batch.reading, subreddit):
            if rows:
                unusual, columns = _columns(rows, batch.reading, subreddit)
                batch.comments += columns
                collect(batch, unusual)
            collect(batch, others)
    return batch


def read_one(line: bytes, reading: Reading, subreddit: str | None) -> Sequence[Post | Comment | Label]:
    """What one line holds, told and counted as :func:`read_block` does."""
    row = _usual(line)
    if row is None:
        return read_line(line, reading, subreddit)
    reading.lines["read"] += 1
    comment = comment_of(row) if is_of(row.subreddit, subreddit) else "another subreddit"
    if isinstance(comment, str):
        reading.lines[comment] += 1
        return ()
    return (comment,)


def collect(batch: Batch, things: Sequence[Post | Comment | Label]) -> None:
    """Add things that were read one by one."""
    if posts := [thing for thing in things if isinstance(thing, Post)]:
        batch.posts.append(pa.record_batch([[getattr(post, name) for post in posts] for name in POSTS.names], schema=POSTS))
    batch.labels += [thing for thing in things if isinstance(thing, Label)]
    if comments := [thing for thing in things if isinstance(thing, Comment)]:
        columns = [
            pa.array([may_hold_token(one.text) for one in comments])
            if name == "token"
            else pa.array([getattr(one, name) for one in comments], READ_COMMENTS.field(name).type)
            for name in READ_COMMENTS.names
        ]
        batch.comments.append(pa.record_batch(columns, schema=READ_COMMENTS))


def _parts(block: memoryview) -> Iterator[memoryview]:
    """Runs of whole lines of about a megabyte."""
    start, size = 0, len(block)
    while start < size:
        end = start + _AT_ONCE
        newline = -1
        while newline < 0 and end < size:  # nearly always found in the first few kilobytes
            newline = bytes(block[end : end + _LOOK]).find(b"\n")
            end += newline + 1 if newline >= 0 else _LOOK
        end = min(end, size)
        yield block[start:end]
        start = end


def _decoded(part: memoryview, reading: Reading, subreddit: str | None) -> Iterator[tuple[list[_Usual], Sequence[Post | Comment | Label]]]:
    """The usual comments of some lines and what the other lines held, in runs: no comment of the others stands before a usual one."""
    if len(part) <= MAX_LINE:
        try:
            usual = _decoder.decode_lines(part)
        except (msgspec.DecodeError, RecursionError):
            pass
        else:
            # The decoder also takes two objects on one line and one object on two, which are no lines of a dump.
            if len(usual) == lines_in(part):
                reading.lines["read"] += len(usual)
                yield usual, []
                return
    rows: list[_Usual] = []
    others: list[Post | Comment | Label] = []
    mixed = False
    for line in bytes(part).split(b"\n"):
        row = _usual(line)
        if row is None:
            things = read_line(line, reading, subreddit)
            mixed = mixed or any(isinstance(thing, Comment) for thing in things)
            others += things
            continue
        reading.lines["read"] += 1
        if mixed:
            yield rows, others
            rows, others, mixed = [], [], False
        rows.append(row)
    yield rows, others


def _usual(line: bytes) -> _Usual | None:
    """The line as a usual comment, if it is one."""
    if len(line) > MAX_LINE or b'"link_id"' not in line:  # the latter is most likely a submission
        return None
    try:
        return _decoder.decode(line)
    except (msgspec.DecodeError, RecursionError):
        return None


def _columns(rows: list[_Usual], reading: Reading, subreddit: str | None) -> tuple[list[Comment], list[pa.RecordBatch]]:
    """Rows as columns, where all their ids are spelled as usual; else one by one."""
    if not all(is_of(name, subreddit) for name in {row.subreddit for row in rows}):
        kept = [row for row in rows if is_of(row.subreddit, subreddit)]
        reading.lines["another subreddit"] += len(rows) - len(kept)
        rows = kept
    if not rows:
        return [], []
    (ids, links, parents, bodies, authors, times, scores, edited, distinguished, submitters, _) = zip(*map(astuple, rows), strict=True)
    comment_ids, debates, above = (pa.array(column, pa.large_string()) for column in (ids, links, parents))
    kinds = _kinds(above)
    usual = (_kinds(debates) == _POST).all() and ((kinds == _POST) | (kinds == _COMMENT)).all() and (_kinds(comment_ids) == _BARE).all()
    if not usual:
        one_by_one = [comment_of(row) for row in rows]
        reading.lines.update(reason for reason in one_by_one if isinstance(reason, str))
        return [comment for comment in one_by_one if isinstance(comment, Comment)], []
    texts, tokens = _texts(bodies)
    columns = {
        "comment_id": comment_ids,
        "debate_id": pc.utf8_slice_codeunits(debates, 3),
        "parent_id": pc.utf8_slice_codeunits(above, 3),
        "parent_is_post": pa.array(kinds == _POST),
        "author": pa.array(authors if all(authors) else [author or DELETED for author in authors], pa.large_string()),
        "text": _strings(texts),
        "created_utc": _whole(times, positive=True),
        "score": _whole(scores, positive=False),
        "edited": pa.array(list(map(bool, edited)), pa.bool_()),
        "distinguished": pa.array(
            [value or None for value in distinguished] if any(distinguished) else [None] * len(rows), pa.large_string()
        ),
        "by_submitter": pa.array([value is True for value in submitters], pa.bool_()),
        "token": pa.array(tokens, pa.bool_()),
    }
    return [], [pa.record_batch([columns[name] for name in READ_COMMENTS.names], schema=READ_COMMENTS)]


def _kinds(column: pa.LargeStringArray) -> np.ndarray:
    """What the prefix of each id says: _POST (t3_), _COMMENT (t1_), _BARE (none), or 0 where nothing follows it."""
    _, offsets, data = column.buffers()
    ends = np.frombuffer(offsets, dtype=np.int64)[: len(column) + 1]
    letters = np.frombuffer(data, dtype=np.uint8) if data is not None and data.size else np.zeros(1, dtype=np.uint8)
    first, length, last = ends[:-1], np.diff(ends), len(letters) - 1
    code = sum(letters[np.minimum(first + place, last)].astype(np.int64) << (16 - 8 * place) for place in range(3))
    prefixed = (length >= 3) & ((code == _POST) | (code == _COMMENT))
    return np.where(prefixed, np.where(length > 3, code, 0), np.where(length > 0, _BARE, 0))


def _texts(bodies: Sequence[str]) -> tuple[list[str], list[bool]]:
    """Texts, and whether each may hold a delta token. Most have no letter that asks for a closer look."""
    texts, tokens = list(bodies), [False] * len(bodies)
    for place, text in enumerate(bodies):
        if "&" in text:
            texts[place] = text = unescape_once(text)
        elif "!" not in text and text.isascii():
            continue
        tokens[place] = may_hold_token(text)
    return texts, tokens


def _strings(texts: list[str]) -> pa.Array:
    """Encoded by Python: three times as fast as Arrow's way where letters beyond ASCII occur."""
    encoded = pa.array([text.encode() for text in texts], pa.large_binary())
    return pa.Array.from_buffers(pa.large_string(), len(encoded), encoded.buffers())


def _whole(values: Sequence[_Number], positive: bool) -> pa.Array:
    try:
        column = pa.array(values, pa.int64())
    except (OverflowError, pa.ArrowException, TypeError):
        read = seconds if positive else whole_number
        return pa.array([read(value) for value in values], pa.int64())
    if positive and len(column) > column.null_count and pc.min(column).as_py() <= 0:
        return pc.if_else(pc.greater(column, 0), column, pa.scalar(None, pa.int64()))
    return column
