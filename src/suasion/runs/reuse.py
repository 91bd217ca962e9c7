"""Not doing the same work twice: the run that has done it already, the one to take up again, or one line saying why neither will do."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import suasion
from suasion.config import Config
from suasion.runs.lineage import differing
from suasion.runs.lock import is_locked
from suasion.runs.manifest import Named, parent_ids, plain
from suasion.runs.run import Run, find_runs

_SHOWN = 3  # differences told in one line


def reusable(root: Path, kind: str, fingerprint: str) -> Run | None:
    """The newest done run of this fingerprint; else the newest unfinished one that nobody holds (to :func:`resume`); else None.

    A done run whose outputs were removed since does not count.
    """
    same = [run for run in reversed(find_runs(root)) if run.manifest.kind == kind and run.manifest.fingerprint == fingerprint]
    for run in same:
        if run.manifest.status == "done" and all((run.path / name).is_file() for name in run.manifest.outputs):
            return run
    return next((run for run in same if run.manifest.status != "done" and not is_locked(run.path)), None)


def why_new(
    root: Path,
    kind: str,
    config: Config | Mapping[str, Any],
    parents: Mapping[str, Named | str],
    inputs: Mapping[str, str],
    base_lock: Mapping[str, str] | None,
) -> str:
    """One line: what differs from the latest run of this kind ("judge.max_steps 30 -> 40", "parent writer changed", "no earlier run").

    Args:
        parents: role to run, or to run id.
        inputs: label to SHA-256.
    """
    earlier = [run for run in find_runs(root) if run.manifest.kind == kind]
    if not earlier:
        return "no earlier run"
    latest = earlier[-1]
    manifest = latest.manifest
    changes = [] if manifest.suasion == suasion.__version__ else [f"suasion {manifest.suasion} -> {suasion.__version__}"]
    changes += _changed_values(manifest.arguments.all(), plain(config))
    changes += [f"parent {role} changed" for role in _changed_keys(manifest.parents, parent_ids(parents))]
    changes += [f"input {label} changed" for label in _changed_keys(manifest.inputs, inputs)]
    changes += [f"base {part} changed" for part, _, _ in differing(base_lock or {}, manifest.base_lock or {})]
    if not changes:
        return f"the same work is {latest.state} in {latest.name}" if manifest.status != "done" else f"outputs of {latest.name} are missing"
    rest = f", and {len(changes) - _SHOWN} more" if len(changes) > _SHOWN else ""
    return ", ".join(changes[:_SHOWN]) + rest


def _changed_values(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    return [f"{key} {_told(before.get(key))} -> {_told(after.get(key))}" for key in _changed_keys(before, after)]


def _changed_keys(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    """Keys whose values differ, in the order of ``after``, then those that are gone."""
    absent = object()
    keys = list(after) + [key for key in before if key not in after]
    return [key for key in keys if before.get(key, absent) != after.get(key, absent)]


def _told(value: Any) -> str:
    text = "none" if value is None else str(value)
    return text if len(text) <= 40 else text[:39] + "…"
