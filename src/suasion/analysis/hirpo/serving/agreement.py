"""Whether a server answers as the model that was trained: the log-probabilities that both give to the same tokens."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

CLEARLY = 2.0  # times nearer to another state than to the wanted one: then it is the other


@dataclass(frozen=True)
class Passage:
    """Token ids, and what the trainer's model makes of them.

    Attributes:
        ids: of a whole chat, prompt and answer.
        wanted: log-probability in nats of each token but the first, by the state that should be served; shape (len(ids) - 1,).
        others: the same by states that must not be served any more, or not yet: by name, "the base" say.
    """

    ids: Sequence[int]
    wanted: np.ndarray
    others: Mapping[str, np.ndarray] = field(default_factory=dict)


def disagreement(served: np.ndarray, passage: Passage, tolerance: float) -> str | None:
    """What is wrong with a server's log-probabilities; ``None`` where nothing is.

    They may differ from the wanted ones by ``tolerance`` nats a token on average: kernels and number formats differ. And they must not be
    twice as near to another state's as to the wanted ones. An adapter that was hardly trained cannot be told from the state before it by
    any measurement; then it does not matter much which of them is served.

    Args:
        served: shape (len(ids) - 1,).
    """
    if served.shape != passage.wanted.shape:
        return f"it gave {len(served)} log-probabilities, and {len(passage.wanted)} were asked for"
    if not np.isfinite(served).all():
        return "some of its log-probabilities are no numbers"
    away = _distance(served, passage.wanted)
    if not away <= tolerance:
        return f"its log-probabilities differ from the trainer's by {away:.3f} nats a token; {tolerance:g} are tolerated"
    for name, other in passage.others.items():
        if CLEARLY * _distance(served, other) < away:
            return f"it serves {name}: it is {_distance(served, other):.4f} nats a token away from that, and {away:.4f} from the trainer"
    return None


def log_probabilities(model: Any, ids: Sequence[int]) -> np.ndarray:
    """What a causal language model gives to each token but the first, in nats; shape (len(ids) - 1,)."""
    import torch

    with torch.inference_mode():
        tokens = torch.tensor([list(ids)], device=model.device)
        logits = model(input_ids=tokens).logits[0, :-1].float()
        found = logits.log_softmax(dim=-1).gather(1, tokens[0, 1:, None])[:, 0]
    return np.asarray(found.cpu().numpy(), dtype=np.float64)


def _distance(one: np.ndarray, other: np.ndarray) -> float:
    return float(np.abs(one - other).mean())
