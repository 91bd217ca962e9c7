"""Where practice's replies come from: our own rendering and sampling, behind TRL's ``rollout_func``.

On a CPU, replies are sampled from a plain copy of the writer into which the adapter is merged before every step, in bfloat16 where the
processor has it: most of a step is sampling, and the low-rank branches of every projection would make that a good third slower. The
copy's weights are laid out for products with the few rows that a token's pass has. In 4 bit, or on a GPU (where a second copy of 8B does
not fit and vLLM is the better answer), the adapted model itself is sampled from.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from suasion.models.base import Base
from suasion.models.few_rows import for_few_rows
from suasion.models.loading import device, load_base
from suasion.models.rendering import Renderer
from suasion.models.sampling import generate, stop_ids

Rollouts = Callable[[list[Any], Any], dict[str, Any]]


Sampler = Callable[[Any, Sequence[Sequence[int]], int], list[list[int]]]
"""The adapted writer, the distinct prompts' ids and a seed in; the replies' ids out, those to one prompt side by side."""


def sampler(base: Base, renderer: Renderer, *, num_generations: int, temperature: float, top_p: float) -> Sampler:
    """How practice draws replies, ``num_generations`` to a prompt."""
    copy = _plain_copy(base) if device() == "cpu" and base.config.quantization == "none" else None

    def draw(policy: Any, prompts: Sequence[Sequence[int]], seed: int) -> list[list[int]]:
        model = policy if copy is None else _merged_into(copy, policy)
        was_training = model.training
        model.eval()
        replies = generate(
            model,
            prompts,
            n=num_generations,
            seed=seed,
            temperature=temperature,
            top_p=top_p,
            max_new_tokens=renderer.config.reply_tokens,
            stops=stop_ids(policy, renderer),
            pad=int(renderer.tokenizer.pad_token_id),
        )
        model.train(was_training)
        return replies

    return draw


def step_seed(seed: int, step: int, rank: int = 0, world: int = 1) -> int:
    """Each step's draws follow from the seed, the step and the process's rank alone, so a resumed run draws what it would have drawn."""
    return seed * 1_000_003 + step * world + rank


def place_of(accelerator: Any) -> tuple[int, int]:
    """Rank of this process, and how many there are."""
    return int(accelerator.process_index), int(accelerator.num_processes)


def rollouts(base: Base, renderer: Renderer, *, num_generations: int, temperature: float, top_p: float, seed: int) -> Rollouts:
    """The function that TRL calls with a batch's prompts (each standing ``num_generations`` times) and the trainer."""
    draw = sampler(base, renderer, num_generations=num_generations, temperature=temperature, top_p=top_p)

    def roll_out(prompts: list[Any], trainer: Any) -> dict[str, Any]:
        policy = trainer.accelerator.unwrap_model(trainer.model)
        # TRL lays the replies to one prompt side by side
        distinct = [renderer.ids(messages) for messages in prompts[::num_generations]]
        return {
            "prompt_ids": [ids for ids in distinct for _ in range(num_generations)],
            "completion_ids": draw(policy, distinct, step_seed(seed, trainer.state.global_step, *place_of(trainer.accelerator))),
            "logprobs": None,
        }

    return roll_out


def _plain_copy(base: Base) -> Any:
    import torch

    model = load_base(base, "CAUSAL_LM").requires_grad_(requires_grad=False).eval()
    # private, but the only place where torch tells it
    has_bfloat16 = getattr(torch.cpu, "_is_avx512_bf16_supported", lambda: False)()
    return for_few_rows(model.to(torch.bfloat16) if has_bfloat16 else model)


def _merged_into(copy: Any, policy: Any) -> Any:
    """Write base weight + adapter into the copy's weights. The policy's own weights are not touched: merging there and back would round."""
    import torch

    with torch.no_grad():
        for name, layer in policy.get_base_model().named_modules():
            if hasattr(layer, "get_delta_weight") and "default" in getattr(layer, "lora_A", {}):
                merged = layer.base_layer.weight + layer.get_delta_weight("default")
                copy.get_submodule(name).weight.copy_(merged)
    return copy
