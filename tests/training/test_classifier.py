from __future__ import annotations

import math
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from suasion.errors import SuasionError
from suasion.models.encoder import Encoder, EncoderConfig, resolve_encoder
from suasion.runs.run import Run
from suasion.training.classifier import LabelledRow, PairRow, loss_of, train_classifier
from suasion.training.common import EpochsConfig
from tests.architectures import make_longformer, make_modernbert

CONFIG = EpochsConfig(max_steps=5, batch_size=2, accumulation=2, checkpoint_every=2, learning_rate=1e-3)


@pytest.fixture(scope="module", params=[make_longformer, make_modernbert], ids=["longformer", "modernbert"])
def encoder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, own_cache: None) -> Encoder:
    return resolve_encoder(EncoderConfig(model=str(request.param(tmp_path_factory.mktemp("encoder")))), premise_words=50)


def rows(encoder: Encoder, number: int = 6) -> list[LabelledRow]:
    return [LabelledRow(encoder.read(f"CMV: number {i}", "evidence " * (i + 1))[0], i % 2 == 0) for i in range(number)]


def pairs(encoder: Encoder, number: int = 6) -> list[PairRow]:
    return [PairRow(encoder.read("CMV", f"evidence {i}")[0], encoder.read("CMV", f"nonsense {i} or so")[0]) for i in range(number)]


def same(first: Any, second: Any) -> bool:
    ours, theirs = first.state_dict(), second.state_dict()
    return ours.keys() == theirs.keys() and all(torch.equal(ours[name], theirs[name]) for name in ours)


@given(st.lists(st.tuples(st.floats(-30, 30), st.booleans()), min_size=1, max_size=8))
def test_single_replies_have_the_cross_entropy_of_their_label(batch: list[tuple[float, bool]]) -> None:
    scores, labels = torch.tensor([one for one, _ in batch], dtype=torch.float64), torch.tensor([float(earned) for _, earned in batch])
    loss, right = loss_of(scores, labels.double())
    assert float(loss) == pytest.approx(np.mean([math.log1p(math.exp(-one if earned else one)) for one, earned in batch]))
    assert float(right) == pytest.approx(np.mean([(one > 0) == earned for one, earned in batch]))


@given(st.lists(st.tuples(st.floats(-30, 30), st.floats(-30, 30)), min_size=1, max_size=8))
def test_pairs_have_the_pairwise_loss(batch: list[tuple[float, float]]) -> None:
    scores = torch.tensor([one for one, _ in batch] + [other for _, other in batch], dtype=torch.float64)
    loss, right = loss_of(scores, None)
    assert float(loss) == pytest.approx(np.mean([math.log1p(math.exp(other - one)) for one, other in batch]))
    assert float(right) == pytest.approx(np.mean([one > other for one, other in batch]))


@pytest.mark.parametrize("table", [rows, pairs])
def test_a_training_that_broke_off_ends_at_the_same_weights(encoder: Encoder, table: Any, tmp_path: Path) -> None:
    """From the middle, and from a last checkpoint after which nothing is left to do."""
    with Run.start(tmp_path, "Judge", config={}) as run:
        whole = train_classifier(encoder, table(encoder), CONFIG, run, 3)
        assert same(train_classifier(encoder, table(encoder), CONFIG, run, 3), whole)
        shutil.rmtree(run.checkpoints / "checkpoint-5")
        assert same(train_classifier(encoder, table(encoder), CONFIG, run, 3), whole)
        assert {"loss", "accuracy", "mean_score"} <= set(run.metrics()[-1])
    with Run.start(tmp_path, "Judge", config={}) as other:
        assert not same(train_classifier(encoder, table(encoder), CONFIG, other, 4), whole)


def test_gradients_are_means_over_the_accumulated_batches(tmp_path: Path, own_cache: None) -> None:
    """Two passes of three replies move the weights as one pass of six does (in a model without dropout)."""
    encoder = resolve_encoder(EncoderConfig(model=str(make_modernbert(tmp_path / "model"))), premise_words=50)
    numbers = []
    for batch, accumulation in ((6, 1), (3, 2)):
        config = EpochsConfig(max_steps=1, batch_size=batch, accumulation=accumulation, checkpoint_every=0, learning_rate=1e-3)
        with Run.start(tmp_path / "runs", "Judge", config={}) as run:
            train_classifier(encoder, rows(encoder), config, run, 0)
            numbers.append(run.metrics()[0])
    for key in ("loss", "gradient_norm"):
        assert numbers[0][key] == pytest.approx(numbers[1][key], rel=1e-3)


def test_nothing_to_learn_is_an_error(encoder: Encoder, tmp_path: Path) -> None:
    for table, told in (([], "no reply"), ([row for row in rows(encoder) if row.earned], "earned an award")):
        with pytest.raises(SuasionError, match=told), Run.start(tmp_path, "Judge", config={}) as run:
            train_classifier(encoder, table, CONFIG, run, 0)
