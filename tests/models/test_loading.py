from __future__ import annotations

import importlib.util
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file

from suasion.errors import SuasionError
from suasion.models.base import Base
from suasion.models.loading import Task, load_base, save_adapter, with_new_adapter, with_saved_adapter
from suasion.models.lora import LoraConfig
from suasion.models.rendering import Renderer
from suasion.models.reward_model import RewardModel
from suasion.runs.run import Run
from suasion.training.sft import Example, SftConfig, train_sft
from tests.nano import SMALL, nano_base, shaken

IDS = torch.tensor([[0, 50, 60, 70, 80, 90]])


def saved(base: Base, folder: Path, task: Task) -> Any:
    torch.manual_seed(0)
    model = shaken(with_new_adapter(load_base(base, task), base, LoraConfig(), task)).eval()
    save_adapter(model, base, folder)
    return model


@pytest.fixture(params=["CAUSAL_LM", "SEQ_CLS"])
def task(request: pytest.FixtureRequest) -> Task:
    return request.param  # type: ignore[no-any-return]


def logits(model: Any) -> torch.Tensor:
    with torch.inference_mode():
        return model(IDS).logits  # type: ignore[no-any-return]


def test_what_was_saved_is_what_is_loaded(nano: Base, tmp_path: Path, task: Task) -> None:
    model = saved(nano, tmp_path / "adapter", task)
    torch.manual_seed(99)  # a head drawn anew would differ
    loaded = with_saved_adapter(load_base(nano, task), nano, tmp_path / "adapter", trainable=False).eval()
    assert torch.equal(logits(loaded), logits(model))
    assert not torch.allclose(logits(loaded), logits(load_base(nano, task)), atol=1e-3)


def test_only_adapter_and_head_are_trained_on_all_projections(nano: Base, task: Task) -> None:
    model = with_new_adapter(load_base(nano, task), nano, LoraConfig(), task)
    trained = {name: parameter for name, parameter in model.named_parameters() if parameter.requires_grad}
    adapters = {name: parameter for name, parameter in trained.items() if ".lora_" in name}
    heads = [name for name in trained if name not in adapters]
    assert heads == ([] if task == "CAUSAL_LM" else ["base_model.model.score.modules_to_save.default.weight"])
    found = {match.groups() for name in adapters if (match := re.search(r"layers\.(\d)\..*?(\w+_proj)\.lora_([AB])", name))}
    projections = ("q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj")
    assert found == {(layer, projection, side) for layer in "01" for projection in projections for side in "AB"}
    assert {min(parameter.shape) for parameter in adapters.values()} <= {32, 64}  # k and v are 32 wide; the rank is 64
    config = model.peft_config["default"]
    assert (config.r, config.use_rslora) == (64, True)
    scaling = {module.scaling["default"] for module in model.modules() if "default" in getattr(module, "lora_A", {})}
    assert scaling == {16 / 64**0.5}


def test_a_loaded_writer_can_be_trained_on_or_not(nano: Base, tmp_path: Path) -> None:
    saved(nano, tmp_path / "adapter", "CAUSAL_LM")
    for trainable in (True, False):
        model = with_saved_adapter(load_base(nano, "CAUSAL_LM"), nano, tmp_path / "adapter", trainable=trainable)
        names = [name for name, parameter in model.named_parameters() if parameter.requires_grad]
        assert bool(names) == trainable and all(".lora_" in name for name in names)


def test_an_adapter_is_refused_on_another_base(nano: Base, other_nano_folder: Path, tmp_path: Path, task: Task) -> None:
    saved(nano, tmp_path / "adapter", task)
    other = nano_base(other_nano_folder)
    with pytest.raises(SuasionError, match="another base") as caught:
        with_saved_adapter(load_base(other, task), other, tmp_path / "adapter", trainable=False)
    assert "weights" in str(caught.value) and "tokenizer" not in str(caught.value)
    assert nano.config.model in str(caught.value) and other.config.model in str(caught.value)


def test_an_adapter_made_in_another_precision_is_refused(nano: Base, nano_folder: Path, tmp_path: Path) -> None:
    saved(nano, tmp_path / "adapter", "CAUSAL_LM")
    with pytest.raises(SuasionError, match="quantization"):
        with_saved_adapter(None, nano_base(nano_folder, quantization="nf4"), tmp_path / "adapter", trainable=False)


def edit(folder: Path, change: Callable[[dict[str, torch.Tensor]], object]) -> None:
    tensors = load_file(folder / "adapter_model.safetensors")
    change(tensors)
    save_file(tensors, folder / "adapter_model.safetensors", metadata={"format": "pt"})


def test_a_lost_head_is_an_error_and_not_a_new_head(nano: Base, tmp_path: Path) -> None:
    saved(nano, tmp_path / "adapter", "SEQ_CLS")
    edit(tmp_path / "adapter", lambda tensors: tensors.pop("base_model.model.score.weight"))
    with pytest.raises(SuasionError, match=r"missing.*score\.weight"):
        with_saved_adapter(load_base(nano, "SEQ_CLS"), nano, tmp_path / "adapter", trainable=False)


def test_a_lost_projection_is_an_error(nano: Base, tmp_path: Path, task: Task) -> None:
    saved(nano, tmp_path / "adapter", task)
    edit(tmp_path / "adapter", lambda tensors: tensors.pop(next(name for name in tensors if "lora_B" in name)))
    with pytest.raises(SuasionError, match=r"missing.*lora_B"):
        with_saved_adapter(load_base(nano, task), nano, tmp_path / "adapter", trainable=False)


def test_a_weight_that_belongs_nowhere_is_an_error(nano: Base, tmp_path: Path, task: Task) -> None:
    saved(nano, tmp_path / "adapter", task)
    edit(tmp_path / "adapter", lambda tensors: tensors.update({"base_model.model.surprise.weight": torch.ones(2)}))
    with pytest.raises(SuasionError, match=r"unexpected.*surprise"):
        with_saved_adapter(load_base(nano, task), nano, tmp_path / "adapter", trainable=False)


def test_a_writer_is_not_a_judge(nano: Base, tmp_path: Path) -> None:
    saved(nano, tmp_path / "adapter", "CAUSAL_LM")
    with pytest.raises(SuasionError):
        RewardModel.load(tmp_path / "adapter", nano, Renderer(nano.tokenizer, SMALL))


@pytest.mark.parametrize("name", ["adapter_model.safetensors", "base_lock.json", "adapter_config.json"])
@pytest.mark.parametrize("damage", ["absent", "cut", "empty"])
def test_half_an_adapter_is_an_error_and_not_a_traceback(nano: Base, tmp_path: Path, name: str, damage: str) -> None:
    saved(nano, tmp_path / "adapter", "CAUSAL_LM")
    path = tmp_path / "adapter" / name
    content = path.read_bytes()
    path.unlink()
    if damage != "absent":
        path.write_bytes(content[: len(content) // 2] if damage == "cut" else b"")
    with pytest.raises(SuasionError) as caught:
        with_saved_adapter(load_base(nano, "CAUSAL_LM"), nano, tmp_path / "adapter", trainable=False)
    assert str(tmp_path / "adapter") in str(caught.value)


def test_no_adapter_at_all_says_where_to_look(nano: Base, tmp_path: Path) -> None:
    with pytest.raises(SuasionError, match="no adapter") as caught:
        with_saved_adapter(None, nano, tmp_path / "nowhere", trainable=False)
    assert "suasion runs list" in (caught.value.hint or "")


def test_a_full_disk_is_told(nano: Base, tmp_path: Path) -> None:
    model = with_new_adapter(load_base(nano, "CAUSAL_LM"), nano, LoraConfig(), "CAUSAL_LM")
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(SuasionError):
        save_adapter(model, nano, tmp_path / "file" / "adapter")


def test_pickled_weights_beside_the_safetensors_are_never_read(nano_folder: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(nano_folder, tmp_path / "model"))
    (folder / "pytorch_model.bin").write_bytes(b"not even a pickle")
    assert torch.equal(logits(load_base(nano_base(folder), "CAUSAL_LM")), logits(load_base(nano_base(nano_folder), "CAUSAL_LM")))


@pytest.mark.skipif(importlib.util.find_spec("bitsandbytes") is None, reason="needs bitsandbytes")
def test_four_bits_go_the_same_way_on_a_cpu(nano_folder: Path, tmp_path: Path) -> None:
    base = nano_base(nano_folder, quantization="nf4")
    renderer = Renderer(base.tokenizer, SMALL)
    examples = [Example("A view.", "A reply to it."), Example("Another view.", "Another reply.")]
    with Run.start(tmp_path / "runs", "SFT", config={}) as run:
        model, _ = train_sft(base, renderer, examples, [], LoraConfig(), SftConfig(max_steps=1, learning_rate=1e-2), run, 0)
        quantised = {type(module).__name__ for module in model.modules() if hasattr(getattr(module, "weight", None), "quant_state")}
        states = [module.weight.quant_state for module in model.modules() if hasattr(getattr(module, "weight", None), "quant_state")]
        assert "Linear4bit" in quantised and {state.quant_type for state in states} == {"nf4"} and all(state.nested for state in states)
        save_adapter(model, base, run.path / "adapter")
    model.eval()
    loaded = with_saved_adapter(load_base(base, "CAUSAL_LM"), base, run.path / "adapter", trainable=False).eval()
    assert torch.allclose(logits(loaded).float(), logits(model).float(), atol=2e-2)

    judge = shaken(with_new_adapter(load_base(base, "SEQ_CLS"), base, LoraConfig(), "SEQ_CLS"))
    save_adapter(judge, base, tmp_path / "judge")
    premises, replies = ["A view."] * 3, ["Because.", "Why not.", "No."]
    scores = RewardModel(judge, renderer).score(premises, replies)
    again = RewardModel.load(tmp_path / "judge", base, renderer).score(premises, replies)
    assert scores.dtype == np.float32 and len(set(scores.tolist())) == 3
    np.testing.assert_allclose(again, scores, atol=1e-4)


@pytest.mark.parametrize("task", ["CAUSAL_LM", "SEQ_CLS"])
def test_a_base_that_lacks_weights_is_refused_and_not_filled_up_at_random(nano_folder: Path, tmp_path: Path, task: Any) -> None:
    import shutil

    from safetensors.torch import load_file, save_file

    folder = Path(shutil.copytree(nano_folder, tmp_path / "model"))
    tensors = load_file(folder / "model.safetensors")
    kept = {name: value for name, value in tensors.items() if "layers.1.mlp" not in name}
    save_file(kept, folder / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(SuasionError, match=r"lack weights.*layers\.1\.mlp"):
        load_base(nano_base(folder), task)
