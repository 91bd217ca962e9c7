"""Claim: of judges trained for the same steps on pairs in which the winner is mostly longer, a length-free one is right more often where
the loser is longer, and its scores follow length less.

Rival: the plain reward model, on the same base, pairs and seeds in the same run. Without ``--pairs`` the pairs are made here: a reply that
gives a reason wins over one that evades (in three pairs of four; the rest are coin tosses), and the winner is longer in 85 of 100 training
pairs, in half of the test pairs.

    python benchmarks/length_free.py
    python benchmarks/length_free.py --pairs ../shared/data/ukpconvarg --steps 150 --seeds 2      real pairs; debates held out
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from suasion.models.base import BaseConfig, resolve_base
from suasion.models.lora import LoraConfig
from suasion.models.rendering import Renderer, RenderingConfig
from suasion.persuasion.dataset import Pair
from suasion.persuasion.judging.audit.scored import centred, score_pairs
from suasion.persuasion.judging.audit.transfer import transfer_pairs
from suasion.persuasion.judging.judge import Judge, word_count
from suasion.persuasion.judging.kinds import JudgeConfig
from suasion.persuasion.judging.learn import Ground, learn_reward
from suasion.persuasion.judging.load import load_judge
from suasion.runs.run import Run
from suasion.statistics import Estimate, clustered_share, clustered_statistic, rank_correlation

METHODS = ("off", "odin", "rrm")
TOPICS = ("tea", "school uniforms", "night trains", "paper books", "city cars", "home cooking", "team sports", "short films")
REASONS = ("because it costs less", "since people stay healthy", "because children learn from it", "since it saves time for everyone")
EVASIONS = ("because I say so", "since nobody ever knows", "because that is how it is", "since it is what it is")
FILLER = ("I have thought about this for a while.", "There are many sides to it.", "People talk about it often.", "It comes up every year.")


def main() -> None:
    """Train each method from each seed and print what it learned."""
    options = _options()
    train, test = _split(transfer_pairs(options.pairs)) if options.pairs else (_made(480, 0.85, 1), _made(options.test, 0.5, 2))
    train, test = _some(train, options.train), _some(test, options.test)
    base = resolve_base(BaseConfig(model=options.model))
    renderer = Renderer(base.tokenizer, RenderingConfig(prompt_tokens=96, reply_tokens=160, total_tokens=288))
    longer = np.mean([word_count(pair.winner) > word_count(pair.loser) for pair in train])
    debates = len({pair.debate_id for pair in test})
    print(f"{len(train)} training pairs (winner longer in {longer:.0%}), {len(test)} test pairs from {debates} debates")
    print(f"{options.steps} steps of {options.batch} pairs, {options.seeds} seed(s), base {options.model}")
    found = {method: [] for method in METHODS}
    for seed in range(options.seeds):
        for method in METHODS:
            config = JudgeConfig(
                length_free=method,
                max_steps=options.steps,
                batch_size=options.batch,
                learning_rate=options.learning_rate,
                checkpoint_every=0,
            )
            started = time.perf_counter()
            with tempfile.TemporaryDirectory() as root, Run.start(Path(root), "Judge", config=config) as run:
                learn_reward(run, train, Ground(base, renderer, LoraConfig()), config, seed)
                figures = _figures(load_judge(run.path, base, renderer), test, seed)
            found[method].append(figures)
            told = ", ".join(f"{name} {one.value:.3f} [{one.low:.3f}, {one.high:.3f}]" for name, one in figures.items())
            print(f"seed {seed} {_name(method):5} {time.perf_counter() - started:4.0f} s: {told}", flush=True)
    for name in found["off"][0]:
        means = {method: float(np.mean([figures[name].value for figures in found[method]])) for method in METHODS}
        print(f"{name}: " + ", ".join(f"{_name(method)} {mean:.3f} ({mean - means['off']:+.3f})" for method, mean in means.items()))


def _figures(judge: Judge, test: Sequence[Pair], seed: int) -> dict[str, Estimate]:
    """Accuracy, accuracy by which side is longer, and rank correlation of score and words within a debate; with 95 % intervals."""
    scored = score_pairs(judge, test)
    ahead = np.array([word_count(pair.winner) - word_count(pair.loser) for pair in test])
    parts = {"accuracy": ahead == ahead, "loser longer": ahead < 0, "winner longer": ahead > 0}
    figures = {}
    for name, rows in parts.items():
        figures[name] = clustered_share(scored.correct[rows], [debate for debate, taken in zip(scored.debates, rows, strict=True) if taken])
    debates, texts, scores = scored.replies()
    words = centred(np.asarray([word_count(text) for _, text in texts], dtype=np.float64), debates)
    height = centred(scores, debates)
    figures["length correlation"] = clustered_statistic(lambda rows: rank_correlation(height[rows], words[rows]), debates, seed=seed)
    return figures


def _made(number: int, longer: float, seed: int) -> list[Pair]:
    """Pairs whose winner gives a reason, mostly, and is longer in a share ``longer`` of them."""
    draw = random.Random(seed)
    pairs = []
    for index in range(number):
        topic = draw.choice(TOPICS)
        core = [f"You should try {topic} {draw.choice(phrases)}." for phrases in (REASONS, EVASIONS)]
        if draw.random() < 0.25:
            draw.shuffle(core)
        sizes = draw.choice([(0, 2), (1, 3), (1, 4)])
        short, long = (" ".join(draw.sample(FILLER, k=size)) for size in sizes)
        behind = (long, short) if draw.random() < longer else (short, long)
        winner, loser = (f"{text} {more}".strip() for text, more in zip(core, behind, strict=True))
        pairs.append(Pair(f"d{seed}-{index}", f"CMV: {topic} are not for me.", f"w{index}", winner, f"l{index}", loser))
    return pairs


def _split(pairs: Sequence[Pair]) -> tuple[list[Pair], list[Pair]]:
    """A third of the debates is held out."""
    debates = sorted({pair.debate_id for pair in pairs})
    random.Random(0).shuffle(debates)
    held_out = set(debates[: max(1, len(debates) // 3)])
    return [pair for pair in pairs if pair.debate_id not in held_out], [pair for pair in pairs if pair.debate_id in held_out]


def _some(pairs: Sequence[Pair], number: int) -> list[Pair]:
    return random.Random(0).sample(list(pairs), min(number, len(pairs)))


def _name(method: str) -> str:
    return "plain" if method == "off" else method


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=Path, help="UKPConvArg1, Tan's pair task or a folder of pairs instead of the pairs made here")
    parser.add_argument("--model", default="embedded", help="base: embedded, a folder or a hub id")
    parser.add_argument("--steps", type=int, default=40)
    parser.add_argument("--batch", type=int, default=8)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--learning-rate", type=float, default=3e-4)
    parser.add_argument("--train", type=int, default=2000, help="at most so many training pairs")
    parser.add_argument("--test", type=int, default=200, help="at most so many test pairs")
    return parser.parse_args()


if __name__ == "__main__":
    main()
