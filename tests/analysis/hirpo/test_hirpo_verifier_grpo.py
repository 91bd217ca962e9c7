from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from suasion.analysis.hirpo.evaluation import against
from suasion.analysis.hirpo.training import TrainingConfig
from suasion.analysis.hirpo.verifier_grpo import worth
from suasion.runs.run import Run
from tests.analysis.hirpo import whole

names = st.sampled_from(["valid", "invalid", "undecided"])


def test_what_answers_are_worth() -> None:
    assert worth(["valid", "invalid", "undecided", "undecided"], [True, True, True, False], 4) == pytest.approx([1, 0, 1 / 3, 0])
    assert worth(["undecided"] * 2, [True, True], 2) == [0, 0]
    assert worth(["valid", "valid"], [True, False], 2) == [1, 0]  # what was cut off does not count, whatever was read out of it


answers = st.tuples(names, st.booleans())


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(st.lists(st.tuples(answers, answers, answers, answers), min_size=1, max_size=3))
def test_an_undecided_answer_is_neither_praised_nor_blamed(groups: list[tuple[tuple[str, bool], ...]]) -> None:
    """In its group it stands exactly at the mean, so its advantage is 0 whatever scale is taken."""
    found = [answer for group in groups for answer in group]
    rewards = worth([name for name, _ in found], [whole_ for _, whole_ in found], 4)
    for start in range(0, len(found), 4):
        group, told = rewards[start : start + 4], found[start : start + 4]
        decided = [value for value, (name, end) in zip(group, told, strict=True) if not (name == "undecided" and end)]
        for value, (name, end) in zip(group, told, strict=True):
            if name == "undecided" and end and decided:
                assert value == pytest.approx(sum(decided) / len(decided)) == pytest.approx(sum(group) / 4)
        assert all(0 <= value <= 1 for value in group)


def test_an_epoch_of_grpo_on_the_nano_model(nano_folder: Path, tmp_path: Path) -> None:
    config = whole.recipe(nano_folder, **whole.GRPO)
    run: Run = whole.run(config, tmp_path)
    rows = [row for row in run.metrics() if row.get("epoch") == 1]
    assert len(rows) == 5 and all(row["reward"] == 0 and row["dead_groups"] == 1 for row in rows)  # a random model says nothing valid
    assert all(row["rehearsal_loss"] > 0 for row in rows[1:])
    assert (run.path / "epoch-001/adapter/adapter_model.safetensors").is_file()
    assert "learned from verdicts directly" in (run.path / "report.html").read_text(encoding="utf-8")


def test_settings_that_do_not_go_together() -> None:
    with pytest.raises(ValueError, match="weights must be lora"):
        TrainingConfig(trainer="grpo", weights="full")
    with pytest.raises(ValueError, match="multiple of batch_size"):
        TrainingConfig.model_validate({"trainer": "grpo", "batch_size": 3})


def test_states_are_compared_problem_by_problem() -> None:
    now, then = {"a": 1.0, "b": 0.5, "c": 1.0, "x": 0.0}, {"a": 0.0, "b": 0.5, "c": 0.5, "y": 1.0}
    found = against(now, then, 0)
    assert (found.value, found.n) == (pytest.approx(0.5), 3)
    assert found.low <= 0.5 <= found.high
