from __future__ import annotations

import numpy as np
import pytest
import torch

from suasion.models.base import Base
from suasion.models.embedding import Embedder
from suasion.models.loading import load_base
from suasion.models.rendering import Renderer

TEXTS = ["People drink tea.", "because " * 30, "no", "People drink tea.", "What <|end|> is this?", "half \ud83d emoji"]


@pytest.fixture(scope="module")
def embedder(nano: Base, renderer: Renderer) -> Embedder:
    return Embedder(nano, renderer, token_budget=64)


def test_a_text_is_the_mean_of_its_last_hidden_states(nano: Base, renderer: Renderer, embedder: Embedder) -> None:
    ids = renderer.tokenizer("People drink tea.", add_special_tokens=False)["input_ids"]
    first = renderer.tokenizer.bos_token_id
    model = load_base(nano, "CAUSAL_LM").eval()
    with torch.no_grad():
        hidden = model.model(input_ids=torch.tensor([[first, *ids]])).last_hidden_state[0, 1:]
    np.testing.assert_allclose(embedder(["People drink tea."])[0], hidden.mean(0).numpy(), atol=1e-5)


def test_a_text_is_the_same_point_whatever_else_is_read(embedder: Embedder) -> None:
    together = embedder(TEXTS)
    assert together.shape == (len(TEXTS), 64) and together.dtype == np.float32
    alone = np.concatenate([embedder([text]) for text in TEXTS])
    np.testing.assert_allclose(together, alone, atol=1e-5)
    assert np.array_equal(together[0], together[3]) and not np.allclose(together[0], together[1], atol=1e-2)


def test_no_text_and_an_empty_text_are_no_trouble(embedder: Embedder) -> None:
    assert embedder([]).shape == (0, 64)
    assert not embedder([""]).any()


def test_a_long_text_is_cut(embedder: Embedder, renderer: Renderer) -> None:
    long = "tea coffee " * 400
    assert np.isfinite(embedder([long])).all()
    assert np.array_equal(embedder([long]), embedder([long + "and much more behind"]))
