"""A prompt that is read once for both sides gives what it gives when it is read twice."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from trl.trainer.utils import add_fused_lm_head

from suasion.models.base import Base
from suasion.models.loading import load_base, with_new_adapter
from suasion.models.lora import LoraConfig
from suasion.models.sampling import padded
from suasion.training.shared_pairs import share_prompts
from tests.nano import shaken

FIELDS = ("log_probs", "entropy", "mean_logits", "is_top1", "label_mask")
PAIRS = st.lists(st.tuples(st.integers(1, 9), *[st.lists(st.integers(100, 700), min_size=1, max_size=6)] * 2), min_size=1, max_size=4)


@pytest.fixture(scope="module")
def policies(nano: Base) -> tuple[Any, Any]:
    """The same writer twice; the second one shares prompts."""
    found = []
    for shares in (False, True):
        torch.manual_seed(0)
        model = load_base(nano, "CAUSAL_LM")
        add_fused_lm_head(model, outputs=("log_probs", "entropy", "mean_logits", "is_top1"))
        if shares:
            share_prompts(model)
        found.append(shaken(with_new_adapter(model, nano, LoraConfig(), "CAUSAL_LM")).eval())
    return found[0], found[1]


def collated(pairs: list[tuple[int, list[int], list[int]]]) -> dict[str, torch.Tensor]:
    """As TRL does it: all chosen ones, then all rejected ones, padded on the right."""
    rows = [(list(range(5, 5 + prompt)), answer) for side in (0, 1) for prompt, *answers in pairs for answer in (answers[side],)]
    ids, mask = padded([prompt + answer for prompt, answer in rows], 0, "cpu", "right")
    labels = torch.full_like(ids, -100)
    for place, (prompt, answer) in enumerate(rows):
        labels[place, len(prompt) : len(prompt) + len(answer)] = torch.tensor(answer)
    return {"input_ids": ids, "attention_mask": mask, "labels": labels}


@settings(max_examples=25, deadline=None)
@given(PAIRS)
def test_each_side_is_read_as_if_it_were_alone(policies: tuple[Any, Any], pairs: list[tuple[int, list[int], list[int]]]) -> None:
    batch = collated(pairs)
    with torch.no_grad():
        usual, ours = (policy(**batch, fused_lm_head=True, use_cache=False) for policy in policies)
    for field in FIELDS:
        one, other = getattr(usual, field), getattr(ours, field)
        assert one.shape == other.shape and torch.allclose(one.float(), other.float(), atol=1e-4), field


def test_gradients_are_the_same(policies: tuple[Any, Any]) -> None:
    batch = collated([(7, [300, 301, 302], [400]), (7, [200, 201], [210, 211, 212]), (3, [150], [160, 161])])
    gradients = []
    for policy in policies:
        policy.zero_grad()
        told = policy(**batch, fused_lm_head=True, use_cache=False).log_probs.sum(dim=1)
        (told[:3] - told[3:]).sigmoid().sum().backward()
        gradients.append({name: value.grad.clone() for name, value in policy.named_parameters() if value.requires_grad})
    largest = max(float(value.abs().max()) for value in gradients[0].values())
    assert largest > 0
    for name, value in gradients[0].items():
        assert torch.allclose(value, gradients[1][name], atol=1e-4 * largest), name


def test_a_prompt_is_computed_once(policies: tuple[Any, Any]) -> None:
    batch = collated([(9, [300, 301], [400, 401, 402])])
    computed = []
    for policy in policies:
        seen: list[int] = []
        hook = policy.get_input_embeddings().register_forward_hook(lambda module, given, out, seen=seen: seen.append(given[0].numel()))
        policy(**batch, fused_lm_head=True, use_cache=False)
        hook.remove()
        computed.append(sum(seen))
    assert computed == [2 * 12, 9 - 1 + 2 + 3]  # each answer begins with a copy of the prompt's last token


def test_anything_else_goes_its_usual_way(policies: tuple[Any, Any]) -> None:
    batch = collated([(4, [300], [400])])
    with torch.no_grad():
        usual, ours = (policy(input_ids=batch["input_ids"]).logits for policy in policies)
        assert torch.equal(usual, ours)
        nothing = batch | {"labels": torch.full_like(batch["labels"], -100)}
        assert float(policies[1](**nothing, fused_lm_head=True).log_probs.abs().sum()) == 0
