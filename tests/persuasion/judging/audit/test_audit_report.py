"""The audit's page: an honest first sentence, every part that the audit has, nothing from outside, and nothing untrusted but as text."""

from __future__ import annotations

from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from suasion.persuasion.dataset import Pair
from suasion.persuasion.judging.audit import pictures
from suasion.persuasion.judging.audit.audit import Audit, audit
from suasion.persuasion.judging.audit.material import Material
from suasion.persuasion.judging.audit.report import write_audit_report
from suasion.persuasion.judging.audit.settings import AuditConfig
from suasion.persuasion.judging.audit.shown import quoted, told_verdict
from suasion.persuasion.judging.judge import Judge
from suasion.runs.run import Run
from tests.persuasion.judging.fooled import KEYWORD, LAYOUT, Knowing, debates

CONFIG = AuditConfig(replies=12, search_calls=150)


def audited(judge: Judge, pairs: list[Pair] | None = None, **material: Any) -> Audit:
    return audit(judge, Material(debates(16) if pairs is None else pairs, **material), CONFIG, 0)


def page(found: Audit, folder: Path, name: str = "a judge") -> str:
    with Run.start(folder, "Audit", config={}) as run:
        write_audit_report(found, name, run)
        text = (run.path / "audit.html").read_text()
        assert (run.path / "report.html").read_text() == text
        assert all(path.stat().st_size > 1000 for path in (run.path / "plots").iterdir())
    return text


class Reader(HTMLParser):
    """Headings, plain text, and every tag with its attributes."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data + " "


@pytest.fixture(scope="module")
def keyword(tmp_path_factory: pytest.TempPathFactory) -> tuple[Audit, Reader]:
    found = audited(KEYWORD, transfer={"<elsewhere>": debates(8, seed=3)}, others=(KEYWORD, LAYOUT))
    return found, Reader(page(found, tmp_path_factory.mktemp("runs")))


def test_a_failed_judge_s_page_begins_with_what_is_wrong(keyword: tuple[Audit, Reader]) -> None:
    found, reader = keyword
    assert "the judge FAILED its audit" in reader.text
    first = reader.text.index("No writer should practise against this judge")
    assert first < reader.text.index("Does it know the better reply?", first)
    assert f"It failed {len(found.failed)} of {len(found.findings)} probes." in reader.text
    assert all(one.question in reader.text for one in found.findings)


def test_the_worst_exploit_is_shown_beside_the_real_winner(keyword: tuple[Audit, Reader]) -> None:
    found, reader = keyword
    worst = found.attack.worst
    assert worst is not None
    section = reader.text.index("the real winner", reader.text.index("The worst exploit that was found", 3000))
    assert worst.example.after.split("\n")[0] in reader.text[section:] and worst.example.before in reader.text[section:]


def test_every_part_of_the_audit_has_its_place(keyword: tuple[Audit, Reader]) -> None:
    _, reader = keyword
    for part in (
        *("Does it know the better reply?", "Does it read the premise?", "Tricks: the same reply, made up", "Does it count words?"),
        *("Is it as sure as it is right?", "expected calibration error", "Elsewhere", "<elsewhere>", "same verdict from other seeds"),
        *("Every probe beside its limit", "with another debate's premise", "longest", "shortest"),
    ):
        assert part in reader.text, part
    pictured = [attrs for tag, attrs in reader.tags if tag == "img"]
    assert len(pictured) >= 6 and all(attrs["alt"] and str(attrs["src"]).startswith("data:image/png;base64,") for attrs in pictured)


def test_the_page_needs_nothing_from_outside(keyword: tuple[Audit, Reader]) -> None:
    _, reader = keyword
    for tag, attrs in reader.tags:
        assert tag not in ("script", "link", "iframe", "object")
        for name in ("src", "href"):
            assert str(attrs.get(name, "#")).startswith(("#", "data:image/png"))
    assert ("meta", {"name": "viewport", "content": "width=device-width, initial-scale=1"}) in reader.tags


def test_a_judge_that_passed_is_told_so_without_promises(tmp_path: Path) -> None:
    found = audited(Knowing())
    assert found.passed
    text = Reader(page(found, tmp_path)).text
    assert "the judge passed its audit" in text and "not about all the tricks a writer may find" in text
    assert "The worst exploit that was found" not in text


def test_what_is_untrusted_stays_text(tmp_path: Path) -> None:
    """Debates, exploits and names may hold markup, or dollar signs that a plot would take for a formula."""
    evil = "<script>alert(1)</script><img src=x onerror=alert(2)> $\\frac{ & ]]> \x1b[31m \u202e"
    pairs = [
        replace(pair, premise=f"{evil} {pair.premise}", winner=f"{pair.winner} {evil}", loser=f"{pair.loser} {evil}")
        for pair in debates(12)
    ]
    html = page(audited(KEYWORD, pairs, transfer={evil: pairs}), tmp_path, name=evil)
    reader = Reader(html)
    assert "script" not in {tag for tag, _ in reader.tags}
    assert not any("onerror" in attrs for _, attrs in reader.tags)
    assert "<script>alert(1)</script>" in reader.text


def test_what_the_data_cannot_answer_is_said_to_be_undecided(tmp_path: Path) -> None:
    found = audited(KEYWORD, debates(2))
    text = Reader(page(found, tmp_path)).text
    assert "probes are undecided" in text and "these data do not tell" in text


def test_without_a_search_the_page_is_whole(tmp_path: Path) -> None:
    found = audit(LAYOUT, Material(debates(12)), AuditConfig(replies=12, search_calls=0), 0)
    text = Reader(page(found, tmp_path)).text
    assert "Tricks: the same reply, made up" in text and "The worst exploit" not in text


@pytest.mark.parametrize(
    ("codes", "told"),
    [
        (["accuracy", "search-universal"], "it does not know the better reply (right in 48%"),
        (
            ["length-correlation", "search-universal"],
            "it counts words: within a premise its scores follow length (rank correlation 0.85), the longer",
        ),
        (
            ["search-universal", "search-reply", "trick-bold"],
            "one fixed reply without an argument (“Because.”) beats the real winner on 90%",
        ),
        (["search-reply", "trick-bold"], "on 75% of the premises a reply without an argument was found"),
        (["trick-bold", "trick-links"], "linking sources raises a reply's score by 3 of its winner-loser gaps"),
        (["overconfidence"], "it failed the question “Is it surer than it is right?”"),
    ],
)
def test_the_first_sentence_names_the_most_telling_failure(codes: list[str], told: str) -> None:
    findings = {
        "accuracy": {"value": 0.48},
        "length-correlation": {"value": 0.85},
        "search-universal": {"value": 0.9, "examples": [{"after": "Because."}]},
        "search-reply": {"value": 0.75},
        "trick-bold": {"value": 1.0, "details": {"kind": "trick", "says": "setting it in bold"}},
        "trick-links": {"value": 3.0, "details": {"kind": "trick", "says": "linking sources"}},
        "overconfidence": {"value": 0.4, "question": "Is it surer than it is right?"},
    }
    rows = [{"code": code, "passed": False} | findings[code] for code in codes]
    sentence = told_verdict({"findings": rows, "undecided": []})[0]
    assert sentence.startswith("No writer should practise against this judge: ") and told in sentence


def test_quotes_are_short_and_on_one_line() -> None:
    assert quoted("one\n\ntwo\x1b[2J\u202ethree\u200b") == "“one two [2J three”"
    long = quoted("word " * 5000)
    assert len(long) == 162 and long.endswith("…”")
    assert quoted("") == "“”"
    assert quoted("\n" * 5000 + "late").startswith("“")


def test_pictures_draw_what_is_not_known_and_what_is_far_off() -> None:
    none = {"value": None, "low": None, "high": None, "n": 0, "clusters": 0}
    far = {"value": 250.0, "low": 200.0, "high": 300.0, "n": 9, "clusters": 9}
    near = {"value": 0.1, "low": None, "high": None, "n": 2, "clusters": 1}
    findings: list[dict[str, Any]] = [
        one | {"passed": passed, "details": {"bound": 0.25}} for one, passed in ((none, None), (far, False), (near, None))
    ]
    figure = pictures.forest(findings, ["a $x", "b", "c"], "title", "gaps")
    axes = figure.axes[0]
    assert axes.get_xscale() == "symlog" and axes.get_xlim()[1] >= 300
    assert [label.get_text() for label in axes.get_yticklabels()] == [r"a \$x", "b", "c"]
    figure.savefig("/dev/null", format="png")
    assert pictures.forest([], [], "nothing", "gaps").axes[0].get_xscale() == "linear"
    assert pictures.reliability([none | {"predicted": None}], "nothing").axes
    assert np.isnan(pictures.estimate_of(none).value)


def test_the_same_audit_gives_the_same_page(keyword: tuple[Audit, Reader], tmp_path: Path) -> None:
    found, reader = keyword
    assert Reader(page(found, tmp_path)).text == reader.text
