"""Verdicts on many answers: on this machine's cores, or on a Ray cluster."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal

from suasion.analysis.service.judging import make_judge
from suasion.analysis.tasks import get_task
from suasion.analysis.verification.findings import Verdict
from suasion.analysis.verification.pool import Limits, Pool
from suasion.analysis.verification.rows import Row
from suasion.analysis.verification.stream import in_order


def verify_many(
    rows: Iterable[Row],
    workers: int | None = None,
    *,
    on: Literal["cores", "ray"] = "cores",
    limits: Limits | None = None,
    total: int | None = None,
    label: str | None = "verify",
) -> Iterator[tuple[str, Verdict]]:
    """Each answer's id with its verdict, in the order of the rows, in bounded memory; 10⁵ answers are no more than a few.

    An answer that takes too long, takes too much memory, or ends the process that judges it, is undecided (``limit.time``,
    ``limit.memory``, ``limit.crash``); no other answer is touched by that.

    Args:
        rows: answers of any tasks.
        workers: processes; by default one a core, of this machine or of the cluster.
        on: ``ray`` for the cluster that ``ray.init`` finds (extra ``ray``).
        limits: for each answer.
        total: how many rows there are, for the progress bar.
        label: of the progress bar; ``None`` for none.

    Raises:
        SuasionError: a row's task does not exist; the nearest name is told. No worker process can be started.
    """
    checked = (row for row in rows if get_task(row.task))
    if on == "ray":
        from suasion.analysis.service.on_ray import RayPool

        with RayPool(workers, limits) as cluster:
            yield from in_order(cluster.submit, checked, cluster.workers, total, label)
        return
    with Pool(make_judge, workers, limits) as pool:
        yield from in_order(pool.submit, checked, pool.workers, total, label)
