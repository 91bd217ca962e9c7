"""The report of a stage that writes none of its own: how it ended, what was asked, where it comes from, how its numbers went."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from suasion.config import flatten
from suasion.runs import plots
from suasion.runs.lineage import lineage, picture, text_tree
from suasion.runs.manifest import Manifest
from suasion.runs.report import Badge, Picture, Report, Section, Table, Tone, write_report

if TYPE_CHECKING:
    from suasion.runs.run import Run

_PANELS = 9  # curves on one page that can still be read
_TONES: dict[str, Tone] = {"done": "pass", "failed": "fail", "interrupted": "warning"}


def write_default_report(run: Run) -> None:
    """Write ``plots/metrics.png`` (where there are metrics) and ``report.html`` into the run's folder."""
    rows = run.metrics()
    keys = metric_keys(rows)[:_PANELS]
    if keys:
        plots.save(plots.curves(rows, keys, run.manifest.kind), run.path / "plots" / "metrics.png")
    write_report(default_report(run), run.path / "report.html")


def default_report(run: Run) -> Report:
    """What can be said of any run."""
    manifest = run.manifest
    parts = [_outcome(run), *run.sections, *_curves(run), _arguments(manifest), _family(run), _circumstances(manifest)]
    return Report(f"{manifest.kind}: {manifest.id}", _subtitle(manifest), parts)


def metric_keys(rows: Sequence[dict[str, Any]]) -> list[str]:
    """The names of the numbers that were logged, in the order in which they came up."""
    seen = {key: None for row in rows for key, value in row.items() if key != "step" and isinstance(value, int | float)}
    return list(seen)


def _subtitle(manifest: Manifest) -> str:
    parts = [f"Started {manifest.started[:16].replace('T', ' at ')} UTC"]
    if manifest.finished is not None:
        try:
            took = datetime.datetime.fromisoformat(manifest.finished) - datetime.datetime.fromisoformat(manifest.started)
            parts.append(f"took {datetime.timedelta(seconds=round(took.total_seconds()))}")
        except (ValueError, TypeError):
            parts.append(f"ended {manifest.finished}")
    if manifest.resumed:
        parts.append(f"taken up again {len(manifest.resumed)} time{'s' * (len(manifest.resumed) > 1)}")
    return ", ".join(parts) + "."


def _outcome(run: Run) -> Section:
    manifest = run.manifest
    results = flatten(manifest.results or run.results)
    table = Table(("result", "value"), [(key, value) for key, value in results.items()])
    return Section(
        "How it ended",
        text=[manifest.error] if manifest.error else [],
        badges=[Badge(run.state, _TONES.get(run.state, "neutral"))],
        tables=[table] if results else [],
    )


def _curves(run: Run) -> list[Section]:
    rows = run.metrics()
    keys = metric_keys(rows)
    if not keys:
        return []
    figure = plots.curves(rows, keys[:_PANELS], "")
    left_out = f" {len(keys) - _PANELS} more are in metrics.jsonl." if len(keys) > _PANELS else ""
    caption = f"Every panel has its own scale.{left_out}"
    return [
        Section("How the numbers went", pictures=[Picture(plots.inline(figure), caption, alt="Curves of " + ", ".join(keys[:_PANELS]))])
    ]


def _arguments(manifest: Manifest) -> Section:
    passed, defaulted = manifest.arguments.passed, manifest.arguments.defaulted
    tables = [Table(("setting", "value"), list(passed.items()), "What was set.")] if passed else []
    tables += [Table(("setting", "value"), list(defaulted.items()), "What was left to its default.")] if defaulted else []
    return Section(
        "What was asked for", text=[] if tables else ["Nothing; this stage has no settings."], tables=tables, folded=len(defaulted) > 30
    )


def _family(run: Run) -> Section:
    ancestors = lineage(run.path, run.path.parent)
    ancestors[0] = replace(ancestors[0], manifest=run.manifest)  # the one on the disk still says running
    if len(ancestors) == 1:
        return Section("Where it comes from", text=["This run has no parents."])
    image = Picture(picture(ancestors), "Each arrow leads from a parent to the run that was made from it.", alt=text_tree(ancestors))
    return Section("Where it comes from", pictures=[image])


def _short(digests: Mapping[str, str]) -> list[tuple[str, str]]:
    """The whole digests stand in the manifest; a reader compares the beginnings."""
    return [(label, digest[:16]) for label, digest in digests.items()]


def _circumstances(manifest: Manifest) -> Section:
    machine = [(key, ", ".join(value) if isinstance(value, list) else value) for key, value in manifest.machine.items()]
    commit = manifest.git.commit or "unknown"
    code = [("suasion", manifest.suasion), ("git commit", commit + (" (changed since)" if manifest.git.dirty else ""))]
    tables = [
        Table(("", ""), [*code, *machine, *manifest.packages.items()], "Code, machine and packages."),
        Table(("seed", "value"), list(manifest.seeds.items()), "Seeds."),
        Table(("input", "SHA-256"), _short(manifest.inputs), "What was read."),
        Table(("part", "digest"), _short(manifest.base_lock or {}), "The base it stands on."),
    ]
    return Section(
        "Under which circumstances", tables=[table for table in tables if table.rows], code=" ".join(manifest.command), folded=True
    )
