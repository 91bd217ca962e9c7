"""The page in a real Chromium: findings in place, the map drawn, nothing that an answer holds becomes markup, no request elsewhere."""

from __future__ import annotations

import shutil
from collections.abc import Iterator

import pytest

pytest.importorskip("fastapi")
playwright = pytest.importorskip("playwright.sync_api")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium")
HOSTILE = '<img src=x onerror="document.title=1"><script>document.title=2</script>'


@pytest.fixture(scope="module")
def browser() -> Iterator[object]:
    with playwright.sync_playwright() as started:
        made = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield made
        made.close()


@pytest.fixture
def page(browser, address: str) -> Iterator[object]:  # type: ignore[no-untyped-def]
    made = browser.new_page(viewport={"width": 1400, "height": 1000})
    made.problems = []
    made.asked = []
    made.on("console", lambda message: made.problems.append(message.text) if message.type == "error" else None)
    made.on("pageerror", lambda error: made.problems.append(str(error)))
    made.on("request", lambda request: made.asked.append(request.url))
    made.goto(address)
    made.wait_for_selector("#task option", state="attached")
    yield made
    assert made.problems == []
    assert all(url.startswith((address, "data:")) for url in made.asked)
    made.close()


def verify(page, task: str, answer: str, source: str = "") -> None:  # type: ignore[no-untyped-def]
    page.select_option("#task", task)
    page.fill("#source", source)
    page.fill("#answer", answer)
    page.click("#go")
    page.wait_for_selector("#result:not([hidden])")


def test_findings_stand_below_their_lines_and_the_map_is_drawn(page) -> None:  # type: ignore[no-untyped-def]
    verify(page, "argmap", "Here it is.\n```argdown\n[A]: We should.\n    + <B>: It helps.\n    - <C>: It costs.\n\nno label here\n```")
    assert page.inner_text("#verdict").startswith("invalid: 1 found")
    marked = page.query_selector_all("#lines .marked")
    assert [line.inner_text().split() for line in marked] == [["7", "no", "label", "here"]]
    assert "no label" in page.inner_text("#lines .marked + .finding")
    assert page.inner_text("#lines .marked + .finding code") == "map.unlabelled-claim"
    assert len(page.query_selector_all("#map g.argument rect")) == 2
    assert len(page.query_selector_all("#map path.support")) == 1
    assert len(page.query_selector_all("#map path.attack")) == 1
    box = page.query_selector("#map g.claim rect").bounding_box()
    assert box["width"] > 100
    below = page.query_selector("#map g.argument rect").bounding_box()
    assert below["y"] > box["y"]


@pytest.mark.parametrize("task", ["argmap", "infreco_from_arganno", "argmap_plus_arganno_plus_logreco"])
def test_the_example_is_valid(page, task: str) -> None:  # type: ignore[no-untyped-def]
    page.select_option("#task", task)
    assert page.is_visible("#reference") == ("_from_" in task)
    page.click("#example")
    page.click("#go")
    page.wait_for_selector("#result:not([hidden])")
    assert page.inner_text("#verdict") == "valid"
    assert page.query_selector_all("#scores tr")


def test_nothing_becomes_markup(page) -> None:  # type: ignore[no-untyped-def]
    answer = f"{HOSTILE}\n```argdown\n[{HOSTILE}]: {HOSTILE}\n    + <B>: {HOSTILE}\n\n{HOSTILE}\n```"
    verify(page, "argmap", answer, source=HOSTILE)
    assert HOSTILE in page.inner_text("#lines")
    page.wait_for_selector("#map text")
    assert page.title() == "suasion verify"
    assert page.query_selector("#result img, #result script") is None


def test_a_finding_without_a_line_and_a_refusal_are_told(page) -> None:  # type: ignore[no-untyped-def]
    verify(page, "argmap", "no block")
    assert "map.missing" in page.inner_text("#general")
    page.wait_for_function("document.getElementById('map-note').textContent")
    page.problems.clear()  # that there is no map, the browser counts as an error
    page.evaluate("document.getElementById('answer').value = 'x'.repeat(17e6)")
    page.click("#go")
    page.wait_for_selector("#verdict.refused")
    assert "larger than 16,000,000 bytes" in page.inner_text("#verdict")
    page.problems.clear()


def test_a_long_answer_is_shown_around_its_findings(page) -> None:  # type: ignore[no-untyped-def]
    answer = "thinking\n" * 5000 + "```argdown\n[A]: a\n    + <B>: b\n\nno label\n```\n" + "more\n" * 5000
    page.select_option("#task", "argmap")
    page.evaluate("text => { document.getElementById('answer').value = text }", answer)
    page.click("#go")
    page.wait_for_selector("#result:not([hidden])")
    assert len(page.query_selector_all("#lines > div")) < 20
    assert page.inner_text("#lines .marked .number") == "5005"
