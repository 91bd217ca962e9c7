from __future__ import annotations

import bz2
import json
import os
from pathlib import Path
from typing import Any

import pytest
import zstandard

from suasion.errors import SuasionError
from suasion.persuasion.mining.sources.forms import FORMS, files_of, find_sources, sample_folder, things_of
from suasion.persuasion.mining.sources.lines import Reading
from tests.persuasion.mining.lines_for_tests import COMMENT, POST, line, many

PAIR = {"prompt": "Tea?", "chosen": "Yes, and here is why.", "rejected": "No."}
PAIR_TASK = {
    "op_author": "ann",
    "op_title": "CMV: tea",
    "op_text": "Tea.",
    "op_name": "t3_p1",
    "positive": {"ancestor": "t1_c1", "author": "bob", "comments": [COMMENT]},
    "negative": {"ancestor": "t1_c2", "author": "eve", "comments": [{**COMMENT, "id": "c2"}]},
}
OP_TASK = {"title": "CMV: tea", "selftext": "Tea.", "name": "t3_p1", "delta_label": True}
DISCUSSION = {**POST, "comments": [COMMENT]}
UTTERANCE = {"id": "t3_p1", "conversation_id": "t3_p1", "speaker": "ann", "text": "Tea.", "reply_to": None, "timestamp": None, "meta": {}}


def packed(*rows: dict[str, Any]) -> bytes:
    return bz2.compress(b"".join(line(row) for row in rows))


def corpus(folder: Path) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "utterances.jsonl").write_bytes(line(UTTERANCE))
    (folder / "conversations.json").write_text(json.dumps({"t3_p1": {"meta": {"op-title": "CMV: tea"}}}))
    return folder


def tan_folder(folder: Path, *names: str) -> Path:
    content = {"all": DISCUSSION, "pair_task": PAIR_TASK, "op_task": OP_TASK}
    for name in names:
        (folder / name).mkdir(parents=True)
        (folder / name / f"train_{name}_data.jsonlist.bz2").write_bytes(packed(content[name]))
    return folder


@pytest.mark.parametrize("name", ["RC_2015-01", "pairs.parquet", "utterances.jsonl", "all.jsonlist.bz2", "x.csv", "comments.json"])
@pytest.mark.parametrize(
    ("content", "form"),
    [
        (many(2), "dump"),
        (line(COMMENT), "dump"),
        (zstandard.ZstdCompressor().compress(many(2)), "dump"),
        ((0x184D2A5B).to_bytes(4, "little") + bytes(4) + zstandard.ZstdCompressor().compress(many(2)), "dump"),
        (b"", "dump"),
        (b"neither, nor", "dump"),
        (packed(DISCUSSION), "tan"),
        (line(DISCUSSION), "tan"),
    ],
    ids=["posts", "comments", "zstd", "skippable", "empty", "text", "discussions", "plain-discussions"],
)
def test_content_tells_the_form_of_a_file_and_its_name_does_not(tmp_path: Path, name: str, content: bytes, form: str) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    [source] = find_sources([path])
    assert (source.path, source.form, source.size) == (path, form, len(content))
    assert source.plain_size >= source.size
    assert files_of(source) == [path]


@pytest.mark.parametrize("name", ["comments.json", "submissions.zst", "all.jsonlist.bz2", "RC_2015-01"])
@pytest.mark.parametrize(
    ("content", "said", "hint"),
    [
        (line(PAIR), "table of pairs", "suasion pairs"),
        (packed(PAIR_TASK), "table of pairs", "suasion pairs"),
        (b"prompt,chosen,rejected\na,b,c\n", "table of pairs", "suasion pairs"),
        (packed(OP_TASK), "op_task", "suasion mine"),
        (b"\x1f\x8b" + bytes(30), "gzip", "NDJSON"),
        (b"BZh9" + bytes(30), "bzip2", "NDJSON"),
        (b"\xfd7zXZ\0" + bytes(30), "xz", "NDJSON"),
        (b"PK\x03\x04" + bytes(30), "zip", "NDJSON"),
    ],
    ids=["pairs", "pair-task", "csv", "op-task", "gzip", "bzip2", "xz", "zip"],
)
def test_a_file_of_another_kind_is_refused_at_once(tmp_path: Path, name: str, content: bytes, said: str, hint: str) -> None:
    (tmp_path / name).write_bytes(content)
    for source in (tmp_path / name, tmp_path) if name.startswith(("comm", "subm")) else (tmp_path / name,):
        with pytest.raises(SuasionError, match=said) as caught:
            find_sources([source])
        assert str(tmp_path / name) in str(caught.value)
        assert hint in str(caught.value.hint)


def test_a_ready_parquet_table_is_refused(tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = tmp_path / "comments.json"
    pq.write_table(pa.Table.from_pylist([PAIR]), path)
    with pytest.raises(SuasionError, match="table of pairs"):
        find_sources([path])


def test_tan_et_al_as_it_is_unpacked(tmp_path: Path) -> None:
    everything = tan_folder(tmp_path / "cmv", "all", "pair_task", "op_task")
    [source] = find_sources([everything])
    assert (source.form, source.path.parent.name) == ("tan", "all")
    assert find_sources([everything / "all"]) == [source]
    assert len(list(things_of(source, Reading(), lambda size: None))) == 2
    for folder in (tan_folder(tmp_path / "pairs", "pair_task", "op_task"), everything / "pair_task"):
        for form in (None, "tan"):
            with pytest.raises(SuasionError, match="holds pairs and no debates") as caught:
                find_sources([folder], form)
            assert f"suasion pairs {folder}" in str(caught.value)
    for folder in (tan_folder(tmp_path / "posts", "op_task"), everything / "op_task"):
        with pytest.raises(SuasionError, match="op_task"):
            find_sources([folder])


def test_a_corpus_of_convokit(tmp_path: Path) -> None:
    folder = corpus(tmp_path / "comments-and-submissions")
    [source] = find_sources([folder])
    assert (source.path, source.form) == (folder, "convokit")
    assert {path.name for path in files_of(source)} == {"utterances.jsonl", "conversations.json"}
    assert find_sources([folder], "convokit") == [source]
    (folder / "cmv_comments.ndjson").write_bytes(many(1))
    assert [one.form for one in find_sources([folder])] == ["convokit"]
    assert [one.form for one in find_sources([folder], "dump")] == ["dump"]


@pytest.mark.parametrize("form", ["convokit", "tan"])
def test_a_form_that_is_named_but_is_not_there(tmp_path: Path, form: str) -> None:
    path = tmp_path / "comments.ndjson"
    path.write_bytes(many(1))
    for source in (path, tmp_path):
        with pytest.raises(SuasionError) as caught:
            find_sources([source], form)
        assert str(source) in str(caught.value)


def test_a_named_form_is_believed_where_the_content_leaves_it_open(tmp_path: Path) -> None:
    path = tmp_path / "odd"
    path.write_bytes(line({**POST, "comments": []}))
    assert [find_sources([path], form)[0].form for form in (None, "dump", "tan")] == ["tan", "dump", "tan"]
    with pytest.raises(SuasionError, match="no form 'reddit'") as caught:
        find_sources([path], "reddit")
    assert all(form in str(caught.value) for form in FORMS)


def test_a_folder_stands_for_its_dumps(tmp_path: Path) -> None:
    for name in ("cmv_comments.zst", "cmv_submissions.ndjson", "RC_2015-01.json", "notes.json", ".hidden_comments.json", "comments.txt"):
        (tmp_path / name).touch()
    (tmp_path / "comments.jsonl").mkdir()
    found = find_sources([tmp_path])
    assert [source.path.name for source in found] == ["RC_2015-01.json", "cmv_comments.zst", "cmv_submissions.ndjson"]


def test_what_is_named_twice_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "comments.ndjson"
    path.write_bytes(many(1))
    (tmp_path / "submissions.ndjson").symlink_to(path)
    (tmp_path / "elsewhere").symlink_to(tmp_path)
    monkeypatch.chdir(tmp_path)
    found = find_sources([tmp_path, path, Path("comments.ndjson"), tmp_path / "elsewhere", tmp_path / "submissions.ndjson"])
    assert [source.path for source in found] == [path]


def test_what_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(SuasionError, match="no such file") as caught:
        find_sources([tmp_path / "absent"])
    assert "sample" in str(caught.value)
    with pytest.raises(SuasionError, match="no source") as caught:
        find_sources([])
    assert all(words in str(caught.value) for words in FORMS.values())
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    with pytest.raises(SuasionError, match="no such file"):
        find_sources([tmp_path / "loop"])


def test_a_folder_of_another_kind_says_what_is_known(tmp_path: Path) -> None:
    for name in ("a.txt", "b.pdf"):
        (tmp_path / name).write_bytes(b"something else")
    for folder, inside in ((tmp_path, "a.txt, b.pdf"), (tmp_path / "empty", "no files")):
        folder.mkdir(exist_ok=True)
        with pytest.raises(SuasionError, match="nothing that is known") as caught:
            find_sources([folder])
        assert inside in str(caught.value)
        assert all(words in str(caught.value) for words in (*FORMS.values(), "*submissions*"))


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is forbidden to root")
def test_what_may_not_be_read_is_said(tmp_path: Path) -> None:
    path = tmp_path / "comments.ndjson"
    path.write_bytes(many(1))
    path.chmod(0)
    for source in (path, tmp_path):
        with pytest.raises(SuasionError, match="Permission denied"):
            find_sources([source])


def test_an_error_of_the_disk_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "comments.ndjson"
    path.write_bytes(many(1))

    def fails(self: Path, *_: Any, **__: Any) -> Any:
        raise PermissionError(13, "Permission denied", str(self))

    monkeypatch.setattr(Path, "open", fails)
    with pytest.raises(SuasionError, match="Cannot be read: Permission denied") as caught:
        find_sources([path])
    assert str(path) in str(caught.value)


def test_the_shipped_sample_is_found() -> None:
    assert {source.form for source in find_sources([sample_folder()])} == {"dump"}


def test_real_material(shared_data: Path) -> None:
    cmv = shared_data / "cmv"
    assert [source.form for source in find_sources([cmv / "full-threads"])] == ["dump", "dump"]
    assert [source.form for name in ("old", "new") for source in find_sources([cmv / f"convokit-shape-{name}"])] == ["convokit"] * 2
    for folder in (cmv / "tan2016-sample", cmv / "tan2016-sample/pair_task", cmv / "text-pairs"):
        with pytest.raises(SuasionError, match="holds pairs and no debates"):
            find_sources([folder])
    with pytest.raises(SuasionError, match="table of pairs"):
        find_sources([cmv / "text-pairs/train.jsonl"])
    with pytest.raises(SuasionError, match="nothing that is known"):
        find_sources([cmv])
