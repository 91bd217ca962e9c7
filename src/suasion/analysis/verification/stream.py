"""Any number of answers through a pool, in order, in bounded memory."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import ExitStack

from suasion.analysis.verification.findings import Verdict
from suasion.analysis.verification.rows import Row
from suasion.progress import Progress, track

BATCH, BATCH_CHARACTERS = 32, 500_000  # of rows that go to a process together
AHEAD = 8  # batches under way, for each process: enough that none waits for one slow answer elsewhere


def in_order(
    submit: Callable[[Sequence[Row]], Future[list[Verdict]]],
    rows: Iterable[Row],
    workers: int,
    total: int | None = None,
    label: str | None = "verify",
) -> Iterator[tuple[str, Verdict]]:
    """Each row's id with its verdict, in the order of the rows. No more rows are read than are under way.

    Args:
        submit: gives a batch to whoever judges it: :meth:`Pool.submit`.
        rows: the answers; a generator, say.
        workers: how many batches are judged at a time.
        total: how many rows there are, where that is known.
        label: of the progress bar; ``None`` for none.
    """
    under_way: deque[tuple[Sequence[Row], Future[list[Verdict]]]] = deque()
    counts: dict[str, int] = {}
    with ExitStack() as stack:
        progress = stack.enter_context(track(label, total, "answers")) if label else None
        try:
            for batch in batches(rows):
                under_way.append((batch, submit(batch)))
                if len(under_way) >= AHEAD * workers:
                    yield from _settled(under_way.popleft(), counts, progress)
            while under_way:
                yield from _settled(under_way.popleft(), counts, progress)
        finally:
            for _, future in under_way:  # nobody wants any more of them
                future.cancel()


def batches(rows: Iterable[Row]) -> Iterator[list[Row]]:
    """Rows in batches, none too large to be worked off in a moment."""
    batch: list[Row] = []
    characters = 0
    for row in rows:
        if batch and (len(batch) == BATCH or characters + row.characters > BATCH_CHARACTERS):
            yield batch
            batch, characters = [], 0
        batch.append(row)
        characters += row.characters
    if batch:
        yield batch


def _settled(
    one: tuple[Sequence[Row], Future[list[Verdict]]], counts: dict[str, int], progress: Progress | None
) -> Iterator[tuple[str, Verdict]]:
    batch, future = one
    verdicts = future.result()
    if progress:
        for verdict in verdicts:
            counts[verdict.name] = counts.get(verdict.name, 0) + 1
        progress.note(**counts)
        progress.advance(len(batch))
    yield from ((row.id, verdict) for row, verdict in zip(batch, verdicts, strict=True))
