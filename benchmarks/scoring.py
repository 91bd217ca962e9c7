"""Claim: scoring replies sorted by length in token budgets beats the plain loop (batches of 8 as they come, padded), at equal scores.

Rival: the loop most scripts use, on the same model and replies in the same run. Prints the ratio of the best times of several rounds.
"""

from __future__ import annotations

import random
import time

import numpy as np
import torch

from suasion.models.base import BaseConfig, resolve_base
from suasion.models.loading import load_base
from suasion.models.rendering import Renderer, RenderingConfig
from suasion.models.reward_model import RewardModel

ROUNDS, REPLIES, BATCH = 3, 64, 8


def main() -> None:
    """Score replies whose lengths spread as on r/ChangeMyView (log-normal, median 90 words)."""
    base = resolve_base(BaseConfig())
    torch.manual_seed(0)
    renderer = Renderer(base.tokenizer, RenderingConfig())
    model = load_base(base, "SEQ_CLS").eval()
    ours = RewardModel(model, renderer)
    generator = random.Random(0)
    words = ["because", "people", "often", "change", "their", "minds", "when", "evidence", "is", "clear", "and", "kind"]
    replies = [" ".join(generator.choices(words, k=max(10, min(450, int(generator.lognormvariate(4.5, 0.8)))))) for _ in range(REPLIES)]
    rows = [renderer.conversation("Nobody ever changes their mind.", reply).ids for reply in replies]

    def plain() -> np.ndarray:
        scores = []
        with torch.inference_mode():
            for start in range(0, len(rows), BATCH):
                batch = base.tokenizer.pad({"input_ids": rows[start : start + BATCH]}, return_tensors="pt", padding=True)
                scores.append(model(**batch).logits[:, 0].float().numpy())
        return np.concatenate(scores)

    times: dict[str, list[float]] = {"suasion": [], "plain loop": []}
    for _ in range(ROUNDS):
        for name, score in (("suasion", lambda: ours.score_ids(rows)), ("plain loop", plain)):
            started = time.perf_counter()
            result = score()
            times[name].append(time.perf_counter() - started)
            if name == "suasion":
                expected = result
    gap = float(np.max(np.abs(expected - plain())))
    best = {name: min(values) for name, values in times.items()}
    print(f"{REPLIES} replies, {sum(map(len, rows))} tokens; best of {ROUNDS} rounds")
    print(f"suasion {best['suasion']:.2f} s, plain loop {best['plain loop']:.2f} s, ratio {best['plain loop'] / best['suasion']:.2f}")
    print(f"largest difference between scores {gap:.1e}")


if __name__ == "__main__":
    main()
