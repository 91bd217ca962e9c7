"""The page about proving says what is so: its snippet prints what stands below it, its table of signs is right."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path
from typing import get_args

from suasion.analysis.logic import parse
from suasion.analysis.logic.questions import Question

PAGE = (Path(__file__).resolve().parents[3] / "docs" / "how-do-i-prove-an-argument.md").read_text(encoding="utf-8")


def test_the_snippet_prints_what_the_page_shows() -> None:
    ((snippet, output),) = re.findall(r"```python\n(.*?)```\n\n```text\n(.*?)```", PAGE, re.DOTALL)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(snippet, "page", "exec"), {"__name__": "page"})  # noqa: S102 - our own page
    assert printed.getvalue() == output


def test_the_table_s_signs_are_read_with_and_without_a_warning() -> None:
    page = PAGE.replace("<code>&#124;&#124;</code>", "`||`").replace("<code>&#124;</code>", "`|`")
    rows = {line.split(" | ")[0].strip("| "): line for line in page.splitlines() if line.startswith("| ")}
    signs = {"not": ("-", "!", "not", "¬", "~"), "and": ("&", "^", "and", "∧", "&&"), "or": ("|", "or", "∨", "||")}
    signs |= {"implies": ("->", "=>", "implies", "→", "⊃"), "iff": ("<->", "<=>", "iff", "↔", "≡")}
    shown = rows["not, and, or"] + rows["if, if and only if"]
    for kind, several in signs.items():
        for number, sign in enumerate(several):
            assert f"`{sign}`" in shown
            parsed = parse(f"p {sign} q" if kind != "not" else f"{sign} p")
            is_nltk = number < (2 if kind == "or" else 3)
            assert parsed.formula is not None
            assert is_nltk == (parsed.warnings == ()), sign


def test_all_questions_are_named() -> None:
    section = PAGE.partition("## What can be asked")[2].partition("\n## ")[0]
    assert [kind.__name__ for kind in get_args(Question) if f"`{kind.__name__}`" not in section] == []
