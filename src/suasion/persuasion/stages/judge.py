"""The stage ``judge``: a judge of the recipe's kind learns which reply won; what was saved is proved before the run is done."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from suasion.files import read_json, sha256_json, write_json
from suasion.models.encoder import resolve_encoder
from suasion.persuasion.dataset import Pair, load_pairs
from suasion.persuasion.judging import load
from suasion.persuasion.judging.audit.scored import score_pairs
from suasion.persuasion.judging.ensemble import level_of
from suasion.persuasion.judging.judge import RULES, Judge
from suasion.persuasion.judging.learn import Ground, Home, Results, learn_baseline, learn_encoder, learn_reward
from suasion.persuasion.judging.llm import LLM, load_llm_judge
from suasion.persuasion.judging.load import EnsembleCard, JudgeCard, member_name, save_card
from suasion.persuasion.stages.common import Journey, Plan, finished_run, perform
from suasion.persuasion.stages.pairs import data_source
from suasion.progress import say
from suasion.runs.run import Run
from suasion.statistics import clustered_share
from suasion.training.member import Member

Learn = Callable[[Home, int], Results]
"""Trains one judge from a seed and saves it in its home."""

#: Sections of the recipe that decide a judge's outcome. Only those that stand on the base are locked to it.
_SECTIONS = {
    "reward": ("seed", "processes", "base", "lora", "rendering", "judge"),
    "encoder": ("seed", "processes", "rendering", "judge"),
    "shallow": ("seed", "judge"),
    "words": ("seed", "judge"),
    "sentences": ("seed", "base", "rendering", "judge"),
}
_LEVEL_PAIRS = 32  # on whose replies an ensemble's members are brought to one level


def judge_stage(journey: Journey, pairs: str | Run, out: Path | None = None) -> Run:
    """Train a judge in a run of kind ``Judge``; ``judge.json`` says what lies beside it."""
    folder, parents, inputs = data_source(pairs, journey.root, "Pairs", "train.parquet")
    config, seed = journey.recipe.judge, journey.recipe.seed
    sections = _SECTIONS[config.kind]
    on_base = "base" in sections
    if config.kind == "encoder":
        encoder = resolve_encoder(config.encoder, journey.recipe.rendering.premise_words)
        inputs = inputs | {"encoder": sha256_json(encoder.lock)}

    def learner(train: Sequence[Pair]) -> Learn:
        if config.kind == "reward":
            ground = Ground(journey.base, journey.renderer, journey.recipe.lora)
            return lambda home, seed: learn_reward(home, train, ground, config, seed)
        if config.kind == "encoder":
            return lambda home, seed: learn_encoder(home, folder, train, encoder, config, seed)
        embed = _embedder(journey) if config.kind == "sentences" else None
        kind = config.kind
        return lambda home, seed: learn_baseline(home, train, kind, seed, embed)

    def work(run: Run) -> None:
        train, validation = load_pairs(folder, "train"), load_pairs(folder, "validation")
        learn = learner(train)
        run.results = learn(run, seed) if config.seeds == 1 else _ensemble(journey, run, train, learn)
        if validation:
            scored = score_pairs(_load(journey, run.path, on_base=on_base), validation)
            run.results["validation_accuracy"] = clustered_share(scored.correct, scored.debates).as_dict()

    return perform(journey, Plan("Judge", sections, parents, inputs, on_base=on_base, together="processes" in sections), work, out)


def load_judge(journey: Journey, name: str | Run, label: str = "") -> tuple[Judge, Run | None]:
    """A judge by its run (or the run's name, a rule such as ``longest``, or ``llm`` for the recipe's language model), ready to score."""
    if isinstance(name, str) and name in RULES:
        return RULES[name], None
    if name == LLM:
        return load_llm_judge(journey.recipe.llm, seed=journey.recipe.seed, label=label), None
    run = name if isinstance(name, Run) else finished_run(name, journey.root, "Judge")
    return _load(journey, run.path, on_base=run.manifest.base_lock is not None, label=label), run


def _load(journey: Journey, folder: Path, *, on_base: bool, label: str = "") -> Judge:
    """The base is not even looked for where the judge does not stand on it."""
    return load.load_judge(folder, journey.base if on_base else None, journey.renderer if on_base else None, label)


def _ensemble(journey: Journey, run: Run, train: Sequence[Pair], learn: Learn) -> Results:
    """Train the members that are not there yet, each from a seed of its own."""
    config, seed = journey.recipe.judge, journey.recipe.seed
    on_base = "base" in _SECTIONS[config.kind]
    some = train[:_LEVEL_PAIRS]
    premises, replies = [pair.premise for pair in some] * 2, [pair.winner for pair in some] + [pair.loser for pair in some]
    results: Results = {}
    levels = []
    for number in range(1, config.seeds + 1):
        member = Member(run, number)
        told = member.path / "results.json"
        if (member.path / load.JUDGE_FILE).is_file() and told.is_file():
            say(f"Judge: member {number} of {config.seeds} is there already")
        else:
            say(f"Judge: member {number} of {config.seeds}, seed {seed + number - 1}")
            write_json(told, learn(member, seed + number - 1) | {"seed": seed + number - 1})
        results[member_name(number)] = read_json(told)
        levels.append(level_of(_load(journey, member.path, on_base=on_base), premises, replies))
    save_card(run.path, JudgeCard(kind="ensemble", ensemble=EnsembleCard(combine=config.combine, levels=tuple(levels))))
    return results


def _embedder(journey: Journey) -> Callable[[Sequence[str]], object]:
    from suasion.models.embedding import Embedder

    return Embedder(journey.base, journey.renderer)
