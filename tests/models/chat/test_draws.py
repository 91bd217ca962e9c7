from __future__ import annotations

from typing import Any

import pytest
import torch
from transformers import LogitsProcessorList, MinPLogitsWarper, TemperatureLogitsWarper, TopKLogitsWarper, TopPLogitsWarper

from suasion.models.decoding import draw

CASES = [(0, 1.0, 0.0), (0, 1.0, 0.2), (3, 1.0, 0.0), (5, 0.8, 0.0), (12, 0.9, 0.3), (99, 0.5, 1.0)]


@pytest.mark.parametrize(("top_k", "top_p", "min_p"), CASES)
def test_draws_are_those_of_transformers_probabilities(top_k: int, top_p: float, min_p: float) -> None:
    """Each number of a fine grid draws the token at which transformers' cumulated probability exceeds it."""
    logits = 2 * torch.randn(4, 40, generator=torch.Generator().manual_seed(top_k))
    chain: list[Any] = [TemperatureLogitsWarper(0.7)]
    chain += [TopKLogitsWarper(top_k)] if top_k else []
    chain += [TopPLogitsWarper(top_p)] if top_p < 1 else []
    chain += [MinPLogitsWarper(min_p)] if min_p else []
    mass = LogitsProcessorList(chain)(torch.zeros(4, 1, dtype=torch.long), logits.clone()).double().softmax(dim=-1).cumsum(dim=-1)
    for number in torch.linspace(0.001, 0.998, 97).tolist():
        drawn = draw(logits, torch.full((4,), number), 0.7, top_p, min_p, top_k)
        expected = (mass <= number * mass[:, -1:]).sum(dim=-1)
        near = (mass - number).abs().amin(dim=-1) < 1e-5  # rounding decides
        assert bool(((drawn == expected) | near).all())
