"""Every kind of judge through its stage: trained, saved, loaded, scored; and the large recipes with tiny models of their architectures."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from suasion.config import load_config, validate
from suasion.errors import SuasionError
from suasion.files import read_json
from suasion.persuasion.judging.ensemble import Ensemble
from suasion.persuasion.recipe import Recipe
from suasion.persuasion.stages.common import Journey
from suasion.persuasion.stages.judge import judge_stage, load_judge
from suasion.runs.run import Run
from tests.architectures import make_llama2, make_llama3, make_longformer, make_modernbert
from tests.nano import write_labelled, write_pairs

RECIPES = Path(__file__).parents[3] / "recipes"
SHORT = [
    "rendering.prompt_tokens=96",
    "rendering.reply_tokens=8",
    "rendering.total_tokens=160",
    "judge.max_steps=2",
    "judge.checkpoint_every=0",
]
PREMISES, REPLIES = ["CMV: tea is better."] * 3, ["evidence because water", "nonsense", "people think often of the price"]


@pytest.fixture(scope="module")
def pairs(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(write_labelled(write_pairs(tmp_path_factory.mktemp("pairs"))))


@pytest.fixture(scope="module")
def longformer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_longformer(tmp_path_factory.mktemp("longformer"))


def journey(root: Path, model: Path, *more: str) -> Journey:
    return Journey(validate({}, Recipe, [f"base.model={model}", *SHORT, *more]), root)


def no_base(root: Path, *more: str) -> Journey:
    """A journey whose base is not there: a judge that does not stand on it must not ask for it."""
    return journey(root, Path("/nowhere/at/all"), *more)


def scores(of: Journey, run: Run) -> Any:
    judge, _ = load_judge(of, run)
    found = judge.score(PREMISES, REPLIES)
    assert found.dtype == np.float32 and found.shape == (3,) and np.isfinite(found).all()
    return found


KINDS = {
    "reward": [],
    "margin and smoothing": ["judge.margin=0.5", "judge.label_smoothing=0.1"],
    "odin": ["judge.length_free=odin"],
    "rrm": ["judge.length_free=rrm"],
    "sentences": ["judge.kind=sentences"],
}


@pytest.mark.parametrize("settings", KINDS.values(), ids=KINDS)
def test_a_judge_on_the_base(pairs: str, nano_folder: Path, tmp_path: Path, own_cache: None, settings: list[str]) -> None:
    of = journey(tmp_path, nano_folder, *settings)
    run = judge_stage(of, pairs)
    assert run.manifest.base_lock == of.base.lock
    assert run.results["head_proof"]["reloaded"] < 1e-4 and run.results["validation_accuracy"]["n"] == 2
    assert np.ptp(scores(of, run)) > 0
    if "rrm" in str(settings):
        assert run.results["truncation"]["pairs"] == 4 * 6  # each with a foreign row and a tie of two


@pytest.mark.parametrize("kind", ["shallow", "words"])
def test_a_judge_that_needs_no_base(pairs: str, tmp_path: Path, kind: str) -> None:
    of = no_base(tmp_path, f"judge.kind={kind}")
    run = judge_stage(of, pairs)
    assert run.manifest.base_lock is None and read_json(run.path / "judge.json") == {"kind": kind}
    scores(of, run)


@pytest.mark.parametrize("make", [make_longformer, make_modernbert])
@pytest.mark.parametrize("learns", ["labels", "pairs"])
def test_an_encoder(pairs: str, tmp_path: Path, own_cache: None, make: Callable[[Path], Path], learns: str) -> None:
    model = make(tmp_path / "model")
    of = no_base(tmp_path / "runs", "judge.kind=encoder", f"judge.encoder.model={model}", f"judge.encoder.learns_from={learns}")
    run = judge_stage(of, pairs)
    assert run.manifest.base_lock is None and "encoder" in run.manifest.inputs
    card = read_json(run.path / "judge.json")["encoder"]
    assert card["model"] == str(model) and card["started_from"]["weights"] != card["lock"]["weights"]
    assert run.results["max_tokens"] == 256 and run.results["head_proof"]["reloaded"] < 1e-4
    if learns == "labels":
        assert (run.results["replies"], run.results["awarded"], run.results["cut"]) == (12, 6, 0)
    before = scores(of, run)
    shutil.rmtree(model)  # the judge is whole without what it started from
    np.testing.assert_allclose(scores(of, run), before, rtol=0, atol=1e-6)


def test_an_encoder_learns_an_obvious_sign(tmp_path: Path, longformer: Path, own_cache: None) -> None:
    pairs = str(write_labelled(write_pairs(tmp_path / "pairs", train=40, validation=20)))
    learning = ["judge.max_steps=120", "judge.batch_size=16", "judge.learning_rate=1e-3"]
    of = no_base(tmp_path / "runs", "judge.kind=encoder", f"judge.encoder.model={longformer}", *learning)
    run = judge_stage(of, pairs)
    rows = run.metrics()
    assert np.mean([row["accuracy"] for row in rows[-10:]]) > 0.85 and rows[0]["loss"] > 2 * rows[-1]["loss"]
    assert run.results["validation_accuracy"]["value"] > 0.8


def test_another_encoder_is_another_run(pairs: str, tmp_path: Path, longformer: Path, own_cache: None) -> None:
    model = Path(shutil.copytree(longformer, tmp_path / "model"))
    of = no_base(tmp_path / "runs", "judge.kind=encoder", f"judge.encoder.model={model}")
    first = judge_stage(of, pairs)
    assert judge_stage(of, pairs).name == first.name
    shutil.copy(make_longformer(tmp_path / "other", seed=1) / "model.safetensors", model / "model.safetensors")
    assert judge_stage(of, pairs).name != first.name


def test_single_replies_are_needed_where_they_are_asked_for(tmp_path: Path, longformer: Path, own_cache: None) -> None:
    pairs = str(write_pairs(tmp_path / "pairs"))
    with pytest.raises(SuasionError, match=r"labelled\.parquet"):
        judge_stage(no_base(tmp_path / "runs", "judge.kind=encoder", f"judge.encoder.model={longformer}"), pairs)


def test_an_ensemble_is_its_members_and_each_has_its_seed(pairs: str, nano_folder: Path, tmp_path: Path, own_cache: None) -> None:
    of = journey(tmp_path, nano_folder, "judge.seeds=2", "judge.combine=mean_minus_spread", "seed=5")
    run = judge_stage(of, pairs)
    assert [run.results[f"member-{number}"]["seed"] for number in (1, 2)] == [5, 6]
    assert {"loss_1", "loss_2"} <= set(run.metrics()[-1])
    judge, _ = load_judge(of, run)
    assert isinstance(judge, Ensemble)
    each = np.stack([member.score(PREMISES, REPLIES) - level for member, level in zip(judge.members, judge.levels, strict=True)])
    assert not np.allclose(each[0], each[1])
    np.testing.assert_allclose(scores(of, run), each.mean(0) - each.std(0), atol=1e-5)
    alone = judge_stage(journey(tmp_path, nano_folder, "seed=6"), pairs)
    np.testing.assert_allclose(load_judge(of, alone)[0].score(PREMISES, REPLIES), each[1] + judge.levels[1], atol=1e-5)


def test_a_head_that_is_missing_or_left_over_is_an_error(pairs: str, nano_folder: Path, tmp_path: Path, own_cache: None) -> None:
    from safetensors.torch import load_file, save_file

    of = journey(tmp_path, nano_folder)
    run = judge_stage(of, pairs)
    weights = run.path / "adapter" / "adapter_model.safetensors"
    tensors = load_file(weights)
    headless = {name: value for name, value in tensors.items() if "score" not in name}
    for changed in (headless, tensors | {"base_model.model.more": headless.popitem()[1].clone()}):
        save_file(changed, weights, metadata={"format": "pt"})
        with pytest.raises(SuasionError, match="do not fit"):
            load_judge(of, run)


# The recipes of the full size.

LARGE = {"llama3-8b": make_llama3, "llama2-7b": make_llama2}


@pytest.mark.parametrize("quantization", ["none", "nf4"])
@pytest.mark.parametrize("name", LARGE)
def test_a_large_recipe_on_a_tiny_model_of_its_architecture(
    pairs: str, tmp_path: Path, own_cache: None, name: str, quantization: str
) -> None:
    if quantization == "nf4":
        pytest.importorskip("bitsandbytes")
    model = LARGE[name](tmp_path / "model")
    smaller = [f"base.model={model}", f"base.quantization={quantization}", "judge.max_steps=2", "judge.checkpoint_every=1"]
    of = Journey(load_config(RECIPES / f"{name}.yaml", Recipe, smaller), tmp_path / "runs")
    assert of.recipe.lora.rank == 64 and of.recipe.judge.gradient_checkpointing
    run = judge_stage(of, pairs)
    assert run.results["head_proof"]["reloaded"] < 1e-4
    assert np.ptp(scores(of, run)) > 0


def test_the_longformer_recipe_on_a_tiny_longformer(pairs: str, tmp_path: Path, longformer: Path, own_cache: None) -> None:
    smaller = ["base.model=/nowhere/at/all", f"judge.encoder.model={longformer}", "judge.max_steps=2", "judge.checkpoint_every=1"]
    of = Journey(load_config(RECIPES / "longformer.yaml", Recipe, smaller), tmp_path / "runs")
    assert (of.recipe.judge.encoder.learns_from, of.recipe.judge.encoder.replies) == ("labels", 5000)
    run = judge_stage(of, pairs)
    assert run.results["replies"] == 12
    scores(of, run)
