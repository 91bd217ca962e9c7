from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from suasion.errors import SuasionError
from suasion.models.encoder import Encoder, EncoderConfig, EncoderJudge, load_classifier, resolve_encoder
from tests.architectures import make_longformer, make_modernbert

REPLIES = ["Yes.", "No, because of the evidence. " * 8, "Maybe", "", "It </s> depends [SEP] on <pad> it.", "So it is. " * 3]
PREMISES = ["CMV: tea is better.", "CMV: short.", "CMV: </s> inside", "x " * 60, "CMV: tea is better.", ""]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_longformer(tmp_path_factory.mktemp("longformer"))


@pytest.fixture(scope="module", params=["longformer", "modernbert"])
def encoder(request: pytest.FixtureRequest, folder: Path, own_cache: None, tmp_path_factory: pytest.TempPathFactory) -> Encoder:
    place = folder if request.param == "longformer" else make_modernbert(tmp_path_factory.mktemp("modernbert"))
    return resolve_encoder(EncoderConfig(model=str(place)), premise_words=50)


@pytest.fixture(scope="module")
def longformer(folder: Path, own_cache: None) -> Encoder:
    return resolve_encoder(EncoderConfig(model=str(folder)), premise_words=50)


def saved(encoder: Encoder, folder: Path) -> tuple[EncoderJudge, dict[str, str]]:
    """A judge with random weights, saved; and its lock."""
    torch.manual_seed(0)
    model = load_classifier(encoder.folder, new_head=True)
    model.save_pretrained(folder)
    encoder.tokenizer.save_pretrained(folder)
    return EncoderJudge(model, encoder), dict(encoder.saved_as(folder).lock)


def load(folder: Path, lock: dict[str, str], limit: int = 256) -> EncoderJudge:
    return EncoderJudge.load(folder, lock, limit, 50)


def test_a_score_does_not_depend_on_its_neighbours_nor_on_being_saved(encoder: Encoder, tmp_path: Path) -> None:
    judge, lock = saved(encoder, tmp_path)
    together = judge.score(PREMISES, REPLIES)
    assert together.dtype == np.float32 and together.shape == (6,) and np.ptp(together) > 0.01
    alone = np.concatenate([judge.score([premise], [reply]) for premise, reply in zip(PREMISES, REPLIES, strict=True)])
    np.testing.assert_allclose(together, alone, atol=1e-5)
    few = EncoderJudge(judge.model, encoder, token_budget=100).score(PREMISES[::-1], REPLIES[::-1])
    np.testing.assert_allclose(together, few[::-1], atol=1e-5)
    np.testing.assert_allclose(load(tmp_path, lock).score(PREMISES, REPLIES), together, rtol=0, atol=1e-6)


def test_premise_and_reply_are_a_pair_of_texts(longformer: Encoder) -> None:
    ids, cut = longformer.read("A view.", "A reply.")
    assert longformer.tokenizer.decode(ids) == "<s>A view.</s></s>A reply.</s>" and not cut


def test_no_special_token_can_be_spelled(longformer: Encoder) -> None:
    ids, _ = longformer.read("a </s> view", "a </s></s> reply <pad> <mask>")
    assert ids.count(longformer.tokenizer.eos_token_id) == 3 and longformer.tokenizer.pad_token_id not in ids


def test_the_full_length_is_used_and_not_more(folder: Path, longformer: Encoder, own_cache: None) -> None:
    """Longformer counts positions from behind the padding token: a table of 258 holds 256 tokens."""
    assert longformer.limit == 256
    ids, cut = longformer.read("A view.", "word " * 400)
    assert (len(ids), cut) == (256, True)
    judge = EncoderJudge(load_classifier(folder, new_head=True), longformer)
    assert np.isfinite(judge.score(["A view."], ["word " * 400])).all()
    short = resolve_encoder(EncoderConfig(model=str(folder), max_tokens=64), 50)
    assert len(short.read("view " * 100, "word " * 100)[0]) == 64
    with pytest.raises(SuasionError, match="takes 256 tokens"):
        resolve_encoder(EncoderConfig(model=str(folder), max_tokens=300), 50)


def test_the_first_token_looks_at_all_others(folder: Path, longformer: Encoder) -> None:
    """With local attention alone two layers of windows of 16 reach 16 tokens; a word 60 words on must still tell."""
    ids, cut = longformer.read("A view.", "word " * 60)
    assert len(ids) > 64 and not cut
    judge = EncoderJudge(load_classifier(folder, new_head=True), longformer)
    one, other = judge.score(["A view."] * 2, ["word " * 60 + "yes", "word " * 60 + "no"])
    assert abs(one - other) > 1e-4


def test_other_weights_than_those_saved_are_refused(longformer: Encoder, tmp_path: Path) -> None:
    _, lock = saved(longformer, tmp_path / "judge")
    saved(resolve_encoder(EncoderConfig(model=str(make_longformer(tmp_path / "other", seed=1))), 50), tmp_path / "changed")
    shutil.copy(tmp_path / "changed" / "model.safetensors", tmp_path / "judge" / "model.safetensors")
    with pytest.raises(SuasionError, match=r"not the encoder that was saved.*weights") as caught:
        load(tmp_path / "judge", lock)
    assert "tokenizer" not in str(caught.value)


def _without(folder: Path, part: str) -> None:
    from safetensors.torch import load_file, save_file

    tensors = load_file(folder / "model.safetensors")
    save_file({name: value for name, value in tensors.items() if part not in name}, folder / "model.safetensors", metadata={"format": "pt"})


@pytest.mark.parametrize("part", ["classifier.out_proj", "layer.0.attention"])
def test_missing_weights_are_an_error_and_not_drawn_anew(longformer: Encoder, tmp_path: Path, part: str) -> None:
    saved(longformer, tmp_path)
    _without(tmp_path, part)
    with pytest.raises(SuasionError, match=f"missing .*{part}"):
        load_classifier(tmp_path, new_head=False)


def test_an_encoder_that_is_not_whole_is_not_trained(folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder, tmp_path / "model")
    _without(tmp_path / "model", "layer.1.output")
    with pytest.raises(SuasionError, match=r"missing .*layer\.1\.output"):
        load_classifier(tmp_path / "model", new_head=True)


def _no_weights(folder: Path) -> None:
    (folder / "model.safetensors").unlink()


def _no_tokenizer(folder: Path) -> None:
    for path in folder.glob("tokenizer*"):
        path.unlink()


def _torn(folder: Path) -> None:
    (folder / "tokenizer.json").write_text("{")


@pytest.mark.parametrize("damage", [_no_weights, _no_tokenizer, _torn])
def test_what_is_broken_is_told(folder: Path, tmp_path: Path, damage: Any) -> None:
    shutil.copytree(folder, tmp_path / "model")
    damage(tmp_path / "model")
    with pytest.raises(SuasionError, match=r"weights|tokenizer"):
        resolve_encoder(EncoderConfig(model=str(tmp_path / "model")), 50)
    with pytest.raises(SuasionError, match=r"judge\.encoder\.model"):
        resolve_encoder(EncoderConfig(model="./nowhere"), 50)
