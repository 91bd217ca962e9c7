"""One debate as a tree: who answered whom, what earned an award, when the author was last heard of."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

from suasion.persuasion.mining.bots import is_bot
from suasion.persuasion.mining.cleaning.notices import known, why_unfit
from suasion.persuasion.mining.cleaning.texts import CleaningConfig, clean_reply
from suasion.persuasion.mining.pairs.mined import Row


class Thread:
    """A post with its comments and awards, as the mined tables tell them.

    Args:
        post: its row.
        comments: their rows, in any order.
        awards: their rows, revoked ones too.
        cleaning: the rules for texts.
        opted: names and ids in lower case that must not be used.
        touched: counts the cleaning rules' work; every comment is cleaned once at most.
    """

    def __init__(
        self,
        post: Row,
        comments: Iterable[Row],
        awards: Sequence[Row],
        cleaning: CleaningConfig,
        opted: frozenset[str],
        touched: Counter[str],
    ) -> None:
        self.post, self.awards, self.cleaning, self.opted, self._touched = post, awards, cleaning, opted, touched
        self.id: str = post["debate_id"]
        self.author = known(post["author"])
        self.by_id: dict[str, Row] = {row["comment_id"]: row for row in comments}
        self._cleaned: dict[str, str] = {}

    def text(self, row: Row) -> str:
        """A comment's cleaned text."""
        found = self._cleaned.get(row["comment_id"])
        if found is None:
            found = self._cleaned[row["comment_id"]] = clean_reply(row["text"] or "", self._touched, self.cleaning)
        return found

    def by_author(self, row: Row) -> bool:
        """The post's author wrote the comment."""
        return same(known(row["author"]), self.author)

    def is_opted_out(self, row: Row) -> bool:
        """The comment or its author must not be used."""
        return row["comment_id"].lower() in self.opted or (known(row["author"]) or "").lower() in self.opted

    def why_unusable(self, row: Row) -> str:
        """Why a comment can be no part of a pair, not even as a turn above a reply; empty when it can."""
        if self.is_opted_out(row):
            return "opted out"
        return why_unfit(known(row["author"]), row["distinguished"], row["text"] or "", self.cleaning)

    def chain(self, row: Row) -> list[Row]:
        """The comments from a reply to the post down to ``row``, or nothing where one of them is absent."""
        rows = [row]
        while rows[-1]["depth"] > 0:
            above = self.by_id.get(rows[-1]["parent_id"])
            if above is None or above["depth"] != rows[-1]["depth"] - 1:
                return []
            rows.append(above)
        return rows[::-1] if rows[-1]["depth"] == 0 else []

    def with_ancestors(self, ids: Iterable[str]) -> set[str]:
        """The comments and all above them. A loop cannot hold it up: it stops at what it has seen."""
        seen: set[str] = set()
        for comment_id in ids:
            while comment_id in self.by_id and comment_id not in seen:
                seen.add(comment_id)
                comment_id = self.by_id[comment_id]["parent_id"]
        return seen

    @cached_property
    def awarded(self) -> set[str]:
        """Comments that are part of an award by anybody, revoked or not, or have one below them."""
        return self.with_ancestors(row[key] for row in self.awards for key in ("winner_id", "award_id"))

    @cached_property
    def unconfirmed(self) -> set[str]:
        """Comments above one in which the post's author wrote a delta: perhaps an award that was missed."""
        from suasion.persuasion.mining.awards import has_token  # brings Arrow along, which a recipe does not need

        return self.with_ancestors(row["comment_id"] for row in self.by_id.values() if self.by_author(row) and has_token(row["text"] or ""))

    @cached_property
    def won(self) -> set[str]:
        """Everybody who won an award here, in lower case."""
        names = {known(self.by_id[row["winner_id"]]["author"]) for row in self.awards if row["winner_id"] in self.by_id}
        return {name.lower() for name in names | {known(row.get("winner")) for row in self.awards} if name is not None}

    @cached_property
    def last_word(self) -> int | None:
        """When the post's author last commented; None where that is unknown."""
        return max((row["created_utc"] for row in self.by_id.values() if row["created_utc"] and self.by_author(row)), default=None)

    def after_last_word(self, row: Row) -> bool:
        """The author was not heard of any more, so the comment had no chance."""
        return bool(self.last_word and row["created_utc"] and row["created_utc"] >= self.last_word)

    @cached_property
    def children(self) -> Mapping[str, list[Row]]:
        """Comments by what they answer."""
        children: defaultdict[str, list[Row]] = defaultdict(list)
        for row in self.by_id.values():
            children[row["parent_id"]].append(row)
        return children

    @cached_property
    def _places(self) -> dict[str, int]:
        """1 for the earliest reply to the post, and so on; bots' replies do not count."""
        roots = [row for row in self.by_id.values() if row["depth"] == 0 and not is_bot(known(row["author"]))]
        timed = all(row["created_utc"] is not None for row in roots)
        # Reddit counts ids upwards, in base 36
        roots.sort(key=lambda row: (row["created_utc"] if timed else 0, len(row["comment_id"]), row["comment_id"]))
        return {row["comment_id"]: place for place, row in enumerate(roots, 1)}

    @cached_property
    def _roots(self) -> dict[str, str]:
        """By comment, the reply to the post that it stands under."""
        roots: dict[str, str] = {}
        for row in sorted(self.by_id.values(), key=lambda row: int(row["depth"])):
            if row["depth"] == 0:
                roots[row["comment_id"]] = row["comment_id"]
            elif row["parent_id"] in roots:
                roots[row["comment_id"]] = roots[row["parent_id"]]
        return roots

    def root_of(self, comment_id: str) -> str | None:
        """The reply to the post that a comment is, or stands under."""
        row = self.by_id.get(comment_id)
        return comment_id if row is not None and row["depth"] == 0 else self._roots.get(comment_id)

    def place(self, row: Row) -> int | None:
        """The place of a comment's root reply among the replies to the post, from 1, in order of time (of ids where times are absent)."""
        return self._places.get(self.root_of(row["comment_id"]) or "")

    def clock_fault(self, row: Row) -> str:
        """How a comment's time contradicts that of its post or of what it answers; empty where it does not."""
        time, above = row["created_utc"], self.by_id.get(row["parent_id"])
        if time is None:
            return ""
        if self.post.get("created_utc") is not None and time < self.post["created_utc"]:
            return "older than the post"
        if above is not None and above["created_utc"] is not None and time < above["created_utc"]:
            return "older than what it answers"
        return ""


def same(one: str | None, other: str | None) -> bool:
    """Two known names are one account: Reddit ignores case. Of deleted accounts nothing is known."""
    return one is not None and other is not None and one.lower() == other.lower()
