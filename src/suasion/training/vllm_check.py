"""Does vLLM hold the very weights that are trained? The log-probabilities of one reply tell: the trainer's and vLLM's must agree.

A server that was never sent the adapter, or got it twice, draws replies that look right and teach the wrong thing (ms-swift issue 8233,
miles pull request 2075). Two implementations of one model in bfloat16 differ by about 0.01 nats a token; other weights by far more.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from suasion.errors import Refused, SuasionError


@dataclass(frozen=True)
class Agreement:
    """What was compared, on the tokens of one reply."""

    tokens: int
    gap: float
    """Mean absolute difference, in nats a token."""
    ours: float
    """Mean log-probability under the trainer's weights."""
    theirs: float
    """Under vLLM's."""


def require_agreement(ours: Sequence[float], theirs: Sequence[float | None], tolerance: float, *, peer: str, step: int) -> Agreement:
    """Compare a reply's log-probabilities, one a token, as the trainer and as vLLM give them.

    Args:
        tolerance: the largest ``gap``, in nats a token.
        peer: who answered, for the error.

    Raises:
        Refused: they are farther apart, or vLLM gave no number for a token.
    """
    known = [value for value in theirs if value is not None and math.isfinite(value)]
    if not ours or len(theirs) != len(ours) or len(known) != len(ours):
        raise Refused(
            f"Practice was stopped at step {step}: {peer} gave {len(known)} log-probabilities for a reply of {len(ours)} tokens.",
            hint="Start it without --max-logprobs 0, and with the tokenizer of the base.",
        )
    found = Agreement(
        tokens=len(ours),
        gap=sum(abs(our - their) for our, their in zip(ours, known, strict=True)) / len(ours),
        ours=sum(ours) / len(ours),
        theirs=sum(known) / len(ours),
    )
    if not found.gap <= tolerance:
        raise Refused(
            f"Practice was stopped at step {step}: {peer} does not hold the weights that are trained. On {found.tokens} tokens of a reply "
            f"the mean log-probability is {found.ours:.4f} here and {found.theirs:.4f} there, {found.gap:.4f} nats a token apart "
            f"(practice.vllm.tolerance = {tolerance:g}).",
            hint="Restart vLLM on this run's base (base.model), and let no other training send it weights.",
        )
    return found


def policy_logprobs(policy: Any, prompt: Sequence[int], reply: Sequence[int]) -> list[float]:
    """Log-probability of each token of the reply under the model that is trained, adapter on, at temperature 1."""
    import torch

    was_training = policy.training
    policy.eval()
    ids = torch.tensor([[*prompt, *reply]], device=policy.device)
    with torch.inference_mode():
        logits = policy(input_ids=ids, use_cache=False, logits_to_keep=len(reply) + 1).logits[0, :-1].float()
    policy.train(was_training)
    chosen = logits.log_softmax(dim=-1).gather(1, ids[0, -len(reply) :, None])
    return [float(value) for value in chosen[:, 0]]


def server_logprobs(url: str, prompt: Sequence[int], reply: Sequence[int], timeout: float) -> list[float | None]:
    """The same, asked of a server (``vllm serve``) by its completions interface: a prompt's log-probabilities, with one token drawn.

    Raises:
        SuasionError: it does not answer in time, refuses, or answers something else.
    """
    import httpx

    sequence = [*prompt, *reply]
    try:
        with httpx.Client(base_url=url, timeout=timeout) as client:
            name = _answer(client.get("/v1/models"))["data"][0]["id"]
            body = {"model": name, "prompt": [sequence], "max_tokens": 1, "temperature": 1.0, "prompt_logprobs": 1}
            places = _answer(client.post("/v1/completions", json=body))["choices"][0]["prompt_logprobs"]
        return [_of_token(place, token) for place, token in zip(places[len(prompt) :], reply, strict=True)]
    except httpx.HTTPError as error:
        raise SuasionError(
            f"The vLLM server does not answer: {error or type(error).__name__!s:.200}", where=url, hint="Is it up? See its own log."
        ) from error
    except (KeyError, IndexError, TypeError, ValueError) as error:
        raise SuasionError(f"The vLLM server gave an answer of another form: {error!r:.200}", where=url) from error


def engine_logprobs(engine: Any, prompt: Sequence[int], reply: Sequence[int]) -> list[float | None]:
    """The same, asked of a ``vllm.LLM`` in this process."""
    from vllm import SamplingParams

    given = SamplingParams(max_tokens=1, temperature=1.0, prompt_logprobs=1)
    (output,) = engine.generate([{"prompt_token_ids": [*prompt, *reply]}], sampling_params=given, use_tqdm=False)
    return [float(place[token].logprob) for place, token in zip(output.prompt_logprobs[len(prompt) :], reply, strict=True)]


def _answer(response: Any) -> Any:
    response.raise_for_status()
    return response.json()


def _of_token(place: Any, token: int) -> float | None:
    found = (place or {}).get(str(token))
    return None if found is None or found["logprob"] is None else float(found["logprob"])
