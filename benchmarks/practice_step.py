"""Claim: a step of GRPO takes at most 0.6 times as long as with the plain TRL script in our default way, and at most 1.05 times at equal
work, with rewards that do not differ by more than chance.

Rival: TRL's ``GRPOTrainer`` as its documentation shows it, on the same model (embedded, float32), LoRA adapter, premises, judge, settings
and seed in the same run: it draws with ``generate`` from the adapted model, and its reward function scores replies in one padded batch.

- *equal work*: our trainer, made to draw and to read in the same way, and with the rival's scoring: what our own layers cost.
- *default*: our trainer as it is: drawn from a merged copy, a prompt read once for its replies (in drawing, judging and learning), rows
  that have ended leave.

The three go by turns, a round of steps each; a round is a practice of its own from the same adapter. Loading is not counted. Work is
compared too: replies' tokens. Steps are paired (same premises), intervals are of their ratios, by bootstrap over steps. On a CPU all have
one thread and what counts is the processor's time: a busy machine is no slower that way (``--wall`` takes all threads and the time on
the wall, for a machine that does nothing else).
"""

from __future__ import annotations

import argparse
import contextlib
import json
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import torch
from datasets import Dataset

from suasion.models.base import Base, BaseConfig, resolve_base
from suasion.models.loading import load_base, save_adapter, with_new_adapter, with_saved_adapter
from suasion.models.lora import LoraConfig
from suasion.models.rendering import Renderer, RenderingConfig
from suasion.models.scoring import score_rows
from suasion.runs.run import Run
from suasion.training.groups import group_arguments
from suasion.training.grpo import GrpoConfig, train_grpo
from suasion.training.replies import in_order
from suasion.training.timing import PARTS, Clock

CLAIMED = {"equal work": 1.05, "default": 0.6}
SEED = 7


@dataclass
class Seen:
    """What a contender's steps were like; one entry a step."""

    seconds: list[float] = field(default_factory=list)
    rewards: list[float] = field(default_factory=list)
    tokens: list[float] = field(default_factory=list)
    parts: list[dict[str, float]] = field(default_factory=list)


@dataclass(frozen=True)
class Ground:
    """What all contenders share."""

    base: Base
    renderer: Renderer
    parent: Path
    premises: list[str]
    head: Any
    config: GrpoConfig


def main() -> None:
    """Print times, work and rewards; exit status 1 when a claim does not hold."""
    asked = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    asked.add_argument("--rounds", type=int, default=2, help="practices of each contender")
    asked.add_argument("--steps", type=int, default=4, help="of each practice")
    asked.add_argument("--seed", type=int, default=7, help="of the first practice; each round's is one more")
    asked.add_argument("--reply-tokens", type=int, default=64)
    asked.add_argument("--only", nargs="*", default=["trl", *CLAIMED], help="contenders")
    asked.add_argument("--wall", action="store_true", help="all threads, and the time on the wall")
    given = asked.parse_args()
    clock = time.perf_counter if given.wall else time.process_time
    if not given.wall:
        torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as place:
        ground = prepared(Path(place), given.steps, given.reply_tokens)
        seen = {name: Seen() for name in given.only}
        for number in range(given.rounds):
            for name in given.only:
                contender = trl_script if name == "trl" else ours(name)
                with mock.patch.object(Clock.__init__, "__defaults__", (clock,)):
                    contender(ground, given.seed + number, Path(place) / f"{name}-{number}", seen[name], clock)
    print(f"{torch.get_num_threads()} threads, {given.rounds} x {given.steps} steps of {ground.config.replies_per_step} replies")
    for name, one in seen.items():
        print(f"{name:>10}: {np.mean(one.seconds):6.2f} s a step ({', '.join(f'{second:.1f}' for second in one.seconds)}), ", end="")
        print(f"{np.mean(one.tokens):5.1f} tokens a reply, rewards {' '.join(f'{reward:.2f}' for reward in one.rewards)}")
        for part, words in PARTS.items() if one.parts else ():
            spent = np.mean([row[f"seconds_{part}"] for row in one.parts])
            print(f"{'':>14}{words:<34} {spent:6.2f} s  {spent / np.mean(one.seconds):4.0%}")
    kept = [holds(name, seen) for name in CLAIMED if {name, "trl"} <= set(seen)]  # each prints its line
    sys.exit(0 if all(kept) else 1)


def holds(name: str, seen: dict[str, Seen]) -> bool:
    """Print a contender's ratio and how its rewards differ; whether both are as claimed."""
    one, rival = seen[name], seen["trl"]
    ratio, low, high = ratio_of_means(one.seconds, rival.seconds)
    difference = np.array(one.rewards) - np.array(rival.rewards)
    error = difference.std(ddof=1) / len(difference) ** 0.5
    apart = abs(difference.mean()) / error if error else 0.0
    fast, alike = ratio <= CLAIMED[name], apart < 3.0
    kept = "holds" if fast else "DOES NOT HOLD"
    print(
        f"{name}: {ratio:.2f} times TRL's step [{low:.2f}, {high:.2f}] (claimed {CLAIMED[name]:g}: {kept}); "
        f"reward {difference.mean():+.3f} ± {error:.3f} ({'within chance' if alike else 'DIFFERENT'}), n = {len(difference)}"
    )
    return fast and bool(alike)


def ratio_of_means(ours: list[float], theirs: list[float]) -> tuple[float, float, float]:
    """Ratio of means with its 95 % interval over resampled steps."""
    one, other = np.array(ours), np.array(theirs)
    chosen = np.random.default_rng(0).integers(len(one), size=(2000, len(one)))
    low, high = np.quantile(one[chosen].mean(axis=1) / other[chosen].mean(axis=1), [0.025, 0.975])
    return float(one.mean() / other.mean()), float(low), float(high)


def prepared(place: Path, steps: int, reply_tokens: int) -> Ground:
    """The model with a fresh adapter, the sample's premises and a judge whose head is drawn, at an exact seed."""
    base = resolve_base(BaseConfig(dtype="float32"))
    renderer = Renderer(base.tokenizer, RenderingConfig(prompt_tokens=160, reply_tokens=reply_tokens, total_tokens=176 + reply_tokens))
    torch.manual_seed(SEED)
    writer = with_new_adapter(load_base(base, "CAUSAL_LM"), base, LoraConfig(), "CAUSAL_LM")
    parent = save_adapter(writer, base, place / "parent")
    del writer
    head = load_base(base, "SEQ_CLS").eval().requires_grad_(requires_grad=False)
    with torch.no_grad():
        head.score.weight.mul_(10)  # rewards of a size that a trained judge's have
    # a reply that is cut off is scored as it is: TRL has no other way
    config = GrpoConfig(max_steps=steps, warmup=0, checkpoint_every=0, cut_off="score")
    return Ground(base, renderer, parent, sample_premises(), head, config)


def sample_premises() -> list[str]:
    """The premises of the shipped sample."""
    file = resources.files("suasion") / "samples" / "changemyview_submissions.ndjson"
    posts = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    return [f"{post['title']}\n\n{post['selftext']}" for post in posts]


def trl_script(ground: Ground, seed: int, place: Path, seen: Seen, clock: Callable[[], float]) -> None:
    """What a user of TRL writes."""
    from transformers import TrainerCallback
    from trl import GRPOConfig, GRPOTrainer

    class Steps(TrainerCallback):
        def on_train_begin(self, *_: Any, **__: Any) -> None:
            self.since = clock()

        def on_log(self, args: Any, state: Any, control: Any, logs: dict[str, float] | None = None, **_: Any) -> None:
            if logs and "reward" in logs:
                now = clock()
                seen.seconds.append(now - self.since)
                self.since = now
                seen.rewards.append(logs["reward"])
                seen.tokens.append(logs["completions/mean_length"])

    config, order = ground.config, in_order(ground.premises, ground.config.max_steps * ground.config.premises_per_step, seed)
    with Run.start(place, "GRPO", config={}) as run:
        trainer = GRPOTrainer(
            model=with_saved_adapter(load_base(ground.base, "CAUSAL_LM"), ground.base, ground.parent, trainable=True),
            reward_funcs=plain_reward(ground),
            args=GRPOConfig(**group_arguments(config, ground.renderer, run, ground.base, seed), loss_type=config.grpo.loss_type),
            train_dataset=Dataset.from_list([{"prompt": ground.renderer.messages(one), "premise": one} for one in order]),
            processing_class=ground.base.tokenizer,
            callbacks=[Steps()],
        )
        trainer.train()


def plain_reward(ground: Ground) -> Callable[..., list[float]]:
    """TRL's reward function around :func:`plain_scores`."""
    return lambda completions, premise, **_: plain_scores(ground, premise, [completion[0]["content"] for completion in completions])


def plain_scores(ground: Ground, premises: list[str], replies: list[str]) -> list[float]:
    """The loop most scripts use: one padded batch."""
    rows = [ground.renderer.conversation(premise, reply).ids for premise, reply in zip(premises, replies, strict=True)]
    batch = ground.base.tokenizer.pad({"input_ids": rows}, return_tensors="pt", padding=True)
    with torch.inference_mode():
        return [float(score) for score in ground.head(**batch).logits[:, 0]]


def our_scores(ground: Ground, premises: list[str], replies: list[str]) -> list[float]:
    """As our judges score."""
    rows = [ground.renderer.conversation(premise, reply).ids for premise, reply in zip(premises, replies, strict=True)]
    return [float(score) for score in score_rows(ground.head, rows, pad_id=ground.base.tokenizer.pad_token_id, budget=8192)]


def ours(name: str) -> Callable[..., None]:
    """Our practice in its default way, or drawing and reading as the rival does."""
    as_it_is = name == "default"

    def practise(ground: Ground, seed: int, place: Path, seen: Seen, _clock: Callable[[], float]) -> None:
        score = our_scores if as_it_is else plain_scores
        reward = lambda premises, replies: score(ground, premises, replies)  # noqa: E731
        with contextlib.nullcontext() if as_it_is else as_the_rival(), Run.start(place, "GRPO", config={}) as run:
            train_grpo(ground.base, ground.renderer, ground.parent, ground.premises, reward, ground.config, run, seed)
        rows = run.metrics()
        seen.seconds += [row["seconds_step"] for row in rows]
        seen.parts += rows
        seen.rewards += [row["reward"] for row in rows]
        seen.tokens += [row["reply_tokens"] for row in rows]

    return practise


@contextlib.contextmanager
def as_the_rival() -> Iterator[None]:
    """Within, replies are drawn with ``generate`` from the adapted model, and read side by side."""
    with (
        mock.patch("suasion.models.decoding.sees_everything", return_value=False),
        mock.patch("suasion.training.rollouts.device", return_value="one without a merged copy"),
    ):
        yield


if __name__ == "__main__":
    main()
