"""The third accident: a stage killed in mid-training resumes and ends at the same weights as one that was never killed, to the last bit.

Real processes are killed with SIGKILL, so that nothing can be tidied up; the same command is then given again.
"""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from suasion.files import read_jsonl
from suasion.runs.run import Run, find_runs
from tests.forks import CommandLine, Ended
from tests.nano import same_weights, write_pairs

#: 7 steps of 3 an epoch, checkpoints at 2, 4, 6 and 7: the end lies neither on an epoch's end nor on a round checkpoint.
STEPS = {
    "sft": ["sft.max_steps=7", "sft.batch_size=2", "sft.checkpoint_every=2", "sft.learning_rate=1e-3"],
    "judge": ["judge.max_steps=7", "judge.batch_size=2", "judge.checkpoint_every=2", "judge.learning_rate=1e-3"],
}
_PRACTICE = [
    *("practice.max_steps=7", "practice.checkpoint_every=2", "practice.learning_rate=1e-3", "practice.cut_off=score"),
    *("practice.allow_failed_audit=true", "practice.preflight.max_cut_off=1", "practice.preflight.premises=1"),
]
#: What is each method's own; PPO's step is two updates, and its divergence is controlled.
METHODS = {
    "grpo": ["practice.grpo.updates=2"],
    "ppo": ["practice.ppo.kl_target=0.1"],
    "rloo": [],
    "dpo": ["practice.batch_size=2"],
    "orpo": ["practice.batch_size=2"],
}
STEPS |= {method: [f"practice.method={method}", *_PRACTICE, *own] for method, own in METHODS.items()}
#: Pairs by the judge, drawn before the first step.
JUDGED = {f"{method} judged": method for method in ("dpo", "orpo")}
STEPS |= {name: [*STEPS[method], f"practice.{method}.pairs=judged"] for name, method in JUDGED.items()}
KIND = {"sft": "SFT", "judge": "Judge"} | {method: method.upper() for method in METHODS}
KIND |= {name: method.upper() for name, method in JUDGED.items()}


class Ground:
    """A model, pairs, and the finished parents that practice needs."""

    def __init__(self, folder: Path, model: Path, suasion: CommandLine) -> None:
        self.suasion = suasion
        self.pairs = write_pairs(folder / "pairs")
        self.common = [f"base.model={model}", "rendering.prompt_tokens=96", "rendering.reply_tokens=8", "rendering.total_tokens=160"]
        self.never_killed = folder / "never-killed"
        self._whole: dict[str, Path] = {}

    def whole(self, stage: str) -> Path:
        """The run of a stage that was never killed; made when first asked for."""
        if stage not in self._whole:
            root = self.never_killed / stage  # one each: two stages may be of one kind
            ended = self.run(stage, root)
            assert ended.status == 0, ended.err
            self._whole[stage] = the_run(root, KIND[stage]).path
        return self._whole[stage]

    def run(self, stage: str, root: Path, *more: str, kill: str = "", file_limit: int = 0) -> Ended:
        parents = ["--writer", self.whole("sft"), "--judge", self.whole("judge")] if stage in METHODS | JUDGED else []
        words = [
            "practice" if stage in METHODS | JUDGED else stage,
            "--pairs",
            self.pairs,
            *parents,
            "-R",
            root,
            *self.common,
            *STEPS[stage],
            *more,
        ]
        # a stage alone never reuses a done run, but takes up an unfinished one
        return self.suasion(*words, kill=kill, file_limit=file_limit)


@pytest.fixture(scope="module")
def ground(tmp_path_factory: pytest.TempPathFactory, nano_folder: Path, suasion: CommandLine) -> Ground:
    return Ground(tmp_path_factory.mktemp("ground"), nano_folder, suasion)


def the_run(root: Path, kind: str) -> Run:
    (run,) = [run for run in find_runs(root) if run.manifest.kind == kind]
    return run


CHAINS = {
    "between checkpoints": ["step:5"],
    "before the first, in the middle of one, and at the very end": ["step:1", "sealing:4", "trained"],
}


@pytest.mark.parametrize(
    ("stage", "kills"),
    [
        pytest.param(stage, kills, id=f"{stage}, {name}")
        for stage in STEPS
        if stage not in JUDGED
        for name, kills in CHAINS.items()
        if len(kills) > 1 or stage not in ("rloo", "dpo", "orpo")  # which save and resume as others do
    ],
)
def test_a_killed_stage_ends_at_the_same_weights(ground: Ground, stage: str, kills: list[str], tmp_path: Path) -> None:
    for number, kill in enumerate(kills):
        ended = ground.run(stage, tmp_path, kill=kill)
        assert ended.status == -signal.SIGKILL, ended.err
        run = the_run(tmp_path, KIND[stage])
        assert run.state == "killed"
        assert len(run.manifest.resumed) == number
    ended = ground.run(stage, tmp_path)
    assert ended.status == 0, ended.err
    assert "Traceback" not in ended.err
    run = the_run(tmp_path, KIND[stage])
    assert run.manifest.status == "done" and len(run.manifest.resumed) == len(kills)
    assert same_weights(run.path / "adapter", ground.whole(stage) / "adapter")
    never = Run(ground.whole(stage), run.manifest)
    assert [(row["step"], row.get("loss")) for row in run.metrics()] == [(row["step"], row.get("loss")) for row in never.metrics()]


@pytest.mark.parametrize("stage", JUDGED)
def test_pairs_whose_drawing_was_killed_are_drawn_to_the_end(ground: Ground, stage: str, tmp_path: Path) -> None:
    """Killed twice while it draws, in the middle of a row, and once while it learns: drawn once each, and learned from alike."""
    for kill in ("drawing:2", "drawing:5", "step:4"):
        ended = ground.run(stage, tmp_path, kill=kill)
        assert ended.status == -signal.SIGKILL, ended.err
    ended = ground.run(stage, tmp_path)
    assert ended.status == 0 and "Traceback" not in ended.err, ended.err
    run, never = the_run(tmp_path, KIND[stage]), ground.whole(stage)
    drawn, whole = (
        [{key: row[key] for key in ("step", "groups")} for row in read_jsonl(folder / "drawn.jsonl")] for folder in (run.path, never)
    )
    assert drawn == whole and [row["step"] for row in drawn] == list(range(7))
    assert same_weights(run.path / "adapter", never / "adapter")
    assert {row["judge_calls"] for row in run.metrics()} == {7 * 2 * 4}


def test_a_killed_ensemble_keeps_the_members_it_has(ground: Ground, tmp_path: Path) -> None:
    never = ground.run("judge", tmp_path / "never", "judge.seeds=2")
    assert never.status == 0, never.err
    for kill in ("step:5@2", "adapter"):  # in the second member: between checkpoints, and while it is saved
        ended = ground.run("judge", tmp_path / "killed", "judge.seeds=2", kill=kill)
        assert ended.status == -signal.SIGKILL, ended.err
    first = the_run(tmp_path / "killed", "Judge").path / "member-1" / "adapter" / "adapter_model.safetensors"
    written = first.stat().st_mtime_ns
    ended = ground.run("judge", tmp_path / "killed", "judge.seeds=2")
    assert ended.status == 0 and "member 1 of 2 is there already" in ended.err, ended.err
    assert first.stat().st_mtime_ns == written
    run, whole = the_run(tmp_path / "killed", "Judge"), the_run(tmp_path / "never", "Judge")
    for member in ("member-1", "member-2"):
        assert same_weights(run.path / member / "adapter", whole.path / member / "adapter")
    assert (run.path / "judge.json").read_bytes() == (whole.path / "judge.json").read_bytes()
    assert [(row["step"], row.get("loss_1"), row.get("loss_2")) for row in run.metrics()] == [
        (row["step"], row.get("loss_1"), row.get("loss_2")) for row in whole.metrics()
    ]


def test_a_half_written_checkpoint_is_dropped_and_told(ground: Ground, tmp_path: Path) -> None:
    assert ground.run("sft", tmp_path, kill="sealing:4").status == -signal.SIGKILL
    checkpoints = the_run(tmp_path, "SFT").checkpoints
    assert sorted(path.name for path in checkpoints.glob("checkpoint-*")) == ["checkpoint-2", "checkpoint-4"]
    ended = ground.run("sft", tmp_path)
    assert "checkpoint-4 was torn by a kill and is dropped" in ended.err and "goes on from checkpoint-2" in ended.err
    assert same_weights(the_run(tmp_path, "SFT").path / "adapter", ground.whole("sft") / "adapter")


def test_a_half_written_adapter_is_written_again(ground: Ground, tmp_path: Path) -> None:
    assert ground.run("judge", tmp_path, kill="adapter").status == -signal.SIGKILL
    assert ground.run("judge", tmp_path).status == 0
    assert same_weights(the_run(tmp_path, "Judge").path / "adapter", ground.whole("judge") / "adapter")


@pytest.mark.parametrize("limit", [300_000, 800_000], ids=["at the weights", "at the optimiser"])
def test_a_full_disk_stops_a_run_that_goes_on_later(ground: Ground, tmp_path: Path, limit: int) -> None:
    ended = ground.run("sft", tmp_path, file_limit=limit)
    assert ended.status == 2, ended.err
    assert "Traceback" not in ended.err and "could not be" in ended.err and "resumes" in ended.err
    run = the_run(tmp_path, "SFT")
    assert run.manifest.status == "failed" and "could not be" in (run.manifest.error or "")
    assert not (run.path / "adapter").exists()
    ended = ground.run("sft", tmp_path)
    assert ended.status == 0, ended.err
    assert same_weights(the_run(tmp_path, "SFT").path / "adapter", ground.whole("sft") / "adapter")


def test_other_work_does_not_take_up_a_killed_run(ground: Ground, tmp_path: Path) -> None:
    assert ground.run("sft", tmp_path, kill="step:3").status == -signal.SIGKILL
    assert ground.run("sft", tmp_path, "seed=1").status == 0
    killed, done = find_runs(tmp_path)
    assert (killed.state, done.state) == ("killed", "done")
    assert not same_weights(done.path / "adapter", ground.whole("sft") / "adapter")


def test_a_refused_practice_is_refused_again(ground: Ground, tmp_path: Path) -> None:
    """A resumed practice needs no second preflight; one that was stopped by its preflight has not started."""
    for _ in range(2):
        ended = ground.run("rloo", tmp_path, "practice.preflight.max_cut_off=0.5")
        assert ended.status == 1 and "were cut off" in ended.err and "Traceback" not in ended.err
    assert the_run(tmp_path, "RLOO").manifest.status == "failed"
