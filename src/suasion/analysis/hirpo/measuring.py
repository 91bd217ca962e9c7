"""A state of the model, measured: accuracy on the evaluation's problems, and retention."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from suasion.analysis.hirpo.before import Before
from suasion.analysis.hirpo.evaluation import Evaluated, evaluate
from suasion.analysis.hirpo.meter import read_meter
from suasion.analysis.hirpo.pipeline import Verifier, generate_epoch, outcomes
from suasion.analysis.hirpo.retention import Retained
from suasion.analysis.hirpo.stage import Journey
from suasion.analysis.hirpo.store import Store
from suasion.analysis.hirpo.tries import Assignment
from suasion.analysis.hirpo.writer import Writer
from suasion.models.chat.engine import ChatEngine


@dataclass(frozen=True)
class Measured:
    """What was found."""

    tasks: dict[str, Evaluated]
    """By entry."""
    retained: Retained

    def as_dict(self) -> dict[str, Any]:
        """Plain JSON."""
        return {"evaluation": {entry: one.as_dict() for entry, one in self.tasks.items()}, "retention": self.retained.as_dict()}


def evaluate_writer(
    journey: Journey, engine: ChatEngine, tests: Sequence[Assignment], verifier: Verifier, folder: Path, label: str
) -> dict[str, Evaluated]:
    """Accuracy, errors and virtues; answers are kept in ``evaluation.jsonl``. Each state is asked with the same seeds."""
    config = journey.config
    seed = config.seed * 1000
    with Store(folder / "evaluation.jsonl") as store:
        generate_epoch(engine, tests, store, verifier, seed=seed, label=f"{label}: evaluation")
        return evaluate(outcomes(store, tests, seed=seed), {entry: config.virtues_of(entry) for entry in config.tasks})


def measure_writer(
    journey: Journey,
    writer: Writer,
    engine: ChatEngine,
    tests: Sequence[Assignment],
    verifier: Verifier,
    before: Before,
    folder: Path,
    label: str,
) -> Measured:
    """Both."""
    return Measured(evaluate_writer(journey, engine, tests, verifier, folder, label), read_meter(journey, writer, engine, before, label))
