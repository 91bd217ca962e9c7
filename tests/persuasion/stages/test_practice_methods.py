"""Practice by each method as a stage of the journey: what it needs, what it asks, what comes of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from suasion.config import validate
from suasion.errors import SuasionError
from suasion.files import read_jsonl
from suasion.persuasion.recipe import Recipe
from suasion.persuasion.stages.common import Journey
from suasion.persuasion.stages.evaluate import evaluate_stage
from suasion.persuasion.stages.judge import judge_stage
from suasion.persuasion.stages.practice import practice_stage
from suasion.persuasion.stages.sft import sft_stage
from suasion.runs.run import Run
from tests.nano import same_weights, write_pairs

SETTINGS = [
    *("rendering.prompt_tokens=96", "rendering.reply_tokens=8", "rendering.total_tokens=160"),
    *("sft.max_steps=1", "judge.max_steps=1", "evaluate.sampling.batch_size=2", "evaluate.premises=2"),
    *("practice.max_steps=2", "practice.cut_off=score", "practice.preflight.max_cut_off=1", "practice.preflight.premises=1"),
]


class Ground:
    """Pairs, a writer and a judge that was never audited, below one root."""

    def __init__(self, folder: Path, model: Path) -> None:
        self.root, self.model = folder / "runs", model
        self.pairs = str(write_pairs(folder / "pairs"))
        self.writer, self.judge = sft_stage(self.journey(), self.pairs), judge_stage(self.journey(), self.pairs)

    def journey(self, *more: str) -> Journey:
        return Journey(validate({}, Recipe, [f"base.model={self.model}", *SETTINGS, *more]), self.root)


@pytest.fixture(scope="module")
def ground(tmp_path_factory: pytest.TempPathFactory, nano_folder: Path, own_cache: None) -> Ground:
    return Ground(tmp_path_factory.mktemp("ground"), nano_folder)


@pytest.mark.parametrize("method", ["ppo", "rloo"])
def test_a_method_that_asks_a_judge_needs_an_audited_one(ground: Ground, method: str) -> None:
    journey = ground.journey(f"practice.method={method}", "practice.allow_failed_audit=true")
    with pytest.raises(SuasionError, match="was never audited"):
        practice_stage(ground.journey(f"practice.method={method}"), ground.writer, ground.judge, ground.pairs)
    with pytest.raises(SuasionError, match=f"{method.upper()} needs a judge"):
        practice_stage(journey, ground.writer, None, ground.pairs)
    with pytest.raises(SuasionError, match=f"{method.upper()} goes on from a writer"):
        practice_stage(journey, None, ground.judge, ground.pairs)
    run = practice_stage(journey, ground.writer, ground.judge, ground.pairs)
    assert run.manifest.kind == method.upper() and set(run.manifest.parents) == {"writer", "judge"}
    assert run.results["preflight"]["replies"] == 4 and "reward_last_fifth" in run.results


@pytest.mark.parametrize("method", ["dpo", "orpo"])
def test_a_method_that_learns_from_pairs_asks_no_judge(ground: Ground, method: str, capsys: pytest.CaptureFixture[str]) -> None:
    run = practice_stage(ground.journey(f"practice.method={method}"), ground.writer, ground.judge, ground.pairs)
    assert run.manifest.kind == method.upper() and set(run.manifest.parents) == {"writer"}
    assert run.results["pairs"] == 6 and "judge_passed_audit" not in run.results
    told = capsys.readouterr().err
    assert "learns from people's pairs; no judge is asked, so no audit is needed" in told
    assert "WARNING: practice.cut_off, practice.preflight have no effect" in told


def test_preference_in_one_stage_begins_at_the_base(ground: Ground) -> None:
    settings = ["practice.method=orpo", "practice.orpo.start=fresh"]
    run = practice_stage(ground.journey(*settings), None, None, ground.pairs)
    assert run.manifest.parents == {}
    wide = practice_stage(ground.journey(*settings, "lora.rank=4"), None, None, ground.pairs)
    assert wide.name != run.name and not same_weights(run.path / "adapter", wide.path / "adapter")


def test_every_writer_may_go_on_and_be_compared(ground: Ground) -> None:
    """A writer from pairs practises against the judge; all are evaluated side by side, and the report knows who met the judge."""
    first = practice_stage(ground.journey("practice.method=dpo"), ground.writer, None, ground.pairs)
    journey = ground.journey("practice.method=rloo", "practice.allow_failed_audit=true")
    second = practice_stage(journey, first.name, ground.judge, ground.pairs)
    assert second.manifest.parents["writer"] == first.name

    def report(*writers: Run) -> str:
        return (evaluate_stage(journey, writers, ground.judge, ground.pairs).path / "report.html").read_text(encoding="utf-8")

    told = report(first, second)
    assert "Practice (DPO)" in told and "Practice (RLOO)" in told and "by the judge the writer practised against" in told
    assert "by a judge that the writer never practised against" in report(first)


def test_a_second_judge_looks_on(ground: Ground) -> None:
    settings = ("practice.method=rloo", "practice.allow_failed_audit=true", "practice.sample_every=2", "practice.max_steps=3")
    with pytest.raises(SuasionError, match="cannot be the independent judge of a practice against itself"):
        practice_stage(ground.journey(*settings, f"practice.independent={ground.judge.name}"), ground.writer, ground.judge, ground.pairs)
    run = practice_stage(ground.journey(*settings, "practice.independent=longest"), ground.writer, ground.judge, ground.pairs)
    rows = run.metrics()
    assert ["independent_score" in row for row in rows] == [True, False, True]  # of the replies drawn before steps 1 and 3
    samples = read_jsonl(run.path / "samples.jsonl")
    assert [row["independent"] for row in samples] == [[float(len(reply.split())) for reply in row["replies"]] for row in samples]
    seconds = run.results["seconds"]
    parts = sum(one["total"] for name, one in seconds.items() if name != "step")
    assert parts == pytest.approx(seconds["step"]["total"], abs=0.05)
    assert seconds["sampling"]["total"] > 0 and seconds["update"]["total"] > 0
    assert "Is what the judge likes better, better?" in (run.path / "report.html").read_text(encoding="utf-8")
