"""Replies sampled from a writer in batches; the same seed gives the same replies, whatever the size of the batches."""

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
        seed: with a premise's and a reply's number it makes the numbers that a reply is drawn by, so that two writers get the same ones
            premise by premise. torch's own random state has no part in it.
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
            seed=seed,
            first=start,
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
    first: int = 0,
) -> list[list[int]]:
    """Ids of ``n`` replies to each prompt, side by side; each ends with its stop id, or without one where it was cut off. At temperature
    0 it is always the likeliest token, and all ``n`` are the same.

    Args:
        first: number of the first prompt, where the prompts are some of a longer list.
    """
    import torch

    from suasion.models.decoding import decode, sees_everything, uniform_numbers

    ids, mask = padded(prompts, pad, model.device, "left")
    each = n if temperature > 0 else 1
    with torch.inference_mode():
        if sees_everything(model):
            numbers = uniform_numbers(seed, first, len(prompts), each, max_new_tokens)
            rows = decode(
                model,
                ids,
                mask,
                replies_to=[prompt for prompt in range(len(prompts)) for _ in range(each)],
                numbers=numbers,
                temperature=temperature,
                top_p=top_p,
                stops=stops,
            )
        else:
            rows = _by_transformers(model, ids, mask, each, seed + first, temperature, top_p, max_new_tokens, stops, pad)
    return rows if temperature > 0 else [row for row in rows for _ in range(n)]


def _by_transformers(
    model: Any,
    ids: Any,
    mask: Any,
    n: int,
    seed: int,
    temperature: float,
    top_p: float,
    max_new_tokens: int,
    stops: Sequence[int],
    pad: int,
) -> list[list[int]]:
    """For models whose layers look back over a window, or carry a state: what is drawn depends on the batch as a whole."""
    import torch

    drawn: dict[str, Any] = {"do_sample": False}
    if temperature > 0:
        drawn = {"do_sample": True, "temperature": temperature, "top_p": top_p, "top_k": 0, "num_return_sequences": n}
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        output = model.generate(
            input_ids=ids,
            attention_mask=mask,
            **drawn,
            repetition_penalty=1.0,  # some models declare one; replies are to come from the distribution that is trained
            max_new_tokens=max_new_tokens,
            eos_token_id=list(stops),
            pad_token_id=pad,
            use_cache=True,
        )
    return [_to_its_end(row, stops) for row in output[:, ids.shape[1] :].tolist()]


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
