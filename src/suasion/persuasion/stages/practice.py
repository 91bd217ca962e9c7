"""The stage ``practice``: the writer practises against an audited judge, or learns from the pairs themselves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from suasion.errors import SuasionError
from suasion.models.loading import load_base, save_adapter, with_saved_adapter
from suasion.persuasion.dataset import load_pairs, load_premises
from suasion.persuasion.judging.judge import RULES
from suasion.persuasion.judging.llm import LLM, check_llm
from suasion.persuasion.practice.report import practice_sections
from suasion.persuasion.practice.settings import WRITERS, Method
from suasion.persuasion.stages.common import Journey, Plan, finished_run, perform
from suasion.persuasion.stages.gate import find_audit, gate
from suasion.persuasion.stages.judge import load_judge
from suasion.persuasion.stages.pairs import data_source
from suasion.progress import say
from suasion.runs import ranks
from suasion.runs.checkpoints import newest_complete
from suasion.runs.run import Run
from suasion.training.common import Reward
from suasion.training.dpo import train_dpo
from suasion.training.grpo import train_grpo
from suasion.training.judged_pairs import DRAWN_FILE, JudgedPairs, judged_pairs
from suasion.training.orpo import train_orpo
from suasion.training.ppo import train_ppo
from suasion.training.preference import Compared
from suasion.training.preflight import preflight
from suasion.training.replies import Rewards
from suasion.training.rloo import train_rloo
from suasion.training.rollouts import sampler
from suasion.training.spent import NOTHING, Drawn

_AGAINST_THE_JUDGE: dict[Method, Callable[..., Any]] = {"grpo": train_grpo, "ppo": train_ppo, "rloo": train_rloo}
_FROM_PAIRS: dict[Method, Callable[..., Any]] = {"dpo": train_dpo, "orpo": train_orpo}


def practice_stage(
    journey: Journey,
    writer: str | Run | None,
    judge: str | Run | None,
    pairs: str | Run,
    audit: str | Run | None = None,
    out: Path | None = None,
    independent: str | Run | None = None,
) -> Run:
    """Practise in a run whose kind is the method's name (``GRPO``, ``DPO``, …); the writer's new adapter lies in ``adapter/``.

    Args:
        writer: to go on from; not needed by ``practice.orpo.start=fresh``.
        judge: to practise against; not needed by the methods that learn from pairs.
        audit: of this judge; without one, the newest audit of it among the runs is taken.
        independent: a judge that only looks on; without one, the recipe's ``practice.independent``.

    Raises:
        Refused: the judge failed its audit or has none (unless ``practice.allow_failed_audit``), or the preflight found nothing to learn,
            or a limit was passed.
        SuasionError: a writer or a judge is needed and none is named; or the independent judge is the judge itself.
    """
    recipe = journey.recipe
    settings, base, renderer = recipe.practice, journey.base, journey.renderer
    if settings.asks_the_judge and (ranks.shards() or ranks.deepspeed()):
        raise SuasionError(
            "Practice that draws replies goes with DDP only: to draw from a model in shards, processes would have to wait for one another "
            "at every token.",
            hint="Take recipes/cluster/ddp.yaml; FSDP and DeepSpeed are for sft, judge, and dpo and orpo on people's pairs.",
        )
    table = "premises.parquet" if settings.asks_the_judge else "train.parquet"
    folder, parents, inputs = data_source(pairs, journey.root, "Pairs", table)
    writer_run = _writer(journey, writer)
    judged = _admitted(journey, judge, audit)
    onlooker = _independent(journey, independent, judged)
    parents |= ({"writer": writer_run} if writer_run else {}) | judged
    parents |= {"independent": onlooker} if isinstance(onlooker, Run) else {}

    start: Any = writer_run.path / "adapter" if writer_run else recipe.lora  # where to go on from, or what a fresh adapter is to be like

    def work(run: Run) -> None:
        compared: list[Compared] = []
        before = NOTHING
        if settings.asks_the_judge:
            run.results["judge_passed_audit"] = _passed(judged)
            premises = [premise.text for premise in load_premises(folder, "train")]
            reward = _reward(journey, judged["judge"])
            # practice that has begun needs no second preflight; one it stopped does
            if newest_complete(run.checkpoints) is None and not (run.path / DRAWN_FILE).is_file():
                _preflight(journey, run, start, premises, reward)
            if not settings.draws_every_step:
                compared, before = _judged_pairs(journey, run, start, premises, reward)
        else:
            compared = [Compared(pair.premise, pair.winner, pair.loser) for pair in load_pairs(folder, "train")]
        if settings.draws_every_step:
            other = _reward(journey, onlooker) if onlooker else None
            trained = _AGAINST_THE_JUDGE[settings.method](base, renderer, start, premises, reward, settings, run, recipe.seed, other)
            run.sections += practice_sections(run)
        else:
            trained, results = _FROM_PAIRS[settings.method](base, renderer, start, compared, settings, run, recipe.seed, before)
            run.results |= results
        save_adapter(trained, base, run.path / "adapter")
        run.results |= _first_and_last(run) | _spent(run)

    sections = (
        "seed",
        "processes",
        "base",
        "rendering",
        "practice",
        *(() if settings.needs_a_writer else ("lora",)),
        *(("llm",) if onlooker == LLM else ()),
    )
    return perform(journey, Plan(settings.kind, sections, parents, inputs, on_base=True, together=True), work, out)


def _writer(journey: Journey, writer: str | Run | None) -> Run | None:
    """The writer to go on from, if the method goes on from one."""
    settings = journey.recipe.practice
    if not settings.needs_a_writer:
        if writer is not None:
            say("Practice: practice.orpo.start=fresh begins at the base; the writer named has no part in it")
        return None
    if writer is None:
        raise SuasionError(f"Practice with {settings.kind} goes on from a writer, and none is named.", hint="Name one with --writer.")
    return writer if isinstance(writer, Run) else finished_run(writer, journey.root, *WRITERS)


def _admitted(journey: Journey, judge: str | Run | None, audit: str | Run | None) -> dict[str, Run]:
    """The judge and its audit as parents, once through the gate; none where the method asks no judge."""
    settings = journey.recipe.practice
    if not settings.asks_the_judge:
        say(f"Practice: {settings.kind} learns from people's pairs; no judge is asked, so no audit is needed")
        if changed := settings.without_effect():
            say(f"Practice: WARNING: {', '.join(changed)} have no effect, as no replies are drawn")
        return {}
    if changed := settings.without_effect():
        say(f"Practice: {', '.join(changed)} has no effect with {settings.kind}")
    if judge is None:
        raise SuasionError(
            f"Practice with {settings.kind} needs a judge, and none is named.",
            hint="Name one with --judge; practice.method=dpo and orpo learn from the pairs without one.",
        )
    judge_run = judge if isinstance(judge, Run) else finished_run(judge, journey.root, "Judge")
    audit_run = find_audit(audit, judge_run, journey.root)
    if not gate(judge_run, audit_run, allow_failed=settings.allow_failed_audit):
        say(
            f"Practice: WARNING: {judge_run.name} {'failed its audit' if audit_run else 'was never audited'}; "
            "the recipe allows it, the report will say so"
        )
    return {"judge": judge_run} | ({"audit": audit_run} if audit_run else {})


def _passed(judged: dict[str, Run]) -> bool:
    return "audit" in judged and judged["audit"].results.get("verdict") == "pass"


def _independent(journey: Journey, named: str | Run | None, judged: dict[str, Run]) -> str | Run | None:
    """The judge that looks on, where replies are drawn as the writer learns: a run, or the name of a judge that is none."""
    settings = journey.recipe.practice
    chosen = named or settings.independent
    if chosen is None or not settings.draws_every_step:
        return None
    if chosen == LLM:
        check_llm(journey.recipe.llm)
    if isinstance(chosen, str) and (chosen == LLM or chosen in RULES):
        return chosen
    run = chosen if isinstance(chosen, Run) else finished_run(chosen, journey.root, "Judge")
    if run.name == judged["judge"].name:
        raise SuasionError(
            f"{run.name} cannot be the independent judge of a practice against itself.", hint="Name another judge in practice.independent."
        )
    return run


def _reward(journey: Journey, judge: str | Run) -> Reward:
    scorer, _ = load_judge(journey, judge)
    return lambda premises, replies: [float(score) for score in scorer.score(premises, replies)]


def _preflight(journey: Journey, run: Run, parent: Path, premises: list[str], reward: Reward) -> None:
    recipe, base = journey.recipe, journey.base
    say("Practice: preflight, sampling a few premises")
    model = with_saved_adapter(load_base(base, "CAUSAL_LM"), base, parent, trainable=False)
    found = preflight(
        model,
        journey.renderer,
        premises,
        reward,
        num_generations=recipe.practice.num_generations,
        temperature=recipe.practice.temperature,
        config=recipe.practice.preflight,
        seed=recipe.seed,
    )
    say(
        f"Practice: preflight of {found.replies} replies: {found.cut_off:.0%} cut off, spread {found.spread:.3g}, "
        f"{found.reply_tokens:.0f} tokens"
    )
    run.results["preflight"] = asdict(found)


def _judged_pairs(journey: Journey, run: Run, parent: Path, premises: Sequence[str], reward: Reward) -> tuple[list[Compared], Drawn]:
    """The judge's pairs among the parent's replies, drawn in this run or in the attempt before it."""
    settings, base, renderer = journey.recipe.practice, journey.base, journey.renderer

    def work() -> JudgedPairs:
        policy = with_saved_adapter(load_base(base, "CAUSAL_LM"), base, parent, trainable=False)
        draw = sampler(base, renderer, num_generations=settings.num_generations, temperature=settings.temperature, top_p=settings.top_p)
        return judged_pairs(policy, renderer, premises, draw, Rewards(reward, run, settings), settings, journey.recipe.seed)

    drawn = ranks.lead(work)
    run.results |= {"groups": drawn.groups, "groups_without_difference": drawn.without_difference}
    say(f"Practice: {len(drawn.pairs)} pairs by the judge from {drawn.groups} groups of replies")
    return drawn.pairs, drawn.spent


def _spent(run: Run) -> dict[str, int]:
    """Judge calls and generated tokens of the whole practice, as the last step logged them."""
    last: dict[str, Any] = next((row for row in reversed(run.metrics()) if "judge_calls" in row), {})
    return {name: int(last[name]) for name in ("judge_calls", "generated_tokens") if name in last}


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
