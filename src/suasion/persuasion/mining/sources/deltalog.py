"""The awards that r/DeltaLog tells: one post for each debate, written by DeltaBot since 2016, a line for each award.

Formats, from the bots' sources and from posts of both periods:

* DB3 (to August 2018): ``* 1 delta from OP to /u/Y for "[text](https://www.reddit.com/r/changemyview/comments/PID/slug/CID/?context=1)"``;
  several givers share a line (``4 deltas from /u/A, /u/B, /u/C and /u/D to /u/Y for …``). CID is the comment that won.
* DB4 (since): ``* 1 delta from OP to /u/Y for ["text"](/r/changemyview/comments/PID/slug/CID/?context=3)``. **CID is the award**: DB4 links
  the permalink of the giving comment (``PostBuilder``), and only quotes the one that won.

Links do not tell which period they are of for sure, so :func:`labels` takes CID as it stands, and :func:`settled` finds the winner once
the debate's comments are known.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from suasion.persuasion.mining.debates import DELETED, Comment, Label

SUBREDDIT = "deltalog"

_TITLE = re.compile(r"\s*delta(?:s awarded|-comments) in\b", re.IGNORECASE)
_HEADING = re.compile(r" {0,3}#{1,6} {0,3}deltas from OP(?: /?u/(\[deleted\]|[\w\\-]{1,80}))?", re.IGNORECASE)
_ENTRY = re.compile(
    r"[ \t]{0,8}[*+\-]?[ \t]{0,8}\d{1,4} (?:delta|point)s? from (.{1,4000}?) to /?u/(\[deleted\]|[\w\\-]{1,80}) for ", re.IGNORECASE
)
_FROM_OP = re.compile(r"OP\b")
_NAME = re.compile(r"/?u/(\[deleted\]|[\w\\-]{1,80})", re.IGNORECASE)
_COMMENT = re.compile(
    r"(?:https?://(?:\w{1,9}\.)?reddit\.com)?/?r/changemyview/comments/(\w{1,12})/[^/\s]{0,300}/(\w{1,12})(?:[/?#)\s\"]|$)", re.IGNORECASE
)
_LONGEST_LINK = 500


def is_deltalog(subreddit: str | None, title: str, text: str) -> bool:
    """Whether a submission is of r/DeltaLog: by its subreddit or, where a source does not tell it, by DeltaBot's title and heading."""
    if subreddit:
        return subreddit.lower() == SUBREDDIT
    return _TITLE.match(title) is not None and any(_HEADING.match(line) for line in text.split("\n"))


def labels(text: str) -> list[Label]:
    """The awards of a DeltaLog post, in its order, each giver's for one comment once (the bot often repeats itself).

    Args:
        text: the submission's selftext, unescaped once from HTML.

    ``winner_id`` is the comment that the line links: the one that won, or the award (see :func:`settled`). Never raises; linear time.
    """
    op: str | None = None
    found: dict[tuple[str, str, str | None], Label] = {}
    for line in text.split("\n"):
        if heading := _HEADING.match(line):
            op = _plain(heading[1])
            continue
        entry = _ENTRY.match(line)
        link = _link(line) if entry else None
        if entry is None or link is None:
            continue
        debate_id, comment_id = link
        winner = _plain(entry[2])
        from_op = _FROM_OP.match(entry[1]) is not None
        givers = [op] if from_op else []
        givers += [_plain(match[1]) for match in _NAME.finditer(entry[1])]
        for place, giver in enumerate(givers):
            by_author = (from_op and place == 0) or (op is not None and giver is not None and giver.lower() == op.lower())
            label = Label(debate_id, comment_id, giver, winner, by_author, "deltalog")
            found.setdefault((debate_id, comment_id, giver), label)
    return list(found.values())


def settled(label: Label, comments: Mapping[str, Comment]) -> Label | str:
    """The label with the id of the comment that won, or the reason why that cannot be told.

    Args:
        label: of :func:`labels`; its ``winner_id`` may be the award's.
        comments: those of the label's debate, by id.
    """
    linked = comments.get(label.winner_id)
    if linked is None:
        return "linked comment absent"
    above = None if linked.parent_is_post else comments.get(linked.parent_id)
    if linked.parent_is_post or _same(linked.author, label.winner):
        return label  # nothing can be awarded above a reply to the post
    if above is not None and (_same(above.author, label.winner) or _same(linked.author, label.giver)):
        return replace(label, winner_id=above.comment_id)
    if above is not None and _same(above.author, label.giver):
        return label  # the giver stands above, so this is an answer to them
    if _same(linked.author, label.giver):
        return "winner absent"
    return "winner cannot be told"


def _link(line: str) -> tuple[str, str] | None:
    """(debate, comment) of the last link of a line: the quoted text may hold links too."""
    start = line.rfind("](")
    match = _COMMENT.match(line, start + 2, start + 2 + _LONGEST_LINK) if start >= 0 else None
    return (match[1].lower(), match[2].lower()) if match else None


def _plain(name: str | None) -> str | None:
    """A name without the backslashes of Markdown; None for a deleted account."""
    return None if not name or name.lower() == DELETED else name.replace("\\", "") or None


def _same(author: str, name: str | None) -> bool:
    return name is not None and author.lower() == name.lower()
