"""Every comment's place in its tree, for the posts and comments of some debates, without a Python object for each comment.

Depths come from pointer doubling (Wyllie 1979, "The complexity of parallel computations"): in each round every comment looks twice as far
up, so a chain of a million replies takes twenty rounds.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from suasion.persuasion.mining.debates import COMMENTS, DELETED, POSTS, Comment, Debate, is_gone

ORPHAN = -1
"""Depth of a comment that no known path leads to from its post: it or one of its ancestors answers something the source lacks."""
LOOP = -2
"""Depth of a comment whose ancestors run in a circle; such comments are dropped."""

Rows = NDArray[np.int64]
_COMMENT_FIELDS = [field.name for field in fields(Comment) if field.name != "by_submitter"]


@dataclass(frozen=True)
class Grown:
    """Debates in trees.

    Attributes:
        posts: each once, in the order of first sight; an author deleted from the post may be known from ``by_submitter``.
        comments: each once, grouped by debate in the posts' order, with ``depth``.
        parent: row of each comment's parent among ``comments``; -1 where it answers the post or something absent.
        token: of each comment, whether its text may hold a delta token.
        copies: of posts that were dropped.
        dropped: comments dropped, by reason.
        outside: comments kept outside the trees, by reason.
    """

    posts: pa.Table
    comments: pa.Table
    parent: Rows
    token: NDArray[np.bool_]
    copies: int
    dropped: Counter[str]
    outside: Counter[str]


def grow(posts: pa.Table, comments: pa.Table) -> Grown:
    """Put every comment in its tree.

    Args:
        posts: of the schema POSTS, in the order of reading, copies among them.
        comments: of the schema READ_COMMENTS; theirs may be other debates too.
    """
    chosen_posts = _first_or_better(_codes(posts["debate_id"]), posts)
    copies = len(posts) - len(chosen_posts)
    posts = posts.take(pa.array(chosen_posts)) if copies else posts
    dropped: Counter[str] = Counter()
    debate_ids = posts["debate_id"].combine_chunks()
    debate = _rows(pc.index_in(comments["debate_id"], value_set=debate_ids))
    order = np.argsort(debate, kind="stable")
    dropped["post absent"] = int((debate < 0).sum())
    order = order[dropped["post absent"] :]

    ids = comments["comment_id"].combine_chunks()
    codes = _codes(ids)
    distinct = not len(codes) or int(codes.max()) + 1 == len(codes)
    if len(order) and not distinct:  # some ids stand twice: a comment is told by its debate and its id
        keys = codes[order] * (len(posts) + 1) + debate[order]
        chosen = _first_or_better(np.unique(keys, return_inverse=True)[1], comments, order)
        dropped["copy of another"] = len(order) - len(chosen)
        order = order[np.sort(chosen)]
    comments, debate = comments.combine_chunks().take(pa.array(order)), debate[order]  # taken from chunks it is twice as slow

    parent, orphan = _parents(comments, debate, debate_ids, distinct)
    depth, below_orphan = _depths(parent, orphan)
    looped = depth == LOOP
    if looped.any():
        dropped["in a loop"] = int(looped.sum())
        place = np.cumsum(~looped) - 1
        comments, parent, depth, debate = comments.filter(pa.array(~looped)), parent[~looped], depth[~looped], debate[~looped]
        parent = np.where(parent >= 0, place[parent], -1)
    outside = Counter({"orphan": int(orphan.sum()), "below an orphan": below_orphan})
    posts = _with_authors(posts, comments, debate)
    token = np.asarray(comments["token"].to_numpy(zero_copy_only=False), dtype=bool)
    placed = comments.append_column("depth", pa.array(depth.astype(np.int32))).select(COMMENTS.names).cast(COMMENTS)
    return Grown(posts.cast(POSTS), placed, parent, token, copies, +dropped, +outside)


def debates_with(grown: Grown, rows: Rows) -> Iterator[Debate]:
    """The debates of some comments, with these comments, their parents and their grandparents (as objects)."""
    above = grown.parent[rows]
    above = above[above >= 0]
    top = grown.parent[above]
    wanted = np.unique(np.concatenate([rows, above, top[top >= 0]]))
    authors = dict(zip(grown.posts["debate_id"].to_pylist(), grown.posts["author"].to_pylist(), strict=True)) if len(wanted) else {}
    by_debate: defaultdict[str, dict[str, Comment]] = defaultdict(dict)
    columns = grown.comments.select(_COMMENT_FIELDS).take(pa.array(wanted))
    for values in zip(*map(_values, columns.columns), strict=True):
        comment = Comment(*values)
        by_debate[comment.debate_id][comment.comment_id] = comment
    for debate_id, comments in by_debate.items():
        yield Debate(debate_id, authors[debate_id], comments)


def rows_of(grown: Grown, comment_ids: Collection[str]) -> Rows:
    """The rows of the comments with these ids, as far as they are there."""
    if not comment_ids:
        return np.empty(0, dtype=np.int64)
    value_set = pa.array(sorted(comment_ids), pa.large_string())
    return np.flatnonzero(_rows(pc.index_in(grown.comments["comment_id"], value_set=value_set)) >= 0)


def _parents(comments: pa.Table, debate: Rows, debate_ids: pa.Array, distinct: bool) -> tuple[Rows, NDArray[np.bool_]]:
    """Each comment's parent row (-1: the post, or absent), and whether what it answers is absent. ``distinct``: no two have one id."""
    ids, parents = comments["comment_id"].combine_chunks(), comments["parent_id"].combine_chunks()
    if not distinct and len(ids) and int(_codes(ids).max()) + 1 < len(ids):  # one id in several debates
        prefix, slash = comments["debate_id"].combine_chunks(), pa.scalar("/", pa.large_string())
        ids, of_comment = (pc.binary_join_element_wise(prefix, column, slash) for column in (ids, parents))
    else:
        of_comment = parents
    to_post = np.asarray(comments["parent_is_post"].to_numpy(zero_copy_only=False), dtype=bool)
    parent = _rows(pc.index_in(of_comment, value_set=ids))
    parent[to_post] = -1
    strange = (parent >= 0) & (debate[parent] != debate)
    parent[strange] = -1
    own_post = np.zeros(len(parent), dtype=bool)
    answered = parents.filter(comments["parent_is_post"].combine_chunks())
    own_post[to_post] = _rows(pc.index_in(answered, value_set=debate_ids)) == debate[to_post]
    return parent, (parent < 0) & ~own_post


def _depths(parent: Rows, orphan: NDArray[np.bool_]) -> tuple[Rows, int]:
    """Depths, and how many comments are below an orphan."""
    n = len(parent)
    post, nowhere = n, n + 1  # two sentinels on top: what ends at neither runs in a circle
    jump = np.append(np.where(parent >= 0, parent, np.where(orphan, nowhere, post)), [post, nowhere])
    distance = np.append(np.ones(n, dtype=np.int64), [0, 0])
    for _ in range(max(1, n).bit_length() + 1):
        if (jump >= n).all():
            break
        distance += distance[jump]
        jump = jump[jump]
    top = jump[:n]
    depth = np.where(top == post, distance[:n] - 1, np.where(top == nowhere, ORPHAN, LOOP))
    return depth, int(((top == nowhere) & ~orphan).sum())


def _with_authors(posts: pa.Table, comments: pa.Table, debate: Rows) -> pa.Table:
    """Posts whose author is deleted get the name of a comment that the source marks as the submitter's."""
    authors = posts["author"].to_pylist()
    if DELETED not in authors:
        return posts
    named = comments.select(["author", "by_submitter"]).append_column("post", pa.array(debate))
    named = named.filter(pc.and_(pc.fill_null(named["by_submitter"], False), pc.not_equal(named["author"], DELETED)))
    for row in reversed(named.to_pylist()):
        if posts["author"][row["post"]].as_py() == DELETED:
            authors[row["post"]] = row["author"]
    return posts.set_column(posts.schema.get_field_index("author"), POSTS.field("author"), pa.array(authors, pa.large_string()))


def _first_or_better(codes: Rows, table: pa.Table, rows: Rows | None = None) -> Rows:
    """One position for each code, in the order of first sight.

    Of several copies the one with text wins over ``[deleted]``, then the one with a known author, then the first.

    Args:
        codes: shape (n,); equal codes are copies.
        table: where texts and authors stand.
        rows: of each position, its row in ``table`` (the same where not given).
    """
    _, first, inverse, copies = np.unique(codes, return_index=True, return_inverse=True, return_counts=True)
    if (copies > 1).any():
        best: dict[int, int] = {}
        for position in np.flatnonzero(copies[inverse] > 1).tolist():
            rival = best.setdefault(int(inverse[position]), position)
            if _worth(table, position, rows) > _worth(table, rival, rows):
                best[int(inverse[position])] = position
        first_sight = np.argsort(first, kind="stable")
        first[list(best)] = list(best.values())
        return first[first_sight]
    return np.sort(first)


def _worth(table: pa.Table, position: int, rows: Rows | None) -> tuple[bool, bool]:
    row = position if rows is None else int(rows[position])
    return not is_gone(table["text"][row].as_py()), table["author"][row].as_py() != DELETED


def _values(column: pa.ChunkedArray) -> list[Any]:
    """As ``to_pylist``, in a fraction of the time where numpy knows the type."""
    if column.null_count and not pa.types.is_large_string(column.type):
        return list(column.to_pylist())
    return list(column.to_numpy(zero_copy_only=False).tolist())


def _codes(column: pa.ChunkedArray | pa.Array) -> Rows:
    """Equal values get equal numbers, counted in the order of first sight."""
    whole = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    return np.asarray(whole.dictionary_encode().indices.to_numpy(), dtype=np.int64)


def _rows(indices: pa.ChunkedArray | pa.Array) -> Rows:
    """Row numbers, -1 for null."""
    return np.array(pc.fill_null(indices, -1).to_numpy(), dtype=np.int64)
