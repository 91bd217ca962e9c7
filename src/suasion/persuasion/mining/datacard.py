"""What is in a folder of pairs and how it came about: ``datacard.json``, a Hugging Face dataset card, and a picture for each claim."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from suasion import __version__
from suasion.files import write_json, write_text
from suasion.persuasion.mining.splits import SPLITS
from suasion.statistics import Estimate, clustered_mean, clustered_share, credit

if TYPE_CHECKING:
    from suasion.persuasion.mining.candidates import Debate
    from suasion.persuasion.mining.matching import Pair


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
    matched: Sequence[Pair]
    """Before splitting and balancing."""
    pairs: Mapping[str, Sequence[Pair]]
    """By split, as written."""
    balanced: dict[str, dict[str, int]]
    premises: dict[str, int]


def write(out: Path, facts: Facts) -> dict[str, Estimate]:
    """Write the card, its JSON and its pictures into ``out``; return how often the longer reply wins at each stage."""
    longer_wins = length_baselines(facts.debates, facts.matched, facts.pairs)
    card = _as_json(facts, longer_wins)
    _draw(out / "plots", facts, longer_wins)
    write_text(out / "README.md", _readme(card, longer_wins))
    write_json(out / "datacard.json", card)
    return longer_wins


def length_baselines(debates: Sequence[Debate], matched: Sequence[Pair], pairs: Mapping[str, Sequence[Pair]]) -> dict[str, Estimate]:
    """How often the longer reply is the winner, with a debate-clustered interval.

    Returns:
        ``before``: a winner beside a random loser of its debate (the exact expectation, winner by winner); ``matched``: under the
        caliper; ``after``: the pairs as written, and ``train``, ``validation`` and ``test`` of them.
    """
    shares, clusters = [], []
    for debate in debates:
        lengths = [loser.words for loser in debate.losers]
        for winner in debate.winners if lengths else ():
            shares.append(float(credit([winner.words] * len(lengths), lengths).mean()))
            clusters.append(debate.id)
    written = [pair for split in SPLITS for pair in pairs[split]]
    stages = {"matched": matched, "after": written} | {split: pairs[split] for split in SPLITS}
    return {"before": clustered_share(shares, clusters)} | {name: _longer_wins(stage) for name, stage in stages.items()}


def _longer_wins(pairs: Sequence[Pair]) -> Estimate:
    values = credit([pair.winner.words for pair in pairs], [pair.loser.words for pair in pairs])
    return clustered_share(values, [pair.debate_id for pair in pairs])


def _as_json(facts: Facts, longer_wins: Mapping[str, Estimate]) -> dict[str, Any]:
    config = facts.config | {"opt_out": f"{len(facts.config['opt_out'])} names or ids"}  # who opted out must not be published
    return {
        "made_by": f"suasion {__version__}",
        "config": config,
        "seed": facts.seed,
        "mining": facts.mining,
        "steps": facts.steps,
        "cleaning": facts.touched,
        "splits": {split: _split(split, facts) for split in SPLITS},
        "longer_wins": {name: estimate.as_dict() for name, estimate in longer_wins.items()},
        "leaks": 0,
    }


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
        "balancing": facts.balanced[split],
    }


def _mean(values: Sequence[int]) -> float | None:
    return round(sum(values) / len(values), 1) if values else None


def _readme(card: Mapping[str, Any], longer_wins: Mapping[str, Estimate]) -> str:
    total = sum(card["splits"][split]["pairs"] for split in SPLITS)
    size = next(name for limit, name in ((1e3, "n<1K"), (1e4, "1K<n<10K"), (1e5, "10K<n<100K"), (math.inf, "100K<n<1M")) if total < limit)
    rows = [
        (name, *(_shown(entry[key]) for key in _SPLIT_COLUMNS), _shown(entry["mean_log_length_ratio"]["value"]), longer_wins[name])
        for name, entry in card["splits"].items()
    ]
    steps = [
        (step, entry["in"], entry["kept"], "; ".join(f"{n} {reason}" for reason, n in entry["dropped"].items()) or "–")
        for step, entry in card["steps"].items()
    ]
    stages = [(label, longer_wins[key]) for key, label in _STAGES]
    balancing = "; ".join(
        f"{name}: {entry['balancing']['rematched']} rematched, {entry['balancing']['dropped']} dropped"
        for name, entry in card["splits"].items()
    )
    files = "\n".join(f"  - split: {split}\n    path: {split}.parquet" for split in SPLITS)
    settings = [(key, value) for key, value in card["config"].items()]
    return _CARD.format(
        files=files,
        size=size,
        total=total,
        unit="a reply to the same post" if card["config"]["unit"] == "root" else "a comment in the same debate",
        splits=_table(
            ("split", "pairs", "debates", "premises", "words, winner", "words, loser", "mean ln(winner / loser)", "the longer reply wins"),
            rows,
        ),
        steps=_table(("step", "in", "kept", "dropped, and why"), steps),
        stages=_table(("stage", "the longer reply wins"), stages),
        cleaning=_table(("rule", "texts it changed"), list(card["cleaning"].items())),
        settings=_table(("setting", "value"), [*settings, ("seed", card["seed"])]),
        balancing=balancing,
        version=card["made_by"],
    )


def _shown(value: object) -> object:
    return "–" if value is None else f"{value:.3f}" if isinstance(value, float) else value


def _table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(str(cell).replace("|", "\\|") for cell in line) + " |" for line in lines)


def _draw(folder: Path, facts: Facts, longer_wins: Mapping[str, Estimate]) -> None:
    from suasion.runs import plots

    folder.mkdir(exist_ok=True)
    written = [pair for split in SPLITS for pair in facts.pairs[split]]
    any_loser = [math.log(winner.words / loser.words) for debate in facts.debates for winner in debate.winners for loser in debate.losers]
    nan = float("nan")  # counts have no interval
    path = {step: entry for step, entry in facts.steps.items() if step != "losers"}  # they are many, and no stage of a winner's way
    kept = {
        f"{step}: {entry['kept']} of {entry['in']}": Estimate(entry["kept"], nan, nan, entry["kept"], 0) for step, entry in path.items()
    }
    figures = {
        "funnel": plots.bars(list(kept), list(kept.values()), "Kept at each step"),
        "longer-wins": plots.bars(
            [label for _, label in _STAGES], [longer_wins[key] for key, _ in _STAGES], "How often the longer reply is the winner", 0.5
        ),
        "length-ratio": plots.histogram(
            {"any loser of the debate": any_loser, "pairs": [pair.log_ratio for pair in written]},
            "Length of winner against loser",
            "ln(winner words / loser words)",
            30,
        ),
        "words": plots.histogram(
            {"winners": [pair.winner.words for pair in written], "losers": [pair.loser.words for pair in written]},
            "Length of the replies in pairs",
            "words",
            30,
        ),
    }
    for name, figure in figures.items():
        plots.save(figure, folder / f"{name}.png")


_SPLIT_COLUMNS = ("pairs", "debates_with_pairs", "premises", "mean_winner_words", "mean_loser_words")
_STAGES = (("before", "winner and any loser of the debate"), ("matched", "matched on length"), ("after", "balanced, as written"))

_CARD = """---
pretty_name: Replies that changed a view, beside replies that did not
license: other
license_name: as-the-source
language:
- en
size_categories:
- {size}
tags:
- preference
- persuasion
- reward-modeling
- trl
configs:
- config_name: default
  data_files:
{files}
- config_name: premises
  data_files: premises.parquet
---

# Replies that changed a view, beside replies that did not

{total} pairs. In each, `chosen` earned an award (a "delta") in a debate and `rejected`, {unit} of about the same length, earned none
from anybody. `prompt` is the premise: the post's title and text. Made by {version}.

```python
from datasets import load_dataset
pairs = load_dataset("parquet", data_files={{"train": "train.parquet", "test": "test.parquet"}})
```

{splits}

`premises.parquet` holds every usable debate, awarded or not, each in one split, with its winning replies (`winners`, possibly none).

## Does length give the winner away?

{stages}

Intervals are 95 %, clustered by debate. A number near 0.5 means that counting words is of no help. Balancing cost: {balancing}.

![How often the longer reply is the winner](plots/longer-wins.png)
![Length of winner against loser](plots/length-ratio.png)
![Length of the replies in pairs](plots/words.png)

## From debates to pairs

Every step adds up: in = kept + dropped. Losers are sought in the debates that have a winner.

{steps}

![Kept at each step](plots/funnel.png)

## Cleaning

{cleaning}

## No leak between splits

No debate, no text or near-copy of one (word 5-grams), and no author of a reply stands in two splits; the finished files were checked
for it.

## What it does not show

An award says that one person's view moved, not that the reply was true or fair. Losers may be as good as winners and merely unread.
Matching takes away the help of length only; the time and order of replies, formatting, links and an author's standing are not balanced.

## Licence and people

The texts are their writers' and stand under the terms of their source; nothing here grants more. Names are left out; an author's hash
can be recognised by whoever knows the name. Honour requests to be left out (the setting `opt_out`).

## Responsible use

Meant for research on argument and on how far judges of persuasion can be trusted. Not for persuading people who do not know that
they read a machine, nor for targeting anybody.

## Settings

{settings}
"""
