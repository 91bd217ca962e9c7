from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from suasion.models.base import Base
from suasion.models.loading import load_base, with_new_adapter
from suasion.models.lora import LoraConfig
from suasion.models.rendering import Renderer
from suasion.models.reward_model import RewardModel
from suasion.models.sampling import padded
from tests.nano import make_nano, nano_base, shaken, small_renderer

REPLIES = ["Yes.", "No, because of the evidence. " * 8, "Maybe", "", "It <|end|> depends <|pad|> on <|turn|> it.", "So it is. " * 3]
PREMISES = ["CMV: tea is better.", "CMV: short.", "CMV: <|end|> inside", "x " * 200, "CMV: tea is better.", ""]


def make_judge(base: Base) -> RewardModel:
    torch.manual_seed(0)
    return RewardModel(shaken(with_new_adapter(load_base(base, "SEQ_CLS"), base, LoraConfig(), "SEQ_CLS")), small_renderer(base))


@pytest.fixture(scope="module", params=["own padding", "end token shipped as padding"])
def judge(request: pytest.FixtureRequest, nano: Base, tmp_path_factory: pytest.TempPathFactory) -> RewardModel:
    if request.param == "own padding":
        return make_judge(nano)
    return make_judge(nano_base(make_nano(tmp_path_factory.mktemp("model"), seed=0, end_is_padding=True)))


@pytest.fixture(scope="module")
def rows(judge: RewardModel) -> list[list[int]]:
    return [judge.renderer.conversation(premise, reply).ids for premise, reply in zip(PREMISES, REPLIES, strict=True)]


def test_a_score_does_not_depend_on_its_neighbours(judge: RewardModel, rows: list[list[int]]) -> None:
    together = judge.score_ids(rows)
    assert together.dtype == np.float32 and together.shape == (6,)
    assert np.ptp(together) > 0.1
    alone = np.concatenate([judge.score_ids([row]) for row in rows])
    np.testing.assert_allclose(together, alone, atol=1e-5)
    np.testing.assert_allclose(together, judge.score_ids(rows[::-1])[::-1], atol=1e-5)


def test_padding_on_either_side_is_the_same(judge: RewardModel, rows: list[list[int]]) -> None:
    np.testing.assert_allclose(judge.score_ids(rows), judge.score_ids(rows, padding="left"), atol=1e-5)


def test_the_score_is_read_at_the_end_and_not_at_an_end_inside(judge: RewardModel, rows: list[list[int]]) -> None:
    """The template itself puts the end token behind the premise: a judge that stops there gives all replies one score."""
    end = judge.renderer.end_id
    assert all(row.count(end) > 1 for row in rows)
    scores = judge.score(["CMV: tea is better."] * 3, ["Yes.", "No.", "Perhaps."])
    assert len(set(scores.tolist())) == 3


def test_it_is_what_the_trainer_sees(judge: RewardModel, rows: list[list[int]]) -> None:
    """TRL trains on ``model(...).logits[:, 0]`` of right-padded rows."""
    ids, mask = padded(rows, judge.renderer.tokenizer.pad_token_id, "cpu", "right")
    with torch.inference_mode():
        logits = judge.model.eval()(input_ids=ids, attention_mask=mask).logits[:, 0]
    np.testing.assert_allclose(judge.score_ids(rows), logits.numpy(), atol=1e-5)


def test_scoring_leaves_the_model_as_it_was(judge: RewardModel, rows: list[list[int]]) -> None:
    for training in (True, False):
        judge.model.train(training)
        judge.score_ids(rows[:1])
        assert judge.model.training is training


def test_nothing_to_score_is_no_error(judge: RewardModel) -> None:
    assert judge.score([], []).shape == (0,)
    with pytest.raises(ValueError, match="premises"):
        judge.score(["A view."], [])


def test_scores_are_float32_in_bfloat16_too(nano_folder: Path) -> None:
    base = nano_base(nano_folder, dtype="bfloat16")
    model = with_new_adapter(load_base(base, "SEQ_CLS"), base, LoraConfig(), "SEQ_CLS")
    assert next(model.parameters()).dtype == torch.bfloat16
    replies = [f"tea number {number} is better" for number in range(40)]
    scores = RewardModel(model, Renderer(base.tokenizer, small_renderer(base).config)).score(["A view."] * 40, replies)
    assert scores.dtype == np.float32
    rounded = torch.tensor(scores).bfloat16().float().numpy()
    assert not np.array_equal(scores, rounded)  # the head's product was not rounded to 8 bits, which makes spurious ties
