from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path

import pytest

from suasion.config import validate
from suasion.models.sampling import Reply
from suasion.persuasion.dataset import Premise
from suasion.persuasion.evaluation.compare import compare
from suasion.persuasion.evaluation.report import Evaluation, write_evaluation_report
from suasion.persuasion.judging.judge import RULES
from suasion.persuasion.recipe import Recipe
from suasion.runs.run import Run

EVIL = "<script>alert('x')</script><img src=http://evil.example/x onerror=alert(1)> {{ 7 * 7 }} </textarea>\"'"


class Page(HTMLParser):
    """What a browser would make of it: the tags, what they load, and the text."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.loads: list[str] = []
        self.handlers: list[str] = []
        self.text = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.loads += [value or "" for name, value in attrs if name in ("src", "href", "srcset", "data", "poster")]
        self.handlers += [name for name, _ in attrs if name.startswith("on")]

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.fixture
def page(tmp_path: Path) -> Page:
    premises = [Premise(f"d{i}", f"CMV: {i} {EVIL}", (f"A winner. {EVIL}",) if i % 2 else ()) for i in range(4)]
    replies = {
        name: [[Reply(f"{name} says {'so ' * (i + extra)} {EVIL}", 9, i > 0)] for i in range(4)]
        for name, extra in (("base", 0), ("SFT", 2))
    }
    recipe = validate({"name": f"name {EVIL}", "description": EVIL}, Recipe)
    with Run.start(tmp_path, "Eval", config=recipe) as run:
        comparison = compare(premises, replies, RULES["longest"], seed=0)
        path = write_evaluation_report(Evaluation(run, recipe, tmp_path, premises, comparison))
    assert path == run.path / "report.html"
    assert {plot.suffix for plot in (run.path / "plots").iterdir()} == {".png"}
    return Page(path.read_text())


def test_texts_from_outside_are_texts(page: Page) -> None:
    assert "script" not in page.tags and "textarea" not in page.tags and page.handlers == []
    assert page.text.count(EVIL) >= 4 + 8 + 2  # premises, replies, winners
    assert "49" not in page.text.replace(EVIL, "")


def test_it_needs_no_other_file_and_no_network(page: Page) -> None:
    assert page.loads
    assert all(load.startswith(("data:image/", "#")) for load in page.loads)
    assert not {"link", "iframe", "object", "embed", "base", "form"} & set(page.tags)


def test_it_says_what_it_does_not_show(page: Page) -> None:
    assert "never audited" in page.text
    assert "SFT" in page.text and "base" in page.text
    assert "cut off" in page.text
    assert "Whether people are convinced is another question" in page.text
