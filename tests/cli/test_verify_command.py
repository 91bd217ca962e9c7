"""``suasion verify``, as a person and as a script sees it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import Result
from typer.testing import CliRunner

from suasion.cli import app
from suasion.errors import SuasionError

SOURCE = "Keep dogs. They are loyal."
GOOD = "My map:\n\n```argdown\n[Keep]: Keep dogs.\n    <+ <Loyal>: They are loyal.\n```\n"
BAD = GOOD.replace("<Loyal>: ", "")
FORMAL = """```argdown
<Loyal>: They are loyal.

(1) If p then q. {formalization: 'p -> q', declarations: {p: 'dogs are loyal', q: 'we keep them'}}
(2) p. {formalization: 'p'}
-- {from: ['1','2']} --
(3) q. {formalization: 'q'}
```
"""


def verify(*words: object, stdin: str | None = None) -> Result:
    return CliRunner().invoke(app, ["verify", *map(str, words)], input=stdin, catch_exceptions=False)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in (("source.txt", SOURCE), ("good.md", GOOD), ("bad.md", BAD), ("formal.md", FORMAL)):
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def test_a_valid_answer(folder: Path) -> None:
    answer = verify(folder / "good.md", "--task", "argmap", "--source", folder / "source.txt")
    assert answer.exit_code == 0 and answer.output == f"{folder / 'good.md'}: valid.\n"
    assert verify("-", "-t", "argmap", "-s", folder / "source.txt", stdin=GOOD).output == "-: valid.\n"


def test_findings_are_shown_with_their_line(folder: Path) -> None:
    answer = verify(folder / "bad.md", "--task", "argmap", "--source", folder / "source.txt")
    assert answer.exit_code == 1
    lines = answer.output.splitlines()
    assert lines[0].startswith(f"{folder / 'bad.md'}:5:") and " map.unlabelled-claim “They are loyal.” has no label." in lines[0]
    assert lines[1] == "      <+ They are loyal." and lines[2].strip() == "^"
    assert lines[-1] == f"{folder / 'bad.md'}: invalid; 1 finding."


def test_json_has_just_the_keys_that_scripts_rely_on(folder: Path) -> None:
    answer = verify(folder / "bad.md", "--task", "argmap", "--source", folder / "source.txt", "--json")
    told = json.loads(answer.stdout)
    assert answer.exit_code == 1 and set(told) == {"verdict", "findings", "scores"} and told["verdict"] == "invalid"
    assert [set(finding) for finding in told["findings"]] == [{"code", "message", "line", "column"}]
    assert all(0 <= score <= 1 for score in told["scores"].values())


def test_formal_answers_are_proved(folder: Path) -> None:
    told = json.loads(verify(folder / "formal.md", "-t", "logreco", "-s", folder / "source.txt", "--json").stdout)
    assert told["verdict"] == "valid", told


def test_undecided_has_an_exit_status_of_its_own(folder: Path) -> None:
    (folder / "long.md").write_text("word " * 500_000, encoding="utf-8")
    answer = verify(folder / "long.md", "-t", "argmap", "-s", folder / "source.txt")
    assert answer.exit_code == 3 and "answer.too-long" in answer.output and "undecided" in answer.output


def test_a_reference_is_taken(folder: Path) -> None:
    (folder / "anno.md").write_text(f'```xml\n<proposition id="1" argument_label="Kep">{SOURCE}</proposition>\n```', encoding="utf-8")
    words = (folder / "anno.md", "-t", "arganno_from_argmap", "-s", folder / "source.txt")
    answer = verify(*words, "--reference", folder / "good.md")
    assert answer.exit_code == 1 and "annotation.unknown-label" in answer.output
    assert verify(*words).exit_code == 0


def test_a_batch_gives_a_line_for_every_row(folder: Path) -> None:
    rows = [
        {"id": 1, "task": "argmap", "source": SOURCE, "answer": GOOD},
        {"id": "b", "task": "argmap", "source": SOURCE, "answer": BAD},
        {"id": "c", "task": "logreco", "source": SOURCE, "answer": FORMAL},
        {"id": "\ud800", "task": "argmap", "source": SOURCE, "answer": GOOD + "\ud800"},
        {"id": "d", "source": SOURCE},
        {"id": "e", "task": "argmaps", "source": SOURCE, "answer": ""},
        {"id": "f", "task": "argmap", "source": SOURCE, "answer": ["x"]},
    ]
    file = folder / "rows.jsonl"
    file.write_text("\n".join([*map(json.dumps, rows), "", "{torn", "[]", "[" * 100_000]), encoding="utf-8")
    answer = verify("--batch", file)
    told = [json.loads(line) for line in answer.stdout.splitlines()]
    assert answer.exit_code == 2
    assert [row["id"] for row in told] == [1, "b", "c", "\ud800", "d", "e", "f", None, None, None]
    assert [row.get("verdict") for row in told] == ["valid", "invalid", "valid", "valid", *[None] * 6]
    assert told[4]["error"] == "Line 5 has no task." and "Did you mean argmap" in told[5]["error"]
    assert "answer is not text" in told[6]["error"]
    assert set(told[0]) == {"id", "verdict", "findings", "scores"}


@pytest.mark.parametrize(
    ("answers", "status"), [([GOOD], 0), ([GOOD, BAD], 1), ([GOOD, "word " * 500_000], 3), ([BAD, "word " * 500_000], 1)]
)
def test_the_exit_status_of_a_batch_is_that_of_its_worst_answer(answers: list[str], status: int, folder: Path) -> None:
    file = folder / "rows.jsonl"
    file.write_text("\n".join(json.dumps({"id": n, "answer": answer}) for n, answer in enumerate(answers)), encoding="utf-8")
    assert verify("--batch", file, "--task", "argmap", "--source", folder / "source.txt").exit_code == status


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["good.md", "--task", "argmap"], "--source is missing"),
        (["good.md", "--source", "source.txt"], "--task is missing"),
        ([], "FILE is missing"),
        (["nothing.md", "--task", "argmap", "--source", "source.txt"], "cannot be read"),
        (["good.md", "--task", "argmaps", "--source", "source.txt"], "no task 'argmaps'"),
        (["good.md", "--batch", "rows.jsonl"], "An answer and a batch"),
        (["--batch", "nothing.jsonl"], "cannot be read"),
    ],
)
def test_a_wrong_call_says_what_is_wrong(words: list[str], said: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    with pytest.raises(SuasionError, match=said):
        verify(*words)


def test_exit_status_of_the_whole_program(folder: Path) -> None:
    command = [sys.executable, "-m", "suasion", "verify", folder / "good.md", "--task", "none", "--source", folder / "source.txt"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2 and "Traceback" not in done.stderr


def test_what_the_page_shows_is_what_is_printed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = (Path(__file__).parents[2] / "docs" / "how-do-i-verify-an-answer.md").read_text(encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    Path("text.txt").write_text("Keep dogs. Dogs do not bite.", encoding="utf-8")
    answer = 'My annotation:\n\n```xml\n<proposition id="1">Keep dogs.</proposition> Dogs do bite.\n```\n'
    Path("answer.md").write_text(answer, encoding="utf-8")
    shown = verify("answer.md", "--task", "arganno", "--source", "text.txt").output
    assert f"$ suasion verify answer.md --task arganno --source text.txt\n{shown}```" in page
    code, printed = page.partition("```python\n")[2].split("```text\n")[:2]
    done = subprocess.run([sys.executable, "-c", code.rpartition("```")[0]], capture_output=True, text=True, check=False)
    assert done.stdout == printed.partition("```")[0], done.stderr
