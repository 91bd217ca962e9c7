from __future__ import annotations

from pathlib import Path

import pytest

from suasion.errors import SuasionError
from suasion.runs.manifest import Manifest, command_line, describe_machine, package_versions, read_manifest, write_manifest


def test_what_is_written_is_read(tmp_path: Path) -> None:
    manifest = Manifest(id="x", kind="SFT", parents={"pairs": "y"}, base_lock={"weights": "1"}, results={"a": [1, None]})
    write_manifest(tmp_path, manifest)
    assert read_manifest(tmp_path) == manifest


@pytest.mark.parametrize(
    "text", ["", "null", "{}", '{"id": "x", "kind": "SFT", "status": "odd"}', '{"id": "x", "kind": "S", "zzz": 1}', "[" * 9999]
)
def test_an_unreadable_one_is_named(tmp_path: Path, text: str) -> None:
    (tmp_path / "manifest.json").write_text(text)
    with pytest.raises(SuasionError) as caught:
        read_manifest(tmp_path)
    assert caught.value.where == str(tmp_path / "manifest.json")


def test_a_later_version_is_told_from_a_broken_file(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text('{"version": 2, "shape": "unknown"}')
    with pytest.raises(SuasionError, match="later version"):
        read_manifest(tmp_path)


def test_secrets_are_struck_out_and_words_are_not() -> None:
    line = ["sft.api_key=abc", "--token", "abc", "--hf-token=abc", "judge.max_tokens=3", "tokenizer=x", "--seed", "3"]
    assert command_line(line) == ["sft.api_key=***", "--token", "***", "--hf-token=***", "judge.max_tokens=3", "tokenizer=x", "--seed", "3"]


def test_packages_and_machine_are_described_without_importing_torch() -> None:
    assert package_versions()["numpy"]
    assert {"host", "os", "cpus", "python"} <= set(describe_machine())
