"""A data card for a reader: the numbers of ``datacard.json`` as a Hugging Face dataset card."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from suasion.persuasion.mining.card.giveaways import FEWEST_DEBATES, GIVEAWAYS, GIVES_AWAY, UNKNOWN, Giveaway
from suasion.persuasion.mining.pairs.splits import SPLITS

_WAY = (
    *("debates", "awards", "winners", "losers", "winners matched", "pairs of the source"),
    *("debates within a split", "pairs within a split", "pairs balanced", "pairs with the bias"),
)
_SIZES = ((1e3, "n<1K"), (1e4, "1K<n<10K"), (1e5, "10K<n<100K"), (1e6, "100K<n<1M"), (math.inf, "1M<n<10M"))
_UNITS = {
    "root": "a reply to the same post",
    "comment": "an answer to the same post or comment",
    "path": "what another challenger wrote below the same post",
}


def readme(card: Mapping[str, Any], pictures: Mapping[str, str]) -> str:
    """The card as Markdown with a YAML head.

    Args:
        card: what ``datacard.json`` holds.
        pictures: name → title of those in ``plots/``.
    """
    from jinja2 import Environment, PackageLoader, StrictUndefined

    total = sum(card["splits"][split]["pairs"] for split in SPLITS)
    verdicts = [one["verdict"] for measured in card["giveaways"].values() for one in measured.values() if one["differ"]]
    environment = Environment(  # Markdown, not HTML
        loader=PackageLoader("suasion.persuasion.mining.card", ""),
        autoescape=False,  # noqa: S701
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    return environment.get_template("datacard.md.j2").render(
        card=card,
        pictures=pictures,
        splits=SPLITS,
        total=total,
        size=next(name for limit, name in _SIZES if total < limit),
        rival=_UNITS[card["unit"]],
        fours=sum(rules["longest"]["n"] for rules in card["best_of_four"].values()),  # `datasets` cannot load what has no rows
        singles=sum(entry["rows"] for entry in card["labelled"].values()),
        as_given=card["config"].get("matching") == "none",
        any_length=card["config"].get("matching") == "any",
        bias=card["config"].get("bias"),
        tables={name: _table(*table) for name, table in _tables(card).items()},
        in_text=list(_named(card["giveaways"], in_text=True)),
        elsewhere=list(_named(card["giveaways"], in_text=False)),
        not_known=[one.name for one in GIVEAWAYS if all(card["giveaways"][split][one.name]["verdict"] == UNKNOWN for split in SPLITS)],
        tried=len(verdicts) - verdicts.count(UNKNOWN),
        fewest=FEWEST_DEBATES,
        missed=verdicts.count(GIVES_AWAY),
    )


def _tables(card: Mapping[str, Any]) -> dict[str, tuple[Sequence[str], list[Sequence[object]]]]:
    cost = card["matching_cost"]
    kept_at = list(dict.fromkeys(stage for counts in cost.values() for stage in counts))
    settings: list[Sequence[object]] = [*_flat(card["config"]), ("seed", card["seed"])]
    return {
        "splits": (
            ("split", "pairs", "debates", "premises", "words, winner", "words, loser", "mean ln(winner / loser)", "the longer reply wins"),
            [
                (
                    *(split, entry["pairs"], entry["debates_with_pairs"], entry["premises"]),
                    *(entry["mean_winner_words"], entry["mean_loser_words"], told(entry["mean_log_length_ratio"])),
                    told(card["longer_wins"][split]),
                )
                for split, entry in card["splits"].items()
            ],
        ),
        "stages": (("stage", "the longer reply wins"), [(label, told(card["longer_wins"][key])) for key, label in stages(card["config"])]),
        "length_auc": (
            ("chance that any winner is longer than any loser (AUC)", *SPLITS),
            [(f"in {kind}", *(told(card["length_auc"][split][kind]) for split in SPLITS)) for kind in ("words", "tokens")],
        ),
        "matching_cost": (("pairs", *kept_at), [(way, *(counts.get(stage) for stage in kept_at)) for way, counts in cost.items()]),
        "giveaways": (
            ("", "what is counted", *SPLITS),
            [(one.name, one.told, *(_marked(card["giveaways"][split][one.name]) for split in SPLITS)) for one in GIVEAWAYS],
        ),
        "best_of_four": (
            ("split", "rows", "the longest is the winner", "the shortest is the winner"),
            [
                (split, rules["longest"]["n"], told(rules["longest"]), told(rules["shortest"]))
                for split, rules in card["best_of_four"].items()
            ],
        ),
        "labelled": (
            ("split", "rows", "with an award", "mean words, with", "mean words, without"),
            [(split, *entry.values()) for split, entry in card["labelled"].items()],
        ),
        "steps": (
            ("step", "in", "kept", "dropped, and why"),
            [
                (step, entry["in"], entry["kept"], "; ".join(f"{n} × {reason}" for reason, n in entry["dropped"].items()) or None)
                for step, entry in ((step, card["steps"][step]) for step in in_order(card["steps"]))
            ],
        ),
        "cleaning": (("rule", "texts it changed"), list(card["cleaning"].items())),
        "settings": (("setting", "value"), settings),
    }


def _table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    lines = [head, ["---"] * len(head), *([_cell(value) for value in row] for row in rows)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _cell(value: object) -> str:
    text = "–" if value is None else f"{value:.4g}" if isinstance(value, float) else str(value)
    return " ".join(text.replace("|", "\\|").split())


def _marked(found: Mapping[str, Any]) -> str:
    few = " (too few)" if found["verdict"] == UNKNOWN and found["n"] else ""
    return f"**{told(found)}**" if found["verdict"] == GIVES_AWAY else told(found) + few


def stages(config: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """Stages on the way to the pairs, as ``longer_wins`` names them, and what a reader is told of each."""
    if config.get("matching") == "none":
        return ("before", "winner and any loser of the debate"), ("after", "the source's pairs, as written")
    if config.get("matching") == "any":
        return ("before", "winner and any loser of the debate"), ("after", "one such loser each, as written")
    return ("before", "winner and any loser of the debate"), ("matched", "matched on length"), ("after", "balanced, as written")


def in_order(steps: Mapping[str, Any]) -> list[str]:
    """Names of steps in the order of a reply's way; a step that is not known comes last."""
    return sorted(steps, key=lambda step: _WAY.index(step) if step in _WAY else len(_WAY))


def told(estimate: Mapping[str, Any] | None, percent: bool = False) -> str:
    """An estimate of the card as a reader wants it: ``0.512 [0.480, 0.544]``, or in percent; a dash where nothing is known."""
    if not estimate or estimate["value"] is None:
        return "–"
    ends = [estimate[key] for key in ("low", "high")]
    if percent:
        return f"{100 * estimate['value']:.1f} % [{', '.join(f'{100 * end:.1f}' for end in ends)}]"
    if None in ends:
        return f"{estimate['value']:.3f} [unknown]"
    return f"{estimate['value']:.3f} [{ends[0]:.3f}, {ends[1]:.3f}]"


def _named(found: Mapping[str, Mapping[str, Mapping[str, Any]]], in_text: bool) -> Iterator[str]:
    """One sentence for each giveaway that tells the winner in some split."""
    for one in GIVEAWAYS:
        splits = [split for split in SPLITS if found[split][one.name]["verdict"] == GIVES_AWAY]
        if one.in_text is in_text and splits:
            parts = [_sentence(one, split, found[split][one.name]) for split in splits]
            yield f"**{one.name[0].upper()}{one.name[1:]}** ({one.told}): {'; '.join(parts)}."


def _sentence(one: Giveaway, split: str, estimate: Mapping[str, Any]) -> str:
    """With the side that has more of it: "in train the winner came later in 31 %" is hard to read."""
    if estimate["value"] >= 0.5:
        return f"in {split} the winner {one.more} in {told(estimate, percent=True)} of the pairs"
    other_way = {"value": 1 - estimate["value"], "low": 1 - estimate["high"], "high": 1 - estimate["low"]}
    return f"in {split} the loser {one.more} in {told(other_way, percent=True)} of the pairs"


def _flat(config: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in config.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{above}{key}.")
        else:
            yield f"{above}{key}", value
