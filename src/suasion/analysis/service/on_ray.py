"""The same pool on a Ray cluster: each actor has a worker process of its own, so that no answer can end an actor."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future
from types import TracebackType
from typing import Any

from suasion.analysis.service.judging import make_judge
from suasion.analysis.verification.findings import Verdict
from suasion.analysis.verification.pool import Limits, Pool
from suasion.analysis.verification.rows import Row
from suasion.errors import SuasionError


class Station:
    """What an actor does."""

    def __init__(self, limits: Limits) -> None:
        self._pool = Pool(make_judge, 1, limits)

    def judge(self, rows: Sequence[Row]) -> list[Verdict]:
        """Verdicts in the order of the rows."""
        return self._pool.submit(rows).result()

    def ready(self) -> bool:
        """Whether the worker process is up."""
        self._pool.start()
        return True


class RayPool:
    """Actors that judge. Where Ray is not connected to a cluster, ``ray.init`` connects it, or starts Ray on this machine.

    suasion must be installed on the cluster's machines. An actor whose machine goes down is started elsewhere, and judges anew what it
    was at.

    Args:
        workers: actors, each on a CPU; by default as many as the cluster has.
        limits: for each answer.

    Raises:
        SuasionError: ray is not installed.
    """

    def __init__(self, workers: int | None = None, limits: Limits | None = None) -> None:
        try:
            import ray
        except ImportError as error:
            raise SuasionError("Ray is not installed.", hint="Install suasion with the extra 'ray'.") from error
        self._ray: Any = ray
        self._own = not ray.is_initialized()
        if self._own:
            ray.init(log_to_driver=False, include_dashboard=False)
        self.workers = workers or int(self._ray.cluster_resources().get("CPU", 1))
        actor = ray.remote(num_cpus=1, max_restarts=-1, max_task_retries=-1)(Station)
        self._actors: list[Any] = [actor.remote(limits or Limits()) for _ in range(self.workers)]
        self._busy = [0] * self.workers
        ray.get([one.ready.remote() for one in self._actors])

    def submit(self, rows: Sequence[Row]) -> Future[list[Verdict]]:
        """The verdicts to come, from the actor that has the least to do."""
        place = min(range(self.workers), key=self._busy.__getitem__)
        self._busy[place] += 1
        future: Future[list[Verdict]] = self._actors[place].judge.remote(list(rows)).future()
        future.add_done_callback(lambda _: self._done(place))
        return future

    def close(self) -> None:
        """Stop the actors, and Ray where it was started here."""
        for one in self._actors:
            self._ray.kill(one)
        self._actors = []
        if self._own:
            self._ray.shutdown()

    def __enter__(self) -> RayPool:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def _done(self, place: int) -> None:
        self._busy[place] -= 1
