"""PPO's loop inside the usual trainer, so that checkpoints, resuming, several processes and logging are those of every other method.

A *step* of practice draws a batch of replies and learns from it in ``epochs × minibatches`` updates. The trainer's table has one row a
forward pass, in order; the first row of a step draws its replies. Checkpoints fall between steps only, so none has to hold replies.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from torch.utils.data import SequentialSampler
from transformers import Trainer

from suasion.models.sampling import ended, padded
from suasion.training.advantages import (
    KlControl,
    generalised_advantages,
    masked_mean,
    policy_loss,
    token_rewards,
    value_loss,
    whitened,
)
from suasion.training.policy_value import PolicyAndValue, Read, as_reference, read
from suasion.training.rollouts import step_seed
from suasion.training.timed import Timed

if TYPE_CHECKING:
    from suasion.models.rendering import Renderer
    from suasion.training.ppo import PpoConfig
    from suasion.training.replies import Rewards
    from suasion.training.rollouts import Sampler

_VALUE_FILE = "value_head.safetensors"


@dataclass(frozen=True)
class Batch:
    """A step's replies, and what was thought of them when they were drawn. Tensors of shape (n, tokens)."""

    step: int
    ids: torch.Tensor
    mask: torch.Tensor
    replies: int
    """How many columns of ``ids`` are the replies'."""
    reply_mask: torch.Tensor
    """1 on the replies' tokens that are learned from."""
    old: Read
    advantages: torch.Tensor
    returns: torch.Tensor


@dataclass(frozen=True)
class Row:
    """One forward pass of the table: in which step and update, and whether it is the update's first, second, … part."""

    step: int
    epoch: int
    minibatch: int
    part: int


def table(config: PpoConfig, world: int) -> list[Row]:
    """Every forward pass of the whole practice, in order; in several processes each row stands once for each."""
    parts = config.replies_per_step // config.ppo.minibatches // config.batch_size
    return [
        Row(step, epoch, minibatch, part)
        for step in range(config.max_steps)
        for epoch in range(config.ppo.epochs)
        for minibatch in range(config.ppo.minibatches)
        for part in range(parts)
        for _ in range(world)
    ]


class PpoTrainer(Timed, Trainer):
    """Schulman et al. 2017 over replies of a language model."""

    def __init__(
        self,
        *,
        model: PolicyAndValue,
        args: Any,
        config: PpoConfig,
        renderer: Renderer,
        premises: Sequence[str],
        rewards: Rewards,
        draw: Sampler,
        stops: Sequence[int],
        seed: int,
    ) -> None:
        """Args are those of :func:`suasion.training.ppo.train_ppo`; ``premises`` are in order, enough for all steps and processes."""
        super().__init__(
            clock=rewards.clock,
            model=model,
            args=args,
            train_dataset=table(config, args.world_size),
            data_collator=lambda rows: {"row": rows[0]},
        )
        self.config, self.renderer, self.premises, self.rewards = config, renderer, premises, rewards
        self.draw, self.stops, self.practice_seed = draw, stops, seed
        self.kl = KlControl(config.beta, config.ppo.kl_target)
        self.batch: Batch | None = None
        self.numbers: dict[str, list[float]] = defaultdict(list)

    def _get_train_sampler(self, train_dataset: Any = None) -> SequentialSampler:
        rows: Any = self.train_dataset if train_dataset is None else train_dataset
        return SequentialSampler(rows)

    def _prepare_inputs(self, inputs: Any) -> Any:
        return inputs

    def floating_point_ops(self, inputs: Any) -> int:
        return 0

    def compute_loss(self, model: Any, inputs: dict[str, Any], return_outputs: bool = False, num_items_in_batch: Any = None) -> Any:
        """The loss of one forward pass; drawn anew when a step begins."""
        row: Row = inputs["row"]
        if self.batch is None or self.batch.step != row.step:
            with self.clock.part("rest"):
                self.batch = self._collect(row.step)
        size, batch = self.config.batch_size, self.batch
        minibatch = self._minibatch(row)
        rows = minibatch[row.part * size : (row.part + 1) * size]
        now = read(model, batch.ids[rows], batch.mask[rows], batch.replies, self.config.temperature)
        mask = batch.reply_mask[rows]
        # of the whole minibatch, so that a token weighs the same in whichever pass it stands; the trainer divides by the passes
        # and, of several processes, adds up their gradients over their number
        tokens = self._everywhere(batch.reply_mask[minibatch].sum()).clamp(min=1)
        share = len(minibatch) / size * self.args.world_size / tokens
        moved, clipped = policy_loss(now.logprobs, batch.old.logprobs[rows], batch.advantages[rows], self.config.ppo.clip)
        missed = value_loss(now.values, batch.old.values[rows], batch.returns[rows], self.config.ppo.value_clip)
        of_policy, of_value = (moved * mask).sum() * share, (missed * mask).sum() * share
        for name, value in (("policy_loss", of_policy), ("value_loss", of_value), ("clipped", masked_mean(clipped, mask))):
            self.numbers[name].append(float(value))
        return of_policy + self.config.ppo.value_weight * of_value

    def _everywhere(self, sums: torch.Tensor) -> torch.Tensor:
        """Added up over all processes."""
        return sums if self.args.world_size == 1 else self.accelerator.reduce(sums, "sum")

    def _minibatch(self, row: Row) -> list[int]:
        """Which replies the update learns from: each pass over the batch deals them anew.

        In their order: those to one prompt stand side by side, and a forward pass reads a prompt once.
        """
        order = list(range(self.config.replies_per_step))
        random.Random(f"{self.practice_seed} {row.step} {row.epoch}").shuffle(order)
        return sorted(order[row.minibatch :: self.config.ppo.minibatches])

    def _collect(self, step: int) -> Batch:
        """Draw the step's replies with the weights as they are, have them judged, and work out what each token was worth."""
        config, rank, world = self.config, self.args.process_index, self.args.world_size
        start = (step * world + rank) * config.premises_per_step
        premises = list(self.premises[start : start + config.premises_per_step])
        model = self.accelerator.unwrap_model(self.model)
        model.eval()
        prompts = [self.renderer.prompt(premise) for premise in premises]
        with self.clock.part("sampling"):
            drawn = self.draw(model.policy, prompts, step_seed(self.practice_seed, step, rank, world))
        whole = [ended(ids, self.stops) for ids in drawn]
        texts = [self._text(ids, end) for ids, end in zip(drawn, whole, strict=True)]
        of = [premise for premise in premises for _ in range(config.num_generations)]
        scores = torch.tensor(
            self.rewards(of, texts, whole, step, lambda name, value: self.numbers[name].append(value)), dtype=torch.float32
        )
        ids, mask, reply_mask = self._laid_out([row for row in prompts for _ in range(config.num_generations)], drawn)
        with torch.no_grad(), self.clock.part("reference"):
            old = self._read_all(model, ids, mask, reply_mask.shape[1])
            divergence = torch.zeros_like(old.logprobs)
            if self.kl.beta:
                with as_reference(model.policy):
                    divergence = old.logprobs - self._read_all(model, ids, mask, reply_mask.shape[1]).logprobs
            rewards = token_rewards(scores.to(ids.device), divergence, reply_mask, self.kl.beta)
            advantages, returns = generalised_advantages(rewards, old.values, reply_mask, config.ppo.gamma, config.ppo.lam)
            if config.cut_off == "mask":
                reply_mask = reply_mask * torch.tensor(whole, device=ids.device)[:, None]
            advantages = whitened(advantages, reply_mask, self._everywhere)
        model.train()
        self._note(scores, divergence, reply_mask, old, drawn, whole)
        return Batch(step, ids, mask, reply_mask.shape[1], reply_mask, old, advantages, returns)

    def _read_all(self, model: Any, ids: torch.Tensor, mask: torch.Tensor, replies: int) -> Read:
        size = self.config.batch_size
        parts = [
            read(model, ids[start : start + size], mask[start : start + size], replies, self.config.temperature)
            for start in range(0, len(ids), size)
        ]
        return Read(*(torch.cat([getattr(part, name) for part in parts]) for name in ("logprobs", "values", "entropy")))

    def _laid_out(self, prompts: Sequence[Sequence[int]], replies: Sequence[Sequence[int]]) -> tuple[torch.Tensor, ...]:
        pad = int(self.renderer.tokenizer.pad_token_id)
        left, left_mask = padded(prompts, pad, self.args.device, "left")
        right, right_mask = padded(replies, pad, self.args.device, "right")
        return torch.cat([left, right], dim=1), torch.cat([left_mask, right_mask], dim=1), right_mask.float()

    def _text(self, ids: Sequence[int], whole: bool) -> str:
        return str(self.renderer.tokenizer.decode(list(ids[:-1] if whole else ids), skip_special_tokens=True)).strip()

    def _note(
        self,
        scores: torch.Tensor,
        divergence: torch.Tensor,
        mask: torch.Tensor,
        old: Read,
        drawn: Sequence[Sequence[int]],
        whole: Sequence[bool],
    ) -> None:
        of_reply = (divergence * mask).sum(dim=1).mean()
        found: dict[str, Any] = {
            "reward": scores.mean(),
            "kl": masked_mean(divergence, mask, self._everywhere),
            "entropy": masked_mean(old.entropy, mask, self._everywhere),
            "value": masked_mean(old.values, mask, self._everywhere),
            "beta": self.kl.beta,
            "reply_tokens": sum(map(len, drawn)) / len(drawn),
            "cut_off": 1 - sum(whole) / len(whole),
        }
        for name, value in found.items():
            self.numbers[name].append(float(value))
        self.kl.observe(float(self._everywhere(of_reply)) / self.args.world_size)

    def log(self, logs: dict[str, float], start_time: float | None = None) -> None:
        """The step's own numbers, over all processes, beside the trainer's; the clock of our log is the practice step."""
        means = {name: sum(values) / len(values) for name, values in self.numbers.items() if values}
        if means and self.args.world_size > 1:
            sums = self._everywhere(torch.tensor(list(means.values()), device=self.args.device))
            means = dict(zip(means, (sums / self.args.world_size).tolist(), strict=True))
        self.numbers.clear()
        super().log(logs | means, start_time)

    def _save(self, output_dir: str | None = None, state_dict: Any = None) -> None:
        from safetensors.torch import save_file

        model: PolicyAndValue = self.accelerator.unwrap_model(self.model)
        folder = Path(str(output_dir or self.args.output_dir))
        model.policy.save_pretrained(str(folder), selected_adapters=["default"], safe_serialization=True)
        head = {name: weight.detach().cpu().contiguous() for name, weight in model.value.state_dict().items()}
        save_file(head | {"beta": torch.tensor([self.kl.beta], dtype=torch.float64)}, folder / _VALUE_FILE)

    def _load_from_checkpoint(self, resume_from_checkpoint: str, model: Any = None) -> None:
        from peft import set_peft_model_state_dict
        from safetensors.torch import load_file

        held: PolicyAndValue = self.accelerator.unwrap_model(self.model if model is None else model)
        folder = Path(resume_from_checkpoint)
        set_peft_model_state_dict(held.policy, load_file(folder / "adapter_model.safetensors"))
        head = load_file(folder / _VALUE_FILE)
        self.kl.beta = float(head.pop("beta")[0])
        held.value.load_state_dict(head)
