"""Replies to many prompts in one batch, each drawn with a seed of its own: what else is in the batch changes no reply's draws."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from suasion.errors import SuasionError
from suasion.models.chat.engine import ChatSampling
from suasion.models.sampling import padded

#: What this engine knows of ``extra_body``.
_KNOWN = ("min_p", "top_k")


def extras(extra_body: Mapping[str, Any], where: str) -> dict[str, float]:
    """``min_p`` and ``top_k`` out of ``extra_body``.

    Raises:
        SuasionError: there is more in it, or no number.
    """
    unknown = sorted(set(extra_body) - set(_KNOWN))
    if unknown:
        raise SuasionError(
            f"The local model does not know {', '.join(unknown)} in extra_body.", where=where, hint="It knows min_p and top_k."
        )
    for name, value in extra_body.items():
        if isinstance(value, bool) or not isinstance(value, int | float) or value < 0 or (name == "min_p" and value > 1):
            raise SuasionError(
                f"extra_body.{name} is {value!r}.", where=where, hint="min_p is a number from 0 to 1, top_k one of 0 or more."
            )
    return {name: float(value) for name, value in extra_body.items()}


def replies(
    model: Any, prompts: Sequence[Sequence[int]], seeds: Sequence[int], sampling: ChatSampling, *, stops: Sequence[int], pad: int
) -> list[list[int]]:
    """Ids of one reply to each prompt, each with the stop id that ends it, or without one where it was cut off.

    Args:
        prompts: token ids; equal ones are read once.
        seeds: one a prompt; not looked at where the temperature is 0.
        sampling: for all; its own seed is not looked at.
    """
    import numpy as np
    import torch

    from suasion.models.decoding import decode, sees_everything

    if not sees_everything(model):
        return _one_by_one(model, prompts, seeds, sampling, stops, pad)
    places = {ids: place for place, ids in enumerate(dict.fromkeys(map(tuple, prompts)))}
    ids, mask = padded(list(places), pad, model.device, "left")
    numbers = np.stack([np.random.default_rng(seed).random(sampling.max_tokens) for seed in seeds])
    rest = extras(sampling.extra_body, "the local model")
    with torch.inference_mode():
        return decode(
            model,
            ids,
            mask,
            replies_to=[places[tuple(prompt)] for prompt in prompts],
            numbers=numbers,
            temperature=sampling.temperature,
            top_p=sampling.top_p,
            stops=stops,
            min_p=rest.get("min_p", 0.0),
            top_k=int(rest.get("top_k", 0)),
        )


def _one_by_one(
    model: Any, prompts: Sequence[Sequence[int]], seeds: Sequence[int], sampling: ChatSampling, stops: Sequence[int], pad: int
) -> list[list[int]]:
    """For models whose layers look back over a window, or carry a state: padding would change what they see."""
    import torch

    drawn: dict[str, Any] = {"do_sample": False}
    if sampling.temperature > 0:
        rest = {"top_k": 0, "min_p": None, **extras(sampling.extra_body, "the local model")}
        rest["top_k"] = int(rest["top_k"] or 0)
        drawn = {"do_sample": True, "temperature": sampling.temperature, "top_p": sampling.top_p, **rest}
    found = []
    for prompt, seed in zip(prompts, seeds, strict=True):
        ids, mask = padded([prompt], pad, model.device, "left")
        with torch.inference_mode(), torch.random.fork_rng():
            torch.manual_seed(seed)
            (row,) = model.generate(
                input_ids=ids,
                attention_mask=mask,
                **drawn,
                repetition_penalty=1.0,
                max_new_tokens=sampling.max_tokens,
                eos_token_id=list(stops),
                pad_token_id=pad,
                use_cache=True,
            )[:, ids.shape[1] :].tolist()
        found.append(row[: next((i + 1 for i, token in enumerate(row) if token in stops), len(row))])
    return found
