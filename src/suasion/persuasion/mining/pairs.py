"""Mined debates into pairs, premises and their data card: candidates → matching → splits → balance → files."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from suasion.errors import SuasionError
from suasion.files import read_json
from suasion.persuasion.mining import datacard
from suasion.persuasion.mining.candidates import Debate, Funnel, PairsConfig, Reply, find_candidates, read_debates
from suasion.persuasion.mining.matching import Pair, balance, fits, match
from suasion.persuasion.mining.splits import SPLITS, deal, find_leaks, group, homes, near_duplicates
from suasion.persuasion.mining.tables import write_pairs, write_premises
from suasion.progress import Progress, track
from suasion.statistics import Estimate

__all__ = ["PairsConfig", "PairsResult", "make_pairs"]

RowsT = TypeVar("RowsT")
_DEALINGS = 20  # groups are dealt this often; the dealing that loses least to shared authors is taken


@dataclass(frozen=True)
class PairsResult:
    """What was made, for the caller's table; the data card holds the rest."""

    pairs: dict[str, int]
    """By split."""
    premises: dict[str, int]
    """By split; awarded or not."""
    steps: dict[str, dict[str, Any]]
    longer_wins: dict[str, Estimate]
    """How often the longer reply is the winner: ``before`` (any loser of the debate), ``matched``, ``after`` (balanced)."""


@dataclass(frozen=True)
class _Dealt:
    """One dealing of debates into splits, without what crosses by author."""

    split_of: dict[str, str]
    home_of: dict[str, str]
    pairs: dict[str, list[Pair]]

    def may_enter(self, reply: Reply, split: str) -> bool:
        """The reply's author stands on no other side."""
        return reply.author is None or self.home_of.get(reply.author, split) == split


def make_pairs(mined: Path, out: Path, config: PairsConfig, seed: int) -> PairsResult:
    """Write ``train|validation|test.parquet``, ``premises.parquet``, ``datacard.json``, ``README.md`` and ``plots/`` into ``out``.

    Args:
        mined: a folder that ``mine`` wrote.
        out: an existing folder.
        config: the rules.
        seed: of dealing and balancing; the same seed gives the same files.

    Raises:
        SuasionError: the tables are not there, no award is known, a step leaves nothing, or a split with a share stays empty.
    """
    funnel, touched = Funnel(), Counter[str]()
    with track("finding candidates", None, unit="debates") as progress:
        debates = find_candidates(_counted(read_debates(mined, funnel), progress), config, funnel, touched)
    _need_winners(debates, funnel, mined)
    by_id = {debate.id: debate for debate in debates}
    matched = _matched(debates, config, funnel)
    if not matched:
        raise SuasionError(f"No pair is left: {_where_lost(funnel, 'winners matched')}.", where=mined, hint=_loosen(config))
    dealt = _best_dealing(debates, matched, config, seed)
    crossing = len(matched) - sum(map(len, dealt.pairs.values()))
    funnel.keep("pairs within a split", len(matched) - crossing)
    funnel.drop("pairs within a split", "an author of a reply stands in another split", crossing)
    balanced = {split: balance(dealt.pairs[split], _spare(split, dealt, matched, by_id), config.length_caliper, seed) for split in SPLITS}
    for split in SPLITS:
        funnel.keep("pairs balanced", len(balanced[split].pairs))
        funnel.drop("pairs balanced", f"so that length says nothing in {split}", balanced[split].dropped)
    pairs = {split: list(balanced[split].pairs) for split in SPLITS}
    _need_every_split(pairs, config, mined)

    premises = [
        (debate, dealt.split_of[debate.id], [one for one in debate.winners if dealt.may_enter(one, dealt.split_of[debate.id])])
        for debate in debates
    ]
    for split in SPLITS:
        write_pairs(out / f"{split}.parquet", pairs[split], {pair.debate_id: by_id[pair.debate_id].premise for pair in pairs[split]})
    write_premises(out / "premises.parquet", premises)
    if leaks := find_leaks(out, config.near_duplicate):
        for name in (*SPLITS, "premises"):
            (out / f"{name}.parquet").unlink()
        raise SuasionError(
            f"{len(leaks)} leaks between the splits, the first: {leaks[0]}. Nothing was kept.",
            where=out,
            hint="This is a fault of suasion; please report it.",
        )
    counts = mined / "counts.json"
    facts = datacard.Facts(
        config=config.model_dump(mode="json"),
        seed=seed,
        mining=read_json(counts) if counts.is_file() else None,
        steps=funnel.as_dict(),
        touched=dict(sorted(touched.items())),
        debates=debates,
        matched=matched,
        pairs=pairs,
        balanced={split: {"rematched": balanced[split].rematched, "dropped": balanced[split].dropped} for split in SPLITS},
        premises=dict(Counter(split for _, split, _ in premises)),
    )
    longer_wins = datacard.write(out, facts)
    sizes = {split: len(pairs[split]) for split in SPLITS}
    return PairsResult(sizes, {split: facts.premises.get(split, 0) for split in SPLITS}, facts.steps, longer_wins)


def _counted(rows: Iterable[RowsT], progress: Progress) -> Iterator[RowsT]:
    for one in rows:
        progress.advance()
        yield one


def _matched(debates: Sequence[Debate], config: PairsConfig, funnel: Funnel) -> list[Pair]:
    pairs: list[Pair] = []
    for debate in debates:
        made = match(debate, config.length_caliper, config.max_pairs_per_winner)
        pairs += made
        done = {pair.winner.id for pair in made}
        for winner in debate.winners:
            if winner.id in done:
                funnel.keep("winners matched")
            elif not debate.losers:
                funnel.drop("winners matched", "the debate has no possible loser")
            elif not any(fits(winner, loser, config.length_caliper) for loser in debate.losers):
                funnel.drop("winners matched", "no loser of about its length")
            else:
                funnel.drop("winners matched", "its losers are taken by other winners")
    return pairs


def _best_dealing(debates: Sequence[Debate], matched: Sequence[Pair], config: PairsConfig, seed: int) -> _Dealt:
    """Of several dealings, the one with the fewest empty splits, then the fewest pairs lost to shared authors."""
    shares = {"train": 1 - config.validation - config.test, "validation": config.validation, "test": config.test}
    used: dict[str, set[str]] = defaultdict(set)
    for debate in debates:
        for reply in debate.winners:
            used[reply.author or ""].add(debate.id)
    for pair in matched:
        used[pair.loser.author or ""].add(pair.debate_id)
    used.pop("", None)  # deleted accounts are not one person
    groups = group([debate.id for debate in debates], _copies(debates, config), used)
    weights = Counter(pair.debate_id for pair in matched)
    generator = random.Random(seed)
    dealings = [_settled(deal(groups, weights, shares, generator.getrandbits(64)), debates, matched) for _ in range(_DEALINGS)]
    return max(dealings, key=lambda dealt: (sum(map(bool, dealt.pairs.values())), sum(map(len, dealt.pairs.values()))))


def _copies(debates: Sequence[Debate], config: PairsConfig) -> list[tuple[str, str]]:
    """Pairs of debates that share a text or near-copy among premises, winners, and losers that a pair could take in."""
    texts: dict[str, str] = {}
    for debate in debates:
        losers = [loser for loser in debate.losers if any(fits(winner, loser, config.length_caliper) for winner in debate.winners)]
        texts[f"{debate.id} post"] = debate.premise
        texts |= {f"{debate.id} {reply.id}": reply.text for reply in (*debate.winners, *losers)}
    links = ((one.split()[0], other.split()[0]) for one, other in near_duplicates(texts, config.near_duplicate))
    return [(one, other) for one, other in links if one != other]


def _settled(split_of: dict[str, str], debates: Sequence[Debate], matched: Sequence[Pair]) -> _Dealt:
    uses: dict[str, Counter[str]] = defaultdict(Counter)
    for debate in debates:
        for reply in debate.winners:
            uses[reply.author or ""][split_of[debate.id]] += 0
    for pair in matched:
        for reply in (pair.winner, pair.loser):
            uses[reply.author or ""][split_of[pair.debate_id]] += 1
    uses.pop("", None)
    dealt = _Dealt(split_of, homes(uses), {split: [] for split in SPLITS})
    for pair in matched:
        split = split_of[pair.debate_id]
        if dealt.may_enter(pair.winner, split) and dealt.may_enter(pair.loser, split):
            dealt.pairs[split].append(pair)
    return dealt


def _spare(split: str, dealt: _Dealt, matched: Sequence[Pair], by_id: Mapping[str, Debate]) -> dict[str, Collection[Reply]]:
    """By debate, the losers that no pair uses and that may enter ``split``: their authors then live there."""
    used = {pair.loser.id for pair in matched}
    spare: dict[str, Collection[Reply]] = {}
    for debate_id in sorted({pair.debate_id for pair in dealt.pairs[split]}):
        free = [loser for loser in by_id[debate_id].losers if loser.id not in used and dealt.may_enter(loser, split)]
        for loser in free:
            if loser.author is not None:
                dealt.home_of.setdefault(loser.author, split)
        spare[debate_id] = free
    return spare


def _need_winners(debates: Sequence[Debate], funnel: Funnel, mined: Path) -> None:
    awards = funnel.steps.get("awards", Counter())
    if not debates:
        raise SuasionError(f"No debate is usable: {_where_lost(funnel, 'debates')}.", where=mined)
    if awards.total() == 0:
        raise SuasionError(
            "No award was found in these debates, so nobody is known to have won.", where=mined, hint="Mine a source with delta awards."
        )
    if awards[""] == 0:
        raise SuasionError(
            f"No award counts: {_where_lost(funnel, 'awards')}.", where=mined, hint="by=anyone also takes awards by others than the author."
        )
    if not any(debate.winners for debate in debates):
        hint = "Loosen min_words or max_words, or set unit=comment to take replies of any depth."
        raise SuasionError(f"No winner is left: {_where_lost(funnel, 'winners')}.", where=mined, hint=hint)


def _need_every_split(pairs: Mapping[str, Sequence[Pair]], config: PairsConfig, mined: Path) -> None:
    total = sum(map(len, pairs.values()))
    for split, share in (("train", 1.0), ("validation", config.validation), ("test", config.test)):
        if share > 0 and not pairs[split]:
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
