"""A writer with a value head: one LoRA backbone that says how likely a reply's tokens are and what each point of it is worth."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch
from torch import nn

from suasion.training.shared_prompts import can_share, logprobs, shared

if TYPE_CHECKING:
    from peft import PeftModel

#: The parent writer's adapter, kept beside the one that is trained: what the KL penalty is measured against.
REFERENCE = "reference"


@dataclass(frozen=True)
class Read:
    """What the model says of the replies' tokens; all of shape (replies, reply tokens), float32. What stands at padding means nothing."""

    logprobs: torch.Tensor
    values: torch.Tensor
    entropy: torch.Tensor


class PolicyAndValue(nn.Module):
    """The adapted language model and a linear head on its last hidden state.

    The head starts at zero: until it has learned, a reply's advantage is its reward.
    """

    def __init__(self, policy: PeftModel) -> None:
        super().__init__()
        self.policy = policy
        inner: Any = policy.get_base_model()
        self.value = nn.Linear(inner.config.hidden_size, 1, bias=True, device=policy.device, dtype=torch.float32)
        nn.init.zeros_(self.value.weight)
        nn.init.zeros_(self.value.bias)

    def forward(self, ids: torch.Tensor, mask: torch.Tensor, replies: int, temperature: float = 1.0) -> tuple[torch.Tensor, ...]:
        """Read prompts and replies; a tuple, because wrappers for several processes want one: the fields of :class:`Read`.

        Args:
            ids: shape (n, prompt + reply tokens), prompts padded on the left and replies on the right.
            mask: 1 where ``ids`` holds a token.
            replies: how many columns at the end are the replies'.
            temperature: the replies were drawn at: probabilities are those of the distribution drawn from.
        """
        causal: Any = self.policy.get_base_model()
        hidden: list[torch.Tensor] = []
        backbone = getattr(causal, causal.base_model_prefix)
        hook = backbone.register_forward_hook(lambda _module, _inputs, output: hidden.append(output[0]))
        try:
            if can_share(causal):
                return self._shared(causal, hidden, ids, mask, replies, temperature)
            positions = (mask.cumsum(dim=1) - 1).clamp(min=0)
            logits = causal(input_ids=ids, attention_mask=mask, position_ids=positions, use_cache=False, logits_to_keep=replies + 1).logits
        finally:
            hook.remove()
        logits = logits[:, -replies - 1 : -1].float() / temperature  # a token is predicted by the place before it
        everything = logits.log_softmax(dim=-1)
        told = everything.gather(-1, ids[:, -replies:, None])[..., 0]
        entropy = -(everything.exp() * everything).sum(dim=-1)
        values = self.value(hidden[0][:, -replies - 1 : -1].float())[..., 0]
        return told, values, entropy

    def _shared(
        self, causal: Any, hidden: list[torch.Tensor], ids: torch.Tensor, mask: torch.Tensor, replies: int, temperature: float
    ) -> tuple[torch.Tensor, ...]:
        """The same with each prompt read once for all its replies; ``hidden`` is what a pass leaves of the backbone's."""
        layout = shared(ids, mask, replies, causal.dtype)
        logits = causal(**layout.inputs()).logits
        told, entropy = logprobs(logits, layout, temperature, entropy=True)
        assert entropy is not None  # noqa: S101
        return told, layout.of_replies(self.value(hidden[0][:, -layout.behind :].float())[..., 0]), entropy


def read(model: Any, ids: torch.Tensor, mask: torch.Tensor, replies: int, temperature: float) -> Read:
    """One forward pass, see :meth:`PolicyAndValue.forward`."""
    return Read(*model(ids, mask, replies, temperature))


@contextmanager
def as_reference(policy: PeftModel) -> Iterator[None]:
    """Within, the parent's adapter is the one that counts."""
    policy.set_adapter(REFERENCE)
    try:
        yield
    finally:
        policy.set_adapter("default")
