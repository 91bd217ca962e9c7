"""The stage ``practice``: the writer practises against an audited judge. A judge that failed does not get to train a writer."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

from suasion.errors import Refused, SuasionError
from suasion.models.loading import load_base, save_adapter, with_saved_adapter
from suasion.persuasion.dataset import load_premises
from suasion.persuasion.judging.audit.refusal import why_refused
from suasion.persuasion.stages.common import Journey, Plan, finished_run, perform
from suasion.persuasion.stages.judge import load_judge
from suasion.persuasion.stages.pairs import data_source
from suasion.progress import say
from suasion.runs.checkpoints import newest_complete
from suasion.runs.run import Run, find_runs
from suasion.training.grpo import train_grpo
from suasion.training.preflight import preflight


def practice_stage(
    journey: Journey, writer: str | Run, judge: str | Run, pairs: str | Run, audit: str | Run | None = None, out: Path | None = None
) -> Run:
    """Practise with GRPO in a run of kind ``GRPO``; the adapter goes on from the writer's and lies in ``adapter/``.

    Args:
        audit: of this judge; without one, the newest audit of it among the runs is taken.

    Raises:
        Refused: the judge failed its audit or has none (unless ``practice.allow_failed_audit``), or the preflight found nothing to learn.
    """
    folder, parents, inputs = data_source(pairs, journey.root, "Pairs", "premises.parquet")
    writer_run = writer if isinstance(writer, Run) else finished_run(writer, journey.root, "SFT", "GRPO")
    judge_run = judge if isinstance(judge, Run) else finished_run(judge, journey.root, "Judge")
    audit_run = find_audit(audit, judge_run, journey.root)
    recipe, base, renderer = journey.recipe, journey.base, journey.renderer
    passed = gate(judge_run, audit_run, allow_failed=recipe.practice.allow_failed_audit)
    if not passed:
        say(
            f"Practice: WARNING: {judge_run.name} {'failed its audit' if audit_run else 'was never audited'}; "
            "the recipe allows it, the report will say so"
        )
    parents |= {"writer": writer_run, "judge": judge_run} | ({"audit": audit_run} if audit_run else {})

    def work(run: Run) -> None:
        premises = [premise.text for premise in load_premises(folder, "train")]
        scorer, _ = load_judge(journey, judge_run)

        def reward(of: list[str], replies: list[str]) -> list[float]:
            return [float(score) for score in scorer.score(of, replies)]

        parent = writer_run.path / "adapter"
        settings = recipe.practice
        run.results["judge_passed_audit"] = passed
        if newest_complete(run.checkpoints) is None:  # practice that has begun needs no second preflight; one it stopped does
            say("Practice: preflight, sampling a few premises")
            model = with_saved_adapter(load_base(base, "CAUSAL_LM"), base, parent, trainable=False)
            found = preflight(
                model,
                renderer,
                premises,
                reward,
                num_generations=settings.num_generations,
                temperature=settings.temperature,
                config=settings.preflight,
                seed=recipe.seed,
            )
            del model
            say(
                f"Practice: preflight of {found.replies} replies: {found.cut_off:.0%} cut off, spread {found.spread:.3g}, "
                f"{found.reply_tokens:.0f} tokens"
            )
            run.results["preflight"] = asdict(found)
        trained = train_grpo(base, renderer, parent, premises, reward, settings, run, recipe.seed)
        save_adapter(trained, base, run.path / "adapter")
        run.results |= _first_and_last(run)

    plan = Plan("GRPO", ("seed", "base", "rendering", "practice"), parents, inputs, on_base=True)
    return perform(journey, plan, work, out)


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


def _first_and_last(run: Run) -> dict[str, float]:
    """Mean reward and length over the first and the last fifth of the steps: what practice did to what it was rewarded for."""
    rows = [row for row in run.metrics() if isinstance(row.get("reward"), float)]
    fifth = max(1, len(rows) // 5)
    found = {}
    for name, part in (("first", rows[:fifth]), ("last", rows[-fifth:])):
        for key in ("reward", "reply_tokens"):
            values = [row[key] for row in part if isinstance(row.get(key), float)]
            if values:
                found[f"{key}_{name}_fifth"] = sum(values) / len(values)
    return found
