"""Unsloth needs a GPU; here a stand-in of the same names records what it is asked for, on a model of our own."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import torch

from suasion.errors import SuasionError
from suasion.models import unsloth
from suasion.models.base import Base
from suasion.models.loading import load_base, save_adapter, with_new_adapter, writer_to_train
from suasion.models.lora import LoraConfig
from tests.nano import nano_base, shaken


class FastLanguageModel:
    """As Unsloth's, by way of transformers and PEFT."""

    asked: dict[str, Any] = {}

    @classmethod
    def from_pretrained(cls, model_name: str, **named: Any) -> tuple[Any, None]:
        from transformers import AutoModelForCausalLM

        cls.asked = {"model_name": model_name, **named}
        return AutoModelForCausalLM.from_pretrained(model_name), None

    @classmethod
    def get_peft_model(cls, model: Any, **named: Any) -> Any:
        from peft import LoraConfig as PeftLoraConfig
        from peft import get_peft_model

        cls.asked = named
        known = {name: named[name] for name in ("r", "target_modules", "lora_alpha", "lora_dropout", "bias", "use_rslora")}
        return get_peft_model(model, PeftLoraConfig(task_type="CAUSAL_LM", **known))

    @staticmethod
    def patch_peft_model(model: Any, use_gradient_checkpointing: bool) -> Any:
        return model


@pytest.fixture
def quick(nano_folder: Path, own_cache: None) -> Base:
    return nano_base(nano_folder, backend="unsloth")


@pytest.fixture
def stand_in(monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("unsloth")
    module.FastLanguageModel = FastLanguageModel  # type: ignore[attr-defined]
    monkeypatch.setattr("suasion.models.unsloth._require", lambda: monkeypatch.setitem(sys.modules, "unsloth", module))


def test_what_is_missing_is_said(quick: Base, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(SuasionError, match="Unsloth, which is not installed") as told:
        writer_to_train(quick, LoraConfig())
    assert "suasion[unsloth]" in str(told.value)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: object())
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)
    with pytest.raises(SuasionError, match="needs a GPU"):
        writer_to_train(quick, LoraConfig())


def test_a_fresh_adapter_has_the_same_targets_and_the_very_base(quick: Base, stand_in: None, tmp_path: Path) -> None:
    torch.manual_seed(7)
    model = writer_to_train(quick, LoraConfig(rank=8))
    assert FastLanguageModel.asked["random_state"] == 7 and FastLanguageModel.asked["use_rslora"] is True
    save_adapter(model, quick, tmp_path / "quick")
    sys.modules.pop("unsloth")
    plain = with_new_adapter(load_base(quick, "CAUSAL_LM"), quick, LoraConfig(rank=8), "CAUSAL_LM")
    ours, theirs = plain.peft_config["default"], model.peft_config["default"]
    assert set(ours.target_modules) == set(theirs.target_modules)
    assert (ours.r, ours.lora_alpha, ours.use_rslora) == (theirs.r, theirs.lora_alpha, theirs.use_rslora)


def test_a_saved_adapter_goes_on_whichever_loaded_it(nano: Base, quick: Base, stand_in: None, tmp_path: Path) -> None:
    assert nano.lock == quick.lock
    writer = shaken(with_new_adapter(load_base(nano, "CAUSAL_LM"), nano, LoraConfig(rank=8), "CAUSAL_LM"))
    folder = save_adapter(writer, nano, tmp_path / "adapter")
    model = writer_to_train(quick, folder)
    asked = FastLanguageModel.asked
    assert asked["model_name"] == str(quick.folder) and asked["use_exact_model_name"] is True and asked["trust_remote_code"] is False
    assert asked["load_in_4bit"] is False
    ids = torch.tensor([[5, 6, 7]])
    with torch.inference_mode():
        torch.testing.assert_close(model(ids).logits, writer(ids).logits)
    assert any(weight.requires_grad for weight in model.parameters())


def test_nothing_else_is_loaded_in_a_process_that_unsloth_has_rewritten(quick: Base, monkeypatch: pytest.MonkeyPatch) -> None:
    unsloth.require_untouched()
    monkeypatch.setitem(sys.modules, "unsloth", ModuleType("unsloth"))
    with pytest.raises(SuasionError, match="has rewritten transformers"):
        load_base(quick, "SEQ_CLS")


def test_an_adapter_of_another_base_is_refused_before_anything_is_loaded(other_nano_folder: Path, quick: Base, tmp_path: Path) -> None:
    other = nano_base(other_nano_folder)
    folder = save_adapter(with_new_adapter(load_base(other, "CAUSAL_LM"), other, LoraConfig(), "CAUSAL_LM"), other, tmp_path / "adapter")
    with pytest.raises(SuasionError, match="trained on another base"):
        writer_to_train(quick, folder)
