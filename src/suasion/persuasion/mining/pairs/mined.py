"""Reading what ``mine`` wrote: one debate after another, so that memory does not grow with the dump.

The three tables are walked side by side. That needs what ``mine`` promises: the rows of a debate lie together, and the debates come in
the order of ``posts.parquet`` in all three. Folders from elsewhere may break it; their tables are sorted first, which holds them in memory.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from suasion.errors import SuasionError
from suasion.persuasion.mining.cleaning.notices import known
from suasion.persuasion.mining.pairs.replies import Funnel
from suasion.progress import say

if TYPE_CHECKING:
    import pyarrow as pa

Row = Mapping[str, Any]

COLUMNS: dict[str, tuple[str, ...]] = {
    "posts": ("debate_id", "author", "title", "text", "created_utc"),
    "comments": ("debate_id", "comment_id", "parent_id", "depth", "author", "text", "created_utc", "distinguished"),
    "awards": ("debate_id", "award_id", "winner_id", "winner", "by_author", "revoked"),
}
_ROWS_AT_ONCE = 16_384
_BUFFER = 1 << 20  # bytes: without it a whole column of a row group is read at once


def read_debates(mined: Path, funnel: Funnel) -> Iterator[tuple[Row, list[Row], list[Row]]]:
    """Post, comments and awards of one debate after another.

    The comments of a debate without awards are not read: nobody won there, so nobody lost.

    Raises:
        SuasionError: a table is missing, unreadable, or lacks a column.
    """
    for name in COLUMNS:
        _check(mined, name)
    broken = [name for name in ("comments", "awards") if not _in_step(mined, name)]
    if broken:
        say(
            f"NOTE: {' and '.join(f'{name}.parquet' for name in broken)} in another order of debates than posts.parquet: sorting in memory."
        )
    posts, comments, awards = (_by_debate(mined, name, COLUMNS[name], in_order=not broken) for name in COLUMNS)
    comment, award = next(comments, None), next(awards, None)
    homeless = 0
    for debate, rows in posts:
        # Only after sorting can something lie before its turn: then its post is not there.
        while broken and comment is not None and comment[0] < debate:
            comment = next(comments, None)
        while broken and award is not None and award[0] < debate:
            homeless += len(award[1])
            award = next(awards, None)
        made: list[Row] = []
        replies: list[Row] = []
        if award is not None and award[0] == debate:
            made, award = award[1].to_pylist(), next(awards, None)
        if comment is not None and comment[0] == debate:
            replies, comment = comment[1].to_pylist() if made else [], next(comments, None)
        yield rows.slice(0, 1).to_pylist()[0], replies, made
    while award is not None:
        homeless += len(award[1])
        award = next(awards, None)
    if homeless:
        funnel.drop("awards", "the post is not in the dump", homeless)


@dataclass(frozen=True)
class History:
    """When every author won awards that stand."""

    times: Mapping[str, list[int]]
    """By author in lower case: seconds since 1970, ascending."""
    unclear: frozenset[str]
    """Authors with an award of unknown time, in lower case."""

    def before(self, author: str | None, time: int | None) -> int | None:
        """How many awards the author had won before ``time``; None where that cannot be known."""
        if author is None or time is None or author.lower() in self.unclear:
            return None
        return bisect_left(self.times.get(author.lower(), []), time)


def read_history(mined: Path) -> History:
    """One pass over all awards and the times of the comments that made them; only (author, time) is held.

    Raises:
        SuasionError: as :func:`read_debates`.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    _check(mined, "awards")
    _check(mined, "comments")
    standing = [
        (row["award_id"], row["winner_id"], known(row["winner"]))
        for batch in _batches(mined, "awards", ("award_id", "winner_id", "winner", "revoked"))
        for row in batch.to_pylist()
        if not row["revoked"]
    ]
    wanted = {award_id for award_id, _, _ in standing} | {winner_id for _, winner_id, winner in standing if winner is None}
    names = pa.array(sorted(wanted - {None}), pa.large_string())
    time_of: dict[str, int | None] = {}
    author_of: dict[str, str | None] = {}
    for batch in _batches(mined, "comments", ("comment_id", "author", "created_utc")) if len(names) else ():
        for row in batch.filter(pc.is_in(batch["comment_id"].cast(pa.large_string()), value_set=names)).to_pylist():
            time_of[row["comment_id"]] = row["created_utc"]
            author_of[row["comment_id"]] = known(row["author"])
    times: defaultdict[str, list[int]] = defaultdict(list)
    unclear: set[str] = set()
    for award_id, winner_id, named in standing:
        winner, time = named or author_of.get(winner_id), time_of.get(award_id)
        if winner is None:
            continue
        if time is None:
            unclear.add(winner.lower())
        else:
            times[winner.lower()].append(time)
    return History({author: sorted(found) for author, found in times.items()}, frozenset(unclear))


def _check(mined: Path, name: str) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = mined / f"{name}.parquet"
    if not path.is_file():
        raise SuasionError(
            f"This folder holds no mined debates: {name}.parquet is missing.", where=mined, hint="Make it with: suasion mine SOURCE -o DIR"
        )
    try:
        have = pq.read_schema(path).names
    except (pa.ArrowInvalid, OSError) as error:
        raise _unreadable(path, error) from error
    if missing := [column for column in COLUMNS[name] if column not in have]:
        raise SuasionError(f"{name}.parquet lacks {', '.join(missing)}.", where=path, hint="Mine the source again with this version.")


def _unreadable(path: Path, error: Exception) -> SuasionError:
    return SuasionError(f"Cannot read {path.name}: {error}", where=path, hint="Mine the source again.")


def _batches(mined: Path, name: str, columns: tuple[str, ...]) -> Iterator[pa.RecordBatch]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = mined / f"{name}.parquet"
    try:
        with pq.ParquetFile(path, buffer_size=_BUFFER) as file:
            for group in range(file.num_row_groups):  # asked for all at once, they are read far ahead of what is needed
                yield from file.iter_batches(_ROWS_AT_ONCE, row_groups=[group], columns=list(columns), use_threads=False)
    except (pa.ArrowInvalid, OSError) as error:
        raise _unreadable(path, error) from error


def _in_step(mined: Path, name: str) -> bool:
    """Whether the debates of a table come in the order of the posts, each once and none without a post."""
    runs = (debate for debate, _ in _by_debate(mined, name, ("debate_id",), in_order=True))
    waiting = next(runs, None)
    for batch in _batches(mined, "posts", ("debate_id",)):
        for debate in batch["debate_id"].to_pylist():
            if debate == waiting:
                waiting = next(runs, None)
    return waiting is None


def _by_debate(mined: Path, name: str, columns: tuple[str, ...], *, in_order: bool) -> Iterator[tuple[str, pa.Table]]:
    """(debate's id, its rows) for each run of rows of one debate."""
    import pyarrow as pa
    import pyarrow.compute as pc

    batches: Iterator[pa.RecordBatch] = _batches(mined, name, columns)
    if not in_order:
        tables = list(batches)
        batches = iter(pa.Table.from_batches(tables).sort_by("debate_id").to_batches(_ROWS_AT_ONCE) if tables else ())
    held: list[pa.RecordBatch] = []  # of a debate that may go on in the next batch
    current: str | None = None
    for batch in batches:
        runs = pc.run_end_encode(batch["debate_id"])
        start = 0
        for debate, end in zip(runs.values.to_pylist(), runs.run_ends.to_pylist(), strict=True):
            if held and debate != current:
                yield str(current), pa.Table.from_batches(held)
                held = []
            current = debate
            held.append(batch.slice(start, end - start))
            start = end
    if held:
        yield str(current), pa.Table.from_batches(held)
