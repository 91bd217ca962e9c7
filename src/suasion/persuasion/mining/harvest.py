"""One part of the debates, from what was read to what is written: trees, awards, and why the rest was dropped."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from suasion.persuasion.mining.awards import BOT, Award, bot_awards, label_awards, once_each, token_awards, unconfirmed_tokens
from suasion.persuasion.mining.debates import Debate, Label
from suasion.persuasion.mining.sources.deltalog import settled
from suasion.persuasion.mining.sources.lines import DELTALOG
from suasion.persuasion.mining.trees import debates_with, grow, rows_of

STEPS = (
    "submissions",
    "comments",
    "comments in trees",
    "DeltaBot's comments",
    "comments with a token",
    "labels",
    "awards",
    "awards that stand",
    "awards by the post's author",
)


@dataclass(frozen=True)
class Harvest:
    """Posts, comments and awards of some debates as they are written, and by step and reason what was dropped ("" is what was kept)."""

    posts: pa.Table
    comments: pa.Table
    awards: Sequence[Award]
    steps: dict[str, Counter[str]]


def harvest(posts: pa.Table, comments: pa.Table, labels: Sequence[Label], *, has_bot: bool) -> Harvest:
    """Put comments into trees and find every award, once for each giver and winner.

    Args:
        posts: as read, copies among them.
        comments: as read, of these posts and perhaps of absent ones.
        labels: awards that the source states, of these debates.
        has_bot: whether the whole source holds a comment of DeltaBot. Where it does, tokens do not speak: one that the bot did not
            confirm was rejected, taken back or missed, and cannot be told from a joke.
    """
    grown = grow(posts, comments)
    steps = {step: Counter[str]() for step in STEPS}
    steps["submissions"] += Counter({"copy of another": grown.copies, "": len(grown.posts)})
    steps["comments"] += grown.dropped + Counter({"": len(grown.comments)})
    steps["comments in trees"] += grown.outside + Counter({"": len(grown.comments) - grown.outside.total()})

    by_bot = np.asarray(pc.equal(pc.ascii_lower(grown.comments["author"]), BOT).to_numpy(zero_copy_only=False), dtype=bool)
    speaking = np.union1d(np.flatnonzero(by_bot | grown.token), rows_of(grown, {label.winner_id for label in labels}))
    labels_of = defaultdict(list)
    for label in labels:
        labels_of[label.debate_id].append(label)
    awards: list[Award] = []
    for debate in debates_with(grown, speaking):
        if has_bot:
            found, dropped = bot_awards(debate)
            _count(steps["DeltaBot's comments"], dropped, len(found))
            _count(steps["comments with a token"], unconfirmed_tokens(debate, found))
        else:
            found, dropped = token_awards(debate)
            _count(steps["comments with a token"], dropped, len(found))
        once = once_each(debate, found) if found else []
        _count(steps["awards"], {"same giver and winner": len(found) - len(once)}, len(once))
        awards += once
        if debate.debate_id in labels_of:
            awards += _from_labels(debate, labels_of.pop(debate.debate_id), once, steps)
    steps["labels"] += Counter({"winner absent": sum(map(len, labels_of.values()))})
    standing = [award for award in awards if not award.revoked]
    by_author = sum(award.by_author for award in standing)
    steps["awards that stand"] += Counter({"revoked by moderators": len(awards) - len(standing), "": len(standing)})
    steps["awards by the post's author"] += Counter({"by somebody else": len(standing) - by_author, "": by_author})
    place = {debate_id: number for number, debate_id in enumerate(grown.posts["debate_id"].to_pylist())} if awards else {}
    awards.sort(key=lambda award: place[award.debate_id])  # stable: within a debate in the order of time
    return Harvest(grown.posts, grown.comments, awards, steps)


def _count(step: Counter[str], dropped: Mapping[str, int], kept: int = 0) -> None:
    """Count a step up. Here once for each debate: ``Counter.update`` takes twenty times as long."""
    for reason, number in dropped.items():
        step[reason] += number
    step[""] += kept


def _from_labels(debate: Debate, labels: Sequence[Label], known: Sequence[Award], steps: dict[str, Counter[str]]) -> list[Award]:
    """The awards that only labels tell; ``steps`` are counted up."""
    placed = [settled(label, debate.comments) if label.source == DELTALOG else label for label in labels]
    steps["labels"].update(one for one in placed if isinstance(one, str))
    stated, dropped = label_awards(debate, [one for one in placed if isinstance(one, Label)], known)
    _count(steps["labels"], dropped, len(stated))
    steps["awards"][""] += len(stated)
    return stated
