from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch

from suasion.models import sampling
from suasion.models.base import Base
from suasion.models.loading import load_base
from suasion.models.rendering import Renderer
from suasion.models.sampling import Reply, SamplingConfig, sample, stop_ids
from tests.nano import make_nano, nano_base, small_renderer

PREMISES = [f"CMV: view number {i}." + " indeed" * i for i in range(5)]


@pytest.fixture(scope="module")
def writer(nano: Base) -> Any:
    return load_base(nano, "CAUSAL_LM")


def draw(writer: Any, renderer: Renderer, seed: int = 0, n: int = 2, **config: Any) -> list[list[Reply]]:
    return sample(writer, renderer, PREMISES, n=n, seed=seed, config=SamplingConfig(**config))


def test_the_same_seed_gives_the_same_replies(writer: Any, renderer: Renderer) -> None:
    torch.manual_seed(1)
    first = draw(writer, renderer)
    torch.manual_seed(2)  # what happened before does not matter
    assert draw(writer, renderer) == first
    assert draw(writer, renderer, seed=1) != first
    assert [len(group) for group in first] == [2] * 5
    assert all(one.text != other.text for one, other in first)


def test_every_declared_end_ends_a_reply(tmp_path: Path) -> None:
    """Models with several end ids are otherwise counted as cut off at nearly every reply (TRL pull request 7039)."""
    ends = range(200, 500)
    base = nano_base(make_nano(tmp_path / "model", seed=0, ends=ends))
    renderer = small_renderer(base, reply_tokens=60)
    writer = load_base(base, "CAUSAL_LM")
    stops = stop_ids(writer, renderer)
    assert set(stops) == {*ends, base.tokenizer.eos_token_id}
    replies = [reply for group in draw(writer, renderer, n=4) for reply in group]
    assert all(reply.ended and reply.tokens < 60 for reply in replies)
    for reply in replies:
        assert not set(base.tokenizer(reply.text, add_special_tokens=False)["input_ids"]) - set(range(len(base.tokenizer)))
    assert 0 < sum(reply.tokens for reply in replies) / len(replies) < 20


def test_a_reply_that_reaches_the_limit_has_not_ended(writer: Any, renderer: Renderer) -> None:
    for group in draw(writer, renderer):
        for reply in group:
            assert reply.tokens <= 16
            assert reply.ended == (reply.tokens < 16)


class Echo:
    """Instead of ``generate``: answers with the number of the premise and of the reply, and then ends."""

    def __init__(self, renderer: Renderer) -> None:
        self.renderer, self.calls = renderer, 0

    def __call__(self, model: Any, prompts: list[list[int]], *, n: int, **_: Any) -> list[list[int]]:
        self.calls += 1
        answers = []
        for prompt in prompts:
            number = self.renderer.tokenizer.decode(prompt).split("view number ")[1][0]
            answers += [[*self.renderer._encode(f"{number}/{j}"), self.renderer.end_id] for j in range(n)]
        return answers


@pytest.mark.parametrize(("n", "batch_size", "calls"), [(3, 6, 3), (1, 16, 1), (4, 2, 5)])
def test_replies_come_in_the_order_of_the_premises(
    writer: Any, renderer: Renderer, monkeypatch: pytest.MonkeyPatch, n: int, batch_size: int, calls: int
) -> None:
    echo = Echo(renderer)
    monkeypatch.setattr(sampling, "generate", echo)
    told: list[int] = []
    groups = sample(writer, renderer, PREMISES, n=n, seed=0, config=SamplingConfig(batch_size=batch_size), on_batch=told.append)
    assert [[reply.text for reply in group] for group in groups] == [[f"{i}/{j}" for j in range(n)] for i in range(5)]
    assert all(reply.ended for group in groups for reply in group)
    assert (echo.calls, sum(told)) == (calls, 5 * n)


def test_no_premise_no_reply(writer: Any, renderer: Renderer) -> None:
    assert sample(writer, renderer, [], n=2, seed=0, config=SamplingConfig()) == []
