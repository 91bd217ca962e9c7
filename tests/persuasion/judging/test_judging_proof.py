from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from suasion.errors import SuasionError
from suasion.models.base import Base
from suasion.models.loading import load_base, save_adapter, with_new_adapter
from suasion.models.lora import LoraConfig
from suasion.models.rendering import Renderer
from suasion.models.reward_model import RewardModel
from suasion.persuasion.judging.proof import prove_head, prove_judge
from tests.nano import nano_base, shaken, small_renderer


@pytest.fixture(scope="module")
def trained(nano: Base, renderer: Renderer) -> RewardModel:
    torch.manual_seed(0)
    return RewardModel(shaken(with_new_adapter(load_base(nano, "SEQ_CLS"), nano, LoraConfig(), "SEQ_CLS")), renderer)


@pytest.fixture(scope="module")
def rows(renderer: Renderer) -> list[list[int]]:
    return [renderer.conversation("A view.", "because " * n).ids for n in (1, 9, 3, 20)]


def test_a_saved_judge_is_proved_to_be_the_one_that_was_trained(
    nano: Base, renderer: Renderer, trained: RewardModel, rows: list[list[int]], tmp_path: Path
) -> None:
    save_adapter(trained.model, nano, tmp_path / "adapter")
    proof = prove_head(trained, RewardModel.load(tmp_path / "adapter", nano, renderer), rows, exact=True)
    assert proof.reloaded < 1e-4 and proof.batch < 1e-4 and proof.padding < 1e-4


def test_a_head_that_was_drawn_anew_is_found_out(
    nano: Base, renderer: Renderer, trained: RewardModel, rows: list[list[int]], tmp_path: Path
) -> None:
    save_adapter(trained.model, nano, tmp_path / "adapter")
    reloaded = RewardModel.load(tmp_path / "adapter", nano, renderer)
    torch.nn.init.normal_(reloaded.model.score.weight)
    with pytest.raises(SuasionError, match="does not score the same reply the same"):
        prove_head(trained, reloaded, rows, exact=True)


def test_in_half_precision_the_reloaded_judge_is_the_same_too(nano_folder: Path, tmp_path: Path) -> None:
    """As on a GPU. An adapter merged into bfloat16 weights would be rounded off, and the judge another one."""
    base = nano_base(nano_folder, dtype="bfloat16")
    renderer = small_renderer(base)
    model = shaken(with_new_adapter(load_base(base, "SEQ_CLS"), base, LoraConfig(), "SEQ_CLS"))
    save_adapter(model, base, tmp_path / "adapter")
    rows = [renderer.conversation("A view.", "because " * n).ids for n in (1, 9, 3, 20)]
    prove_head(RewardModel(model, renderer), RewardModel.load(tmp_path / "adapter", base, renderer), rows, exact=False)


class Scores:
    """Scores rows by a function of the row, of how many came with it, and of the padding's side."""

    def __init__(self, score: Callable[[Sequence[int], int, str], float]) -> None:
        self.score = score

    def score_ids(self, rows: Sequence[Sequence[int]], *, padding: str = "right") -> Any:
        return np.asarray([self.score(row, len(rows), padding) for row in rows], dtype=np.float32)


HONEST = Scores(lambda row, together, padding: float(len(row)))


@pytest.mark.parametrize(
    "fault",
    [
        Scores(lambda row, together, padding: len(row) + 0.5 * (together > 1)),
        Scores(lambda row, together, padding: len(row) + 0.5 * (padding == "left")),
        Scores(lambda row, together, padding: float("nan") if padding == "left" else 0.0),
    ],
    ids=["depends on the batch", "depends on the padding", "is not a number"],
)
def test_a_score_that_depends_on_its_surroundings_is_found_out(fault: Any) -> None:
    with pytest.raises(SuasionError, match="does not score the same"):
        prove_head(fault, fault, [[1], [1, 2], [1, 2, 3]], exact=True)
    assert prove_head(HONEST, HONEST, [[1], [1, 2]], exact=True).batch == 0  # type: ignore[arg-type]


def test_rounding_in_half_precision_is_allowed_but_another_judge_is_not() -> None:
    rounding: Any = Scores(lambda row, together, padding: len(row) + 0.01 * (padding == "left"))
    prove_head(rounding, rounding, [[1], [1, 2]], exact=False)
    with pytest.raises(SuasionError):
        prove_head(rounding, rounding, [[1], [1, 2]], exact=True)
    other: Any = Scores(lambda row, together, padding: len(row) + 0.01)
    with pytest.raises(SuasionError):
        prove_head(HONEST, other, [[1], [1, 2]], exact=False)  # type: ignore[arg-type]


class Texts:
    """Scores texts by a function of the reply and of how many came with it."""

    def __init__(self, score: Callable[[str, int], float]) -> None:
        self.give = score

    def score(self, premises: Sequence[str], replies: Sequence[str]) -> Any:
        return np.asarray([self.give(reply, len(replies)) for reply in replies], dtype=np.float32)


def test_judges_of_texts_are_proved_too() -> None:
    honest, replies = Texts(lambda reply, together: len(reply)), ["a", "bb", "ccc"]
    assert prove_judge(honest, honest, [""] * 3, replies).reloaded == 0
    for other in (Texts(lambda reply, together: len(reply) + 0.01), Texts(lambda reply, together: float("nan"))):
        with pytest.raises(SuasionError, match="does not score the same"):
            prove_judge(honest, other, [""] * 3, replies)
    crowded = Texts(lambda reply, together: len(reply) + 0.5 * (together > 1))
    with pytest.raises(SuasionError, match=r"batch of one 0\.5"):
        prove_judge(crowded, crowded, [""] * 3, replies)
