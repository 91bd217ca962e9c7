"""TRL's GRPO and RLOO with what they have no option for: groups without a difference are skipped, and RLOO's replies are drawn our way.

Imported only where a writer is trained, for it imports TRL.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from trl import GRPOTrainer, RLOOTrainer

from suasion.training.replies import dead
from suasion.training.rollouts import step_seed

if TYPE_CHECKING:
    from suasion.models.rendering import Renderer
    from suasion.training.rollouts import Sampler


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


class GroupTrainer(_SkipsDeadGroups, GRPOTrainer):
    """GRPO."""


class LeaveOneOutTrainer(_SkipsDeadGroups, RLOOTrainer):
    """RLOO, whose prompts we render and whose replies we draw; TRL has no ``rollout_func`` for it."""

    def __init__(self, *, renderer: Renderer, draw: Sampler, practice_seed: int, **named: Any) -> None:
        self.renderer, self.draw, self.practice_seed = renderer, draw, practice_seed
        super().__init__(**named)

    def _tokenize_prompts(self, prompts: list[Any]) -> tuple[list[list[int]], None, dict[str, Any]]:
        return [self.renderer.ids(messages) for messages in prompts], None, {}

    def _generate_single_turn(self, prompt_ids: list[list[int]], *_: Any) -> list[list[int]]:
        policy = self.accelerator.unwrap_model(self.model)
        # TRL lays the replies to one prompt side by side
        return self.draw(policy, prompt_ids[:: self.num_generations], step_seed(self.practice_seed, self.state.global_step))
