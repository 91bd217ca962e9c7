"""The stage ``evaluate``: the writers against the untouched base on held-out premises, all sampled with the same seeds."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from suasion.errors import SuasionError
from suasion.files import read_jsonl, write_json, write_text
from suasion.models.few_rows import for_few_rows
from suasion.models.loading import load_base, merged, with_saved_adapter
from suasion.models.sampling import Reply, sample
from suasion.persuasion.dataset import Premise, load_premises
from suasion.persuasion.evaluation.compare import compare
from suasion.persuasion.evaluation.independent import second_opinions
from suasion.persuasion.evaluation.report import Evaluation, write_evaluation_report
from suasion.persuasion.judging.llm import check_llm, load_llm_judge
from suasion.persuasion.practice.settings import WRITERS
from suasion.persuasion.stages.common import Journey, Plan, finished_run, perform
from suasion.persuasion.stages.gate import find_audit
from suasion.persuasion.stages.judge import load_judge
from suasion.persuasion.stages.pairs import data_source
from suasion.progress import track
from suasion.runs.run import Run


def evaluate_stage(
    journey: Journey,
    writers: Sequence[str | Run],
    judge: str | Run,
    pairs: str | Run,
    audit: str | Run | None = None,
    out: Path | None = None,
) -> Run:
    """Compare the base and the writers (runs of kind SFT, GRPO, DPO, …, in order of their making) in a run of kind ``Eval``.

    Writes ``evaluation.json``, one file of replies a system, and ``report.html``.
    """
    folder, parents, inputs = data_source(pairs, journey.root, "Pairs", "premises.parquet")
    runs = [writer if isinstance(writer, Run) else finished_run(writer, journey.root, *WRITERS) for writer in writers]
    judge_run = judge if isinstance(judge, Run) else finished_run(judge, journey.root, "Judge")
    audit_run = find_audit(audit, judge_run, journey.root)
    names = _system_names(runs)
    parents = parents | {"judge": judge_run} | ({"audit": audit_run} if audit_run else {}) | dict(zip(names, runs, strict=True))
    recipe = journey.recipe
    has_llm = bool(recipe.llm.server.model)
    if has_llm:
        check_llm(recipe.llm)

    def work(run: Run) -> None:
        premises = with_winners_first(load_premises(folder, "test"))[: recipe.evaluate.premises]
        if not premises:
            raise SuasionError("The test split holds no premise to evaluate on.", where=folder)
        adapters = {"base": None} | {name: writer.path / "adapter" for name, writer in zip(names, runs, strict=True)}
        replies = {name: replies_of(journey, run, name, adapter, premises) for name, adapter in adapters.items()}
        scorer, _ = load_judge(journey, judge_run, "Judge scores")
        comparison = compare(premises, replies, scorer, recipe.seed)
        opinions = []
        if has_llm:
            opinions = second_opinions(load_llm_judge(recipe.llm, seed=recipe.seed, label="Second opinion"), premises, comparison.systems)
        found = comparison.as_dict() | {"premises": len(premises), "samples": recipe.evaluate.samples, "judge": judge_run.name}
        found |= {"independent": [opinion.as_dict() for opinion in opinions]} if has_llm else {}
        write_json(run.path / "evaluation.json", found)
        run.results = found
        write_evaluation_report(Evaluation(run, recipe, journey.root, premises, comparison, opinions))

    sections = ("name", "description", "seed", "base", "rendering", "evaluate", *(["llm"] if has_llm else []))
    return perform(journey, Plan("Eval", sections, parents, inputs, on_base=True), work, out)


def _system_names(runs: Sequence[Run]) -> list[str]:
    """``SFT`` and ``GRPO``; a run's own name where one kind comes twice."""
    kinds = [run.manifest.kind for run in runs]
    return [kind if kinds.count(kind) == 1 else run.name for kind, run in zip(kinds, runs, strict=True)]


def with_winners_first(premises: Sequence[Premise]) -> list[Premise]:
    """Where not all can be used, those with a winning reply to compare with come first; else the file's order."""
    return sorted(premises, key=lambda premise: not premise.winners)


def replies_of(journey: Journey, run: Run, name: str, adapter: Path | None, premises: Sequence[Premise]) -> list[list[Reply]]:
    """A system's replies: read back if an earlier, killed attempt has written them, else sampled and written."""
    file = run.path / f"replies-{name}.jsonl"
    if file.is_file():
        return [[Reply(**reply) for reply in row["replies"]] for row in read_jsonl(file)]
    base, evaluate = journey.base, journey.recipe.evaluate
    model: Any = load_base(base, "CAUSAL_LM")
    if adapter is not None:
        model = merged(with_saved_adapter(model, base, adapter, trainable=False), base)
    model = for_few_rows(model)
    total = len(premises) * evaluate.samples
    with track(f"Replies of {name}", total, unit="replies") as bar:
        groups = sample(
            model,
            journey.renderer,
            [premise.text for premise in premises],
            n=evaluate.samples,
            seed=journey.recipe.seed,
            config=evaluate.sampling,
            on_batch=bar.advance,
        )
    rows = [
        {"debate_id": premise.debate_id, "premise": premise.text, "replies": [asdict(reply) for reply in group]}
        for premise, group in zip(premises, groups, strict=True)
    ]
    write_text(file, "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))
    return groups
