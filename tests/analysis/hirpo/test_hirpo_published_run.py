from __future__ import annotations

from pathlib import Path

import pytest

from suasion.analysis.hirpo.published import load_hirpo
from suasion.analysis.hirpo.records import read_records
from tests.analysis.hirpo import whole

SEEDS = Path(__file__).resolve().parents[4] / "shared" / "seeds"
SMALL = [
    *("epochs=1", "lora.rank=4", "styles=[plain]", "evaluation.problems=1", "retention.on_fall=warn"),
    *("curriculum.problems_per_epoch=40", "curriculum.least_weight=0.05"),  # so that locked tasks are probed in this one epoch
    *("rehearsal.prompts=4", "retention.prompts=2", "retention.instructions=4", "training.max_length=1500", "training.max_steps=2"),
]


@pytest.mark.timeout(900)
def test_the_published_pair_of_files_runs_an_epoch(nano_folder: Path, tmp_path: Path) -> None:
    """All 19 entries are asked, judged, paired and measured; fewer answers to a problem than published, which is a test's size only."""
    generation, training = SEEDS / "hirpo-data-generation.yaml", SEEDS / "hirpo-training.yaml"
    if not generation.is_file():
        pytest.skip("needs ../shared/seeds beside the repository")
    entries = list(load_hirpo(generation, training).config.tasks)
    sizes = {"n_solutions": 3, "n_feedbacks": 1, "n_revisions": 2}
    fewer = [f"tasks.{entry}.{key}={number}" for entry in entries for key, number in sizes.items()]
    read = load_hirpo(generation, training, [f"base.model={nano_folder}", *fewer, *SMALL])
    assert read.notices and len(entries) == 19
    assert (read.config.training.learning_rate, read.config.training.accumulation, read.config.training.weights) == (5e-7, 8, "full")
    run = whole.run(read.config, tmp_path)
    _, (record,) = read_records(run.path)
    assert set(record["evaluation"]) == set(entries)
    assert all(count >= 2 for count in record["plan"]["counts"].values())
    assert set(record["shares"]) >= {entry for entry in entries if not read.config.task_of(entry).given}
    assert record["training"]["pairs"] > 0
    assert len(record["made"]) >= 15  # entries that gave pairs; with two problems each, some have none by lot
