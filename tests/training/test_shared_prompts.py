from __future__ import annotations

from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from suasion.models.base import Base
from suasion.models.loading import load_base, with_new_adapter
from suasion.models.lora import LoraConfig
from suasion.models.sampling import padded
from suasion.training.group_trainers import _by_prompt
from suasion.training.shared_prompts import logprobs, shared
from tests.nano import shaken

PROMPTS = [[5, 6, 7, 8, 9, 300, 301], [5, 40], [5]]
TEMPERATURE = 0.7


@pytest.fixture(scope="module")
def policy(nano: Base) -> Any:
    torch.manual_seed(0)
    return shaken(with_new_adapter(load_base(nano, "CAUSAL_LM"), nano, LoraConfig(), "CAUSAL_LM")).eval()


def laid_out(rows: list[tuple[int, list[int]]]) -> tuple[torch.Tensor, torch.Tensor, int]:
    left, left_mask = padded([PROMPTS[number] for number, _ in rows], 0, "cpu", "left")
    right, right_mask = padded([reply for _, reply in rows], 0, "cpu", "right")
    return torch.cat([left, right], 1), torch.cat([left_mask, right_mask], 1), right.shape[1]


def together(policy: Any, ids: torch.Tensor, mask: torch.Tensor, replies: int) -> tuple[torch.Tensor, torch.Tensor]:
    layout = shared(ids, mask, replies, torch.float32)
    logits = policy(
        input_ids=layout.ids, attention_mask=layout.mask, position_ids=layout.positions, use_cache=False, logits_to_keep=layout.behind
    ).logits
    found, entropy = logprobs(logits, layout, TEMPERATURE, entropy=True)
    assert entropy is not None
    return found, entropy


def alone(policy: Any, prompt: list[int], reply: list[int]) -> tuple[torch.Tensor, torch.Tensor]:
    logits = policy(torch.tensor([prompt + reply])).logits[0, len(prompt) - 1 : -1] / TEMPERATURE
    everything = logits.log_softmax(-1)
    return everything.gather(-1, torch.tensor(reply)[:, None])[:, 0], -(everything.exp() * everything).sum(-1)


REPLIES = st.lists(st.tuples(st.integers(0, 2), st.lists(st.integers(100, 700), min_size=1, max_size=6)), min_size=1, max_size=6)


@settings(max_examples=30, deadline=None)
@given(REPLIES)
def test_each_reply_is_read_as_if_it_were_alone(policy: Any, rows: list[tuple[int, list[int]]]) -> None:
    ids, mask, replies = laid_out(rows)
    with torch.no_grad():
        found, entropy = together(policy, ids, mask, replies)
        for index, (number, reply) in enumerate(rows):
            told, spread = alone(policy, PROMPTS[number], reply)
            torch.testing.assert_close(found[index, : len(reply)], told, atol=2e-4, rtol=1e-4)
            torch.testing.assert_close(entropy[index, : len(reply)], spread, atol=2e-4, rtol=1e-4)
            assert not found[index, len(reply) :].any() and not entropy[index, len(reply) :].any()


def test_gradients_are_those_of_replies_side_by_side(policy: Any) -> None:
    rows = [(0, [200, 201, 202]), (1, [300]), (0, [400, 401]), (0, [200, 201, 500, 501])]
    weights = [parameter for parameter in policy.parameters() if parameter.requires_grad]
    ids, mask, replies = laid_out(rows)
    found = torch.autograd.grad((together(policy, ids, mask, replies)[0] ** 2).sum(), weights)
    wanted = torch.autograd.grad(sum((alone(policy, PROMPTS[number], reply)[0] ** 2).sum() for number, reply in rows), weights)
    for one, other in zip(found, wanted, strict=True):
        torch.testing.assert_close(one, other, atol=1e-3, rtol=1e-3)


def test_a_prompt_stands_once_and_a_reply_that_teaches_nothing_nowhere() -> None:
    ids, mask, replies = laid_out([(0, [200, 201, 202]), (1, [300]), (0, [400, 401])])
    layout = shared(ids, mask, replies, torch.float32)
    assert layout.ids.shape == (2, 6 + 5) and layout.behind == 5
    mask[0, -replies:] = 0
    layout = shared(ids, mask, replies, torch.float32)
    assert layout.ids.shape == (2, 6 + 2) and not layout.real[0].any()
    mask[:, -replies:] = 0  # none teaches: one token is left, for a loss of nothing must have a gradient too
    assert shared(ids, mask, replies, torch.float32).real.sum() == 1


def test_passes_are_dealt_replies_to_one_prompt() -> None:
    parts = [
        {
            "prompt_ids": torch.tensor([[1], [2]]),
            "completion_mask": torch.tensor([[1, 0], [1, 1]]),
            "advantages": torch.tensor([0.0, 1.0]),
            "num_items_in_batch": torch.tensor(6),
        },
        {
            "prompt_ids": torch.tensor([[2], [1]]),
            "completion_mask": torch.tensor([[1, 0], [1, 1]]),
            "advantages": torch.tensor([2.0, 3.0]),
            "num_items_in_batch": torch.tensor(6),
        },
    ]
    dealt = _by_prompt(parts)
    assert [part["prompt_ids"].tolist() for part in dealt] == [[[1], [1]], [[2], [2]]]
    assert [part["advantages"].tolist() for part in dealt] == [[3.0, 0.0], [1.0, 2.0]]
    assert all(int(part["num_items_in_batch"]) == 6 for part in dealt)
