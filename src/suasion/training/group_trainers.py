"""TRL's GRPO and RLOO with what they have no option for: groups without a difference are skipped, replies to one prompt are learned from
in one row, time is counted, and RLOO's replies are drawn our way.

Imported only where a writer is trained, for it imports TRL.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from trl import GRPOTrainer, RLOOTrainer

from suasion.training.replies import dead
from suasion.training.rollouts import place_of, step_seed
from suasion.training.shared_prompts import can_share, logprobs, shared
from suasion.training.timed import Timed

if TYPE_CHECKING:
    from suasion.models.rendering import Renderer
    from suasion.training.rollouts import Sampler
    from suasion.training.timing import Clock
    from suasion.training.vllm_rollouts import VllmDraws


class _SkipsDeadGroups:
    """A group whose rewards are all equal has nothing to teach. TRL still lets its KL penalty pull; here its tokens count nowhere."""

    num_generations: Any
    accelerator: Any
    given: torch.Tensor
    """The rewards of the replies drawn last."""

    def _calculate_rewards(self, *given: Any) -> torch.Tensor:
        rewards: torch.Tensor = super()._calculate_rewards(*given)  # type: ignore[misc]
        self.given = rewards
        return rewards

    def _generate_and_score_completions(self, inputs: Any) -> dict[str, Any]:
        batch: dict[str, Any] = super()._generate_and_score_completions(inputs)  # type: ignore[misc]
        start = self.accelerator.process_index * len(inputs)  # the rewards are those of all processes
        rewards = self.given[start : start + len(inputs)].sum(dim=1)
        lost = torch.from_numpy(dead(rewards.double().cpu().numpy().reshape(-1, self.num_generations)))
        lost = lost.repeat_interleave(self.num_generations).to(rewards.device)
        if "num_items_in_batch" in batch:  # what some losses divide by
            skipped = batch["completion_mask"][lost].sum()
            batch["num_items_in_batch"] = batch["num_items_in_batch"] - self.accelerator.gather(skipped).sum()
        batch["advantages"] = batch["advantages"].masked_fill(lost, 0.0)
        batch["completion_mask"] = batch["completion_mask"].masked_fill(lost[:, None], 0)
        return batch


class _SharesPrompts:
    """Where it can, reads a prompt once for all its replies; a pass is dealt replies to as few prompts as may be."""

    accelerator: Any
    clock: Clock
    args: Any
    temperature: float
    aux_loss_enabled: bool
    _buffered_inputs: Any
    dealt: Any = None

    def _generate(self, *given: Any) -> Any:
        with self.clock.part("sampling"):
            return super()._generate(*given)  # type: ignore[misc]

    def _generate_and_score_completions(self, inputs: Any) -> dict[str, Any]:
        with self.clock.part("rest"):  # it happens within a training step
            batch: dict[str, Any] = super()._generate_and_score_completions(inputs)  # type: ignore[misc]
        return batch

    def _prepare_inputs(self, generation_batch: Any) -> Any:
        inputs = super()._prepare_inputs(generation_batch)  # type: ignore[misc]
        parts = self._buffered_inputs
        if parts is self.dealt or len(parts) == 1:
            return inputs
        at = next(index for index, part in enumerate(parts) if part is inputs)
        self._buffered_inputs = self.dealt = _by_prompt(parts)
        return self.dealt[at]

    def _get_per_token_logps_and_entropies(
        self,
        model: Any,
        input_ids: torch.Tensor,
        attention_mask: torch.Tensor,
        logits_to_keep: int,
        batch_size: int | None = None,
        compute_entropy: bool = False,
        compute_aux_loss: bool = False,
        **named: Any,
    ) -> tuple[torch.Tensor, torch.Tensor | None, None]:
        if compute_aux_loss or not can_share(self.accelerator.unwrap_model(model)):
            with self.clock.part("update" if torch.is_grad_enabled() else "reference"):
                found: tuple[torch.Tensor, torch.Tensor | None, None] = super()._get_per_token_logps_and_entropies(  # type: ignore[misc]
                    model, input_ids, attention_mask, logits_to_keep, batch_size, compute_entropy, compute_aux_loss, **named
                )
            return found
        size = batch_size or len(input_ids)
        parts = [
            self._shared_pass(model, ids, mask, logits_to_keep, compute_entropy)
            for ids, mask in zip(input_ids.split(size), attention_mask.split(size), strict=True)
        ]
        entropies = torch.cat([entropy for _, entropy in parts if entropy is not None]) if compute_entropy else None
        return torch.cat([told for told, _ in parts]), entropies, None

    def _shared_pass(
        self, model: Any, ids: torch.Tensor, mask: torch.Tensor, replies: int, entropy: bool
    ) -> tuple[torch.Tensor, torch.Tensor | None]:
        layout = shared(ids, mask, replies, self.accelerator.unwrap_model(model).dtype)
        with self.accelerator.autocast(), self.clock.part("update" if torch.is_grad_enabled() else "reference"):
            logits = model(**layout.inputs()).logits
            return logprobs(logits, layout, self.temperature, entropy=entropy)


def _by_prompt(parts: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The same replies dealt anew to as many parts of the same size: by prompt, the longest replies first. What is no row of a reply
    (``num_items_in_batch``) stays as it is."""
    size = len(parts[0]["prompt_ids"])
    prompts = [tuple(row) for part in parts for row in part["prompt_ids"].tolist()]
    lengths = [int(length) for part in parts for length in part["completion_mask"].sum(dim=1)]
    order = sorted(range(len(prompts)), key=lambda index: (prompts[index], -lengths[index]))

    def dealt(name: str, start: int) -> Any:
        values = [part[name] for part in parts]
        if not isinstance(values[0], torch.Tensor) or values[0].dim() == 0:
            return values[0]
        return torch.cat(values)[order[start : start + size]]

    return [{name: dealt(name, number * size) for name in parts[0]} for number in range(len(parts))]


class GroupTrainer(_SharesPrompts, _SkipsDeadGroups, Timed, GRPOTrainer):
    """GRPO."""


class LeaveOneOutTrainer(_SharesPrompts, _SkipsDeadGroups, Timed, RLOOTrainer):
    """RLOO, whose prompts we render and whose replies we draw; TRL has no ``rollout_func`` for it."""

    def __init__(self, *, renderer: Renderer, draw: Sampler, practice_seed: int, vllm: VllmDraws | None = None, **named: Any) -> None:
        """``vllm``: draws instead of ``draw``."""
        self.renderer, self.draw, self.vllm, self.practice_seed = renderer, draw, vllm, practice_seed
        super().__init__(**named)

    def _tokenize_prompts(self, prompts: list[Any]) -> tuple[list[list[int]], None, dict[str, Any]]:
        return [self.renderer.ids(messages) for messages in prompts], None, {}

    def _generate_single_turn(self, prompt_ids: list[list[int]], *_: Any) -> list[list[int]]:
        # TRL lays the replies to one prompt side by side
        distinct = prompt_ids[:: self.num_generations]
        seed = step_seed(self.practice_seed, self.state.global_step, *place_of(self.accelerator))
        if self.vllm is not None:
            return self.vllm(self, distinct, seed)[0]
        return self.draw(self.accelerator.unwrap_model(self.model), distinct, seed)
