"""The stage ``audit``: try to fool the judge before a writer does; ``audit.json``, a report with pictures, and a verdict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from suasion.errors import SuasionError
from suasion.files import sha256_file, sha256_json, write_json
from suasion.persuasion.dataset import Pair, load_best_of_four, load_pairs
from suasion.persuasion.judging.audit.audit import audit
from suasion.persuasion.judging.audit.material import Material
from suasion.persuasion.judging.audit.report import write_audit_report
from suasion.persuasion.judging.audit.rewriter import load_rewriter
from suasion.persuasion.judging.audit.transfer import transfer_pairs
from suasion.persuasion.judging.baselines.fit import LEARNED, fit_one
from suasion.persuasion.judging.ensemble import Ensemble
from suasion.persuasion.judging.judge import RULES, Judge
from suasion.persuasion.judging.llm import LLM, check_llm
from suasion.persuasion.stages.common import Journey, Plan, finished_run, perform
from suasion.persuasion.stages.judge import load_judge
from suasion.persuasion.stages.pairs import data_source
from suasion.progress import say
from suasion.runs.run import Run


@dataclass(frozen=True)
class Candidate:
    """Who is audited, and what decides the outcome besides the pairs."""

    name: str
    parents: Mapping[str, Run]
    inputs: Mapping[str, str]
    sections: tuple[str, ...]
    """Of the recipe."""
    on_base: bool


def audit_stage(journey: Journey, judge: str | Run, pairs: str | Run, out: Path | None = None, transfer: Sequence[str] = ()) -> Run:
    """Audit a judge in a run of kind ``Audit``; ``results["verdict"]`` is pass or fail.

    Args:
        judge: a run, its name, ``llm`` (the recipe's language model), or a baseline to see it fail: a rule such as ``longest``, or one that
            is fitted on the pairs' train split (``shallow``, ``words``, ``sentences``).
        transfer: sets of pairs from elsewhere (see :mod:`suasion.persuasion.judging.audit.transfer`): paths, or names of runs of kind
            Pairs.
    """
    folder, parents, inputs = data_source(pairs, journey.root, "Pairs", "train.parquet")
    sets = transfer_sets(transfer, journey.root)
    inputs = inputs | {f"transfer {name}": content_of(path) for name, path in sets.items()}
    recipe, who = journey.recipe, candidate(journey, judge)

    def work(run: Run) -> None:
        elsewhere = {label: transfer_pairs(path) for label, path in sets.items()}
        material = _material(journey, folder, elsewhere, on_base=who.on_base)
        if judge in LEARNED:
            ready: Judge = fit_one(judge, material.train, recipe.seed, material.embed)
        else:
            ready, _ = load_judge(journey, judge)
        if isinstance(ready, Ensemble):
            material = replace(material, others=ready.members)
        found = audit(ready, material, recipe.audit, recipe.seed)
        run.results = found.as_dict()
        write_json(run.path / "audit.json", {"judge": who.name} | run.results)
        write_audit_report(found, who.name, run)
        say(f"Audit of {who.name}: {'PASS' if found.passed else 'FAIL (' + ', '.join(one.code for one in found.failed) + ')'}")

    sections = tuple(dict.fromkeys((*who.sections, "llm"))) if recipe.audit.paraphrase else who.sections
    plan = Plan("Audit", sections, {**parents, **who.parents}, {**inputs, **who.inputs}, on_base=who.on_base)
    return perform(journey, plan, work, out)


def candidate(journey: Journey, judge: str | Run) -> Candidate:
    """Who is meant. Raises SuasionError: there is no such run of kind Judge, or it is not done."""
    off_base, on_base = ("seed", "audit"), ("seed", "base", "rendering", "audit")
    if judge == LLM:
        check_llm(journey.recipe.llm)
        return Candidate(f"{LLM} ({journey.recipe.llm.server.model})", {}, {}, (*off_base, "llm"), on_base=False)
    if isinstance(judge, str) and (judge in RULES or judge in LEARNED):
        embeds = judge == "sentences"
        return Candidate(judge, {}, {"judge": judge}, on_base if embeds else off_base, on_base=embeds)
    run = judge if isinstance(judge, Run) else finished_run(judge, journey.root, "Judge")
    stands = run.manifest.base_lock is not None
    return Candidate(run.name, {"judge": run}, {}, on_base if stands else off_base, on_base=stands)


def _material(journey: Journey, folder: Path, elsewhere: Mapping[str, Sequence[Pair]], *, on_base: bool) -> Material:
    """What lies in the pairs' folder; embeddings are the base's, for a judge that stands on one."""
    split, embed = journey.recipe.audit.split, None
    if on_base:
        from suasion.models.embedding import Embedder

        embed = Embedder(journey.base, journey.renderer)
    return Material(
        pairs=load_pairs(folder, split),
        train=load_pairs(folder, "train"),
        fours=load_best_of_four(folder, split) if (folder / "best-of-four.parquet").is_file() else (),
        transfer=elsewhere,
        rewriter=load_rewriter(journey.recipe.llm, seed=journey.recipe.seed) if journey.recipe.audit.paraphrase else None,
        embed=embed,
    )


def transfer_sets(given: Sequence[str], root: Path) -> dict[str, Path]:
    """Each set by its name, which is its path's last part (or its run's name).

    Raises:
        SuasionError: nothing is there, or two sets have one name.
    """
    sets: dict[str, Path] = {}
    for one in given:
        path = Path(one)
        if not path.exists():
            if not (root / one).exists():
                hint = "Give a folder of UKPConvArg1 or of Tan et al.'s pair task, a table of pairs, or a run of kind Pairs."
                raise SuasionError("There is no such transfer set.", where=path, hint=hint)
            path = finished_run(one, root, "Pairs").path
        name = path.resolve().name
        if name in sets:
            raise SuasionError(f"Two transfer sets have the name '{name}'.", where=path, hint="Rename a folder.")
        sets[name] = path
    return sets


def content_of(path: Path) -> str:
    """SHA-256 of a file, or of all files of a folder with their names."""
    if path.is_file():
        return sha256_file(path)
    files = sorted(file for file in path.rglob("*") if file.is_file())
    return sha256_json({file.relative_to(path).as_posix(): sha256_file(file) for file in files})
