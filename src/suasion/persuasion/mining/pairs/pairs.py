"""Mined debates, or a ready table of pairs, into pairs with their data card: candidates → matching → splits → balance → files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from suasion.errors import SuasionError
from suasion.persuasion.mining.card import datacard
from suasion.persuasion.mining.pairs.balance import Balanced, balance
from suasion.persuasion.mining.pairs.choices import Four, Single, best_of_four, labelled
from suasion.persuasion.mining.pairs.dealing import Dealt, deal_out
from suasion.persuasion.mining.pairs.leaks import find_leaks
from suasion.persuasion.mining.pairs.length_bias import plant
from suasion.persuasion.mining.pairs.matching import Pair
from suasion.persuasion.mining.pairs.origin import Origin
from suasion.persuasion.mining.pairs.pool import Pool, gather
from suasion.persuasion.mining.pairs.replies import CountTokens, Debate, Funnel, Reply
from suasion.persuasion.mining.pairs.settings import PairsConfig
from suasion.persuasion.mining.pairs.splits import SPLITS
from suasion.persuasion.mining.pairs.tables import write_fours, write_labelled, write_pairs, write_premises
from suasion.progress import say
from suasion.statistics import Estimate

TABLES = (*(f"{split}.parquet" for split in SPLITS), "premises.parquet", "best-of-four.parquet", "labelled.parquet")


@dataclass(frozen=True)
class PairsResult:
    """What was made, for the caller's table; the data card holds the rest."""

    pairs: dict[str, int]
    """By split."""
    premises: dict[str, int]
    """By split; awarded or not."""
    steps: dict[str, dict[str, Any]]
    longer_wins: dict[str, Estimate]
    """How often the longer reply is the winner: ``before`` (any loser of the debate), ``matched``, ``after`` (balanced), and by split."""
    matching_cost: dict[str, dict[str, int]]
    """By way of matching: pairs ``matched``, ``within splits``, ``balanced``."""
    leaks: list[str]
    """Only ever of a source whose own pairs and splits were kept as they stand."""


@dataclass(frozen=True)
class _Made:
    """What the files are written from."""

    pairs: dict[str, list[Pair]]
    balanced: dict[str, Balanced]
    fours: dict[str, list[Four]]
    singles: dict[str, list[Single]]
    premises: list[tuple[Debate, str, list[Reply]]]


def make_pairs(mined: Path | str, out: Path, config: PairsConfig, seed: int, count_tokens: CountTokens | None = None) -> PairsResult:
    """Write the pairs' tables, ``premises.parquet``, ``best-of-four.parquet``, ``labelled.parquet``, the card and its plots into ``out``.

    ``datacard.json`` comes last: a folder without it is not finished. The same seed gives the same files.

    Args:
        mined: a folder that ``mine`` wrote, or a ready table of pairs: a file, a folder, or the id of a data set.
        out: an existing folder.
        config: the rules.
        seed: of dealing and balancing.
        count_tokens: of the locked base; ``None``: lengths are words.

    Raises:
        SuasionError: the tables are not there, no award is known, a step leaves nothing, or a split with a share stays empty.
    """
    funnel, touched = Funnel(), Counter[str]()
    origin = Origin(mined, config, funnel, touched)
    pool = gather(origin.debates(count_tokens), config, funnel, seed)
    _need_winners(pool.debates, funnel, origin)
    if not pool.matched["optimal"]:
        step = "pairs of the source" if config.matching == "none" else "winners matched"
        raise SuasionError(f"No pair is left: {_where_lost(funnel, step)}.", where=mined, hint=_loosen(config))
    dealt = deal_out(pool.debates, pool.matched["optimal"], config, seed, pool.would_match if config.matching == "any" else None)
    made = _made(pool, dealt, config, seed, funnel, count_tokens)
    if config.matching != "none":
        _need_every_split(made.pairs, config, dealt, mined)
    _write(out, made, {debate.id: debate.premise for debate in pool.debates}, origin)
    leaks = find_leaks(out, config.near_duplicate)
    if leaks and dealt.strict:
        for name in TABLES:
            (out / name).unlink()
        raise SuasionError(
            f"{len(leaks)} leaks between the splits, the first: {leaks[0]}. Nothing was kept.",
            where=out,
            hint="This is a fault of suasion; please report it.",
        )
    if leaks:
        say(f"WARNING: the source's own splits leak ({len(leaks)} times), the first: {leaks[0]}. `suasion pairs verify` lists all.")
    cost = _matching_cost(pool, dealt, made, config, seed)
    facts = datacard.Facts(
        config=config.model_dump(mode="json"),
        seed=seed,
        mining=origin.counts(),
        steps=funnel.as_dict(),
        touched=dict(sorted(touched.items())),
        debates=pool.debates,
        matched=pool.matched["optimal"],
        pairs=made.pairs,
        balanced={split: {"rematched": one.rematched, "dropped": one.dropped} for split, one in made.balanced.items()},
        premises=dict(Counter(split for _, split, _ in made.premises)),
        unit=config.unit,
        matching_cost=cost,
        extra={
            "best-of-four": {split: len(rows) for split, rows in made.fours.items()},
            "labelled": {split: len(rows) for split, rows in made.singles.items()},
        },
        any_loser=pool.any_loser,
    )
    longer_wins = datacard.write(out, facts)
    sizes = {split: len(made.pairs[split]) for split in SPLITS}
    premises = {split: facts.premises.get(split, 0) for split in SPLITS}
    return PairsResult(sizes, premises, facts.steps, longer_wins, cost, leaks)


def _made(pool: Pool, dealt: Dealt, config: PairsConfig, seed: int, funnel: Funnel, count_tokens: CountTokens | None) -> _Made:
    """Balance every split and draw the two further tables; ``funnel`` counts what is lost. A bias is put into the pairs alone."""
    if dealt.gone:
        funnel.keep("debates within a split", len(dealt.split_of))
        funnel.drop("debates within a split", "a text of theirs has a copy on a later side", len(dealt.gone))
    funnel.keep("pairs within a split", sum(map(len, dealt.pairs.values())))
    for reason, number in dealt.lost.items():
        funnel.drop("pairs within a split", reason, number)
    admitted = dealt.admit(pool.debates)
    balanced = _balanced(dealt.pairs, admitted, pool, config, seed)
    for split in SPLITS:
        funnel.keep("pairs balanced", len(balanced[split].pairs))
        funnel.drop("pairs balanced", f"so that length says nothing in {split}", balanced[split].dropped)
    premises = [
        (debate, dealt.split_of[debate.id], [one for one in debate.winners if dealt.may_enter(one, dealt.split_of[debate.id])])
        for debate in pool.debates
        if debate.id in dealt.split_of
    ]
    caliper, nameless = config.length_caliper, pool.nameless
    fours = {
        split: best_of_four({debate.id: won for debate, side, won in premises if side == split}, admitted, caliper, seed, nameless)
        for split in SPLITS
    }
    singles = {split: labelled(balanced[split].pairs, caliper, seed, nameless) for split in SPLITS}
    pairs = {split: list(balanced[split].pairs) for split in SPLITS}
    return _Made(_biased(pairs, config, seed, funnel, count_tokens), balanced, fours, singles, premises)


def _biased(
    pairs: dict[str, list[Pair]], config: PairsConfig, seed: int, funnel: Funnel, count_tokens: CountTokens | None
) -> dict[str, list[Pair]]:
    if config.bias is None:
        return pairs
    planted = {split: plant(pairs[split], config.bias, seed, count_tokens) for split in SPLITS}
    for biased in planted.values():
        funnel.keep("pairs with the bias", len(biased.pairs))
        for reason, number in biased.dropped.items():
            funnel.drop("pairs with the bias", reason, number)
    return {split: list(planted[split].pairs) for split in SPLITS}


def _balanced(
    pairs: Mapping[str, Sequence[Pair]], admitted: Mapping[str, Sequence[Reply]], pool: Pool, config: PairsConfig, seed: int
) -> dict[str, Balanced]:
    if config.matching != "optimal":
        return {split: Balanced(tuple(sorted(pairs[split], key=lambda pair: pair.key)), 0, 0) for split in SPLITS}
    used = {pair.key[::2] for split in SPLITS for pair in pairs[split]}
    unused = {debate: [one for one in losers if (debate, one.id) not in used] for debate, losers in admitted.items()}
    return {split: balance(pairs[split], unused, config.length_caliper, seed, pool.nameless) for split in SPLITS}


def _matching_cost(pool: Pool, dealt: Dealt, made: _Made, config: PairsConfig, seed: int) -> dict[str, dict[str, int]]:
    """What other ways of matching would have kept, in the same splits and balanced by the same rules."""
    if config.matching != "optimal":
        return {}
    cost = {}
    admitted = dealt.admit(pool.debates)
    for way, matched in pool.matched.items():
        kept = dealt.pairs if way == "optimal" else dealt.settled(matched)[0]
        balanced = made.balanced if way == "optimal" else _balanced(kept, admitted, pool, config, seed)
        cost[way] = {
            "matched": len(matched),
            "within splits": sum(len(pairs) for pairs in kept.values()),
            "balanced": sum(len(one.pairs) for one in balanced.values()),
        }
    return cost | {"uncalipered": {"matched": pool.any_length}}


def _write(out: Path, made: _Made, premises: Mapping[str, str], origin: Origin) -> None:
    with suppress(FileNotFoundError):
        (out / "datacard.json").unlink()  # of an earlier attempt: while the tables change, nothing may vouch for them
    for split in SPLITS:
        write_pairs(out / f"{split}.parquet", made.pairs[split], premises, origin.post_authors)
    write_premises(out / "premises.parquet", made.premises)
    write_fours(out / "best-of-four.parquet", made.fours, premises)
    write_labelled(out / "labelled.parquet", made.singles, premises)


def _need_winners(debates: Sequence[Debate], funnel: Funnel, origin: Origin) -> None:
    awards = funnel.steps.get("awards", Counter())
    if not debates:
        raise SuasionError(
            f"No debate is usable: {_where_lost(funnel, 'pairs of the source' if origin.ready else 'debates')}.", where=origin.place
        )
    if not origin.ready and awards.total() == 0:
        raise SuasionError(
            "No award was found in these debates, so nobody is known to have won.",
            where=origin.place,
            hint="Mine a source with delta awards.",
        )
    if not origin.ready and awards[""] == 0:
        hint = "by=anyone also takes awards by others than the author."
        raise SuasionError(f"No award counts: {_where_lost(funnel, 'awards')}.", where=origin.place, hint=hint)
    if not any(debate.winners for debate in debates):
        hint = "Loosen min_words or max_words, or set unit=comment to take replies of any depth."
        raise SuasionError(f"No winner is left: {_where_lost(funnel, 'winners')}.", where=origin.place, hint=hint)


def _need_every_split(pairs: Mapping[str, Sequence[Pair]], config: PairsConfig, dealt: Dealt, mined: Path | str) -> None:
    total = sum(map(len, pairs.values()))
    for split, share in (("train", 1.0), ("validation", config.validation), ("test", config.test)):
        if share > 0 and not pairs[split] and split in dealt.wanted:
            hint = f"Set {split}=0 to do without it, or keep more pairs: {_loosen(config)}" if split != "train" else _loosen(config)
            raise SuasionError(
                f"The split {split} is empty: {total} pairs are too few or too entangled to fill every split.", where=mined, hint=hint
            )


def _where_lost(funnel: Funnel, step: str) -> str:
    dropped = funnel.as_dict().get(step, {}).get("dropped", {})
    reasons = ", ".join(f"{n} × {reason}" for reason, n in dropped.items()) or "none went in"
    return f"the last went at the step '{step}' ({reasons})"


def _loosen(config: PairsConfig) -> str:
    ways = [f"raise length_caliper (now {config.length_caliper:g})", f"lower min_words (now {config.min_words})"]
    if config.unit == "root":
        ways.append("set unit=comment")
    if config.by == "author":
        ways.append("set by=anyone")
    return "; or ".join(ways) + "."
