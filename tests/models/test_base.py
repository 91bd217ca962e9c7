from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from suasion.errors import SuasionError
from suasion.models.base import PLAIN_TEMPLATE, BaseConfig, resolve_base
from suasion.models.rendering import Renderer
from tests.nano import SMALL, make_nano, nano_base, small_renderer


@pytest.fixture
def folder(nano_folder: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(nano_folder, tmp_path / "model"))


def test_padding_is_never_the_end_token(tmp_path: Path) -> None:
    tokenizer = nano_base(make_nano(tmp_path / "model", seed=0, end_is_padding=True)).tokenizer
    assert tokenizer.pad_token_id not in (None, tokenizer.eos_token_id, tokenizer.bos_token_id)
    assert tokenizer.pad_token not in str(tokenizer.chat_template)


def test_without_a_token_to_pad_with_it_says_so(tmp_path: Path) -> None:
    folder = make_nano(tmp_path / "model", seed=0, end_is_padding=True)
    for path in folder.glob("tokenizer*.json"):
        path.write_text(path.read_text().replace("<|pad|>", "<|nothing-known|>"))
    with pytest.raises(SuasionError, match="padding"):
        nano_base(folder)


def test_a_base_without_a_chat_template_gets_the_plain_one(folder: Path, nano_folder: Path) -> None:
    (folder / "chat_template.jinja").unlink()
    base = nano_base(folder)
    assert base.tokenizer.chat_template == PLAIN_TEMPLATE
    assert base.lock["chat_template"] != nano_base(nano_folder).lock["chat_template"]
    renderer = Renderer(base.tokenizer, SMALL)
    ids = renderer.prompt("Tea is better.")
    assert ids[0] == base.tokenizer.bos_token_id and ids.count(ids[0]) == 1
    assert base.tokenizer.decode(ids).endswith("### View\nTea is better.\n\n### Reply\n")
    assert renderer.end_id == base.tokenizer.eos_token_id


@pytest.mark.parametrize(
    ("model", "said"),
    [
        ("./nowhere", "no model at this path"),
        ("/no/such/folder", "no model at this path"),
        ("~nobody-of-that-name/model", "no model at this path"),
        ("just-a-word", "no model at this path"),
        ("owner/model-that-is-not-in-any-cache", "could not be had from the hub"),
        ("owner/..bad name..", "could not be had from the hub"),
    ],
)
def test_a_model_that_is_not_there_is_told_with_a_way_out(model: str, said: str) -> None:
    with pytest.raises(SuasionError, match=said) as caught:
        resolve_base(BaseConfig(model=model))
    assert caught.value.hint


def test_a_folder_that_is_no_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SuasionError, match=r"config\.json"):
        resolve_base(BaseConfig(model=str(tmp_path)))


@pytest.mark.parametrize("name", ["tokenizer.json", "config.json", "tokenizer_config.json"])
@pytest.mark.parametrize("content", ["", '{"half": ', "[]"])
def test_torn_files_of_a_model_are_an_error_and_not_a_traceback(folder: Path, name: str, content: str) -> None:
    (folder / name).write_text(content)
    with pytest.raises(SuasionError):
        nano_base(folder)


def test_a_folder_is_found_from_where_one_stands(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder.parent)
    assert nano_base(Path("model")).lock == nano_base(folder).lock


def test_the_end_token_stands_behind_a_reply_in_the_template(tmp_path: Path) -> None:
    base = nano_base(make_nano(tmp_path / "model", seed=0, end_is_padding=True))
    renderer = small_renderer(base)
    assert renderer.conversation("A view.", "A reply.").ids[-1] == renderer.end_id == base.tokenizer.eos_token_id
