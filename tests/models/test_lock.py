from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file

from suasion.errors import SuasionError
from suasion.models.base import BaseConfig, resolve_base
from suasion.models.lock import base_lock


@pytest.fixture
def folder(nano_folder: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(nano_folder, tmp_path / "model"))


def lock(folder: Path, tmp_path: Path, **changed: Any) -> dict[str, str]:
    arguments: dict[str, Any] = {"chat_template": "t", "quantization": "none", "cache": tmp_path / "cache"}
    return base_lock(folder, **(arguments | changed))


def differing(first: dict[str, str], second: dict[str, str]) -> list[str]:
    assert first.keys() == second.keys()
    return [part for part in first if first[part] != second[part]]


def save(tensors: dict[str, torch.Tensor], path: Path) -> None:
    save_file(tensors, path, metadata={"format": "pt"})


def test_a_copy_in_another_folder_has_the_same_lock(folder: Path, nano_folder: Path, tmp_path: Path) -> None:
    assert lock(folder, tmp_path) == lock(nano_folder, tmp_path)


def test_the_same_weights_cut_into_other_shards_have_the_same_lock(folder: Path, tmp_path: Path) -> None:
    before = lock(folder, tmp_path)
    tensors = load_file(folder / "model.safetensors")
    names = sorted(tensors, reverse=True)
    (folder / "model.safetensors").unlink()
    save({name: tensors[name] for name in names[:5]}, folder / "model-00001-of-00002.safetensors")
    save({name: tensors[name] for name in names[5:]}, folder / "model-00002-of-00002.safetensors")
    assert lock(folder, tmp_path) == before


def test_one_changed_weight_is_another_base(folder: Path, tmp_path: Path) -> None:
    before = lock(folder, tmp_path)
    tensors = load_file(folder / "model.safetensors")
    tensors["model.norm.weight"][3] += 1e-6
    save(tensors, folder / "model.safetensors")
    assert differing(before, lock(folder, tmp_path)) == ["weights"]


def test_weights_under_swapped_names_are_another_base(folder: Path, tmp_path: Path) -> None:
    before = lock(folder, tmp_path)
    tensors = load_file(folder / "model.safetensors")
    one, other = "model.layers.0.self_attn.q_proj.weight", "model.layers.1.self_attn.q_proj.weight"
    tensors[one], tensors[other] = tensors[other], tensors[one]
    save(tensors, folder / "model.safetensors")
    assert differing(before, lock(folder, tmp_path)) == ["weights"]


def test_another_tokenizer_is_another_base(folder: Path, tmp_path: Path) -> None:
    before = lock(folder, tmp_path)
    path = folder / "tokenizer.json"
    path.write_text(path.read_text().replace('"truncation": null', '"truncation":  null'))
    assert differing(before, lock(folder, tmp_path)) == ["tokenizer"]


def test_template_and_quantisation_count(folder: Path, tmp_path: Path) -> None:
    before = lock(folder, tmp_path)
    assert differing(before, lock(folder, tmp_path, chat_template="another")) == ["chat_template"]
    assert differing(before, lock(folder, tmp_path, quantization="nf4-double")) == ["quantization"]


def test_the_resolved_base_takes_template_and_quantisation_from_where_they_are(folder: Path) -> None:
    before = resolve_base(BaseConfig(model=str(folder))).lock
    assert differing(before, resolve_base(BaseConfig(model=str(folder), quantization="nf4")).lock) == ["quantization"]
    template = folder / "chat_template.jinja"
    template.write_text(template.read_text().replace("assistant", "helper"))
    assert differing(before, resolve_base(BaseConfig(model=str(folder))).lock) == ["chat_template"]


def test_a_digest_is_remembered_until_the_file_changes(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from suasion.models import lock as module

    first = lock(folder, tmp_path)
    monkeypatch.setattr(module, "_tensor_digests", lambda shard: pytest.fail("was read again"))
    assert lock(folder, tmp_path) == first
    monkeypatch.undo()
    weights = folder / "model.safetensors"
    content = bytearray(weights.read_bytes())
    content[-1] ^= 1
    weights.write_bytes(content)  # of the same size
    os.utime(weights, ns=(1, weights.stat().st_mtime_ns + 1))
    assert differing(first, lock(folder, tmp_path)) == ["weights"]


@pytest.mark.parametrize("damage", ["cut", "empty", "garbage", "header"])
def test_torn_weights_are_refused(folder: Path, tmp_path: Path, damage: str) -> None:
    weights = folder / "model.safetensors"
    whole = weights.read_bytes()
    weights.write_bytes({"cut": whole[:-100], "empty": b"", "garbage": b"\xff" * 100, "header": b"\x02\0\0\0\0\0\0\0[]"}[damage])
    with pytest.raises(SuasionError, match="not whole") as caught:
        lock(folder, tmp_path)
    assert "model.safetensors" in str(caught.value.where)


def test_pickled_weights_are_not_loaded(folder: Path, tmp_path: Path) -> None:
    (folder / "model.safetensors").rename(folder / "pytorch_model.bin")
    with pytest.raises(SuasionError, match="no safetensors"):
        lock(folder, tmp_path)


def test_a_folder_without_a_tokenizer_is_refused(folder: Path, tmp_path: Path) -> None:
    (folder / "tokenizer.json").unlink()
    with pytest.raises(SuasionError, match="no tokenizer"):
        lock(folder, tmp_path)
