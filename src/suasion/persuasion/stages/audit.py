"""The stage ``audit``: try to fool the judge before a writer does; ``audit.json``, a report with pictures, and a verdict."""

from __future__ import annotations

from pathlib import Path

from suasion.files import write_json
from suasion.persuasion.dataset import load_pairs
from suasion.persuasion.judging.audit import audit
from suasion.persuasion.judging.judge import RULES
from suasion.persuasion.judging.report import write_audit_report
from suasion.persuasion.stages.common import Journey, Plan, finished_run, perform
from suasion.persuasion.stages.judge import load_judge
from suasion.persuasion.stages.pairs import data_source
from suasion.progress import say
from suasion.runs.run import Run


def audit_stage(journey: Journey, judge: str | Run, pairs: str | Run, out: Path | None = None) -> Run:
    """Audit a judge (a run, its name, or a rule such as ``longest``) in a run of kind ``Audit``; ``results["verdict"]`` is pass or fail."""
    folder, parents, inputs = data_source(pairs, journey.root, "Pairs", "train.parquet")
    recipe = journey.recipe
    is_rule = isinstance(judge, str) and judge in RULES
    if is_rule:
        inputs = inputs | {"judge": str(judge)}
        name = str(judge)
    else:
        run_of_judge = judge if isinstance(judge, Run) else finished_run(str(judge), journey.root, "Judge")
        parents = parents | {"judge": run_of_judge}
        name = run_of_judge.name

    def work(run: Run) -> None:
        ready, _ = load_judge(journey, judge)
        found = audit(ready, load_pairs(folder, recipe.audit.split), recipe.audit, recipe.seed)
        write_json(run.path / "audit.json", {"judge": name} | found.as_dict())
        write_audit_report(found, name, run)
        run.results = found.as_dict()
        say(f"Audit of {name}: {'PASS' if found.passed else 'FAIL (' + ', '.join(one.code for one in found.failed) + ')'}")

    sections = ("seed", "audit") if is_rule else ("seed", "base", "rendering", "audit")
    return perform(journey, Plan("Audit", sections, parents, inputs, on_base=not is_rule), work, out)
