"""``suasion argdown check | format | map``, as a person and as a script sees it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import Result
from typer.testing import CliRunner

from suasion.cli.argdown import argdown_app
from suasion.errors import SuasionError

GOOD = "[Dogs]: Dogs make good pets.  #core\n  + <Loyal>: They are loyal.\n\n<Loyal>\n\n(1) p\n----\n(2) c\n"
BAD = "[Dogs]: Dogs bark.\n+ [Cats] meow\n\n[B]: x {a: [}\n"


def argdown(*words: object, stdin: str | bytes | None = None) -> Result:
    return CliRunner().invoke(argdown_app, [str(word) for word in words], input=stdin, catch_exceptions=False)


@pytest.fixture
def good(tmp_path: Path) -> Path:
    path = tmp_path / "good.argdown"
    path.write_bytes(GOOD.encode())
    return path


@pytest.fixture
def bad(tmp_path: Path) -> Path:
    path = tmp_path / "bad.argdown"
    path.write_bytes(BAD.encode())
    return path


def test_check_says_what_is_in_a_sound_file(good: Path) -> None:
    answer = argdown("check", good)
    assert answer.exit_code == 0
    assert answer.output == f"{good}: 3 claims, 1 argument, 1 relation; no errors.\n"


def test_check_shows_every_error_with_its_line_and_advice(bad: Path) -> None:
    answer = argdown("check", bad)
    assert answer.exit_code == 1
    lines = answer.output.splitlines()
    assert lines[0].startswith(f"{bad}:2:1 relation-not-indented This relation is not indented. Indent it")
    assert lines[1:3] == ["  + [Cats] meow", "  ^"]
    assert lines[3].startswith(f"{bad}:2:9 text-after-reference ")
    assert lines[6].startswith(f"{bad}:4:13 data ")
    assert lines[-1] == f"{bad}: 3 claims, 0 arguments, 1 relation; 3 errors."


def test_check_as_json_has_just_the_keys_that_scripts_rely_on(good: Path, bad: Path) -> None:
    answer = argdown("check", good, "--json")
    assert answer.exit_code == 0
    assert json.loads(answer.stdout) == {
        "errors": [],
        "claims": [
            {"label": "Dogs", "texts": ["Dogs make good pets."], "tags": ["core"]},
            {"label": "Untitled 1", "texts": ["p"], "tags": []},
            {"label": "Untitled 2", "texts": ["c"], "tags": []},
        ],
        "arguments": [
            {
                "label": "Loyal",
                "gists": ["They are loyal."],
                "tags": [],
                "pcs": [{"role": "premise", "label": "Untitled 1"}, {"role": "main-conclusion", "label": "Untitled 2"}],
            }
        ],
        "relations": [{"type": "support", "source": "Untitled 2", "target": "Dogs"}],
    }
    answer = argdown("check", bad, "--json")
    assert answer.exit_code == 1
    assert [(error["line"], error["column"], error["code"]) for error in json.loads(answer.stdout)["errors"]] == [
        (2, 1, "relation-not-indented"),
        (2, 9, "text-after-reference"),
        (4, 13, "data"),
    ]


def test_check_reads_standard_input_and_several_files(good: Path, bad: Path, tmp_path: Path) -> None:
    assert argdown("check", "-", stdin=GOOD).output == "-: 3 claims, 1 argument, 1 relation; no errors.\n"
    answer = argdown("check", good, bad, tmp_path / "none", "--json")
    assert answer.exit_code == 2
    assert [(one["file"], len(one["errors"])) for one in json.loads(answer.stdout)] == [(str(good), 0), (str(bad), 3)]


@pytest.mark.parametrize("content", [b"\xff\xfe[\x00A\x00]\x00", b"[A]: caf\xe9"])
def test_a_file_that_is_no_text_is_told_of(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "x.argdown"
    path.write_bytes(content)
    answer = argdown("check", path)
    assert answer.exit_code == 2
    assert "UTF-8" in answer.output and str(path) in answer.output


def test_an_empty_file_is_an_error_and_no_crash(tmp_path: Path) -> None:
    path = tmp_path / "empty.argdown"
    path.write_bytes(b"")
    assert argdown("check", path).exit_code == 1


def test_a_long_line_and_many_errors_are_cut(tmp_path: Path) -> None:
    path = tmp_path / "x.argdown"
    path.write_text("word " * 5000 + "[B] x\n\n" + "[A] x\n\n" * 300, encoding="utf-8")
    answer = argdown("check", path)
    assert max(map(len, answer.output.splitlines())) < 500
    assert "… and 201 more errors; --json has them all." in answer.output


def test_format_prints_one_form_and_changes_nothing_on_disk(good: Path) -> None:
    answer = argdown("format", good)
    assert answer.output == ("[Dogs]: Dogs make good pets. #core\n    + <Loyal>: They are loyal.\n\n<Loyal>\n\n(1) p\n----\n(2) c\n")
    assert good.read_bytes() == GOOD.encode()
    assert argdown("format", "-", stdin=answer.output).output == answer.output


def test_format_can_write_the_file_back(good: Path) -> None:
    assert argdown("format", good, "--write").output == f"{good} is written.\n"
    assert "    + <Loyal>" in good.read_text(encoding="utf-8")
    assert argdown("format", good, "--write").output == f"{good} is in form.\n"


def test_a_file_with_errors_is_left_as_it_is(bad: Path, tmp_path: Path) -> None:
    for words in (("format", bad, "--write"), ("map", bad, "-o", tmp_path / "x.dot")):
        answer = argdown(*words)
        assert answer.exit_code == 1 and answer.stdout == ""
        assert "3 errors; nothing is written" in answer.stderr
    assert bad.read_bytes() == BAD.encode() and not (tmp_path / "x.dot").exists()


def test_standard_input_cannot_be_written_back() -> None:
    with pytest.raises(SuasionError, match="cannot be written back"):
        argdown("format", "-", "--write", stdin=GOOD)


def test_map_in_every_form(good: Path, tmp_path: Path) -> None:
    assert argdown("map", good).output.startswith("flowchart BT\n")
    assert argdown("map", good, "--to", "dot").output.startswith("digraph map {\n")
    made = json.loads(argdown("map", good, "--to", "json").stdout)
    assert {node["title"] for node in made["map"]["nodes"]} == {"Dogs", "Loyal"}
    out = tmp_path / "map.mmd"
    assert argdown("map", good, "-o", out).output == f"{out} is written.\n"
    assert out.read_text(encoding="utf-8") == argdown("map", good).output


def test_help_teaches_the_language() -> None:
    text = argdown("--help").output
    assert all(sign in text for sign in ("[Claim]:", "+ <Argument>", "(1) premise", "----", "argdown.org"))
    assert "Exit status: 0 no errors, 1 errors, 2 a file cannot be read" in " ".join(argdown("check", "--help").output.split())


@pytest.mark.parametrize(("words", "status"), [(["check", "{good}"], 0), (["check", "{bad}"], 1), (["format", "{none}"], 2), (["map"], 2)])
def test_exit_status_of_the_whole_program(words: list[str], status: int, good: Path, bad: Path, tmp_path: Path) -> None:
    words = [word.format(good=good, bad=bad, none=tmp_path / "none") for word in words]
    done = subprocess.run([sys.executable, "-m", "suasion", "argdown", *words], capture_output=True, text=True, check=False)
    assert done.returncode == status
    assert "Traceback" not in done.stderr


def test_what_the_page_shows_is_what_is_printed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = (Path(__file__).parents[2] / "docs" / "how-do-i-check-an-argdown-file.md").read_text(encoding="utf-8")
    example = page.partition("```argdown\n")[2].partition("```")[0]
    broken = (
        "[Dogs]: Dogs make good pets.\n+ <Loyal>: They stay with their people.\n\n<Loyal>\n\n(1) Dogs are loyal.\n(2) [Dogs] {from: [1}\n"
    )
    monkeypatch.chdir(tmp_path)
    Path("dogs.argdown").write_text(example, encoding="utf-8")
    Path("broken.argdown").write_text(broken, encoding="utf-8")
    assert f"$ suasion argdown check dogs.argdown\n{argdown('check', 'dogs.argdown').output}```" in page
    assert f"$ suasion argdown check broken.argdown\n{argdown('check', 'broken.argdown').output}```" in page
    assert f"```mermaid\n{argdown('map', 'dogs.argdown').output}```" in page
    assert argdown("format", "dogs.argdown").output == example
