"""Raters in a real Chromium: by mouse, by keyboard, on a phone, in two tabs, with a server that dies; and axe looks at every page."""

from __future__ import annotations

import os
import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from suasion.persuasion.arena.invite import admin_token, rater_link
from suasion.persuasion.arena.store import open_store
from tests.persuasion.arena.serving import free_port, running

pytest.importorskip("fastapi")
playwright = pytest.importorskip("playwright.sync_api")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium")
AXE = Path(__file__).with_name("axe") / "axe.min.js"
PHONE = {"width": 360, "height": 740}
DESK = {"width": 1280, "height": 900}
Make = Callable[..., Path]


@pytest.fixture(scope="module")
def browser() -> Iterator[object]:
    with playwright.sync_playwright() as started:
        made = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield made
        made.close()


class Visit:
    """A browser window of one rater, in which nothing may go wrong, nothing be asked elsewhere, and no page be hard to use."""

    def __init__(self, browser, address: str, **context: object) -> None:  # type: ignore[no-untyped-def]
        self.context = browser.new_context(**context)
        self.address = address
        self.problems: list[str] = []
        self.asked: list[str] = []
        self.page = page = self.context.new_page()
        page.on("console", lambda message: self.problems.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: self.problems.append(str(error)))
        page.on("request", lambda request: self.asked.append(request.url))

    def go(self, act: Callable[[], None]) -> None:
        """Do what leads to another page, and wait for that."""
        with self.page.expect_navigation():
            act()

    def begin(self, link: str) -> None:
        """Open the link and agree."""
        self.page.goto(link)
        self.page.check("#agree")
        self.go(lambda: self.page.click("button"))

    def choose(self, *chosen: str) -> None:
        """Answer by mouse and save."""
        for selector in chosen:
            self.page.check(selector)
        self.go(lambda: self.page.click("#save"))

    def is_over(self) -> bool:
        return bool(self.page.get_by_role("heading", name="Thank you").is_visible())

    def look(self, name: str = "") -> None:
        """Axe, no sideways scrolling, and a picture where ``ARENA_PICTURES`` names a folder."""
        if name and os.environ.get("ARENA_PICTURES"):
            self.page.screenshot(path=str(Path(os.environ["ARENA_PICTURES"]) / f"{name}.png"), full_page=True)
        assert self.page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
        self.page.evaluate(AXE.read_text(encoding="utf-8"))  # run by the debugger, which the page's policy does not bind
        found = self.page.evaluate("axe.run(document, {resultTypes: ['violations']})")
        assert [(one["id"], [node["html"] for node in one["nodes"]]) for one in found["violations"]] == []

    def close(self) -> None:
        assert self.problems == []
        assert all(url.startswith((self.address, "data:")) for url in self.asked)
        self.context.close()


def links(folder: Path, address: str, number: int = 1) -> list[str]:
    with open_store(folder) as store:
        return [rater_link(address, store.secret, store.invite().id) for _ in range(number)]


def answers(folder: Path) -> list[str]:
    with open_store(folder) as store:
        return [ballot.answer for ballot in store.ballots()]


@pytest.mark.parametrize(("size", "scheme"), [(DESK, "light"), (PHONE, "dark")], ids=["desk-light", "phone-dark"])
def test_by_mouse_from_the_link_to_the_thanks(browser, study: Make, size: dict[str, int], scheme: str) -> None:  # type: ignore[no-untyped-def]
    folder = study(premises=4, strength=True, reason=True, both_bad=True)
    with running(folder) as (_, address):
        phone = size is PHONE
        visit = Visit(browser, address, viewport=size, color_scheme=scheme, has_touch=phone, is_mobile=phone)
        page = visit.page
        press = "tap" if phone else "click"
        page.goto(links(folder, address)[0])
        visit.look(f"consent-{scheme}")
        page.fill("#nickname", "Ann")
        getattr(page, press)("label[for=agree]")
        visit.go(lambda: getattr(page, press)("button"))
        seen = 0
        while not visit.is_over():
            if page.locator("#next").is_visible():
                visit.look(f"feedback-{scheme}")
                visit.go(lambda: getattr(page, press)("#next"))
                continue
            if seen in (0, 2):
                visit.look(f"ballot-{scheme}-{seen}")
            if phone:
                assert all(box["height"] >= 44 for box in (one.bounding_box() for one in page.locator(".choice label, button").all()))
                one, two = (page.locator(f"section:has(#{name})").bounding_box() for name in ("one", "two"))
                assert two["y"] > one["y"] + one["height"] - 1, "on a phone the replies stand below each other"
            getattr(page, press)("label[for=right]")
            getattr(page, press)("label[for=strength-2]")
            visit.go(lambda: getattr(page, press)("#save"))
            seen += 1
        visit.look(f"thanks-{scheme}")
        visit.close()
    assert answers(folder) == ["right"] * 6


def test_by_keyboard_alone(browser, study: Make) -> None:  # type: ignore[no-untyped-def]
    folder = study(premises=4, both_bad=True)
    with running(folder) as (_, address):
        visit = Visit(browser, address, viewport=DESK)
        page = visit.page
        page.goto(links(folder, address)[0])
        for key in ("Tab", "Tab", "Space", "Tab"):  # the nickname, the box, the button
            page.keyboard.press(key)
        visit.go(lambda: page.keyboard.press("Enter"))
        keys = ["1", "2", "3", "0", "ArrowLeft", "ArrowRight"]
        for key in keys[:2]:  # practice
            page.keyboard.press(key)
            visit.go(lambda: page.keyboard.press("Enter"))
            page.keyboard.press("Tab")
            visit.go(lambda: page.keyboard.press("Enter"))
        for number, key in enumerate(keys, 1):
            assert f"Question {number} of 6" in page.title()
            page.keyboard.press("Enter")  # nothing is chosen yet: the browser says so, and nothing is sent
            page.keyboard.press(key)
            visit.go(lambda: page.keyboard.press("Enter"))
        assert visit.is_over()
        visit.close()
    assert answers(folder) == ["left", "right", "tie", "both_bad", "left", "right"]


def test_keys_can_be_switched_off_and_stay_off(browser, study: Make) -> None:  # type: ignore[no-untyped-def]
    folder = study(practice=False)
    with running(folder) as (_, address):
        visit = Visit(browser, address, viewport=DESK)
        page = visit.page
        visit.begin(links(folder, address)[0])
        page.uncheck("#use-keys")
        page.keyboard.press("1")
        assert not page.is_checked("#left")
        page.reload()
        page.keyboard.press("1")
        assert not page.is_checked("#use-keys") and not page.is_checked("#left")
        page.check("#use-keys")
        page.keyboard.press("1")
        assert page.is_checked("#left")
        visit.close()


def test_keys_do_not_disturb_writing(browser, study: Make) -> None:  # type: ignore[no-untyped-def]
    folder = study(practice=False, reason=True)
    with running(folder) as (_, address):
        visit = Visit(browser, address, viewport=DESK)
        page = visit.page
        visit.begin(links(folder, address)[0])
        page.check("#right")
        page.click("#reason")
        page.keyboard.type("1 of 3\nreasons")
        assert page.input_value("#reason") == "1 of 3\nreasons" and page.is_checked("#right")
        visit.close()


def test_without_scripts_everything_works(browser, study: Make) -> None:  # type: ignore[no-untyped-def]
    folder = study(premises=4, design="change-of-view")
    with running(folder) as (_, address):
        visit = Visit(browser, address, viewport=PHONE, java_script_enabled=False)
        page = visit.page
        visit.begin(links(folder, address)[0])
        before = True
        while not visit.is_over():
            if page.locator("#next").is_visible():
                visit.go(lambda: page.click("#next"))
                continue
            assert page.locator("#one").is_visible() != before
            visit.choose("#opinion-6" if before else "#opinion-2")
            before = not before
        visit.close()
    with open_store(folder) as store:
        assert [(one.before, one.after) for one in store.ballots()] == [(6, 2)] * 5


def test_pages_of_changed_views_are_easy_to_use(browser, study: Make) -> None:  # type: ignore[no-untyped-def]
    folder = study(premises=4, design="change-of-view", reason=True)
    with running(folder) as (_, address):
        visit = Visit(browser, address, viewport=PHONE, color_scheme="light")
        page = visit.page
        visit.begin(links(folder, address)[0])
        visit.look("opinion-before")
        page.keyboard.press("6")
        visit.go(lambda: page.keyboard.press("Enter"))
        visit.look("opinion-after")
        visit.close()


def test_two_tabs_give_each_ballot_once(browser, study: Make) -> None:  # type: ignore[no-untyped-def]
    folder = study(premises=4, practice=False)
    with running(folder) as (_, address):
        visit = Visit(browser, address, viewport=DESK)
        visit.begin(links(folder, address)[0])
        other = Visit(browser, address, viewport=DESK, storage_state=visit.context.storage_state())  # the same cookies: another tab
        other.page.goto(address)
        visit.choose("#left")
        other.choose("#right")
        assert other.page.get_by_role("status").inner_text().endswith("The first answer stays.")
        visit.page.go_back()
        visit.page.check("#right")
        visit.go(lambda: visit.page.dblclick("#save"))
        visit.page.wait_for_load_state("networkidle")
        assert answers(folder) == ["left", "right"]
        while not other.is_over():
            other.choose("#tie")
        other.close()
        visit.close()
    with open_store(folder) as store:
        assert Counter(ballot.place for ballot in store.ballots()) == dict.fromkeys(range(6), 1)


def test_a_server_killed_between_two_ballots_loses_none(browser, study: Make) -> None:  # type: ignore[no-untyped-def]
    folder = study(premises=4, practice=False)
    port = free_port()
    with running(folder, port=port) as (process, address):
        visit = Visit(browser, address, viewport=DESK)
        page = visit.page
        visit.begin(links(folder, address)[0])
        visit.choose("#left")
        process.kill()
        process.wait()
        page.check("#right")
        page.click("#save")
        page.wait_for_function("!document.getElementById('ballot')")  # the browser's own page: nobody answers
    assert answers(folder) == ["left"]
    with running(folder, port=port):
        page.go_back()
        assert "Question 2 of 6" in page.title()
        while not visit.is_over():
            visit.choose("#right")
        visit.problems.clear()  # that the server was away
        visit.asked = [url for url in visit.asked if not url.startswith("chrome-error:")]
        visit.close()
    assert answers(folder) == ["left"] + ["right"] * 5


def test_the_admin_page_and_messages_are_easy_to_use(browser, study: Make) -> None:  # type: ignore[no-untyped-def]
    folder = study(raters_per_premise=2)
    with running(folder) as (_, address):
        visit = Visit(browser, address, viewport=DESK)
        links(folder, address)
        with open_store(folder) as store:
            visit.page.goto(f"{address}/admin/{admin_token(store.secret)}")
        visit.look("admin")
        visit.page.fill("#nickname", "Bo")
        visit.go(lambda: visit.page.click("text=Make a link"))
        assert visit.page.locator("tbody tr").count() == 2
        visit.go(lambda: visit.page.get_by_role("button", name="Revoke number 1").click())
        assert visit.page.locator("tbody tr").nth(0).inner_text().count("revoked") == 1
        visit.look()
        visit.page.goto(f"{address}/")
        visit.look("no-link")
        visit.problems.clear()  # a page that is refused counts as an error in the console
        visit.close()
