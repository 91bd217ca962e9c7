"""What debates are made of: posts, comments and the awards that a source states, as objects and as the columns of tables."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

import pyarrow as pa

DELETED = "[deleted]"
_GONE = re.compile(r"\[\s*(?:deleted|removed)[^\]]*\]", re.IGNORECASE)

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
READ_COMMENTS = pa.schema([field for field in COMMENTS if field.name != "depth"] + [("by_submitter", pa.bool_()), ("token", pa.bool_())])
"""Comments as they are read, before their place in the tree is known. ``token``: the text may hold a delta token."""


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
class Label:
    """An award that a source states without telling the comment that made it. ``giver`` and ``winner`` are names, where they are told."""

    debate_id: str
    winner_id: str
    giver: str | None
    winner: str | None
    by_author: bool
    source: str


@dataclass(frozen=True, slots=True)
class Debate:
    """One post's id and author, and those of its comments, by id, that have to do with awards."""

    debate_id: str
    author: str
    comments: Mapping[str, Comment]


def is_gone(text: str) -> bool:
    """Whether a text was deleted by its author or removed by somebody, in any of Reddit's wordings, or is empty."""
    stripped = text.strip()
    return not stripped or _GONE.fullmatch(stripped) is not None
