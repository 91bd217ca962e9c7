"""Who judges an epoch's answers: processes on this machine's cores, or actors on a Ray cluster."""

from __future__ import annotations

from contextlib import AbstractContextManager

from suasion.analysis.hirpo.engine import EngineConfig
from suasion.analysis.hirpo.pipeline import Verifier
from suasion.analysis.service.judging import make_judge
from suasion.analysis.verification.pool import Pool


def judges(config: EngineConfig) -> AbstractContextManager[Verifier]:
    """What judges, in a ``with`` block.

    Raises:
        SuasionError: Ray is asked for and not installed.
    """
    if config.judge_on == "ray":
        from suasion.analysis.service.on_ray import RayPool

        return RayPool(config.judges)
    return Pool(make_judge, config.judges)
