"""A whole run of HIRPO on the nano model, a scripted engine answering in its place; also as a process that can be killed."""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest import mock

from suasion.analysis.hirpo import hirpo
from suasion.analysis.hirpo.exercises import Exercise, Exercises
from suasion.analysis.hirpo.exercises.exercises import Split
from suasion.analysis.hirpo.settings import HirpoConfig
from suasion.analysis.hirpo.stage import Journey
from suasion.analysis.hirpo.writer import Writer
from suasion.analysis.tasks import get_task
from suasion.config import validate
from suasion.models.chat.engine import ChatEngine
from suasion.runs.run import Run
from tests.analysis.hirpo.scripted import Mood, Scripted
from tests.analysis.hirpo.worlds import world

RECIPE: dict[str, Any] = {
    "seed": 3,
    "epochs": 2,
    "profiles": {"worlds": {"training": [{"path": "worlds.jsonl"}]}},
    "tasks": {
        name: {"exercises": ["worlds"], "n_solutions": 3, "n_feedbacks": 1, "n_revisions": 2, "ask_for_invalid": {"map.missing": 0.5}}
        for name in ("argmap", "arganno", "argmap_from_arganno")
    },
    "styles": ["plain"],
    "curriculum": {"problems_per_epoch": 15},
    "evaluation": {"problems": 2},
    "training": {
        "learning_rate": 1e-3,
        "batch_size": 2,
        "accumulation": 2,
        "epochs": 1,
        "checkpoint_every": 2,
        "warmup": 0.0,
        "max_length": 2000,
    },
    "lora": {"rank": 4},
    "rehearsal": {"prompts": 6, "share": 0.5, "max_tokens": 64},
    "retention": {"prompts": 3, "instructions": 12, "max_tokens": 64, "on_fall": "warn"},
}

#: The small recipe learning from verdicts directly.
GRPO: dict[str, Any] = {
    "epochs": 1,
    "training.trainer": "grpo",
    "training.batch_size": 2,
    "training.grpo.num_generations": 2,
    "training.grpo.problems_per_step": 1,
    "curriculum.problems_per_epoch": 5,
    "defaults.answers": {"temperature": 1.0, "max_tokens": 24},
    "tasks": {"argmap": RECIPE["tasks"]["argmap"]},
}


def recipe(model: Path, **changes: Any) -> HirpoConfig:
    """The small recipe on a model, with dotted changes laid over it."""
    overrides = [f"base.model={model}", *(f"{key}={json.dumps(value)}" for key, value in changes.items())]
    return validate(RECIPE, HirpoConfig, overrides)


def worlds_as_exercises(profiles: Sequence[str], training: int = 24, evaluation: int = 8) -> Exercises:
    """The scripted engine's worlds as texts; they are near-copies of each other, which reading would rightly leave out."""
    sources = [world(get_task("argmap"), number).problem.source for number in range(training + evaluation)]
    parts: dict[Split, list[str]] = {"training": sources[:training], "evaluation": sources[training:]}
    by = {
        (profile, split): tuple(Exercise(f"{profile}/{split}{i}", text, profile, split, "worlds") for i, text in enumerate(texts))
        for profile in profiles
        for split, texts in parts.items()
    }
    return Exercises(by)


def run(config: HirpoConfig, root: Path, mood: Mood | None = None, **more: Any) -> Run:
    """Run it with the scripted engine."""

    @contextmanager
    def serve(writer: Writer) -> Iterator[ChatEngine]:
        yield Scripted(slots=8, mood=mood)

    journey = Journey(config, root, serving=serve, **more)
    with mock.patch.object(hirpo, "read_exercises", lambda profiles, folder, seed: worlds_as_exercises(list(profiles))):
        return hirpo.run_hirpo(journey)


def kill_after(calls: int) -> None:
    """End this process, as if by power failure, at the ``calls``-th row that is forced into a file."""
    from suasion.analysis.hirpo.rowlog import RowLog

    seen, append = [0], RowLog.append

    def counting(log: RowLog, row: Any) -> int:
        seen[0] += 1
        if seen[0] >= calls:
            os.kill(os.getpid(), signal.SIGKILL)
        return append(log, row)

    RowLog.append = counting  # type: ignore[method-assign]


def kill_in_training(step: int) -> None:
    """End this process after a step of an epoch's training."""
    from suasion.analysis.hirpo.learning import EpochPlace

    log = EpochPlace.log

    def counting(place: EpochPlace, number: int, **numbers: Any) -> None:
        log(place, number, **numbers)
        if number >= step:
            os.kill(os.getpid(), signal.SIGKILL)

    EpochPlace.log = counting  # type: ignore[method-assign]


def main() -> None:
    """``dpo|grpo MODEL ROOT [rows:N | step:N]``: a whole run, killed at a row or a step."""
    trainer, model, root, *kill = sys.argv[1:]
    for word in kill:
        kind, _, number = word.partition(":")
        (kill_after if kind == "rows" else kill_in_training)(int(number))
    run(recipe(Path(model), **(GRPO if trainer == "grpo" else {})), Path(root))


if __name__ == "__main__":
    main()
