"""Claim: what judges that understand nothing reach on real pairs, the length of a reply included; any judge has to beat that.

Prints the accuracy of every baseline on pairs it was not fitted on, over all of them and over those about equally long (the shorter has at
least 85 % of the longer's words), with 95 % intervals clustered by topic ("debates" are topics here). Rivals, published on UKPConvArg1 with
one of 32 sides held out: SVM .78, BiLSTM .76 (Habernal & Gurevych 2016), character length .77 (Gleize et al. 2019).

    python benchmarks/baselines.py [--data ../shared/data] [SET ...]

Sets: ``cmv`` (length-matched pairs out of ``cmv/text-pairs``, fitted on train, measured on test; the only one that is small enough for
``sentences`` in minutes), ``cmv-unmatched`` (all its pairs as they stand, one tenth of the titles held out at a time), ``ukp-sides`` and
``ukp-topics`` (UKPConvArg1 with one of 32 sides, or of 16 topics, held out at a time).
"""

from __future__ import annotations

import argparse
import tempfile
import zlib
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from suasion.models.base import BaseConfig, resolve_base
from suasion.models.embedding import Embedder
from suasion.models.rendering import Renderer, RenderingConfig
from suasion.persuasion.dataset import Pair, load_pairs
from suasion.persuasion.judging.audit.scored import score_pairs
from suasion.persuasion.judging.audit.transfer import leave_one_out, topic_of, transfer_pairs
from suasion.persuasion.judging.baselines.fit import fit
from suasion.persuasion.judging.baselines.sentences import Embed
from suasion.persuasion.judging.judge import word_count
from suasion.persuasion.mining.pairs.pairs import make_pairs
from suasion.persuasion.mining.pairs.settings import PairsConfig
from suasion.persuasion.stages.pairs import token_counter
from suasion.statistics import clustered_share

SETS = ("cmv", "cmv-unmatched", "ukp-sides", "ukp-topics")
SEED, TENTHS, WITHIN = 0, 10, 0.15
Split = tuple[list[Pair], list[Pair]]


def main() -> None:
    """Measure the sets that are asked for, all by default."""
    parser = argparse.ArgumentParser()
    parser.add_argument("sets", nargs="*", choices=[*SETS, []], default=[])  # argparse holds the default against the choices too
    parser.add_argument("--data", type=Path, default=Path(__file__).resolve().parents[2] / "shared" / "data")
    given = parser.parse_args()
    if not given.data.is_dir():
        print(f"The data are not here: {given.data}")
        return
    for name in given.sets or SETS:
        print(f"{name}: right [95 % interval] of all pairs | of those about equally long")
        report(*measured(name, given.data))


def measured(name: str, data: Path) -> tuple[list[Pair], dict[str, list[float]]]:
    """The held-out pairs of a set, and by baseline 1, 0.5 or 0 for each of them."""
    embed = embedding() if name == "cmv" else None
    pairs: list[Pair] = []
    credits: dict[str, list[float]] = {}
    for train, test in splits(name, data):
        pairs += test
        for baseline, judge in fit(train, SEED, embed).items():
            credits.setdefault(baseline, []).extend(score_pairs(judge, test).correct.tolist())
    return pairs, credits


def splits(name: str, data: Path) -> Iterable[Split]:
    """What is fitted on and what is measured on, in turn."""
    if name == "cmv":
        with tempfile.TemporaryDirectory() as folder:
            counter = token_counter(resolve_base(BaseConfig()).tokenizer)
            make_pairs(data / "cmv" / "text-pairs" / "train.jsonl", Path(folder), PairsConfig(), SEED, counter)
            return [(load_pairs(Path(folder), "train"), load_pairs(Path(folder), "test"))]
    if name == "cmv-unmatched":
        stated = transfer_pairs(data / "cmv" / "text-pairs")
        return [split[1:] for split in leave_one_out(stated, lambda pair: str(zlib.crc32(topic_of(pair).encode()) % TENTHS))]
    return [
        split[1:]
        for split in leave_one_out(transfer_pairs(data / "ukpconvarg"), topic_of if name == "ukp-topics" else lambda pair: pair.debate_id)
    ]


def embedding() -> Embed:
    """The embedded base's, each text read once."""
    base = resolve_base(BaseConfig())
    embedder = Embedder(base, Renderer(base.tokenizer, RenderingConfig()))
    known: dict[str, np.ndarray] = {}

    def embed(texts: Sequence[str]) -> np.ndarray:
        new = list(dict.fromkeys(text for text in texts if text not in known))
        known.update(zip(new, embedder(new), strict=True))
        return np.stack([known[text] for text in texts])

    return embed


def report(pairs: Sequence[Pair], credits: dict[str, list[float]]) -> None:
    """A line a baseline."""
    topics = [topic_of(pair) for pair in pairs]
    lengths = [sorted((word_count(pair.winner), word_count(pair.loser))) for pair in pairs]
    equal = [row for row, (shorter, longer) in enumerate(lengths) if shorter >= (1 - WITHIN) * longer]
    for name, values in credits.items():
        everywhere = clustered_share(values, topics)
        alike = clustered_share([values[row] for row in equal], [topics[row] for row in equal])
        print(f"  {name:10} {everywhere} | {alike}")


if __name__ == "__main__":
    main()
