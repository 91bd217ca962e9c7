"""suasion's tasks under a name without dots, which is how the library ``verifiers`` finds them: ``--env.taskset.id suasion_taskset``."""

from suasion.analysis.service.exports.taskset import ArgumentTaskset

__all__ = ["ArgumentTaskset"]
