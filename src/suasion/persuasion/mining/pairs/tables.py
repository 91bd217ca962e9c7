"""The tables that pairs are kept in: message lists, as TRL and ``datasets`` read them, and no user's name."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from suasion.errors import SuasionError
from suasion.files import atomic_path
from suasion.persuasion.mining.pairs.replies import Debate, Reply, Turn

if TYPE_CHECKING:
    import pyarrow as pa

    from suasion.persuasion.mining.pairs.choices import Four, Single
    from suasion.persuasion.mining.pairs.matching import Pair

Message = dict[str, str]

LEAST_WORDS = 20  # of a turn above a reply that counts as a text of its own: "I agree" may stand in every split
_BLOCK = 2000  # rows that are turned into a table at a time


def author_hash(author: str | None) -> str | None:
    """SHA-256 of a name: tells authors apart without naming them. Who knows a name can still recognise its hash."""
    return None if author is None else hashlib.sha256(author.encode("utf-8", "replace")).hexdigest()


def prompt_of(premise: str, context: Sequence[Turn] = ()) -> list[Message]:
    """The premise as the user's message, then the turns above a reply: the writer's own are the assistant's, all others the user's.

    Two messages in a row of one role become one, a blank line between them: chat templates want the roles to take turns.
    """
    messages = [_message("user", premise)]
    for turn in context:
        role = "assistant" if turn.by_writer else "user"
        if messages[-1]["role"] == role:
            messages[-1] = _message(role, f"{messages[-1]['content']}\n\n{turn.text}")
        else:
            messages.append(_message(role, turn.text))
    return messages


def compared_texts(debate: Debate) -> Iterator[str]:
    """Every text of a debate that may be written and must not stand on two sides; the checks of the written files read the same."""
    yield debate.premise
    for reply in (*debate.winners, *debate.losers):
        yield reply.text
    prompts = (texts_of_prompt(prompt_of(debate.premise, winner.context)) for winner in debate.winners if winner.context)
    yield from sorted({text for texts in prompts for text in texts} - {debate.premise})


def texts_of_prompt(messages: Sequence[Message]) -> list[str]:
    """The premise's message and the turns that are long enough to be texts of their own."""
    return [str(one["content"]) for place, one in enumerate(messages) if place == 0 or len(str(one["content"]).split()) >= LEAST_WORDS]


def write_pairs(
    path: Path, pairs: Sequence[Pair], premises: Mapping[str, str], post_authors: Mapping[str, str | None] | None = None
) -> None:
    """Write one split: ``prompt``, ``chosen``, ``rejected`` as message lists, then ids, lengths, times (or null) and authors' hashes.

    Args:
        path: the Parquet file.
        pairs: the rows, in order.
        premises: by debate.
        post_authors: by debate, the hash of its author.
    """
    import pyarrow as pa

    known = post_authors or {}
    sides = [(f"{side}_{name}", kind) for name, kind in _of_a_side().items() for side in ("winner", "loser")]
    columns = [("prompt", _messages()), ("chosen", _messages()), ("rejected", _messages()), ("debate_id", pa.string()), *sides]
    columns += [("length_ratio", pa.float64()), ("post_author_hash", pa.string())]
    rows = (_pair_row(pair, premises[pair.debate_id], known.get(pair.debate_id)) for pair in pairs)
    _write(path, rows, pa.schema(columns))


def write_premises(path: Path, premises: Iterable[tuple[Debate, str, Sequence[Reply]]]) -> None:
    """Write every usable debate, awarded or not: ``debate_id, split, prompt`` and its winners' texts, ids and authors' hashes."""
    import pyarrow as pa

    lists = ("winners", "winner_ids", "winner_author_hashes")
    rows = (
        {
            "debate_id": debate.id,
            "split": split,
            "prompt": prompt_of(debate.premise),
            "winners": [_written(reply.text) for reply in winners],
            "winner_ids": [reply.id for reply in winners],
            "winner_author_hashes": [author_hash(reply.author) for reply in winners],
        }
        for debate, split, winners in premises
    )
    columns = [
        ("debate_id", pa.string()),
        ("split", pa.string()),
        ("prompt", _messages()),
        *((name, pa.list_(pa.string())) for name in lists),
    ]
    _write(path, rows, pa.schema(columns))


def write_fours(path: Path, fours: Mapping[str, Sequence[Four]], premises: Mapping[str, str]) -> None:
    """Write ``best-of-four.parquet``: four replies about equally long, and the index of the one that earned an award."""
    import pyarrow as pa

    rows = (
        {
            "split": split,
            "debate_id": four.debate_id,
            "prompt": prompt_of(premises[four.debate_id], four.context),
            "replies": [_written(reply.text) for reply in four.replies],
            "winner": four.winner,
            "reply_ids": [reply.id for reply in four.replies],
            "reply_words": [reply.words for reply in four.replies],
            "reply_tokens": [reply.tokens for reply in four.replies],
            "reply_author_hashes": [author_hash(reply.author) for reply in four.replies],
        }
        for split in fours
        for four in fours[split]
    )
    numbers, names = pa.list_(pa.int64()), pa.list_(pa.string())
    columns = [("split", pa.string()), ("debate_id", pa.string()), ("prompt", _messages()), ("replies", names), ("winner", pa.int64())]
    columns += [("reply_ids", names), ("reply_words", numbers), ("reply_tokens", numbers), ("reply_author_hashes", names)]
    _write(path, rows, pa.schema(columns))


def write_labelled(path: Path, singles: Mapping[str, Sequence[Single]], premises: Mapping[str, str]) -> None:
    """Write ``labelled.parquet``: single replies, and whether each earned an award."""
    import pyarrow as pa

    rows = (
        {
            "split": split,
            "debate_id": one.debate_id,
            "prompt": prompt_of(premises[one.debate_id], one.context),
            "reply": [_message("assistant", one.reply.text)],
            "label": one.label,
            "reply_id": one.reply.id,
            "words": one.reply.words,
            "tokens": one.reply.tokens,
            "author_hash": author_hash(one.reply.author),
        }
        for split in singles
        for one in singles[split]
    )
    columns = [("split", pa.string()), ("debate_id", pa.string()), ("prompt", _messages()), ("reply", _messages()), ("label", pa.bool_())]
    columns += [("reply_id", pa.string()), ("words", pa.int64()), ("tokens", pa.int64()), ("author_hash", pa.string())]
    _write(path, rows, pa.schema(columns))


def read_rows(path: Path) -> list[dict[str, Any]]:
    """The rows of a Parquet file.

    Raises:
        SuasionError: absent or unreadable.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        rows: list[dict[str, Any]] = pq.ParquetFile(path).read().to_pylist()
    except (pa.ArrowException, OSError) as error:
        raise SuasionError(f"Cannot read the table: {error}", where=path, hint="Make the pairs with: suasion pairs MINED -o DIR") from error
    return rows


def _pair_row(pair: Pair, premise: str, post_author: str | None) -> dict[str, Any]:
    row: dict[str, Any] = {
        "prompt": prompt_of(premise, pair.winner.context),
        "chosen": [_message("assistant", pair.winner.text)],
        "rejected": [_message("assistant", pair.loser.text)],
        "debate_id": pair.debate_id,
        "length_ratio": pair.winner.words / pair.loser.words,
        "post_author_hash": post_author,
    }
    for side, reply in (("winner", pair.winner), ("loser", pair.loser)):
        row |= {
            f"{side}_id": reply.id,
            f"{side}_words": reply.words,
            f"{side}_tokens": reply.tokens,
            f"{side}_created": reply.created,
            f"{side}_author_hash": author_hash(reply.author),
        }
    return row


def _message(role: str, content: str) -> Message:
    return {"role": role, "content": _written(content)}


def _written(text: str) -> str:
    """Half an emoji, as broken JSON has them, cannot be written in UTF-8: it becomes a question mark."""
    return text.encode("utf-8", "replace").decode()


def _messages() -> pa.DataType:
    import pyarrow as pa

    return pa.list_(pa.struct([("role", pa.string()), ("content", pa.string())]))


def _of_a_side() -> dict[str, pa.DataType]:
    import pyarrow as pa

    return {"id": pa.string(), "words": pa.int64(), "tokens": pa.int64(), "created": pa.int64(), "author_hash": pa.string()}


def _write(path: Path, rows: Iterable[dict[str, Any]], schema: pa.Schema) -> None:
    """A block of rows at a time: as Python objects, all of a large corpus would not fit into memory."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    waiting = iter(rows)
    with atomic_path(path) as temporary, pq.ParquetWriter(temporary, schema) as writer:
        while block := list(islice(waiting, _BLOCK)):
            writer.write_table(pa.Table.from_pylist(block, schema=schema))
