"""Streams of answers: order, bounded memory, a progress bar."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import Future

import pytest
from hypothesis import given
from hypothesis import strategies as st

from suasion.analysis.verification.findings import Finding, Verdict
from suasion.analysis.verification.rows import Row
from suasion.analysis.verification.stream import AHEAD, BATCH, BATCH_CHARACTERS, batches, in_order


def row(number: int, size: int = 1) -> Row:
    return Row(str(number), "argmap", "", "x" * size)


class Slow:
    """Settles nothing before it is asked for the oldest; counts what is under way."""

    def __init__(self) -> None:
        self.under_way = self.most = 0

    def submit(self, rows: Sequence[Row]) -> Future[list[Verdict]]:
        self.under_way += len(rows)
        self.most = max(self.most, self.under_way)
        slow = self

        class Later(Future[list[Verdict]]):
            def result(self, timeout: float | None = None) -> list[Verdict]:
                slow.under_way -= len(rows)
                return [Verdict((Finding("row", one.id),)) for one in rows]

        return Later()


@pytest.mark.parametrize("workers", [1, 3])
def test_order_is_kept_and_little_is_read_ahead(workers: int) -> None:
    slow, read = Slow(), 0

    def numbers() -> Iterator[Row]:
        nonlocal read
        for number in range(5000):
            read += 1
            yield row(number)

    for number, (name, verdict) in enumerate(in_order(slow.submit, numbers(), workers, label=None)):
        assert name == verdict.findings[0].message == str(number)
        assert read - number <= (AHEAD * workers + 1) * BATCH
    assert number == 4999
    assert slow.most <= AHEAD * workers * BATCH


def test_progress_counts_answers_and_verdicts(capsys: pytest.CaptureFixture[str]) -> None:
    list(in_order(Slow().submit, map(row, range(70)), 1, total=70))
    said = capsys.readouterr().err
    assert "verify: 0/70 answers" in said
    assert "verify: 70/70 answers" in said
    assert "invalid 70" in said


def test_who_stops_reading_leaves_nothing_waiting() -> None:
    futures: list[Future[list[Verdict]]] = []

    def submit(rows: Sequence[Row]) -> Future[list[Verdict]]:
        futures.append(Future())
        if len(futures) == 1:
            futures[0].set_result([Verdict(())] * len(rows))
        return futures[-1]

    stream = in_order(submit, map(row, range(1000)), 1, label=None)
    next(stream)
    stream.close()  # type: ignore[attr-defined]
    assert len(futures) == AHEAD
    assert all(future.cancelled() for future in futures[1:])


@given(st.lists(st.sampled_from([0, 1, 100, BATCH_CHARACTERS // 2, BATCH_CHARACTERS * 2]), max_size=100))
def test_batches_lose_nothing_and_are_small(sizes: list[int]) -> None:
    rows = [row(number, size) for number, size in enumerate(sizes)]
    found = list(batches(iter(rows)))
    assert [one.id for batch in found for one in batch] == [one.id for one in rows]
    assert all(0 < len(batch) <= BATCH for batch in found)
    assert all(len(batch) == 1 or sum(one.characters for one in batch) <= BATCH_CHARACTERS for batch in found)
