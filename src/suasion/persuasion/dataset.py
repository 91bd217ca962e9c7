"""The pair tables as the later stages read them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from suasion.errors import SuasionError

Split = Literal["train", "validation", "test"]


@dataclass(frozen=True)
class Pair:
    """A winner and a loser of one debate. Times are seconds since 1970, ``None`` where the source has none."""

    debate_id: str
    premise: str
    winner_id: str
    winner: str
    loser_id: str
    loser: str
    winner_created: int | None = None
    loser_created: int | None = None


@dataclass(frozen=True)
class Premise:
    """A view to reply to, with the replies that changed it (none where nobody did)."""

    debate_id: str
    text: str
    winners: tuple[str, ...]


@dataclass(frozen=True)
class BestOfFour:
    """Four replies to one view, about equally long, of which one earned an award."""

    debate_id: str
    premise: str
    replies: tuple[str, ...]
    winner: int
    """Its index among the replies."""


@dataclass(frozen=True)
class Labelled:
    """A single reply, and whether it earned an award."""

    debate_id: str
    premise: str
    reply: str
    earned: bool


def load_pairs(folder: Path, split: Split) -> list[Pair]:
    """The pairs of one split, in the file's order. A prompt of several messages becomes one premise (see :func:`premise_of`)."""
    rows = _rows(folder / f"{split}.parquet", "debate_id", "prompt", "winner_id", "chosen", "loser_id", "rejected")
    return [
        Pair(
            debate_id=str(row["debate_id"]),
            premise=premise_of(row["prompt"]),
            winner_id=str(row["winner_id"]),
            winner=_content(row["chosen"]),
            loser_id=str(row["loser_id"]),
            loser=_content(row["rejected"]),
            winner_created=row.get("winner_created"),
            loser_created=row.get("loser_created"),
        )
        for row in rows
    ]


def load_premises(folder: Path, split: Split) -> list[Premise]:
    """Every usable debate of one split, awarded or not, in the file's order."""
    rows = _rows(folder / "premises.parquet", "debate_id", "prompt", "winners", "split")
    return [Premise(str(row["debate_id"]), premise_of(row["prompt"]), tuple(row["winners"])) for row in rows if row["split"] == split]


def load_best_of_four(folder: Path, split: Split) -> list[BestOfFour]:
    """The rows of one split of ``best-of-four.parquet``, in the file's order."""
    rows = _rows(folder / "best-of-four.parquet", "split", "debate_id", "prompt", "replies", "winner")
    return [
        BestOfFour(str(row["debate_id"]), premise_of(row["prompt"]), tuple(row["replies"]), int(row["winner"]))
        for row in rows
        if row["split"] == split
    ]


def load_labelled(folder: Path, split: Split) -> list[Labelled]:
    """The rows of one split of ``labelled.parquet``, in the file's order."""
    rows = _rows(folder / "labelled.parquet", "split", "debate_id", "prompt", "reply", "label")
    return [
        Labelled(str(row["debate_id"]), premise_of(row["prompt"]), _content(row["reply"]), bool(row["label"]))
        for row in rows
        if row["split"] == split
    ]


def premise_of(prompt: Any) -> str:
    """A prompt as the one text that a judge reads: the first message, then every further turn as a paragraph of its own.

    Turns of the assistant (the writer of the reply) are headed "Reply:", those of anybody else "Answer:".
    """
    if not isinstance(prompt, list) or not prompt:
        return _content(prompt)
    turns = [("Reply:" if isinstance(one, dict) and one.get("role") == "assistant" else "Answer:", _content([one])) for one in prompt[1:]]
    return "\n\n".join([_content(prompt[:1]), *(f"{head}\n{text}" for head, text in turns)])


def _rows(path: Path, *columns: str) -> list[dict[str, Any]]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        rows = list(pq.read_table(path).to_pylist())
    except (OSError, pa.ArrowException) as error:
        raise SuasionError(f"The pair table cannot be read: {error!s:.200}", where=path, hint="Make it with `suasion pairs`.") from error
    missing = [column for column in columns if rows and column not in rows[0]]
    if missing:
        raise SuasionError(f"The pair table lacks the columns {', '.join(missing)}.", where=path, hint="Make it with `suasion pairs`.")
    return rows


def _content(messages: Any) -> str:
    try:
        return str(messages[-1]["content"])
    except (TypeError, KeyError, IndexError) as error:
        raise SuasionError(f"This is not a list of messages: {messages!s:.100}", hint="Make the table with `suasion pairs`.") from error
