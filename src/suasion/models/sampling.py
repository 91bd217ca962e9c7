"""Replies sampled from a writer in batches; the same seed gives the same replies."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import Field

from suasion.config import Config
from suasion.models.rendering import Renderer

Side = Literal["left", "right"]


class SamplingConfig(Config):
    """How replies are drawn."""

    temperature: float = Field(0.7, gt=0)
    top_p: float = Field(1.0, gt=0, le=1)
    batch_size: int = Field(16, ge=1)
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
    stops = stop_ids(model, renderer)
    size = max(1, config.batch_size // n)
    replies: list[list[Reply]] = []
    model.eval()
    for start in range(0, len(premises), size):
        prompts = [renderer.prompt(premise) for premise in premises[start : start + size]]
        ids = generate(
            model,
            prompts,
            n=n,
            seed=seed + start,
            temperature=config.temperature,
            top_p=config.top_p,
            max_new_tokens=renderer.config.reply_tokens,
            stops=stops,
            pad=int(renderer.tokenizer.pad_token_id),
        )
        answers = [_reply(row, stops, renderer) for row in ids]
        replies += [answers[i * n : (i + 1) * n] for i in range(len(prompts))]
        on_batch(len(answers))
    return replies


def generate(
    model: Any,
    prompts: Sequence[Sequence[int]],
    *,
    n: int,
    seed: int,
    temperature: float,
    top_p: float,
    max_new_tokens: int,
    stops: Sequence[int],
    pad: int,
) -> list[list[int]]:
    """Ids of ``n`` replies to each prompt, side by side; each ends with its stop id, or without one where it was cut off. At temperature
    0 it is always the likeliest token, and all ``n`` are the same."""
    import torch

    ids, mask = padded(prompts, pad, model.device, "left")
    torch.manual_seed(seed)
    drawn: dict[str, Any] = {"do_sample": False}
    if temperature > 0:
        drawn = {"do_sample": True, "temperature": temperature, "top_p": top_p, "top_k": 0, "num_return_sequences": n}
    with torch.inference_mode():
        output = model.generate(
            input_ids=ids,
            attention_mask=mask,
            **drawn,
            max_new_tokens=max_new_tokens,
            eos_token_id=list(stops),
            pad_token_id=pad,
            use_cache=True,
        )
    rows = [_to_its_end(row, stops) for row in output[:, ids.shape[1] :].tolist()]
    return rows if temperature > 0 else [row for row in rows for _ in range(n)]


def ended(reply: Sequence[int], stops: Sequence[int]) -> bool:
    """Whether a reply's ids came to their end, rather than to the token limit."""
    return bool(reply) and reply[-1] in stops


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


def _to_its_end(ids: list[int], stops: Sequence[int]) -> list[int]:
    end = next((i for i, token in enumerate(ids) if token in stops), len(ids) - 1)
    return ids[: end + 1]


def _reply(ids: list[int], stops: Sequence[int], renderer: Renderer) -> Reply:
    whole = ended(ids, stops)
    body = ids[:-1] if whole else ids
    text = str(renderer.tokenizer.decode(body, skip_special_tokens=True)).strip()
    return Reply(text, len(body), ended=whole)
