from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from suasion.errors import SuasionError
from suasion.runs import plots
from suasion.runs.report import Badge, Card, Column, Picture, Report, Section, Table, render, shown, write_report
from suasion.runs.run import Run

EVIL = "<script>alert(1)</script>\"'><img src=x onerror=alert(2)>"


class _Page(HTMLParser):
    """Collects tags, and complains of one that is not closed."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self._open: list[str] = []
        self.feed(text)
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in ("meta", "img"):
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag


def _page(report: Report) -> _Page:
    return _Page(render(report))


def _image() -> str:
    return plots.inline(plots.histogram({"a": [1, 2, 3]}, "t", "x"))


def test_everything_is_escaped() -> None:
    section = Section(
        EVIL,
        text=[EVIL],
        badges=[Badge(EVIL, "pass")],
        pictures=[Picture(_image(), EVIL, EVIL)],
        tables=[Table([EVIL, EVIL], [(EVIL, 1)], EVIL)],
        cards=[Card(EVIL, [Column(EVIL, EVIL, EVIL)])],
        code=EVIL,
    )
    page = _page(Report(EVIL, EVIL, [section] * 4))
    assert not {"script"} & {tag for tag, _ in page.tags}
    assert all((attributes.get("src") or "").startswith("data:image/png") for tag, attributes in page.tags if tag == "img")
    assert not any(name.startswith("on") for _, attributes in page.tags for name in attributes)


def test_it_asks_nothing_of_the_network() -> None:
    text = render(Report("t", "s", [Section("a", pictures=[Picture(_image())])]))
    assert not re.search(r"https?://|url\(|@import|<link", text)
    with pytest.raises(SuasionError, match="data URI"):
        render(Report("t", "s", [Section("a", pictures=[Picture("https://example.org/x.png")])]))
    assert "prefers-color-scheme: dark" in text


def test_contents_only_where_there_is_much() -> None:
    few = _page(Report("t", "s", [Section("a")] * 3))
    many = _page(Report("t", "s", [Section("a", folded=True)] * 4))
    assert not any(tag == "nav" for tag, _ in few.tags)
    links = [attributes["href"] for tag, attributes in many.tags if tag == "a"]
    ids = ["#" + (attributes.get("id") or "") for tag, attributes in many.tags if tag == "section"]
    assert links == ids and len(links) == 4


def test_values_are_shown_for_readers() -> None:
    assert [shown(value) for value in (None, float("nan"), 0.123456, 12345, 12345.6, True, "x", 7)] == [
        "–", "–", "0.1235", "12,345", "12,346", "yes", "x", "7",
    ]  # fmt: skip


def test_a_half_emoji_does_not_stop_a_report(tmp_path: Path) -> None:
    write_report(Report("\ud83d", "s", []), tmp_path / "r.html")
    assert "\\ud83d" in (tmp_path / "r.html").read_text()


def test_the_default_report_tells_what_happened(root: Path) -> None:
    with Run.start(root, "Pairs", config={}) as pairs:
        pass
    with Run.start(root, "SFT", config={"lr": EVIL}, parents={"pairs": pairs}) as run:
        for step in range(12):
            run.log(step, **{f"number_{index}": step for index in range(12)}, odd=None)
        run.results = {"loss": {"last": 0.25}, "note": EVIL}
    text = (run.path / "report.html").read_text()
    page = _Page(text)
    assert "loss.last" in text and "0.25" in text and run.name in text and pairs.name in text and ">done<" in text
    assert "(running)" not in text
    assert not any(tag == "script" for tag, _ in page.tags)
    assert (run.path / "plots" / "metrics.png").read_bytes().startswith(b"\x89PNG")
