"""Debates as tables: posts and comments in columns, duplicates settled, every comment's place in its tree known.

Millions of comments are held as Arrow columns; only one debate at a time becomes Python objects.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

DELETED = "[deleted]"
ORPHAN = -1
"""Depth of a comment that no known path leads to from its post: it or one of its ancestors answers something the source lacks."""
LOOP = -2
"""Depth of a comment whose ancestors run in a circle; such comments are dropped."""

_GONE = re.compile(r"\[\s*(?:deleted|removed)[^\]]*\]", re.IGNORECASE)
_ROWS_AT_ONCE = 16_384

# large_string: the text of a whole subreddit is more than the 2 GiB that plain string columns can address
_TEXT = pa.large_string()
POSTS = pa.schema(
    [("debate_id", _TEXT), ("author", _TEXT), ("title", _TEXT), ("text", _TEXT), ("created_utc", pa.int64()), ("score", pa.int64())]
)
COMMENTS = pa.schema(
    [
        ("comment_id", _TEXT),
        ("debate_id", _TEXT),
        ("parent_id", _TEXT),
        ("parent_is_post", pa.bool_()),
        ("depth", pa.int32()),
        ("author", _TEXT),
        ("text", _TEXT),
        ("created_utc", pa.int64()),
        ("score", pa.int64()),
        ("edited", pa.bool_()),
        ("distinguished", _TEXT),
    ]
)
_READ_COMMENTS = COMMENTS.remove(COMMENTS.get_field_index("depth")).append(pa.field("by_submitter", pa.bool_()))


@dataclass(frozen=True, slots=True)
class Post:
    """What opens a debate. Ids are bare (no ``t3_``), text is unescaped once from HTML and otherwise as it was written."""

    debate_id: str
    author: str
    title: str
    text: str
    created_utc: int | None = None
    score: int | None = None


@dataclass(frozen=True, slots=True)
class Comment:
    """One comment as a source tells it. ``by_submitter``: the source itself says that the post's author wrote it."""

    comment_id: str
    debate_id: str
    parent_id: str
    parent_is_post: bool
    author: str
    text: str
    created_utc: int | None = None
    score: int | None = None
    edited: bool = False
    distinguished: str | None = None
    by_submitter: bool = False


@dataclass(frozen=True, slots=True)
class Debate:
    """One post's id and author, and its comments by id, in the source's order."""

    debate_id: str
    author: str
    comments: Mapping[str, Comment]


class Gathering:
    """Collects posts and comments from a stream into two Arrow tables, a few thousand rows at a time."""

    def __init__(self) -> None:
        self._rows: dict[type, list[Post | Comment]] = {Post: [], Comment: []}
        self._batches: dict[type, list[pa.RecordBatch]] = {Post: [], Comment: []}

    def add(self, thing: Post | Comment) -> None:
        rows = self._rows[type(thing)]
        rows.append(thing)
        if len(rows) >= _ROWS_AT_ONCE:
            self._flush(type(thing))

    def tables(self) -> tuple[pa.Table, pa.Table]:
        """(posts, comments), in the order they were added; comments have no depth yet."""
        self._flush(Post)
        self._flush(Comment)
        return (
            pa.Table.from_batches(self._batches[Post], POSTS).combine_chunks(),
            pa.Table.from_batches(self._batches[Comment], _READ_COMMENTS).combine_chunks(),
        )

    def _flush(self, kind: type) -> None:
        schema = POSTS if kind is Post else _READ_COMMENTS
        rows = self._rows[kind]
        columns = [pa.array([getattr(row, field.name) for row in rows], field.type) for field in schema]
        self._batches[kind].append(pa.record_batch(columns, schema=schema))
        rows.clear()


def is_gone(text: str) -> bool:
    """Whether a text was deleted by its author or removed by somebody, in any of Reddit's wordings, or is empty."""
    stripped = text.strip()
    return not stripped or _GONE.fullmatch(stripped) is not None


def without_duplicates(table: pa.Table, key: str) -> pa.Table:
    """One row for each ``key``, in the order of first sight.

    Of several copies the one with text wins over ``[deleted]``, then the one with a known author, then the first.
    """
    codes = table.column(key).combine_chunks().dictionary_encode().indices.to_numpy()  # numbered in the order of first sight
    _, chosen, copies = np.unique(codes, return_index=True, return_counts=True)
    if (copies == 1).all():
        return table
    best: dict[int, int] = {}
    for row in np.flatnonzero(copies[codes] > 1).tolist():
        rival = best.setdefault(int(codes[row]), row)
        if _worth(table, row) > _worth(table, rival):
            best[int(codes[row])] = row
    chosen[list(best)] = list(best.values())
    return table.take(pa.array(chosen))


def place(posts: pa.Table, comments: pa.Table) -> tuple[pa.Table, pa.Table, Counter[str], Counter[str]]:
    """Put every comment in its tree.

    Returns:
        posts, with an author learned from ``is_submitter`` where the post's own was deleted;
        comments with ``depth`` (0 a reply to the post, :data:`ORPHAN` no known path), grouped by debate in the posts' order;
        how many comments were dropped, by reason;
        how many were kept outside the trees, by reason.
    """
    dropped: Counter[str] = Counter()
    outside: Counter[str] = Counter()
    position = pc.index_in(comments.column("debate_id"), value_set=posts.column("debate_id").combine_chunks())
    known = pc.fill_null(position, -1).to_numpy()
    order = np.argsort(known, kind="stable")
    dropped["post absent"] += int((known < 0).sum())
    order = order[dropped["post absent"] :]
    comments, known = comments.take(pa.array(order)), known[order]

    depth = np.empty(len(comments), dtype=np.int32)
    authors = posts.column("author").to_pylist()
    debate_ids = posts.column("debate_id").to_pylist()
    for post, start, end in _runs(known):
        rows = comments.slice(start, end - start)
        above = zip(rows["parent_id"].to_pylist(), rows["parent_is_post"].to_pylist(), strict=True)
        parents = dict(zip(rows["comment_id"].to_pylist(), above, strict=True))
        depths = depths_of(debate_ids[post], parents)
        depth[start:end] = list(depths.values())
        for comment_id, (parent_id, _) in parents.items():
            if depths[comment_id] == ORPHAN:
                outside["below an orphan" if parent_id in parents else "orphan"] += 1
        if authors[post] == DELETED:
            named = rows.filter(pc.and_(rows["by_submitter"], pc.not_equal(rows["author"], DELETED)))["author"].to_pylist()
            authors[post] = named[0] if named else DELETED
    dropped["in a loop"] += int((depth == LOOP).sum())
    posts = posts.set_column(posts.schema.get_field_index("author"), POSTS.field("author"), pa.array(authors, _TEXT))
    placed = comments.append_column("depth", pa.array(depth)).select(COMMENTS.names).filter(pa.array(depth != LOOP))
    return posts, placed.cast(COMMENTS), +dropped, +outside


def depths_of(debate_id: str, parents: Mapping[str, tuple[str, bool]]) -> dict[str, int]:
    """Depth of every comment of one debate, in linear time, in the order given.

    Args:
        debate_id: the post's id.
        parents: comment id -> (parent's id, whether the parent is a post).

    Returns:
        0 for a reply to the post, one more for each level; :data:`ORPHAN` where an ancestor is absent (or is another post);
        :data:`LOOP` where the ancestors run in a circle.
    """
    depths: dict[str, int] = {}
    for comment_id in parents:
        path: dict[str, None] = {}  # from this comment upwards, as far as nothing is known yet
        current = comment_id
        while current not in depths and current not in path:
            path[current] = None
            parent_id, parent_is_post = parents[current]
            if parent_is_post or parent_id not in parents:
                depth = 0 if parent_is_post and parent_id == debate_id else ORPHAN
                break
            current = parent_id
        else:
            depth = _below(depths.get(current, LOOP))
        for above in reversed(path):
            depths[above] = depth
            depth = _below(depth)
    return {comment_id: depths[comment_id] for comment_id in parents}


def each_debate(posts: pa.Table, comments: pa.Table) -> Iterator[Debate]:
    """Every debate that has comments, from the tables that :func:`place` gave."""
    position = pc.index_in(comments.column("debate_id"), value_set=posts.column("debate_id").combine_chunks()).to_numpy()
    names = [field.name for field in fields(Comment) if field.name in comments.schema.names]
    for post, start, end in _runs(position):
        columns = [comments.column(name).slice(start, end - start).to_pylist() for name in names]
        replies = (Comment(**dict(zip(names, row, strict=True))) for row in zip(*columns, strict=True))
        yield Debate(posts["debate_id"][post].as_py(), posts["author"][post].as_py(), {reply.comment_id: reply for reply in replies})


def _below(depth: int) -> int:
    return depth + 1 if depth >= 0 else depth


def _worth(table: pa.Table, row: int) -> tuple[bool, bool]:
    return not is_gone(table["text"][row].as_py()), table["author"][row].as_py() != DELETED


def _runs(values: np.ndarray) -> Iterator[tuple[int, int, int]]:
    """(value, start, end) of each run of equal values."""
    edges = np.flatnonzero(np.diff(values)) + 1
    starts = [0, *edges.tolist()] if len(values) else []
    for start, end in zip(starts, [*edges.tolist(), len(values)], strict=False):
        yield int(values[start]), start, end
