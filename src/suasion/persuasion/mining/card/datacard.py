"""What is in a folder of pairs and how it came about: ``datacard.json``, a Hugging Face dataset card, and a picture for each claim."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from suasion import __version__
from suasion.files import write_json, write_text
from suasion.persuasion.mining.card import extras, pictures
from suasion.persuasion.mining.card.giveaways import measure
from suasion.persuasion.mining.card.readme import in_order, readme, stages
from suasion.persuasion.mining.pairs.any_loser import AnyLoser
from suasion.persuasion.mining.pairs.balance import Measure, length_auc
from suasion.persuasion.mining.pairs.matching import Pair
from suasion.persuasion.mining.pairs.replies import Debate
from suasion.persuasion.mining.pairs.splits import SPLITS
from suasion.statistics import Estimate, clustered_mean, clustered_share, credit

LENGTHS: tuple[Measure, ...] = ("words", "tokens")
_ASIDE = ("losers", "times of replies", "splits of the source")  # no stage of a winner's way; the losers are many


@dataclass(frozen=True)
class Facts:
    """All that the card tells."""

    config: dict[str, Any]
    seed: int
    mining: Any
    """``counts.json`` of the mined folder, or ``None``."""
    steps: dict[str, dict[str, Any]]
    """Step → in, kept, dropped by reason."""
    touched: dict[str, int]
    """Cleaning rule → texts that it changed."""
    debates: Sequence[Debate]
    """At least those that the pairs are of; of their losers only those are needed that ``any_loser`` has not seen."""
    matched: Sequence[Pair]
    """Before splitting and balancing."""
    pairs: Mapping[str, Sequence[Pair]]
    """By split, as written."""
    balanced: dict[str, dict[str, int]]
    premises: dict[str, int]
    unit: str = ""
    """root, comment or path; empty: as ``config`` says."""
    matching_cost: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    """Way of matching → stage → pairs kept."""
    extra: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    """Further table → split → rows."""
    leaks: int = 0
    """Found in the finished files. Above 0 only where the source's own splits were kept."""
    any_loser: AnyLoser | None = None
    """``None``: gathered from ``debates``, which then must hold every loser."""


def write(out: Path, facts: Facts) -> dict[str, Estimate]:
    """Write the card, its JSON and its pictures into ``out``, beside the tables; return how often the longer reply wins at each stage.

    ``best-of-four.parquet`` and ``labelled.parquet`` are told of as they lie in ``out``, if they do. ``datacard.json`` comes last.

    Raises:
        SuasionError: one of them is no such table, or a file cannot be written.
    """
    by_id = {debate.id: debate for debate in facts.debates}
    premises = {debate.id: debate.premise for debate in facts.debates}
    any_loser = facts.any_loser or _gathered(facts.debates)
    longer_wins = length_baselines(any_loser, facts.matched, facts.pairs)
    auc = {split: {kind: length_auc(facts.pairs[split], kind, facts.seed) for kind in LENGTHS} for split in SPLITS}
    measured = {split: measure(facts.pairs[split], premises, facts.seed) for split in SPLITS}
    four, labels = extras.best_of_four(out / extras.BEST_OF_FOUR), extras.labelled(out / extras.LABELLED)
    drawn = pictures.draw(
        out / "plots",
        pictures.Material(
            kept={step: (facts.steps[step]["kept"], facts.steps[step]["in"]) for step in in_order(facts.steps) if step not in _ASIDE},
            stages={label: longer_wins[key] for key, label in stages(facts.config)},
            any_loser=any_loser.log_ratios,
            pairs=facts.pairs,
            length_auc=auc,
            giveaways=measured,
            matching_cost=facts.matching_cost,
            created={split: _created(facts.pairs[split], by_id) for split in SPLITS},
            best_of_four={f"the {rule}, {split}": one for split, rules in four.items() for rule, one in rules.items() if one.n},
            cleaning=facts.touched,
        ),
    )
    card = {
        "made_by": f"suasion {__version__}",
        "config": _publishable(facts.config),
        "unit": facts.unit or facts.config["unit"],
        "seed": facts.seed,
        "mining": facts.mining,
        "steps": facts.steps,
        "cleaning": facts.touched,
        "splits": {split: _split(split, facts) for split in SPLITS},
        "longer_wins": {name: estimate.as_dict() for name, estimate in longer_wins.items()},
        "length_auc": {split: {kind: one.as_dict() for kind, one in kinds.items()} for split, kinds in auc.items()},
        "giveaways": {split: {name: one.as_dict() for name, one in found.items()} for split, found in measured.items()},
        "matching_cost": {way: dict(stages) for way, stages in facts.matching_cost.items()},
        "extra": {table: dict(rows) for table, rows in facts.extra.items()},
        "best_of_four": {split: {rule: one.as_dict() for rule, one in rules.items()} for split, rules in four.items()},
        "labelled": labels,
        "leaks": facts.leaks,
    }
    write_text(out / "README.md", readme(card, drawn))
    write_json(out / "datacard.json", card)
    return longer_wins


def length_baselines(any_loser: AnyLoser, matched: Sequence[Pair], pairs: Mapping[str, Sequence[Pair]]) -> dict[str, Estimate]:
    """How often the longer reply is the winner, with a debate-clustered interval.

    Returns:
        ``before``: a winner beside any loser of its debate; ``matched``: under the caliper; ``after``: the pairs as written, and
        ``train``, ``validation`` and ``test`` of them.
    """
    written = [pair for split in SPLITS for pair in pairs[split]]
    stages = {"matched": matched, "after": written} | {split: pairs[split] for split in SPLITS}
    return {"before": any_loser.longer_wins()} | {name: _longer_wins(stage) for name, stage in stages.items()}


def _gathered(debates: Sequence[Debate]) -> AnyLoser:
    any_loser = AnyLoser()
    for debate in debates:
        any_loser.add(debate)
    return any_loser


def _longer_wins(pairs: Sequence[Pair]) -> Estimate:
    values = credit([pair.winner.length for pair in pairs], [pair.loser.length for pair in pairs])
    return clustered_share(values, [pair.debate_id for pair in pairs])


def _created(pairs: Sequence[Pair], by_id: Mapping[str, Debate]) -> list[int]:
    """Each debate once."""
    times = (by_id[name].created for name in dict.fromkeys(pair.debate_id for pair in pairs))
    return [time for time in times if time is not None]


def _publishable(config: Mapping[str, Any]) -> dict[str, Any]:
    """Who opted out must not be published, nor where on a machine the list lies."""
    listed = config.get("opt_out_file") is not None
    return dict(config) | {"opt_out": f"{len(config['opt_out'])} names or ids"} | ({"opt_out_file": "given"} if listed else {})


def _split(split: str, facts: Facts) -> dict[str, Any]:
    pairs = facts.pairs[split]
    mean_log_ratio = clustered_mean([pair.log_ratio for pair in pairs], [pair.debate_id for pair in pairs], seed=facts.seed)
    return {
        "pairs": len(pairs),
        "debates_with_pairs": len({pair.debate_id for pair in pairs}),
        "premises": facts.premises.get(split, 0),
        "mean_winner_words": _mean([pair.winner.words for pair in pairs]),
        "mean_loser_words": _mean([pair.loser.words for pair in pairs]),
        "mean_log_length_ratio": mean_log_ratio.as_dict(),
        "balancing": facts.balanced.get(split, {}),
    }


def _mean(values: Sequence[int]) -> float | None:
    return round(sum(values) / len(values), 1) if values else None
