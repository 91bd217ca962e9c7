"""The tables that pairs are kept in: message lists, as TRL and ``datasets`` read them, and no user's name."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from suasion.errors import SuasionError
from suasion.files import atomic_path

if TYPE_CHECKING:
    import pyarrow as pa

    from suasion.persuasion.mining.candidates import Debate, Reply
    from suasion.persuasion.mining.matching import Pair


def author_hash(author: str | None) -> str | None:
    """SHA-256 of a name: tells authors apart without naming them. Who knows a name can still recognise its hash."""
    return None if author is None else hashlib.sha256(author.encode()).hexdigest()


def write_pairs(path: Path, pairs: Sequence[Pair], premises: Mapping[str, str]) -> None:
    """Write one split: ``prompt``, ``chosen``, ``rejected`` as message lists, then ids, words, times (or null) and authors' hashes.

    Args:
        path: the Parquet file.
        pairs: the rows, in order.
        premises: by debate.
    """
    import pyarrow as pa

    sides = [(f"{side}_{name}", kind) for name, kind in _of_a_side().items() for side in ("winner", "loser")]
    columns = [("prompt", _messages()), ("chosen", _messages()), ("rejected", _messages()), ("debate_id", pa.string()), *sides]
    _write(path, [_pair_row(pair, premises[pair.debate_id]) for pair in pairs], pa.schema([*columns, ("length_ratio", pa.float64())]))


def write_premises(path: Path, premises: Iterable[tuple[Debate, str, Sequence[Reply]]]) -> None:
    """Write every usable debate, awarded or not: ``debate_id, split, prompt`` and its winners' texts, ids and authors' hashes."""
    import pyarrow as pa

    lists = ("winners", "winner_ids", "winner_author_hashes")
    rows = [
        {
            "debate_id": debate.id,
            "split": split,
            "prompt": _message("user", debate.premise),
            "winners": [reply.text for reply in winners],
            "winner_ids": [reply.id for reply in winners],
            "winner_author_hashes": [author_hash(reply.author) for reply in winners],
        }
        for debate, split, winners in premises
    ]
    columns = [
        ("debate_id", pa.string()),
        ("split", pa.string()),
        ("prompt", _messages()),
        *((name, pa.list_(pa.string())) for name in lists),
    ]
    _write(path, rows, pa.schema(columns))


def read_rows(path: Path) -> list[dict[str, Any]]:
    """The rows of a Parquet file.

    Raises:
        SuasionError: absent or unreadable.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        rows: list[dict[str, Any]] = pq.read_table(path).to_pylist()
    except (pa.ArrowInvalid, OSError) as error:
        raise SuasionError(f"Cannot read the table: {error}", where=path, hint="Make the pairs with: suasion pairs MINED -o DIR") from error
    return rows


def _pair_row(pair: Pair, premise: str) -> dict[str, Any]:
    row: dict[str, Any] = {
        "prompt": _message("user", premise),
        "chosen": _message("assistant", pair.winner.text),
        "rejected": _message("assistant", pair.loser.text),
        "debate_id": pair.debate_id,
        "length_ratio": pair.winner.words / pair.loser.words,
    }
    for side, reply in (("winner", pair.winner), ("loser", pair.loser)):
        row |= {
            f"{side}_id": reply.id,
            f"{side}_words": reply.words,
            f"{side}_created": reply.created,
            f"{side}_author_hash": author_hash(reply.author),
        }
    return row


def _message(role: str, content: str) -> list[dict[str, str]]:
    return [{"role": role, "content": content}]


def _messages() -> pa.DataType:
    import pyarrow as pa

    return pa.list_(pa.struct([("role", pa.string()), ("content", pa.string())]))


def _of_a_side() -> dict[str, pa.DataType]:
    import pyarrow as pa

    return {"id": pa.string(), "words": pa.int64(), "created": pa.int64(), "author_hash": pa.string()}


def _write(path: Path, rows: list[dict[str, Any]], schema: pa.Schema) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    with atomic_path(path) as temporary:
        pq.write_table(pa.Table.from_pylist(rows, schema=schema), temporary)
