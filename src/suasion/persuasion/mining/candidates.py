"""Who may stand in a pair: the replies that earned an award, and the replies of the same debate that earned none from anybody.

Everything dropped on the way is counted by its reason, so that the data card's steps add up.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field, model_validator

from suasion.config import Config
from suasion.errors import SuasionError
from suasion.persuasion.mining import cleaning
from suasion.persuasion.mining.splits import jaccard, shingles

if TYPE_CHECKING:
    import pyarrow as pa

Row = Mapping[str, Any]

# the first columns, down to the row's own id, order the rows
COLUMNS: dict[str, tuple[str, ...]] = {
    "posts": ("debate_id", "author", "title", "text"),
    "comments": ("debate_id", "comment_id", "parent_id", "depth", "author", "text", "created_utc", "distinguished"),
    "awards": ("debate_id", "award_id", "winner_id", "by_author", "revoked"),
}


class PairsConfig(Config):
    """How pairs are made out of mined debates."""

    by: Literal["author", "anyone"] = "author"
    """Whose awards make a winner: only the post's author's, or anybody's."""
    unit: Literal["root", "comment"] = "root"
    """Replies to the post itself, or comments of any depth."""
    min_words: int = Field(50, ge=1)
    max_words: int = Field(600, ge=1)
    length_caliper: float = Field(0.2, ge=0)
    """The most that ``|ln(winner words / loser words)|`` may be."""
    max_pairs_per_winner: int = Field(1, ge=1)
    validation: float = Field(0.1, ge=0, lt=1)
    test: float = Field(0.2, ge=0, lt=1)
    near_duplicate: float = Field(0.8, gt=0, le=1)
    """Texts whose word 5-grams overlap by this much (Jaccard) count as the same text."""
    premise_words: int = Field(cleaning.PREMISE_WORDS, ge=1)
    opt_out: tuple[str, ...] = ()
    """Authors' names, and ids of posts and comments, that are to be left out."""

    @model_validator(mode="after")
    def _agree(self) -> PairsConfig:
        if self.min_words > self.max_words:
            raise ValueError(f"min_words ({self.min_words}) is more than max_words ({self.max_words})")
        if self.validation + self.test >= 1:
            raise ValueError("validation and test together leave nothing for train")
        return self


@dataclass(frozen=True)
class Reply:
    """A cleaned comment. ``author`` is ``None`` where the account is deleted; ``created`` where the dump holds no times."""

    id: str
    author: str | None
    text: str
    words: int
    created: int | None = None


@dataclass(frozen=True)
class Debate:
    """A debate fit for use: its premise, the replies that won and those that may stand against them, both ordered by id."""

    id: str
    premise: str
    winners: tuple[Reply, ...] = ()
    losers: tuple[Reply, ...] = ()


@dataclass
class Funnel:
    """What went into each step, what was kept, and why the rest was dropped: ``in = kept + sum(dropped)``."""

    steps: dict[str, Counter[str]] = field(default_factory=dict)

    def keep(self, step: str, n: int = 1) -> None:
        """Count ``n`` as kept in ``step``."""
        self.steps.setdefault(step, Counter())[""] += n

    def drop(self, step: str, reason: str, n: int = 1) -> None:
        """Count ``n`` as dropped in ``step`` for ``reason``."""
        self.steps.setdefault(step, Counter())[reason] += n

    def as_dict(self) -> dict[str, dict[str, Any]]:
        """``{step: {"in", "kept", "dropped": {reason: n}}}`` in the order of the steps, the commonest reason first."""
        return {
            step: {
                "in": counts.total(),
                "kept": counts[""],
                "dropped": {reason: n for reason, n in sorted(counts.items(), key=lambda item: (-item[1], item[0])) if reason and n},
            }
            for step, counts in self.steps.items()
        }


def read_debates(mined: Path, funnel: Funnel) -> Iterator[tuple[Row, list[Row], list[Row]]]:
    """Post, comments and awards of one debate after another, ordered by id, out of a folder that ``mine`` wrote.

    Raises:
        SuasionError: a table is missing, unreadable, or lacks a column.
    """
    posts, comments, awards = (_table(mined, name) for name in COLUMNS)
    comment_spans, award_spans = _spans(comments), _spans(awards)
    for post in posts.to_pylist():
        debate = post["debate_id"]
        yield post, _rows(comments, comment_spans.pop(debate, None)), _rows(awards, award_spans.pop(debate, None))
    if homeless := sum(length for _, length in award_spans.values()):
        funnel.drop("awards", "the post is not in the dump", homeless)


def find_candidates(
    rows: Iterable[tuple[Row, list[Row], list[Row]]], config: PairsConfig, funnel: Funnel, touched: Counter[str]
) -> list[Debate]:
    """The usable debates of ``rows``, awarded or not; ``funnel`` and ``touched`` (cleaning rules) are counted up."""
    debates = (candidates_of(post, comments, awards, config, funnel, touched) for post, comments, awards in rows)
    return [debate for debate in debates if debate is not None]


def candidates_of(
    post: Row, comments: Sequence[Row], awards: Sequence[Row], config: PairsConfig, funnel: Funnel, touched: Counter[str]
) -> Debate | None:
    """Winners and possible losers of one debate; ``None`` where the post itself is of no use."""
    opted = {name.removeprefix("t1_").removeprefix("t3_").removeprefix("/").removeprefix("u/").lower() for name in config.opt_out}
    premise, reason = _premise(post, opted, config, touched)
    if reason:
        funnel.drop("debates", reason)
        funnel.drop("awards", "the debate is not usable", len(awards))
        return None
    funnel.keep("debates")
    by_id = {row["comment_id"]: row for row in comments}
    chosen = _awarded(awards, config, funnel)
    winners = []
    for winner_id in chosen:
        reply, reason = _winner(by_id.get(winner_id), post, opted, config, touched)
        if reply is None:
            funnel.drop("winners", reason)
        else:
            funnel.keep("winners")
            winners.append(reply)
    losers = _losers(post, by_id, awards, winners, opted, config, funnel, touched) if winners else ()
    return Debate(post["debate_id"], premise, tuple(winners), tuple(losers))


def known(author: Any) -> str | None:
    """The author's name, or ``None`` where the account is gone."""
    return None if not author or cleaning.is_deleted(str(author)) else str(author)


def _premise(post: Row, opted: set[str], config: PairsConfig, touched: Counter[str]) -> tuple[str, str]:
    title, text = post["title"] or "", post["text"] or ""
    if post["debate_id"].lower() in opted or (known(post["author"]) or "").lower() in opted:
        return "", "opted out"
    if text.strip() and cleaning.is_deleted(text):
        return "", "deleted or removed"
    if cleaning.is_bot(known(post["author"])):
        return "", "written by a bot"
    premise = cleaning.premise_text(title, text, config.premise_words, touched)
    return premise, "" if premise else "no text"


def _awarded(awards: Sequence[Row], config: PairsConfig, funnel: Funnel) -> list[str]:
    """Ids of the replies whose awards count, each once, sorted."""
    chosen: set[str] = set()
    for award in sorted(awards, key=lambda row: row["award_id"]):
        if award["revoked"]:
            funnel.drop("awards", "revoked by a moderator")
        elif config.by == "author" and not award["by_author"]:
            funnel.drop("awards", "not by the post's author")
        elif award["winner_id"] in chosen:
            funnel.drop("awards", "another award to the same reply")
        else:
            funnel.keep("awards")
            chosen.add(award["winner_id"])
    return sorted(chosen)


def _winner(row: Row | None, post: Row, opted: set[str], config: PairsConfig, touched: Counter[str]) -> tuple[Reply | None, str]:
    if row is None:
        return None, "the reply is not in the dump"
    if config.unit == "root" and row["depth"] != 0:
        return None, "not a reply to the post itself"
    if reason := _unfit(row, post, opted):
        return None, reason
    return _reply(row, config, touched)


def _losers(
    post: Row,
    by_id: Mapping[str, Row],
    awards: Sequence[Row],
    winners: Sequence[Reply],
    opted: set[str],
    config: PairsConfig,
    funnel: Funnel,
    touched: Counter[str],
) -> list[Reply]:
    from suasion.persuasion.mining.awards import has_token

    author = known(post["author"])
    awarded = _with_ancestors((row[key] for row in awards for key in ("winner_id", "award_id")), by_id)
    tokens = (row["comment_id"] for row in by_id.values() if author and row["author"] == author and has_token(row["text"] or ""))
    unconfirmed = _with_ancestors(tokens, by_id)
    won = {known(by_id[row["winner_id"]]["author"]) for row in awards if row["winner_id"] in by_id} - {None}
    last_word = max(
        (row["created_utc"] for row in by_id.values() if author and row["author"] == author and row["created_utc"]), default=None
    )
    winning = [shingles(winner.text) for winner in winners]
    losers = []
    for comment_id in sorted(by_id):
        row = by_id[comment_id]
        if config.unit == "root" and row["depth"] != 0:
            continue
        reply = None
        if row["depth"] < 0:
            reason = "outside the tree: what it answers is not in the dump"
        elif comment_id in awarded:
            reason = "it, or a comment below it, is part of an award"
        elif comment_id in unconfirmed:
            reason = "a delta below it was not confirmed"
        elif known(row["author"]) in won:
            reason = "by somebody who won in this debate"
        elif last_word and row["created_utc"] and row["created_utc"] >= last_word:
            reason = "after the author's last word"
        elif not (reason := _unfit(row, post, opted)):
            reply, reason = _reply(row, config, touched)
        if reply is None:
            funnel.drop("losers", reason)
        elif any(jaccard(shingles(reply.text), one) >= config.near_duplicate for one in winning):
            funnel.drop("losers", "nearly the same text as a winner")
        else:
            funnel.keep("losers")
            losers.append(reply)
    return losers


def _unfit(row: Row, post: Row, opted: set[str]) -> str:
    """Why a comment can stand on neither side of a pair; empty when it can."""
    author, text = known(row["author"]), row["text"] or ""
    if row["comment_id"].lower() in opted or (author or "").lower() in opted:
        return "opted out"
    if author is not None and author == known(post["author"]):
        return "by the post's author"
    if author is None and known(post["author"]) is None:
        return "perhaps by the post's author: both accounts are deleted"
    if cleaning.is_bot(author):
        return "by a bot"
    if row["distinguished"] or cleaning.is_notice(text):
        return "by a moderator in office"
    if cleaning.is_deleted(text):
        return "deleted or removed"
    return "overwritten by a script" if cleaning.is_overwritten(text) else ""


def _reply(row: Row, config: PairsConfig, touched: Counter[str]) -> tuple[Reply | None, str]:
    text = cleaning.clean_reply(row["text"], touched)
    words = len(text.split())
    if words < config.min_words:
        return None, f"shorter than {config.min_words} words"
    if words > config.max_words:
        return None, f"longer than {config.max_words} words"
    return Reply(row["comment_id"], known(row["author"]), text, words, row["created_utc"]), ""


def _with_ancestors(ids: Iterable[str], by_id: Mapping[str, Row]) -> set[str]:
    """The comments and all above them. A loop cannot hold it up: it stops at what it has seen."""
    seen: set[str] = set()
    for comment_id in ids:
        while comment_id in by_id and comment_id not in seen:
            seen.add(comment_id)
            comment_id = by_id[comment_id]["parent_id"]
    return seen


def _table(mined: Path, name: str) -> pa.Table:
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = mined / f"{name}.parquet"
    if not path.is_file():
        raise SuasionError(
            f"This folder holds no mined debates: {name}.parquet is missing.", where=mined, hint="Make it with: suasion mine SOURCE -o DIR"
        )
    try:
        have = pq.read_schema(path).names
        if missing := [column for column in COLUMNS[name] if column not in have]:
            raise SuasionError(f"{name}.parquet lacks {', '.join(missing)}.", where=path, hint="Mine the source again with this version.")
        table = pq.read_table(path, columns=list(COLUMNS[name]))
        return table.sort_by([(column, "ascending") for column in COLUMNS[name] if column in ("debate_id", "comment_id", "award_id")])
    except (pa.ArrowInvalid, OSError) as error:
        raise SuasionError(f"Cannot read {name}.parquet: {error}", where=path, hint="Mine the source again.") from error


def _spans(table: pa.Table) -> dict[str, tuple[int, int]]:
    """Start and length of each debate's rows in a table sorted by debate."""
    import pyarrow.compute as pc

    column = table["debate_id"].combine_chunks()
    if len(column) == 0:
        return {}
    runs = pc.run_end_encode(column)
    ends = runs.run_ends.to_pylist()
    return {debate: (start, end - start) for debate, start, end in zip(runs.values.to_pylist(), [0, *ends], ends, strict=False)}


def _rows(table: pa.Table, span: tuple[int, int] | None) -> list[Row]:
    return [] if span is None else table.slice(*span).to_pylist()
