"""Several processes that train together, through the command line, with gloo on the CPU."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import Any

import pytest

from suasion.runs.run import Run, find_runs
from tests.forks import CommandLine, Ended
from tests.nano import adapter_weights, same_weights, write_pairs

pytestmark = pytest.mark.timeout(600)

#: A step of two processes learns from as many examples as one of a single process does.
TOGETHER = {
    "sft": ["sft.max_steps=4", "sft.batch_size=1", "sft.checkpoint_every=2", "sft.learning_rate=1e-3"],
    "judge": ["judge.max_steps=4", "judge.batch_size=1", "judge.checkpoint_every=2", "judge.learning_rate=1e-3"],
    "dpo": ["practice.method=dpo", "practice.max_steps=4", "practice.batch_size=1", "practice.learning_rate=1e-3"],
}
_ALONE = {stage: [word.replace("batch_size=1", "batch_size=2") for word in words] for stage, words in TOGETHER.items()}
_REPLIES = [
    *("practice.max_steps=4", "practice.checkpoint_every=2", "practice.learning_rate=1e-3", "practice.cut_off=score"),
    *("practice.allow_failed_audit=true", "practice.preflight.max_cut_off=1", "practice.preflight.premises=1"),
    *("practice.premises_per_step=1", "practice.batch_size=4"),
]
TOGETHER |= {method: [f"practice.method={method}", *_REPLIES] for method in ("grpo", "rloo", "ppo")}
KIND = {"sft": "SFT", "judge": "Judge"} | {method: method.upper() for method in ("dpo", "grpo", "rloo", "ppo")}


class Ground:
    """A model, pairs, and the parents that practice needs."""

    def __init__(self, folder: Path, model: Path, suasion: CommandLine) -> None:
        self.suasion, self.root = suasion, folder / "runs"
        self.pairs = write_pairs(folder / "pairs")
        self.common = [f"base.model={model}", "rendering.prompt_tokens=96", "rendering.reply_tokens=8", "rendering.total_tokens=160"]
        for stage in ("sft", "judge"):
            ended = suasion(stage, "--pairs", self.pairs, "-R", self.root, *self.common, *_ALONE[stage])
            assert ended.status == 0, ended.err

    def words(self, stage: str, root: Path) -> list[object]:
        parents: list[object] = []
        if stage not in ("sft", "judge"):
            parents = ["--writer", the_run(self.root, "SFT").path, "--judge", the_run(self.root, "Judge").path]
        verb = stage if not parents else "practice"
        return [verb, "--pairs", self.pairs, *parents, "-R", root, *self.common]

    def alone(self, stage: str, root: Path) -> Path:
        ended = self.suasion(*self.words(stage, root), *_ALONE[stage])
        assert ended.status == 0, ended.err
        return the_run(root, KIND[stage]).path

    def together(self, stage: str, root: Path, *more: str, **named: Any) -> list[Ended]:
        return self.suasion.together(2, *self.words(stage, root), *TOGETHER[stage], "processes=2", *more, **named)


@pytest.fixture(scope="module")
def ground(tmp_path_factory: pytest.TempPathFactory, nano_folder: Path, suasion: CommandLine) -> Ground:
    return Ground(tmp_path_factory.mktemp("ground"), nano_folder, suasion)


def the_run(root: Path, kind: str) -> Run:
    (run,) = [run for run in find_runs(root) if run.manifest.kind == kind]
    return run


@pytest.mark.parametrize("stage", ["sft", "judge", "dpo"])
def test_two_processes_learn_what_one_learns_from_as_many_examples(ground: Ground, stage: str, tmp_path: Path) -> None:
    first, second = ground.together(stage, tmp_path / "two")
    assert (first.status, second.status) == (0, 0), first.err + second.err
    assert "Traceback" not in first.err + second.err
    assert "starts" in first.err and KIND[stage] not in second.err and second.out == ""  # one talks
    run = the_run(tmp_path / "two", KIND[stage])
    assert run.manifest.status == "done" and run.manifest.arguments.all()["processes"] == 2
    alone = ground.alone(stage, tmp_path / "one")
    ours, theirs = adapter_weights(run.path / "adapter"), adapter_weights(alone / "adapter")
    for name, weight in ours.items():
        assert (weight - theirs[name]).abs().max() < 2e-5, name  # of weights that four steps of 1e-3 have moved
    losses = [[row["loss"] for row in found.metrics()] for found in (run, Run(alone, run.manifest))]
    assert losses[0] == pytest.approx(losses[1], abs=2e-4) and len(losses[0]) == 4


@pytest.mark.parametrize("method", ["grpo", "rloo", "ppo"])
def test_practice_draws_other_replies_in_each_process_and_ends_at_one_writer(ground: Ground, method: str, tmp_path: Path) -> None:
    first, second = ground.together(method, tmp_path)
    assert (first.status, second.status) == (0, 0), first.err + second.err
    run = the_run(tmp_path, KIND[method])
    assert run.manifest.status == "done" and len(run.metrics()) == 4
    assert "the 2 processes hold the same weights (largest difference 0)" in first.err


def test_a_judges_pairs_are_drawn_by_one_process_for_all(ground: Ground, tmp_path: Path) -> None:
    words = [word for word in TOGETHER["grpo"] if "method" not in word and "batch_size" not in word]
    parents = ["practice.method=dpo", "practice.dpo.pairs=judged", "practice.batch_size=1", "processes=2"]
    first, second = ground.suasion.together(2, *ground.words("dpo", tmp_path), *words, *parents)
    assert (first.status, second.status) == (0, 0), first.err + second.err
    assert "the 2 processes hold the same weights (largest difference 0)" in first.err


#: Where SIGKILL strikes, and whom: before the first checkpoint; in the middle of one; when all is trained and nothing saved.
KILLS = [("step:1", 1), ("sealing:4", 0), ("trained", 0)]


@pytest.mark.parametrize("stage", ["sft", "grpo", "ppo"])
def test_a_killed_process_ends_all_and_all_go_on_to_the_same_weights(ground: Ground, stage: str, tmp_path: Path) -> None:
    ended = ground.together(stage, tmp_path / "never")
    assert [one.status for one in ended] == [0, 0], ended
    for kill, victim in KILLS:
        ended = ground.together(stage, tmp_path / "killed", kill=kill, victim=victim)
        assert ended[victim].status == -signal.SIGKILL, ended
        assert ended[1 - victim].status == 2 and "has ended or cannot be reached" in ended[1 - victim].err, ended
        assert "Traceback" not in ended[1 - victim].err
    first, second = ground.together(stage, tmp_path / "killed")
    assert (first.status, second.status) == (0, 0), first.err + second.err
    run, never = the_run(tmp_path / "killed", KIND[stage]), the_run(tmp_path / "never", KIND[stage])
    assert same_weights(run.path / "adapter", never.path / "adapter")
    assert [(row["step"], row["loss"]) for row in run.metrics()] == [(row["step"], row["loss"]) for row in never.metrics()]
