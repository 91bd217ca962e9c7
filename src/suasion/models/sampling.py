"""Replies sampled from a writer in batches; the same seed gives the same replies."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from suasion.config import Config
from suasion.models.rendering import Renderer

Side = Literal["left", "right"]


class SamplingConfig(Config):
    """How replies are drawn."""

    temperature: float = 1.0
    top_p: float = 1.0
    batch_size: int = 16
    """Replies generated at once."""


@dataclass(frozen=True)
class Reply:
    """One sampled reply. ``ended`` is false when it was cut off at the token limit."""

    text: str
    tokens: int
    ended: bool


def stop_ids(model: Any, renderer: Renderer) -> list[int]:
    """Every id that ends a reply: the template's, the tokenizer's, and all the model declares.

    Models with several end ids are otherwise counted as cut off at nearly every reply (TRL pull request 7039).
    """
    declared = model.generation_config.eos_token_id
    ids = {renderer.end_id, renderer.tokenizer.eos_token_id, *(declared if isinstance(declared, list) else [declared])}
    return sorted(i for i in ids if i is not None)


def sample(
    model: Any,
    renderer: Renderer,
    premises: Sequence[str],
    *,
    n: int,
    seed: int,
    config: SamplingConfig,
    on_batch: Callable[[int], None] = lambda done: None,
) -> list[list[Reply]]:
    """``n`` replies to each premise, of at most ``rendering.reply_tokens`` tokens.

    Args:
        model: a causal language model, with or without an adapter.
        seed: of torch's generator; set anew for each batch, so that two writers get the same draws premise by premise.
        on_batch: told the number of replies of each finished batch.

    Returns:
        One list of ``n`` replies for each premise, in order.
    """
    import torch

    stops = stop_ids(model, renderer)
    size = max(1, config.batch_size // n)
    replies: list[list[Reply]] = []
    model.eval()
    for start in range(0, len(premises), size):
        prompts = [renderer.prompt(premise) for premise in premises[start : start + size]]
        ids, mask = padded(prompts, int(renderer.tokenizer.pad_token_id), model.device, "left")
        torch.manual_seed(seed + start)
        with torch.inference_mode():
            output = model.generate(
                input_ids=ids,
                attention_mask=mask,
                do_sample=True,
                temperature=config.temperature,
                top_p=config.top_p,
                top_k=0,
                num_return_sequences=n,
                max_new_tokens=renderer.config.reply_tokens,
                eos_token_id=stops,
                pad_token_id=renderer.tokenizer.pad_token_id,
                use_cache=True,
            )
        answers = [_reply(row, stops, renderer) for row in output[:, ids.shape[1] :].tolist()]
        replies += [answers[i * n : (i + 1) * n] for i in range(len(prompts))]
        on_batch(len(answers))
    return replies


def padded(rows: Sequence[Sequence[int]], pad: int, device: Any, side: Side) -> tuple[Any, Any]:
    """Ids and attention mask of shape (len(rows), longest), padded on one side."""
    import torch

    width = max(map(len, rows))
    ids = torch.full((len(rows), width), pad)
    mask = torch.zeros((len(rows), width), dtype=torch.long)
    for row, tokens in enumerate(rows):
        place = slice(width - len(tokens), width) if side == "left" else slice(0, len(tokens))
        ids[row, place] = torch.tensor(list(tokens))
        mask[row, place] = 1
    return ids.to(device), mask.to(device)


def _reply(ids: list[int], stops: list[int], renderer: Renderer) -> Reply:
    end = next((i for i, token in enumerate(ids) if token in stops), None)
    body = ids if end is None else ids[:end]
    text = str(renderer.tokenizer.decode(body, skip_special_tokens=True)).strip()
    return Reply(text, len(body), ended=end is not None)
