from __future__ import annotations

from pathlib import Path

import pytest

from suasion.errors import SuasionError
from suasion.files import write_text
from suasion.runs import following, ranks
from suasion.runs.following import Following
from suasion.runs.run import Run


def told(monkeypatch: pytest.MonkeyPatch, **environment: str) -> None:
    for name in ("RANK", "WORLD_SIZE"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)


def test_a_process_that_was_told_nothing_is_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    told(monkeypatch)
    assert (ranks.rank(), ranks.size(), ranks.leads(), ranks.signature()) == (0, 1, True, "")
    ranks.join()
    ranks.require(1)
    ranks.meet()
    assert ranks.lead(lambda: 7) == 7
    told(monkeypatch, RANK="1", WORLD_SIZE="3")
    assert (ranks.rank(), ranks.size(), ranks.leads(), ranks.signature()) == (1, 3, False, "[rank 1] ")


@pytest.mark.parametrize("environment", [{"WORLD_SIZE": "two"}, {"WORLD_SIZE": "2"}, {"WORLD_SIZE": "2", "RANK": "-1"}])
def test_an_environment_that_makes_no_sense_is_refused(environment: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    told(monkeypatch, **environment)
    with pytest.raises(SuasionError, match="which is not a number"):
        ranks.rank()
    assert ranks.signature() == ""


def test_another_number_of_processes_than_the_recipe_says_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    told(monkeypatch)
    with pytest.raises(SuasionError, match="processes=2, and this one is alone") as error:
        ranks.require(2)
    assert "torchrun --nproc-per-node 2" in str(error.value)
    told(monkeypatch, RANK="0", WORLD_SIZE="4")
    with pytest.raises(SuasionError, match="processes=1, and there are 4") as error:
        ranks.require(1)
    assert "Say processes=4" in str(error.value)


def test_a_librarys_words_for_a_process_that_is_gone_become_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    lost = RuntimeError("[pair.cc:553] Connection closed by peer [10.0.0.2]:7594")
    with pytest.raises(RuntimeError, match=r"pair\.cc"), ranks.named_ends():  # of one that is alone it means something else
        raise lost
    told(monkeypatch, RANK="0", WORLD_SIZE="2")
    with pytest.raises(SuasionError, match="Another process of this training has ended") as error, ranks.named_ends():
        raise lost
    assert "rank 0 of 2" in str(error.value) and "goes on from the last whole checkpoint" in str(error.value)
    with pytest.raises(RuntimeError, match="out of memory"), ranks.named_ends():
        raise RuntimeError("CUDA out of memory")


@pytest.mark.parametrize(("stage", "sliced"), [("2", False), ("3", None)])
def test_deepspeeds_third_stage_is_refused(stage: str, sliced: bool | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACCELERATE_USE_DEEPSPEED", "true")
    monkeypatch.setenv("ACCELERATE_DEEPSPEED_ZERO_STAGE", stage)
    if sliced is None:
        with pytest.raises(SuasionError, match="stage 3 is not supported"):
            ranks.shards()
    else:
        assert ranks.deepspeed() and ranks.shards() is sliced


def test_a_follower_works_in_a_copy_that_leaves_no_trace(tmp_path: Path) -> None:
    with Run.start(tmp_path, "SFT", config={}) as leader:
        leader.log(1, loss=2.0)
        write_text(leader.path / "drawn.jsonl", "{}\n")
        write_text(leader.checkpoints / "checkpoint-1" / "weights", "x")
        before = {path: path.read_bytes() for path in leader.path.rglob("*") if path.is_file()}
        with Following(leader.path) as run:
            assert run.name == leader.name and run.checkpoints == leader.checkpoints
            assert run.metrics() == [{"step": 1, "loss": 2.0}] and (run.path / "drawn.jsonl").is_file()
            assert not (run.path / "checkpoints").exists()
            run.log(2, loss=1.0)
            write_text(run.path / "adapter" / "weights", "mine")
            run.finish()
            copy = run.path
        assert not copy.exists()
        assert {path: path.read_bytes() for path in leader.path.rglob("*") if path.is_file()} == before


def test_a_folder_that_this_machine_does_not_see_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(following, "_PATIENCE", 0.0)
    with pytest.raises(SuasionError, match="cannot be seen from") as error:
        Following(tmp_path / "elsewhere")
    assert "a file system that all machines share" in str(error.value)
