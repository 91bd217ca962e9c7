"""The stages with real (nano) models, called as functions: who may meet whom, what an audit decides, what a killed evaluation keeps."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from suasion.config import validate
from suasion.errors import Refused, SuasionError
from suasion.files import read_json, read_jsonl
from suasion.persuasion.recipe import Recipe
from suasion.persuasion.stages.audit import audit_stage
from suasion.persuasion.stages.common import Journey, finished_run
from suasion.persuasion.stages.evaluate import evaluate_stage
from suasion.persuasion.stages.gate import find_audit, gate
from suasion.persuasion.stages.judge import judge_stage
from suasion.persuasion.stages.practice import practice_stage
from suasion.persuasion.stages.sft import sft_stage
from suasion.runs.run import Run, find_runs, open_run
from tests.nano import write_pairs

SETTINGS = [
    *("rendering.prompt_tokens=96", "rendering.reply_tokens=8", "rendering.total_tokens=160"),
    *("sft.max_steps=1", "judge.max_steps=1", "evaluate.sampling.batch_size=2"),
    *("practice.max_steps=1", "practice.cut_off=score", "practice.preflight.max_cut_off=1", "practice.preflight.premises=1"),
    *("audit.split=validation", "audit.replies=3", "audit.search_calls=20"),  # two pairs: no judge can be told apart from chance
]


class Ground:
    """Pairs, a writer, a judge and its (failed) audit below one root."""

    def __init__(self, folder: Path, model: Path) -> None:
        self.root, self.model = folder / "runs", model
        self.pairs = str(write_pairs(folder / "pairs"))
        journey = self.journey()
        self.writer, self.judge = sft_stage(journey, self.pairs), judge_stage(journey, self.pairs)
        self.audit = audit_stage(journey, self.judge, self.pairs)

    def journey(self, *more: str, model: Path | None = None) -> Journey:
        return Journey(validate({}, Recipe, [f"base.model={model or self.model}", *SETTINGS, *more]), self.root)

    def practise(self, *more: str, model: Path | None = None, audit: Any = None) -> Run:
        return practice_stage(self.journey(*more, model=model), self.writer, self.judge, self.pairs, audit)


@pytest.fixture(scope="module")
def ground(tmp_path_factory: pytest.TempPathFactory, nano_folder: Path, own_cache: None) -> Ground:
    return Ground(tmp_path_factory.mktemp("ground"), nano_folder)


def finished(root: Path, kind: str, parents: dict[str, Run] | None = None, results: dict[str, Any] | None = None) -> Run:
    with Run.start(root, kind, config={}, parents=parents) as run:
        run.results = results or {}
    return run


# The second accident: two pieces built on slightly different bases, "and the scores drifted in ways nobody could explain".


@pytest.mark.parametrize("stage", ["practice", "evaluate", "audit"])
def test_a_stage_on_another_base_than_its_parent_s_is_refused(ground: Ground, other_nano_folder: Path, stage: str) -> None:
    journey = ground.journey("practice.allow_failed_audit=true", model=other_nano_folder)
    with pytest.raises(SuasionError, match="do not stand on the same base") as caught:
        if stage == "practice":
            practice_stage(journey, ground.writer, ground.judge, ground.pairs, ground.audit)
        elif stage == "evaluate":
            evaluate_stage(journey, [ground.writer], ground.judge, ground.pairs)
        else:
            audit_stage(journey, ground.judge, ground.pairs)
    newest = find_runs(ground.root)[-1]
    told = str(caught.value)
    assert newest.name in told and any(parent.name in told for parent in (ground.writer, ground.judge))
    assert "weights" in told and "tokenizer" not in told and "quantization" not in told
    assert newest.manifest.status == "failed" and not (newest.path / "adapter").exists()


def test_another_template_is_another_base_too(ground: Ground, nano_folder: Path, tmp_path: Path) -> None:
    import shutil

    folder = Path(shutil.copytree(nano_folder, tmp_path / "model"))
    template = folder / "chat_template.jinja"
    template.write_text(template.read_text().replace("assistant", "helper"))
    with pytest.raises(SuasionError, match="chat_template") as caught:
        ground.practise("practice.allow_failed_audit=true", model=folder)
    assert "weights" not in str(caught.value)


def test_the_same_base_in_another_folder_is_the_same(ground: Ground, nano_folder: Path, tmp_path: Path) -> None:
    import shutil

    folder = Path(shutil.copytree(nano_folder, tmp_path / "model"))
    run = ground.practise("practice.allow_failed_audit=true", model=folder)
    assert run.manifest.status == "done"


# The audit decides.


def test_a_judge_that_failed_trains_no_writer(ground: Ground) -> None:
    before = len(find_runs(ground.root))
    assert ground.audit.results["verdict"] == "fail"
    with pytest.raises(Refused, match="failed its audit") as caught:
        ground.practise()
    assert caught.value.exit_status == 1
    assert "accuracy" in str(caught.value)  # the probe, named
    assert len(find_runs(ground.root)) == before  # nothing was started


def test_a_judge_without_an_audit_trains_no_writer(ground: Ground, tmp_path: Path) -> None:
    with pytest.raises(Refused, match="never audited"):
        gate(ground.judge, None, allow_failed=False)
    assert find_audit(None, ground.judge, tmp_path) is None


def test_an_audit_of_another_judge_does_not_count(ground: Ground, tmp_path: Path) -> None:
    _, other = finished(tmp_path, "Judge"), finished(tmp_path, "Judge")
    audit = finished(tmp_path, "Audit", {"judge": other}, {"verdict": "pass"})
    for allow_failed in (False, True):
        with pytest.raises(SuasionError, match=f"not an audit of {ground.judge.name}"):
            gate(ground.judge, audit, allow_failed=allow_failed)
    with pytest.raises(SuasionError, match="not an audit of"):
        ground.practise("practice.allow_failed_audit=true", audit=audit)


def test_a_passed_audit_opens_the_gate(ground: Ground, tmp_path: Path) -> None:
    audit = finished(tmp_path, "Audit", {"judge": ground.judge}, {"verdict": "pass"})
    run = ground.practise("practice.learning_rate=1e-5", audit=audit)
    assert run.results["judge_passed_audit"] is True
    assert run.manifest.parents == {"writer": ground.writer.name, "judge": ground.judge.name, "audit": audit.name}


def test_the_newest_audit_of_this_judge_is_taken(tmp_path: Path) -> None:
    judge, other = finished(tmp_path, "Judge"), finished(tmp_path, "Judge")
    finished(tmp_path, "Audit", {"judge": judge}, {"verdict": "fail"})
    second = finished(tmp_path, "Audit", {"judge": judge}, {"verdict": "pass"})
    finished(tmp_path, "Audit", {"judge": other}, {"verdict": "fail"})
    Run.start(tmp_path, "Audit", config={}, parents={"judge": judge})  # not finished
    newest = find_audit(None, judge, tmp_path)
    assert newest is not None and newest.name == second.name


def test_where_the_recipe_allows_it_the_report_says_that_the_judge_failed(ground: Ground, capsys: pytest.CaptureFixture[str]) -> None:
    practised = ground.practise("practice.allow_failed_audit=true", "practice.learning_rate=3e-5")
    assert "WARNING" in capsys.readouterr().err
    assert practised.results["judge_passed_audit"] is False
    run = evaluate_stage(ground.journey(), [ground.writer, practised], ground.judge, ground.pairs, ground.audit)
    report = (run.path / "report.html").read_text()
    assert "FAILED its audit" in report and "the recipe allowed practice all the same" in report


def test_what_an_audit_leaves(ground: Ground) -> None:
    told = read_json(ground.audit.path / "audit.json")
    assert told["judge"] == ground.judge.name and told["verdict"] == "fail"
    assert {key: told[key] for key in told if key != "judge"} == ground.audit.results
    assert set(told["baselines"]) == {"longest", "shortest", "shallow", "words", "sentences"}
    assert told["pairs"] == 2 and told["texts"] > 50
    page = (ground.audit.path / "audit.html").read_text()
    assert "FAILED its audit" in page and page == (ground.audit.path / "report.html").read_text()
    assert "audit.json" in ground.audit.manifest.outputs and "audit.html" in ground.audit.manifest.outputs


@pytest.mark.parametrize("name", ["words", "sentences"])
def test_a_baseline_is_audited_by_its_name_and_does_not_beat_itself(ground: Ground, name: str) -> None:
    run = audit_stage(ground.journey(), name, ground.pairs)
    assert f"beats-{name}" in run.results["failed"] and read_json(run.path / "audit.json")["judge"] == name
    assert (run.manifest.base_lock is not None) == (name == "sentences")


def test_the_members_of_an_ensemble_are_held_beside_each_other(ground: Ground) -> None:
    journey = ground.journey("judge.seeds=2")
    run = audit_stage(journey, judge_stage(journey, ground.pairs), ground.pairs)
    assert run.results["agreement"]["n"] == 2
    assert "seeds-agree" in {one["code"] for one in run.results["findings"]}
    assert "agreement" not in ground.audit.results


def test_an_audit_is_done_again_where_a_transfer_set_comes_or_changes(ground: Ground, tmp_path: Path) -> None:
    journey, name = ground.journey(), ground.audit.name
    assert audit_stage(journey, ground.judge, ground.pairs).name == name
    elsewhere = write_pairs(tmp_path / "elsewhere", seed=3)
    found = audit_stage(journey, ground.judge, ground.pairs, transfer=[str(elsewhere)])
    assert found.name != name and found.results["transfer"]["elsewhere"]["judge"]["n"] == 4
    assert audit_stage(journey, ground.judge, ground.pairs, transfer=[str(elsewhere)]).name == found.name
    write_pairs(elsewhere, seed=4)
    assert audit_stage(journey, ground.judge, ground.pairs, transfer=[str(elsewhere)]).name != found.name


# Evaluation.


def test_an_evaluation_that_broke_off_keeps_the_replies_it_has(ground: Ground, monkeypatch: pytest.MonkeyPatch) -> None:
    from suasion.persuasion.stages import evaluate

    sampled: list[int] = []
    sample = evaluate.sample

    def counted(*arguments: Any, **named: Any) -> Any:
        sampled.append(1)
        if len(sampled) == 2:
            raise KeyboardInterrupt
        return sample(*arguments, **named)

    journey = ground.journey("evaluate.samples=2")
    monkeypatch.setattr(evaluate, "sample", counted)
    with pytest.raises(KeyboardInterrupt):
        evaluate_stage(journey, [ground.writer], ground.judge, ground.pairs)
    broken = find_runs(ground.root)[-1]
    assert broken.state == "interrupted"
    assert [path.name for path in broken.path.glob("replies-*")] == ["replies-base.jsonl"]
    run = evaluate_stage(journey, [ground.writer], ground.judge, ground.pairs)
    assert run.name == broken.name and len(sampled) == 3  # the base was not sampled again
    monkeypatch.undo()
    whole = evaluate_stage(Journey(journey.recipe, ground.root, skip_done=False), [ground.writer], ground.judge, ground.pairs)
    assert whole.name != run.name
    assert read_json(whole.path / "evaluation.json") == read_json(run.path / "evaluation.json")
    for name in ("base", "SFT"):
        assert (whole.path / f"replies-{name}.jsonl").read_bytes() == (run.path / f"replies-{name}.jsonl").read_bytes()


def test_premises_with_a_winner_come_first_and_no_more_than_asked(ground: Ground) -> None:
    run = evaluate_stage(ground.journey("evaluate.premises=3"), [ground.writer], ground.judge, ground.pairs)
    assert [row["debate_id"] for row in read_jsonl(run.path / "replies-base.jsonl")] == ["test0", "test1", "test2"]
    assert run.results["premises"] == 3


def test_base_and_writer_are_drawn_with_the_same_seeds(ground: Ground) -> None:
    """An adapter that changes nothing gives the base's very replies."""
    from suasion.models.loading import load_base, save_adapter, with_new_adapter

    journey = ground.journey()
    with Run.start(ground.root, "SFT", config={}, base_lock=journey.base.lock) as idle:
        model = with_new_adapter(load_base(journey.base, "CAUSAL_LM"), journey.base, journey.recipe.lora, "CAUSAL_LM")
        save_adapter(model, journey.base, idle.path / "adapter")
    run = evaluate_stage(journey, [idle], ground.judge, ground.pairs)
    base, writer = (read_jsonl(run.path / f"replies-{name}.jsonl") for name in ("base", "SFT"))
    assert [row["replies"] for row in base] == [row["replies"] for row in writer]
    assert run.results["win_rates"][0]["value"] == 0.5


def test_two_writers_of_one_kind_keep_their_names_apart(ground: Ground) -> None:
    other = sft_stage(ground.journey("sft.learning_rate=1e-2"), ground.pairs)
    run = evaluate_stage(ground.journey(), [ground.writer, other], ground.judge, ground.pairs)
    assert set(run.results["systems"]) == {"base", ground.writer.name, other.name}


# Parents.


def test_a_parent_must_be_there_be_of_the_kind_and_be_done(ground: Ground, tmp_path: Path) -> None:
    with pytest.raises(SuasionError, match="There is no run 'nobody'"):
        finished_run("nobody", ground.root, "SFT")
    with pytest.raises(SuasionError, match="here a SFT or GRPO is needed"):
        finished_run(ground.judge.name, ground.root, "SFT", "GRPO")
    running = Run.start(tmp_path, "SFT", config={})
    with pytest.raises(SuasionError, match="is running, not done"):
        finished_run(running.name, tmp_path, "SFT")


def test_what_truncation_did_to_the_pairs_is_kept(ground: Ground) -> None:
    results = open_run(ground.judge.name, ground.root).results
    assert results["truncation"] == {
        **{"pairs": 6, "kept": 6, "equal_dropped": 0},
        **{"chosen_cut": 0, "rejected_cut": 0, "premises_cut": 0},
    }
    assert results["head_proof"]["reloaded"] < 1e-4
    assert results["validation_accuracy"]["n"] == 2
