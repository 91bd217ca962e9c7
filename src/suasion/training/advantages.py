"""PPO's arithmetic: rewards of tokens, generalised advantages, clipped losses, and the controller of the KL penalty.

Schulman et al. 2016 (GAE, arXiv:1506.02438) and 2017 (PPO, arXiv:1707.06347); the reward of language models and the adaptive
controller as in Ziegler et al. 2019 (arXiv:1909.08593). All tensors have shape (replies, tokens), padded on the right; ``mask`` is 1 on
tokens of a reply and 0 behind its end.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch import Tensor


def token_rewards(scores: Tensor, divergence: Tensor, mask: Tensor, beta: float) -> Tensor:
    """``-beta * divergence`` at every token, and the reply's score on top at its last one.

    Args:
        scores: shape (replies,), the judge's.
        divergence: log-probability under the writer less that under the reference, of each token drawn.
    """
    import torch

    rewards = -beta * divergence * mask
    last = mask.sum(dim=1).long() - 1
    rewards[torch.arange(len(scores)), last] += scores
    return rewards


def generalised_advantages(rewards: Tensor, values: Tensor, mask: Tensor, gamma: float, lam: float) -> tuple[Tensor, Tensor]:
    """Advantages and returns of each token.

    ``delta_t = r_t + gamma V_{t+1} - V_t`` and ``A_t = delta_t + gamma lam A_{t+1}``, with nothing behind a reply's end; the return is
    ``A_t + V_t``, what the value head should have said.
    """
    import torch

    values = values * mask
    advantages = torch.zeros_like(rewards)
    following = torch.zeros_like(rewards[:, 0])
    next_value = torch.zeros_like(following)
    for token in reversed(range(rewards.shape[1])):
        delta = rewards[:, token] + gamma * next_value - values[:, token]
        following = (delta + gamma * lam * following) * mask[:, token]
        advantages[:, token] = following
        next_value = values[:, token]
    return advantages, (advantages + values) * mask


def _of_this_process(sums: Tensor) -> Tensor:
    return sums


def masked_mean(values: Tensor, mask: Tensor, everywhere: Callable[[Tensor], Tensor] = _of_this_process) -> Tensor:
    """Mean over the tokens of all replies; 0 where there is none. ``everywhere`` adds sums up over all processes that have a share."""
    return everywhere((values * mask).sum()) / everywhere(mask.sum()).clamp(min=1)


def whitened(values: Tensor, mask: Tensor, everywhere: Callable[[Tensor], Tensor] = _of_this_process) -> Tensor:
    """Mean 0 and standard deviation 1 over the tokens of all replies (of all processes); 0 behind their ends."""
    mean = masked_mean(values, mask, everywhere)
    spread = masked_mean((values - mean) ** 2, mask, everywhere)
    return (values - mean) * (spread + 1e-8).rsqrt() * mask


def policy_loss(new: Tensor, old: Tensor, advantages: Tensor, clip: float) -> tuple[Tensor, Tensor]:
    """``max(-A ratio, -A clip(ratio, 1 - clip, 1 + clip))`` of each token, and whether clipping decided it.

    Args:
        new: log-probabilities under the weights being trained.
        old: under the weights that drew the replies.
    """
    ratio = (new - old).exp()
    plain, clipped = -advantages * ratio, -advantages * ratio.clamp(1 - clip, 1 + clip)
    return plain.maximum(clipped), (clipped > plain).float()


def value_loss(values: Tensor, old: Tensor, returns: Tensor, clip: float) -> Tensor:
    """Half the squared error of each token's value, the larger of that of the value and of the value held within ``clip`` of the old."""
    held = old + (values - old).clamp(-clip, clip)
    return 0.5 * ((values - returns) ** 2).maximum((held - returns) ** 2)


@dataclass
class KlControl:
    """The weight of the KL penalty. With a target it follows the divergence seen, at most a fifth of ``pace`` up or down a step."""

    beta: float
    target: float | None
    pace: float = 0.1

    def observe(self, divergence: float) -> None:
        """Take in the mean divergence of a step's replies, in nats a reply."""
        if self.target:
            self.beta *= 1 + self.pace * min(0.2, max(-0.2, divergence / self.target - 1))
