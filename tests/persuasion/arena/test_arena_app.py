"""The pages without a browser: what they show, what they never show, what they refuse."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

pytest.importorskip("fastapi")
from starlette.testclient import TestClient

from suasion.persuasion.arena.app import Served, make_app
from suasion.persuasion.arena.invite import admin_token, rater_link, rater_token
from suasion.persuasion.arena.safety import RateLimit
from suasion.persuasion.arena.store import Store, open_store

Make = Callable[..., Path]
ADDRESS = "http://testserver"
HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(1)> [a](javascript:alert(1)) https://evil.example/x {{ 7*7 }} \"'"
TOLD = ("zyxgrpo", "zyxsft", "zyxhuman", "run7", "run3", "(sound)", "gibberish", "(better)", "(instructed)")


class Rater:
    """A browser without a window: follows redirects, keeps cookies, remembers all it was shown."""

    def __init__(self, store: Store, rater_id: str, served: Served | None = None) -> None:
        self.client = TestClient(make_app(store, served or Served(address=ADDRESS, requests_per_second=10_000)), base_url=ADDRESS)
        self.seen: list[str] = []
        self.page = self.get(rater_link(ADDRESS, store.secret, rater_id).removeprefix(ADDRESS))

    def _keep(self, response: object) -> str:
        for one in [*response.history, response]:  # type: ignore[attr-defined]
            self.seen.append(f"{one.url} {one.status_code} {dict(one.headers)} {one.text}")
        self.status, self.page = response.status_code, response.text  # type: ignore[attr-defined]
        return self.page

    def get(self, path: str) -> str:
        return self._keep(self.client.get(path))

    def fields(self) -> dict[str, str]:
        return dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)">', self.page))

    def post(self, path: str, **fields: str) -> str:
        return self._keep(self.client.post(path, data=self.fields() | fields))

    def begin(self) -> None:
        self.post("/consent", agree="yes", nickname="Ann")

    def to_the_end(self, **fields: str) -> int:
        answered = 0
        while 'action="/answer"' in self.page or 'id="next"' in self.page:
            if 'id="next"' in self.page:
                self.get("/")
            else:
                self.post("/answer", **(fields or {"answer": "left"}))
                answered += 1
        return answered


@pytest.fixture
def opened(study: Make) -> Iterator[Callable[..., tuple[Store, Rater]]]:
    stores: list[Store] = []

    def make(**settings: object) -> tuple[Store, Rater]:
        store = open_store(study(**settings))
        stores.append(store)
        return store, Rater(store, store.invite().id)

    yield make
    for store in stores:
        store.close()


def test_from_the_link_to_the_thanks(opened: Callable[..., tuple[Store, Rater]]) -> None:
    store, rater = opened(strength=True, reason=True, both_bad=True)
    assert "Before you begin" in rater.page
    rater.post("/consent", nickname="Ann")
    assert rater.status == 422 and "tick the box" in rater.page
    rater.begin()
    assert "Practice" in rater.page
    assert rater.to_the_end(answer="right", strength="2", reason="Because\r\nit is.") == 12
    assert "Thank you" in rater.page
    ballots = store.ballots()
    assert len(ballots) == 10 and {(one.answer, one.strength, one.reason) for one in ballots} == {("right", 2, "Because\nit is.")}
    assert all(one.shown_at <= one.answered_at for one in ballots)
    assert store.raters()[0].nickname == "Ann"


def test_a_view_before_and_after(opened: Callable[..., tuple[Store, Rater]]) -> None:
    store, rater = opened(design="change-of-view", reason=True)
    rater.begin()
    item = store.next_item(store.raters()[0].id)
    assert item and item.left_text not in rater.page, "the reply is not to be seen before the first opinion"
    rater.post("/answer", opinion="8")
    assert rater.status == 422
    rater.post("/answer", opinion="5")
    assert "Library" in rater.page or "libraries" in rater.page.lower()
    rater.to_the_end(opinion="3")
    assert {(one.before, one.after) for one in store.ballots()} == {(3, 3)}


def test_nothing_that_a_browser_sees_tells_a_system(opened: Callable[..., tuple[Store, Rater]]) -> None:
    """Everything: each page, header, address and redirect on the way, the files, and what pages say that do not exist."""
    for settings in ({"strength": True, "reason": True, "both_bad": True}, {"design": "change-of-view"}):
        store, rater = opened(raters_per_premise=2, **settings)
        rater.begin()
        rater.to_the_end(**({"answer": "left", "strength": "1"} if "strength" in settings else {"opinion": "2"}))
        for path in (
            "/arena.css",
            "/arena.js",
            "/openapi.json",
            "/docs",
            "/nothing",
            "/admin",
            "/r/x.y",
            "/practice/zyx",
            "/static/../arena.sqlite",
        ):
            rater.get(path)
        assert len(rater.seen) > 20
        everything = "\n".join(rater.seen).lower()
        assert [word for word in TOLD if word in everything] == []
        ids = {reply.id for reply in store.replies()} | set(store.premises())
        assert [one for one in ids if one in "\n".join(rater.seen)] == [], "ids of replies or premises could be matched between raters"


def test_the_page_of_a_pair_is_the_same_whoever_wrote_what(study: Make) -> None:
    """Two studies that differ in nothing but who wrote what: pages are equal to the letter, but for random ids, and so in size."""
    pages = []
    for systems in (("aaaa-model", "zzzz-people"), ("zzzz-people", "aaaa-model")):
        with open_store(study(systems=systems, practice=False, reading_checks=0, repeat_checks=0)) as store:
            rater = Rater(store, store.invite().id)
            rater.begin()
            item = store.next_item(store.raters()[0].id)
            assert item
            shown = {item.left_text: "one", item.right_text: "two"}
            body = rater.page.replace(item.premise_text, "premise").replace(item.left_text, "one").replace(item.right_text, "two")
            assert len(shown) == 2
            pages.append(re.sub(r'name="(form|item)" value="[^"]*"', "", body))
    assert pages[0] == pages[1]


def test_checks_look_like_ballots(opened: Callable[..., tuple[Store, Rater]]) -> None:
    store, rater = opened()
    rater.begin()
    shapes = set()
    for item in store.items(store.raters()[0].id):
        page = rater.get("/")
        for text in (item.premise_text, item.left_text, item.right_text):
            page = page.replace(text.replace("'", "&#39;").replace('"', "&#34;"), "")
        page = re.sub(r'value="[^"]*"|Question \d+|practice', "", page)
        if item.place >= 0:
            shapes.add(page)
        rater.post("/answer", answer="left")
    assert len(shapes) == 1


def test_replies_are_text_and_links_are_inert(tmp_path: Path) -> None:
    from suasion.persuasion.arena.create import create_from_replies
    from suasion.persuasion.arena.study import Study

    settings = Study(practice=False, reading_checks=0, title=f"T {HOSTILE}", question=HOSTILE, consent=HOSTILE, thanks=HOSTILE)
    create_from_replies(tmp_path / "s", settings, {"d": HOSTILE}, {"a": {"d": HOSTILE + " a"}, "b": {"d": HOSTILE + " b"}})
    with open_store(tmp_path / "s") as store:
        rater = Rater(store, store.invite(HOSTILE).id)
        rater.begin()
        rater.to_the_end()
        assert "49" not in rater.page
        for page in rater.seen:
            assert (
                "<script>" not in page
                and "<img" not in page
                and 'href="javascript' not in page
                and "evil.example" not in re.sub(r"(<title>|<p class=\"name\">|<legend>|<div class=\"text\">).*", "", page)
            )
            assert not re.search(r'(?:href|src|action)="(?!/|data:,)', page)


def test_a_form_from_elsewhere_is_refused(opened: Callable[..., tuple[Store, Rater]]) -> None:
    store, rater = opened()
    rater.begin()
    fields = rater.fields() | {"answer": "left"}
    refused = [
        rater.client.post("/answer", data=fields | {"form": "wrong"}),
        rater.client.post("/answer", data={name: value for name, value in fields.items() if name != "form"}),
        rater.client.post("/answer", data=fields, headers={"Sec-Fetch-Site": "cross-site"}),
        rater.client.post("/answer", data=fields, headers={"Origin": "https://evil.example"}),
    ]
    assert [one.status_code for one in refused] == [403] * 4
    assert not store.items(store.raters()[0].id)[0].answered
    assert rater.client.post("/answer", data=fields, headers={"Origin": ADDRESS, "Sec-Fetch-Site": "same-origin"}).status_code == 200
    assert store.items(store.raters()[0].id)[0].answered


def test_links_of_others_and_forged_ones_open_nothing(opened: Callable[..., tuple[Store, Rater]]) -> None:
    store, rater = opened(raters_per_premise=3)
    rater.begin()
    other = store.invite()
    item = store.items(other.id)[0]
    rater.post("/answer", item=item.id, answer="left")
    assert rater.status == 404 and not store.items(other.id)[0].answered
    good = rater_token(store.secret, other.id)
    for token in ("", "x", f"{other.id}.", good[:-1], good[:-1] + ("A" if good[-1] != "A" else "B"), other.id, f"é.{good}", good + ".x"):
        fresh = TestClient(make_app(store, Served(address=ADDRESS)), base_url=ADDRESS)
        assert fresh.get(f"/r/{token}").status_code in (403, 404)
        assert fresh.get("/").status_code == 403
    store.revoke(other.id)
    assert TestClient(make_app(store, Served(address=ADDRESS)), base_url=ADDRESS).get(f"/r/{good}").status_code == 403
    assert admin_token(store.secret) not in "".join(rater.seen)


def test_back_button_double_click_and_two_tabs(opened: Callable[..., tuple[Store, Rater]]) -> None:
    store, rater = opened(practice=False)
    rater.begin()
    first = rater.fields()
    rater.post("/answer", answer="left")
    second = rater.page
    assert rater.client.post("/answer", data=first | {"answer": "left"}).text == second, "a double click is the same answer"
    page = rater.client.post("/answer", data=first | {"answer": "right"}).text
    assert "The first answer stays" in page
    assert [one.answer for one in store.ballots()] == ["left"]
    assert "The first answer stays" not in rater.get("/")


def test_an_answer_that_is_none_is_asked_for_again(opened: Callable[..., tuple[Store, Rater]]) -> None:
    store, rater = opened(strength=True, reason=True)
    rater.begin()
    for fields in ({}, {"answer": "both_bad"}, {"answer": "x" * 5000}, {"answer": "left"}, {"answer": "left", "strength": "9"}):
        rater.post("/answer", reason="kept <b>", **fields)
        assert rater.status == 422 and 'role="alert"' in rater.page and "kept &lt;b&gt;" in rater.page
    rater.post("/answer", answer="tie", strength="2")
    assert rater.status == 200 and store.items(store.raters()[0].id)[0].answered


def test_odd_requests_are_refused_and_break_nothing(opened: Callable[..., tuple[Store, Rater]]) -> None:
    store, rater = opened()
    rater.begin()
    client = rater.client
    assert client.post("/answer", content=b"x" * 70_000).status_code == 413
    assert client.post("/answer", content=b"\xff\xfe%ff&&=&item=%00\xff").status_code in (403, 404)
    assert client.post("/answer", data={f"f{number}": "x" for number in range(100)}).status_code == 403
    assert client.post("/answer", json={"item": "x"}).status_code == 403
    assert client.put("/answer").status_code == 405
    assert client.get("/answer").status_code == 405
    assert client.get("/nothing").status_code == 404
    assert client.get("/", headers={"Cookie": b"rater=\xff"}).status_code in (200, 403)
    for response in (client.get("/"), client.get("/nothing"), client.post("/answer", content=b"x" * 70_000), client.get("/arena.js")):
        policy = response.headers["content-security-policy"]
        assert "unsafe-inline" not in policy and "script-src 'self'" in policy and response.headers["cache-control"] == "no-store"
    assert rater.to_the_end() > 0 and store.ballots()


def test_the_cookie_cannot_be_read_by_scripts_and_is_secure_behind_tls(opened: Callable[..., tuple[Store, Rater]]) -> None:
    store, _ = opened()
    token = rater_token(store.secret, store.raters()[0].id)
    app = make_app(store, Served(address=ADDRESS))
    plain = TestClient(app, base_url="http://testserver").get(f"/r/{token}", follow_redirects=False).headers["set-cookie"]
    tls = TestClient(app, base_url="https://testserver").get(f"/r/{token}", follow_redirects=False).headers["set-cookie"]
    assert "HttpOnly" in plain and "samesite=lax" in plain.lower() and "Secure" not in plain and "Secure" in tls


def test_requests_to_another_name_are_refused(opened: Callable[..., tuple[Store, Rater]]) -> None:
    store, _ = opened()
    app = make_app(store, Served(address=ADDRESS, hosts=("127.0.0.1",)))
    assert TestClient(app, base_url="http://evil.example").get("/").status_code == 400
    assert TestClient(app, base_url="http://127.0.0.1").get("/").status_code == 403


def test_the_rate_limit_is_a_bucket_that_fills_again() -> None:
    now = [0.0]
    limit = RateLimit(2, 3, clock=lambda: now[0])
    assert [limit.allows("a") for _ in range(4)] == [True, True, True, False]
    assert limit.allows("b")
    now[0] = 0.5
    assert [limit.allows("a") for _ in range(2)] == [True, False]


def test_too_many_requests_are_refused_to_raters_and_strangers(opened: Callable[..., tuple[Store, Rater]]) -> None:
    store, _ = opened()
    served = Served(address=ADDRESS, requests_per_second=0.5)
    rater = Rater(store, store.raters()[0].id, served)
    assert [rater.client.get("/").status_code for _ in range(3)][-1] == 429
    stranger = TestClient(make_app(store, served), base_url=ADDRESS)
    assert [stranger.get("/r/guess.again").status_code for _ in range(3)] == [403, 429, 429]


def test_a_closed_study_says_so(opened: Callable[..., tuple[Store, Rater]]) -> None:
    store, rater = opened()
    rater.begin()
    store.close_study()
    rater.post("/answer", answer="left")
    assert "The study is closed" in rater.page and not store.items(store.raters()[0].id)[0].answered


def test_admin_pages_open_with_their_token_alone(opened: Callable[..., tuple[Store, Rater]]) -> None:
    store, rater = opened(raters_per_premise=3, ballots_per_rater=8)
    rater.begin()
    for token in ("x", rater_token(store.secret, store.raters()[0].id), "%00"):
        assert rater.client.get(f"/admin/{token}").status_code == 403
    assert rater.client.post("/admin/close", data={"form": "x", "sure": "yes"}).status_code == 403
    client = TestClient(make_app(store, Served(address="https://arena.example")), base_url=ADDRESS)
    page = client.get(f"/admin/{admin_token(store.secret)}").text
    assert "https://arena.example/r/" in page and not any(word in page for word in TOLD)
    form = re.search(r'name="form" value="([^"]*)"', page)
    assert form
    assert client.post("/admin/invite", data={"form": "x"}).status_code == 403
    page = client.post("/admin/invite", data={"form": form[1], "nickname": "<b>Bo"}).text
    assert "&lt;b&gt;Bo" in page and len(store.raters()) == 2
    client.post("/admin/revoke", data={"form": form[1], "rater": store.raters()[1].id})
    assert store.raters()[1].revoked_at
    assert "Copied to backups/arena-" in client.post("/admin/backup", data={"form": form[1]}).text
    assert list((store.folder / "backups").glob("arena-*.sqlite"))
    assert "tick the box" in client.post("/admin/close", data={"form": form[1]}).text and not store.closed
    client.post("/admin/close", data={"form": form[1], "sure": "yes"})
    assert store.closed
    assert client.post("/admin/invite", data={"form": form[1]}).status_code == 409
