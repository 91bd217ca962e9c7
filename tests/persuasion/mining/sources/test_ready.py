from __future__ import annotations

import csv
import gzip
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from suasion.errors import SuasionError
from suasion.persuasion.mining.sources import ready_rows
from suasion.persuasion.mining.sources.lines import Reading
from suasion.persuasion.mining.sources.ready import ReadyPair, is_table, read

ROWS = [
    {"prompt": "Tea?", "chosen": 'Yes, "tea",\nand more.', "rejected": "No; never."},
    {"prompt": "Milk?", "chosen": "Ja, é ∆", "rejected": "Nein"},
]
PAIRS = [ReadyPair("", row["prompt"], row["chosen"], row["rejected"]) for row in ROWS]


def write(path: Path, rows: list[dict[str, Any]]) -> Path:
    kind = path.suffixes[0].removeprefix(".")
    if kind == "parquet":
        pq.write_table(pa.Table.from_pylist(rows), path, row_group_size=100)
    elif kind in ("csv", "tsv"):
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, list(rows[0]), delimiter="\t" if kind == "tsv" else ",")
            writer.writeheader()
            writer.writerows(rows)
    else:
        text = json.dumps(rows, indent=1) if kind == "json" else "".join(json.dumps(row) + "\n" for row in rows)
        path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())
    return path


def loaded(source: Path | str, columns: Mapping[str, str] | None = None) -> tuple[list[ReadyPair], dict[str, int]]:
    reading = Reading()
    pairs = list(read(source, reading, lambda size: None, columns))
    dropped = {reason: number for reason, number in reading.lines.items() if reason != "read"}
    assert reading.lines["read"] == len(pairs) + sum(dropped.values())
    return pairs, dropped


@pytest.mark.parametrize("name", ["x.parquet", "x.jsonl", "x.json", "x.csv", "x.tsv", "x.jsonl.gz"])
def test_every_form_gives_the_same_pairs_whatever_its_name(tmp_path: Path, name: str) -> None:
    path = write(tmp_path / name, ROWS).rename(tmp_path / "unnamed")
    assert is_table(path)
    assert loaded(path) == (PAIRS, {})
    taken: list[int] = []
    list(read(str(path), Reading(), taken.append))
    assert name == "x.parquet" or sum(taken) == path.stat().st_size


@pytest.mark.parametrize(
    ("names", "part"),
    [
        ({"op_text": "text", "op_title": "title", "winner": "winner", "loser": "loser", "op_name": "debate_id"}, "guessed"),
        ({"claim": "text", "Positive": "winner", "Negative": "loser", "Split": "split"}, "guessed"),
        ({"post": "text", "preferred": "winner", "dispreferred": "loser", "thread_id": "debate_id", "winner_id": "winner_id"}, "guessed"),
        ({"title": "title", "winner": "winner", "loser": "loser", "op_author": "author", "winner_author": "winner_author"}, "guessed"),
    ],
)
def test_usual_names_of_columns_are_guessed(tmp_path: Path, names: dict[str, str], part: str) -> None:
    row = {name: f"the {meaning}" for name, meaning in names.items()} | {"unit": "root"}
    [pair], _ = loaded(write(tmp_path / "x.csv", [row]))
    for meaning in set(names.values()) - {"split"}:
        assert getattr(pair, meaning) == f"the {meaning}"
    assert (pair.text if "text" not in names.values() else pair.split or "") == ""


def test_columns_with_names_of_their_own_are_named(tmp_path: Path) -> None:
    path = write(tmp_path / "x.jsonl", [{"q": "Tea?", "good": "Yes", "bad": "No", "chosen": "a trap", "n": 7}])
    with pytest.raises(SuasionError, match=r"no column 'rejected'.*It has: q, good, bad, chosen, n") as caught:
        loaded(path)
    assert "columns.rejected=NAME" in str(caught.value)
    columns = {"prompt": "q", "chosen": "good", "rejected": "bad", "debate_id": "n"}
    assert loaded(path, columns)[0] == [ReadyPair("", "Tea?", "Yes", "No", debate_id="7")]
    with pytest.raises(SuasionError, match=r"no column 'worse'\. It has: q, good"):
        loaded(path, columns | {"rejected": "worse"})
    with pytest.raises(SuasionError, match=r"'choosen'\. Did you mean 'chosen'"):
        loaded(path, {"choosen": "good"})


def turn(role: str, content: str) -> dict[str, str]:
    return {"role": role, "content": content}


ASK, ANSWER, AGAIN = turn("user", "Tea?"), turn("assistant", "Why?"), turn("user", "Thirst.")
YES, NO = turn("assistant", "Yes"), turn("assistant", "No")
LONG = "User: Tea?\n\nAssistant: Why?\n\nUser: Thirst."


@pytest.mark.parametrize(
    ("row", "text"),
    [
        ({"prompt": "Tea?", "chosen": [YES], "rejected": [NO]}, "Tea?"),
        ({"prompt": [turn("system", "Be kind."), ASK], "chosen": [YES], "rejected": [NO]}, "Tea?"),
        ({"prompt": [ASK, ANSWER, AGAIN], "chosen": "Yes", "rejected": "No"}, LONG),
        ({"prompt": "Tea?", "chosen": [ASK, YES], "rejected": [ASK, NO]}, "Tea?"),
        ({"chosen": [ASK, YES], "rejected": [ASK, NO]}, "Tea?"),
        ({"chosen": [ASK, ANSWER, AGAIN, YES], "rejected": [ASK, ANSWER, AGAIN, NO]}, LONG),
        ({"chosen": "\n\nHuman: Tea?\n\nAssistant: Yes", "rejected": "\n\nHuman: Tea?\n\nAssistant: No"}, "Tea?"),
        (
            {
                "chosen": "\n\nHuman: Tea?\n\nAssistant: Why?\n\nHuman: Thirst.\n\nAssistant: Yes",
                "rejected": "\n\nHuman: Tea?\n\nAssistant: Why?\n\nHuman: Thirst.\n\nAssistant: No",
            },
            LONG,
        ),
    ],
)
@pytest.mark.parametrize("form", ["parquet", "jsonl"])
def test_conversations(tmp_path: Path, row: dict[str, Any], text: str, form: str) -> None:
    path = write(tmp_path / f"x.{form}", [row])
    assert is_table(path)
    assert loaded(path) == ([ReadyPair("", text, "Yes", "No")], {})


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"chosen": None}, "no winner or no loser"),
        ({"rejected": ""}, "an empty text"),
        ({"rejected": " \n"}, "an empty text"),
        ({"rejected": "Yes "}, "winner and loser are the same"),
        ({"rejected": 7}, "a value of the wrong type"),
        ({"rejected": {"role": "assistant", "content": "No"}}, "a value of the wrong type"),
        ({"rejected": [turn("user", "No")]}, "a value of the wrong type"),
        ({"rejected": []}, "a value of the wrong type"),
        ({"rejected": [{"role": "assistant"}]}, "a value of the wrong type"),
        ({"prompt": 5}, "a value of the wrong type"),
        ({"title": 5}, "a value of the wrong type"),
        ({"prompt": None}, "no prompt"),
        ({"prompt": None, "chosen": [ASK, YES], "rejected": [AGAIN, NO]}, "winner and loser answer different prompts"),
    ],
)
def test_rows_of_no_use_are_counted(tmp_path: Path, change: dict[str, Any], reason: str) -> None:
    good = {"prompt": "Tea?", "chosen": "Yes", "rejected": "No"}
    pairs, dropped = loaded(write(tmp_path / "x.jsonl", [good, good | change, good]))
    assert len(pairs) == 2 and dropped == {reason: 1}


def test_files_of_a_folder_tell_the_split(tmp_path: Path) -> None:
    names = {
        "cmv-train.jsonl": "train",
        "validation-00000-of-00001.parquet": "validation",
        "dev.csv": "validation",
        "heldout.json": "test",
        "latest.jsonl": None,
        "train-and-test.jsonl": None,
    }
    for name in names:
        write(tmp_path / name, [{"prompt": name, "chosen": "Yes", "rejected": "No"}])
    write(tmp_path / "premises.parquet", [{"prompt": "x", "winners": ["y"]}])
    write(tmp_path / "best-of-four.parquet", [{"prompt": "x", "replies": ["y"], "winner": 1, "loser": 2}])
    (tmp_path / "README.md").write_text("# Card, with, commas")
    (tmp_path / "datacard.json").write_text('{"pairs": 3}')
    (tmp_path / "plots").mkdir()
    (tmp_path / "data").mkdir()
    write(tmp_path / "data/test.jsonl", [{"prompt": "data", "chosen": "Yes", "rejected": "No", "split": "train_sft"}])
    assert is_table(tmp_path)
    assert {pair.text: pair.split for pair in loaded(tmp_path)[0]} == names | {"data": "train"}


def test_what_is_no_table_is_said(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"\0\1\2" * 100)
    (tmp_path / "y").write_text("just a text\nof two lines")
    write(tmp_path / "z.parquet", [{"a": 1, "b": 2}])
    write(tmp_path / "pairs.jsonl", [{"op_text": "x", "positive": {"comments": []}, "negative": {"comments": []}}])
    for path in tmp_path.iterdir():
        assert not is_table(path)
    for name, message in [("x", "no table that is known"), ("y", "no table that is known"), ("z.parquet", "It has: a, b")]:
        with pytest.raises(SuasionError, match=message):
            loaded(tmp_path / name)
    with pytest.raises(SuasionError, match="holds no table of pairs"):
        loaded(tmp_path)
    assert not is_table(tmp_path) and not is_table(tmp_path / "absent")
    for name in ("absent.parquet", "../absent", "a/b/c", "what is this?"):
        with pytest.raises(SuasionError, match="no such file or folder"):
            loaded(name)


def test_damaged_parquet(tmp_path: Path) -> None:
    text = "".join(chr(33 + number * 7 % 90) for number in range(400))
    rows = [{"prompt": f"{number} {text}", "chosen": f"yes {number} {text}", "rejected": f"no {number} {text}"} for number in range(300)]
    path = write(tmp_path / "train.parquet", rows)
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2])
    assert not is_table(path)
    for source in (path, tmp_path):  # a folder's damaged table is not passed over in silence
        with pytest.raises(SuasionError, match="Parquet file cannot be read"):
            loaded(source)
    start = pq.ParquetFile(pa.BufferReader(data)).metadata.row_group(1).column(0).dictionary_page_offset
    path.write_bytes(data[:start] + b"\xff" * 64 + data[start + 64 :])
    reading = Reading()
    pairs = list(read(path, reading, lambda size: None))
    assert [pair.text.split()[0] for pair in pairs] == [str(number) for number in (*range(100), *range(200, 300))]
    assert reading.lines == {"read": 300, "in a damaged part of the file": 100}
    assert list(reading.damaged) == ["train.parquet"]


def test_csv_of_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x.csv"
    head = b"\xef\xbb\xbfprompt;chosen;rejected\r\n"
    path.write_bytes(head + b'"a;\r\n""b""";yes;no\r\n\r\none;two\r\n"x"y;yes;no\r\nc;y\xe9s;n\x00o\r\n"never closed;yes;no\r\n')
    reading = Reading()
    pairs = list(read(path, reading, lambda size: None))
    assert pairs == [ReadyPair("", 'a;\r\n"b"', "yes", "no"), ReadyPair("", "c", "y\ufffds", "n\0o")]
    assert reading.lines == {"read": 5, "another number of columns": 1, "broken quoting": 2}
    assert reading.mended == {"invalid characters replaced": 1}
    monkeypatch.setattr(ready_rows, "MAX_LINE", 1000)
    path.write_bytes(b"prompt,chosen,rejected\na,yes,no\nb," + b"y" * 5000 + b",no\nc,yes,no\n")
    assert loaded(path)[1] == {"line too long": 1}
    path.write_bytes(b'prompt,chosen,rejected\na,yes,no\nb,"' + b"line\n" * 400 + b'",no\n')  # a field over many lines
    assert next(pair.text for pair in loaded(path)[0]) == "a"


def test_a_field_longer_than_the_librarys_limit_is_read(tmp_path: Path) -> None:
    assert len(loaded(write(tmp_path / "x.csv", [{"prompt": "p", "chosen": "y" * 200_000, "rejected": "no"}]))[0]) == 1


def test_datasets_by_id(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import datasets

    with pytest.raises(SuasionError, match="no dataset of this id could be loaded") as caught:
        loaded("somebody/some-pairs")  # the tests are offline
    assert "folder" in str(caught.value)

    def breaks_off() -> Any:
        yield ROWS[0]
        raise ConnectionError("cut")

    parts: dict[str, Any] = {"train": ROWS, "test_prefs": ROWS[:1]}
    asked: list[Any] = []
    monkeypatch.setattr(datasets, "load_dataset", lambda name, **more: asked.append((name, more)) or parts)
    assert [pair.split for pair in loaded("somebody/some-pairs")[0]] == ["train", "train", "test"]
    assert asked == [("somebody/some-pairs", {"streaming": True})]
    parts["train"] = breaks_off()
    with pytest.raises(SuasionError, match=r"breaks off.*cut"):
        loaded("somebody/some-pairs")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "somebody").mkdir()
    write(tmp_path / "somebody" / "x.jsonl", ROWS).rename(tmp_path / "somebody/some-pairs")
    assert loaded("somebody/some-pairs") == (PAIRS, {}) and len(asked) == 2  # a file wins over an id


@given(st.binary(max_size=200) | st.text(alphabet='ab,;"\n\t{}[]:', max_size=200).map(str.encode))
def test_any_file_gives_pairs_or_says_why(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    path = tmp_path_factory.getbasetemp() / "any-table"
    for beginning in (b"", b"prompt,chosen,rejected\n", b'{"prompt": "x", "chosen": "y", "rejected": "z"}\n'):
        path.write_bytes(beginning + data)
        try:
            loaded(path)
        except SuasionError as error:
            assert error.where


def test_real_texts(shared_data: Path) -> None:
    path = shared_data / "cmv/text-pairs/train.jsonl"
    assert is_table(path) and is_table(path.parent)
    pairs, dropped = loaded(path)
    assert len(pairs) == 1116 and not dropped
    assert {pair.split for pair in pairs} == {"train"}
    raw = json.loads(path.read_text().splitlines()[0])
    assert pairs[0] == ReadyPair(raw["title"], raw["op_text"], raw["winner"], raw["loser"], "train")
    for other in ("full-threads", "convokit-shape-new", "tan2016-sample/pair_task"):
        assert not is_table(shared_data / "cmv" / other)
