"""The gate before practice: a judge that failed its audit, or has none, does not get to train a writer."""

from __future__ import annotations

from pathlib import Path

from suasion.errors import Refused, SuasionError
from suasion.persuasion.judging.audit.refusal import why_refused
from suasion.persuasion.stages.common import finished_run
from suasion.runs.run import Run, find_runs


def find_audit(audit: str | Run | None, judge: Run, root: Path) -> Run | None:
    """The named audit; without a name, the newest finished audit of this judge among the runs."""
    if audit is not None:
        return audit if isinstance(audit, Run) else finished_run(audit, root, "Audit")
    audits = [run for run in find_runs(root) if run.manifest.kind == "Audit" and run.manifest.status == "done"]
    return next((run for run in reversed(audits) if _is_of(run, judge)), None)


def _is_of(audit: Run, judge: Run) -> bool:
    """Whether it was this judge that was audited: its name, on its base. (Not its place: folders of runs may be copied.)"""
    record = audit.manifest.parent_records.get("judge")
    same_base = record is None or record.base_lock == judge.manifest.base_lock
    return audit.manifest.parents.get("judge") == judge.name and same_base


def gate(judge: Run, audit: Run | None, *, allow_failed: bool) -> bool:
    """Whether the judge passed its audit.

    Raises:
        Refused: it did not (or was never audited), and the recipe does not allow that.
        SuasionError: the audit is of another judge.
    """
    if audit is not None and not _is_of(audit, judge):
        raise SuasionError(f"{audit.name} is not an audit of {judge.name}.", where=audit.path)
    passed = audit is not None and audit.results.get("verdict") == "pass"
    if passed or allow_failed:
        return passed
    if audit is None:
        raise Refused(
            f"{judge.name} was never audited, so no writer practises against it.", hint=f"Run `suasion audit {judge.name} --pairs …` first."
        )
    raise Refused(
        why_refused(judge.name, audit.results),
        where=audit.path / "report.html",
        hint="Mend the pairs or the judge; or set practice.allow_failed_audit=true, and the report will say so.",
    )
