from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from suasion.errors import SuasionError
from suasion.models import sampling
from suasion.models.base import Base
from suasion.models.decoding import draw, sees_everything, uniform_numbers
from suasion.models.loading import load_base

PROMPTS = [[5, 6, 7, 8, 9, 300, 301], [5, 40], [5, 200, 201, 202]]
NEW = 12


@pytest.fixture(scope="module")
def writer(nano: Base) -> Any:
    return load_base(nano, "CAUSAL_LM").eval()


def replies(writer: Any, prompts: list[list[int]] = PROMPTS, **changed: Any) -> list[list[int]]:
    asked: dict[str, Any] = {"n": 3, "seed": 1, "temperature": 1.0, "top_p": 1.0, "max_new_tokens": NEW, "stops": range(150, 260), "pad": 0}
    return sampling.generate(writer, prompts, **(asked | changed))


def by_hand(writer: Any, prompt: list[int], numbers: np.ndarray, stops: range) -> list[int]:
    """One reply, everything computed anew at each token."""
    reply: list[int] = []
    for number in numbers:
        logits = writer(torch.tensor([prompt + reply])).logits[0, -1]
        mass = logits.double().softmax(dim=-1).cumsum(dim=-1)
        reply.append(int((mass <= number * mass[-1]).sum()))
        if reply[-1] in stops:
            break
    return reply


def test_a_reply_is_what_a_plain_loop_draws(writer: Any) -> None:
    """Prompts read once, rows that leave and the room for tokens to come change nothing."""
    drawn = replies(writer)
    numbers = uniform_numbers(1, 0, 3, 3, NEW)
    with torch.inference_mode():
        assert drawn == [by_hand(writer, PROMPTS[i // 3], numbers[i], range(150, 260)) for i in range(9)]
    assert len({len(reply) for reply in drawn}) > 2  # else no row had left while others stayed


def test_a_reply_does_not_depend_on_its_batch(writer: Any) -> None:
    together = replies(writer)
    for number, prompt in enumerate(PROMPTS):
        assert replies(writer, [prompt], first=number) == together[3 * number : 3 * number + 3]
    assert [replies(writer, n=2)[i] for i in (0, 2, 4)] == [together[i] for i in (0, 3, 6)]


def test_the_likeliest_tokens_are_those_of_transformers(writer: Any) -> None:
    ids, mask = sampling.padded(PROMPTS, 0, "cpu", "left")
    theirs = sampling._by_transformers(writer, ids, mask, 1, 0, 0.0, 1.0, NEW, range(150, 260), 0)
    ours = replies(writer, temperature=0.0)
    assert ours == [reply for reply in theirs for _ in range(3)]


def test_a_model_with_a_window_is_left_to_transformers(writer: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from transformers import MistralConfig, MistralForCausalLM

    small = {"hidden_size": 16, "intermediate_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2, "num_key_value_heads": 1}
    config = MistralConfig(vocab_size=400, sliding_window=4, **small)
    torch.manual_seed(0)
    model = MistralForCausalLM(config).eval()
    assert sees_everything(writer) and not sees_everything(model)
    state = torch.get_rng_state()
    first = replies(model)
    assert replies(model) == first != replies(model, seed=2)
    assert torch.equal(torch.get_rng_state(), state)


def test_tokens_are_drawn_as_often_as_they_are_likely() -> None:
    logits = torch.tensor([[1.0, 0.0, 2.0, -1.0]]).expand(20_000, 4)
    numbers = torch.from_numpy(np.random.default_rng(0).random(20_000))
    for temperature, top_p in ((1.0, 1.0), (0.5, 1.0), (1.0, 0.7)):
        found = torch.bincount(draw(logits, numbers, temperature, top_p), minlength=4) / 20_000
        wanted = (logits[0] / temperature).softmax(dim=-1)
        if top_p < 1:  # 0.64 and 0.24 make up 0.7; the others are out
            wanted = wanted * torch.tensor([1.0, 0.0, 1.0, 0.0])
            wanted = wanted / wanted.sum()
        assert (found - wanted).abs().max() < 0.012, (temperature, top_p)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.floats(-30, 30, width=32), min_size=2, max_size=8),
    st.floats(0, 1, exclude_max=True),
    st.floats(0.05, 2.0),
    st.floats(0.01, 1.0),
)
def test_what_is_drawn_is_possible(row: list[float], number: float, temperature: float, top_p: float) -> None:
    logits = torch.tensor([row])
    token = int(draw(logits, torch.tensor([number], dtype=torch.float64), temperature, top_p)[0])
    chances = (logits[0] / temperature).softmax(dim=-1)
    assert chances[token] > 0
    assert float(chances[chances > chances[token]].sum()) < top_p + 1e-5


def test_probabilities_that_are_no_numbers_are_an_error() -> None:
    with pytest.raises(SuasionError, match="not numbers"):
        draw(torch.tensor([[0.0, float("nan")]]), torch.tensor([0.5]), 1.0, 1.0)


def test_a_step_reads_only_rows_that_have_not_ended(writer: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[tuple[int, int]] = []
    forward = type(writer).forward

    def counted(self: Any, *given: Any, **named: Any) -> Any:
        read.append(tuple(named["input_ids"].shape))
        return forward(self, *given, **named)

    monkeypatch.setattr(type(writer), "forward", counted)
    lengths = [len(reply) for reply in replies(writer)]
    assert read[0] == (3, 7)  # each prompt once
    assert [rows for rows, _ in read[1:]] == [sum(length > step for length in lengths) for step in range(1, max(lengths))]
