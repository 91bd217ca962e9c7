from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from suasion.models.base import Base
from suasion.runs.run import Run
from suasion.training.common import EpochsConfig, TrainConfig, epochs_arguments, trainer_arguments


@pytest.fixture
def run(tmp_path: Path) -> Any:
    with Run.start(tmp_path, "SFT", config={}) as run:
        yield run


def test_no_checkpoints_means_none(run: Run, nano: Base) -> None:
    assert trainer_arguments(TrainConfig(checkpoint_every=0), run, nano, 3)["save_strategy"] == "no"
    every = trainer_arguments(TrainConfig(checkpoint_every=7), run, nano, 3)
    assert (every["save_strategy"], every["save_steps"]) == ("steps", 7)
    assert every["save_total_limit"] == 2  # the newest may be torn by a kill
    assert (every["seed"], every["data_seed"], every["report_to"]) == (3, 3, [])


def test_epochs_decide_unless_steps_are_given(run: Run, nano: Base) -> None:
    assert epochs_arguments(EpochsConfig(epochs=2.5), run, nano, 0)["max_steps"] == -1
    assert epochs_arguments(EpochsConfig(max_steps=9), run, nano, 0)["max_steps"] == 9


@settings(max_examples=20, deadline=None)
@given(warmup=st.floats(0, 0.99))
def test_warm_up_is_a_share_of_the_steps(warmup: float) -> None:
    """The trainer takes a float below 1 for a share, anything else for a number of steps."""
    from transformers import TrainingArguments

    arguments = TrainingArguments(output_dir="unused", warmup_steps=warmup, use_cpu=True)
    assert 0 <= arguments.get_warmup_steps(100) <= 100


@pytest.mark.parametrize("wrong", [{"learning_rate": 0}, {"warmup": 1}, {"checkpoint_every": -1}, {"log_every": 0}])
def test_senseless_settings_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=next(iter(wrong))):
        TrainConfig(**wrong)
