"""The three units that can win or lose: a reply to the post, a comment with the turns above it, a challenger's own path.

Each gives, for a row, a :class:`Reply` or the reason why there is none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from suasion.models.rendering import cut_words
from suasion.persuasion.mining.cleaning.notices import known
from suasion.persuasion.mining.pairs.mined import History, Row
from suasion.persuasion.mining.pairs.replies import Funnel, Reply, Turn
from suasion.persuasion.mining.pairs.settings import PairsConfig
from suasion.persuasion.mining.pairs.thread import Thread, same

CONTEXT_WORDS = 300
"""How much of the turns above a comment is told (unit "comment"): the nearest turns, whole, as many as fit in this many words. The one
that is answered always stands, cut to its first words if need be."""

Made = tuple[Reply | None, str]
OUTSIDE = "outside the tree: what it answers is not in the dump"


class Units:
    """Makes the replies of one thread.

    Args:
        thread: the debate.
        config: unit and limits of length.
        history: when authors won, for ``earlier_awards``; None leaves it unknown.
        funnel: counts the times that cannot be right.
    """

    def __init__(self, thread: Thread, config: PairsConfig, history: History | None, funnel: Funnel) -> None:
        self.thread, self.config, self.history, self.funnel = thread, config, history, funnel

    def winner(self, row: Row) -> Made:
        """The reply that the award to ``row`` went to."""
        if reason := self._unfit(row):
            return None, reason
        if self.config.unit == "path":
            chain = self.thread.chain(row)
            return self._path(chain) if chain else (None, OUTSIDE)
        return self._single(row)

    def loser(self, row: Row) -> Made:
        """The reply made of ``row`` that may stand against a winner; of a path, ``row`` is the reply to the post."""
        if reason := self._unfit(row):
            return None, reason
        return self._path(self._longest_chain(row)) if self.config.unit == "path" else self._single(row)

    def first_of_each_path(self, winners: Sequence[Reply]) -> list[Reply]:
        """Of winning paths under the same reply to the post the one that won first: the others say the same again, and more."""
        kept: dict[str | None, Reply] = {}
        for reply in sorted(winners, key=lambda one: (one.created or 0, len(one.parts), len(one.id), one.id)):
            kept.setdefault(self.thread.root_of(reply.id), reply)
        return sorted(kept.values(), key=lambda one: one.id)

    def _single(self, row: Row) -> Made:
        if self.config.unit == "root":
            return self._reply(row, self.thread.text(row))
        context, reason = self._context(row)
        return (None, reason) if reason else self._reply(row, self.thread.text(row), context=tuple(context))

    def _unfit(self, row: Row) -> str:
        """Why a comment can stand on neither side of a pair; empty when it can."""
        author = known(row["author"])
        if self.thread.is_opted_out(row):
            return "opted out"
        if self.thread.by_author(row):
            return "by the post's author"
        if author is None and self.thread.author is None:
            return "perhaps by the post's author: both accounts are deleted"
        return self.thread.why_unusable(row)

    def _context(self, row: Row) -> tuple[list[Turn], str]:
        """The turns above, top first, or the reason why the comment cannot be used."""
        turns: list[Turn] = []
        words = 0
        below = row
        while below["depth"] > 0 and words < CONTEXT_WORDS:
            above = self.thread.by_id.get(below["parent_id"])
            if above is None or above["depth"] != below["depth"] - 1:
                return [], OUTSIDE
            if reason := self.thread.why_unusable(above) or ("of which nothing is left" if not self.thread.text(above) else ""):
                return [], f"above it stands a comment {reason}"
            text = cut_words(self.thread.text(above), CONTEXT_WORDS) if not turns else self.thread.text(above)
            words += len(text.split())
            if turns and words > CONTEXT_WORDS:
                break
            turns.append(Turn(same(known(above["author"]), known(row["author"])), text))
            below = above
        return turns[::-1], ""

    def _path(self, chain: Sequence[Row]) -> Made:
        """What the author of the chain's last comment wrote in it. The chain begins at a reply to the post."""
        first, last = chain[0], chain[-1]
        if len(chain) > 1 and known(last["author"]) is None:
            return None, "on a path whose author is not known"
        if first is not last and not same(known(first["author"]), known(last["author"])):
            return None, "on a path that somebody else began"
        own = [row for row in chain if row is last or same(known(row["author"]), known(last["author"]))]
        for row in own:
            if reason := self._unfit(row):
                return None, f"a part of its path is {reason}"
        parts = [row for row in own if self.thread.text(row)]
        if last not in parts:
            return None, "nothing is left of its last comment"
        return self._reply(
            last,
            "\n\n".join(self.thread.text(row) for row in parts),
            answers=self.thread.id,
            parts=tuple(row["comment_id"] for row in parts),
        )

    def _longest_chain(self, root: Row) -> list[Row]:
        """From a reply to the post down to a comment by the same author, with the most own words on the way; of equal ones the earliest."""
        if known(root["author"]) is None:
            return [root]
        best = (-len(self.thread.text(root).split()), *_when(root))
        end = root
        waiting = [(root, -best[0])]
        while waiting:  # no recursion: threads may be thousands deep
            above, words = waiting.pop()
            for row in self.thread.children.get(above["comment_id"], ()):
                if row["depth"] != above["depth"] + 1:
                    continue
                here = words
                if same(known(row["author"]), known(root["author"])):
                    if self._unfit(row) or self.thread.after_last_word(row):
                        continue
                    here += len(self.thread.text(row).split())
                    if (rank := (-here, *_when(row))) < best and self.thread.text(row):
                        best, end = rank, row
                waiting.append((row, here))
        return self.thread.chain(end)

    def _reply(self, row: Row, text: str, *, context: tuple[Turn, ...] = (), answers: str = "", parts: tuple[str, ...] = ()) -> Made:
        words = len(text.split())
        if words < self.config.min_words:
            return None, f"shorter than {self.config.min_words} words"
        if words > self.config.max_words:
            return None, f"longer than {self.config.max_words} words"
        author, created = known(row["author"]), row["created_utc"]
        reply = Reply(row["comment_id"], author, text, words, created, None, context, answers or row["parent_id"], self.thread.place(row))
        reply = replace(reply, parts=parts)
        if created is None:
            return reply, ""
        if fault := self.thread.clock_fault(row):
            self.funnel.drop("times of replies", fault)
            return reply, ""
        self.funnel.keep("times of replies")
        posted = self.thread.post.get("created_utc")
        earlier = None if self.history is None else self.history.before(author, created)
        return replace(reply, after=None if posted is None else created - posted, earlier_awards=earlier), ""


def _when(row: Row) -> tuple[float, int, str]:
    """Sorts by time, then by id; without a time last."""
    created = row["created_utc"]
    return float("inf") if created is None else float(created), len(row["comment_id"]), row["comment_id"]
