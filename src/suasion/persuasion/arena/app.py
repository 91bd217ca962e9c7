"""The web pages of a study. Which page a rater sees next is read from the database alone, so nothing is lost with the server or the tab.

No page, address, header or form tells which system wrote what: a form holds the item's random id and the side that was chosen, and both
mean something only in the database.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from fastapi import FastAPI, Request
from starlette.exceptions import HTTPException
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.responses import RedirectResponse, Response

from suasion.config import Config
from suasion.errors import SuasionError
from suasion.persuasion.arena.admin import AdminPages
from suasion.persuasion.arena.examples import PRACTICE
from suasion.persuasion.arena.invite import form_token, is_form_token, rater_of_token, rater_token
from suasion.persuasion.arena.looks import KEYS, STATIC, WORDS, key_help, message, page, static
from suasion.persuasion.arena.rows import Item, Outcome, Rater
from suasion.persuasion.arena.safety import Guard, RateLimit, form_of, is_from_here
from suasion.persuasion.arena.store import MOST_REASON, Store

COOKIE = "rater"
YEAR = 365 * 24 * 3600
_KEPT = "That one was answered already. The first answer stays."
_NO_LINK = "These pages open with a personal link. If you have one, open it again; if not, ask whoever invited you."


class Served(Config):
    """How the pages are served. ``address`` is what links begin with; ``hosts`` are the names that requests may be made to."""

    address: str
    hosts: tuple[str, ...] = ("*",)
    requests_per_second: float = 10.0
    """Of each rater, over time; and of each machine without a good link a third of it."""


@dataclass(frozen=True)
class RaterPages:
    """The pages that raters see."""

    store: Store
    of_rater: RateLimit
    of_machine: RateLimit

    def enter(self, request: Request, token: str) -> Response:
        """An invitation link: remember whose it is, and go to the first page. Opening it changes nothing else, so a mail program that
        looks at links does no harm."""
        if (found := self._rater(request, token)) is None or isinstance(found, Response):
            return found or self._no_link()
        response = RedirectResponse("/", 303)
        response.set_cookie(
            COOKIE,
            rater_token(self.store.secret, found.id),
            max_age=YEAR,
            httponly=True,
            samesite="lax",
            secure=request.url.scheme == "https",
        )
        return response

    def home(self, request: Request) -> Response:
        """Where the rater stands: consent, the next ballot, or thanks."""
        rater = self._rater(request)
        if not isinstance(rater, Rater):
            return rater or self._no_link()
        return self._next(rater, note=_KEPT if request.query_params.get("note") == "kept" else "")

    def consent(self, request: Request) -> Response:
        """The rater agrees."""
        rater, form = self._posted(request)
        if not isinstance(rater, Rater):
            return rater
        if form.get("agree") != "yes":
            return self._consent_page(rater, "To take part, tick the box.")
        told = {question: form.get(f"ask-{index}", "")[:300] for index, question in enumerate(self.store.study.ask)}
        self.store.consent(rater.id, form.get("nickname", "").strip(), told)
        return RedirectResponse("/", 303)

    def answer(self, request: Request) -> Response:
        """A ballot, or the opinion before the reply. The page after it is only sent when it lies on the disk."""
        rater, form = self._posted(request)
        if not isinstance(rater, Rater):
            return rater
        item = self.store.item(form.get("item", ""))
        if item is None or item.rater != rater.id or item.shown_at is None or rater.consented_at is None:
            return message(self.store.study, "Not a ballot", "There is no such ballot of yours.", 404, back=True)
        try:
            if self.store.study.design == "preference":
                outcome = self._choose(item, form)
            elif item.before is None:
                self.store.opinion_before(item.id, _number(form.get("opinion"), self.store.study.scale))
                return RedirectResponse("/", 303)
            else:
                after = _number(form.get("opinion"), self.store.study.scale)
                outcome = self.store.record(item.id, rater.id, after=after, reason=_reason(form))
        except _Missing as error:
            return self._ballot_page(item, problem=str(error), given=form, status=422)
        except SuasionError as error:
            if self.store.closed:
                return self._next(rater)
            return self._ballot_page(item, problem=f"This was not stored: {error.what} Try again.", given=form, status=503)
        if item.kind == "practice":
            return RedirectResponse(f"/practice/{item.id}", 303)
        return RedirectResponse("/?note=kept" if outcome is Outcome.OTHER else "/", 303)

    def practice(self, request: Request, item_id: str) -> Response:
        """What is said after a practice ballot."""
        rater = self._rater(request)
        if not isinstance(rater, Rater):
            return rater or self._no_link()
        item = self.store.item(item_id)
        if item is None or item.rater != rater.id or item.kind != "practice" or not item.answered:
            return RedirectResponse("/", 303)
        answer, before, after = self.store.answer_of(item.id)
        study = self.store.study
        example = (study.examples or PRACTICE)[int(item.premise.rpartition("-")[2])]
        better = {"left": "1", "right": "2"}[item.expected] if study.design == "preference" else ""
        verdict = (
            f"Most people would choose reply {better}, as you did."
            if answer == item.expected
            else f"Most people would choose reply {better}."
        )
        values: dict[str, Any] = {"verdict": verdict, "why": example.why, "before": before, "after": after, "more": item.place < -1}
        return page(study, "feedback", **values)

    def _choose(self, item: Item, form: dict[str, str]) -> Outcome:
        study = self.store.study
        answer = form.get("answer", "")
        if answer not in study.answers:
            raise _Missing("Choose an answer first.")
        strength = None
        if study.strength and answer in ("left", "right"):
            if form.get("strength") not in ("1", "2", "3"):
                raise _Missing("Say how much better it is.")
            strength = int(form["strength"])
        return self.store.record(item.id, item.rater, answer=answer, strength=strength, reason=_reason(form))

    def _next(self, rater: Rater, note: str = "") -> Response:
        study = self.store.study
        if self.store.closed:
            return message(study, "The study is closed", "No more answers are taken. Those that you gave are stored. Thank you.")
        if rater.consented_at is None:
            return self._consent_page(rater)
        item = self.store.next_item(rater.id)
        if item is None:
            return message(study, "Thank you", study.thanks)
        if item.shown_at is None:
            self.store.show(item.id)
        return self._ballot_page(item, note=note)

    def _consent_page(self, rater: Rater, problem: str = "") -> Response:
        practice = sum(item.kind == "practice" for item in self.store.items(rater.id))
        values = {"rater": rater, "practice": practice, "total": self.store.done_of(rater.id)[1], "problem": problem}
        return page(self.store.study, "consent", 422 if problem else 200, form=form_token(self.store.secret, rater.id), **values)

    def _ballot_page(
        self, item: Item, *, note: str = "", problem: str = "", given: dict[str, str] | None = None, status: int = 200
    ) -> Response:
        study = self.store.study
        done, total = self.store.done_of(item.rater)
        where = f"Question {done + 1} of {total}" if item.place >= 0 else "Practice"
        values = {"item": item, "where": where, "done": done, "total": total, "note": note, "problem": problem}
        values |= {"given": {"answer": "", "strength": "", "reason": ""} | (given or {}), "keys": KEYS, "words": WORDS}
        return page(study, "ballot", status, form=form_token(self.store.secret, item.rater), key_help=key_help(study), **values)

    def _posted(self, request: Request) -> tuple[Rater | Response, dict[str, str]]:
        """Who posted what, if it comes from a form of ours."""
        rater, form = self._rater(request), form_of(request)
        if not isinstance(rater, Rater):
            return rater or self._no_link(), form
        if not is_from_here(request) or not is_form_token(self.store.secret, rater.id, form.get("form", "")):
            text = "This page is from another visit, so the answer was not stored. Go on from here."
            return message(self.store.study, "Please once more", text, 403, back=True), form
        return rater, form

    def _rater(self, request: Request, token: str | None = None) -> Rater | Response | None:
        """Whose link or cookie it is; a response where that is no good, ``None`` where there is none."""
        study = self.store.study
        given = request.cookies.get(COOKIE, "") if token is None else token
        rater_id = rater_of_token(self.store.secret, given)
        rater = None if rater_id is None else self.store.rater(rater_id)
        if rater is None:
            if not self.of_machine.allows(request.client.host if request.client else ""):
                return _too_fast()
            return self._no_link() if given else None
        if not self.of_rater.allows(rater.id):
            return _too_fast()
        if rater.revoked_at is not None:
            return message(study, "This link is no longer good", "The invitation was taken back. Answers that you gave are stored.", 403)
        return rater

    def _no_link(self) -> Response:
        return message(self.store.study, "A link is needed", _NO_LINK, 403)


class _Missing(Exception):
    """Something was not filled in."""


def make_app(store: Store, served: Served) -> FastAPI:
    """The pages of an open study."""
    app = FastAPI(openapi_url=None, docs_url=None, redoc_url=None)
    limits = RateLimit(served.requests_per_second, 4 * served.requests_per_second)
    machines = RateLimit(served.requests_per_second / 3, 2 * served.requests_per_second)
    raters = RaterPages(store, limits, machines)
    admin = AdminPages(store, served.address, machines)
    routes: list[tuple[str, str, Callable[..., Response]]] = [
        ("GET", "/", raters.home),
        ("GET", "/r/{token}", raters.enter),
        ("POST", "/consent", raters.consent),
        ("POST", "/answer", raters.answer),
        ("GET", "/practice/{item_id}", raters.practice),
        ("GET", "/admin", admin.home),
        ("GET", "/admin/{token}", admin.enter),
        ("POST", "/admin/invite", admin.invite),
        ("POST", "/admin/revoke", admin.revoke),
        ("POST", "/admin/close", admin.close),
        ("POST", "/admin/backup", admin.backup),
    ]
    for method, path, endpoint in routes:
        app.add_api_route(path, endpoint, methods=[method], response_model=None)
    for name in STATIC:
        app.add_api_route(f"/{name}", _static(name), response_model=None)

    async def refused(request: Request, error: Exception) -> Response:
        status = error.status_code if isinstance(error, HTTPException) else 500
        text = "There is no such page." if status in (404, 405) else "That could not be done. What was answered before is stored."
        return message(store.study, "Not here" if status in (404, 405) else "Something went wrong", text, status, back=True)

    app.add_exception_handler(HTTPException, refused)
    app.add_exception_handler(SuasionError, refused)
    app.add_middleware(TrustedHostMiddleware, allowed_hosts=list(served.hosts), www_redirect=False)
    app.add_middleware(Guard)
    return app


def host_of(address: str) -> str:
    """The host's name in an address."""
    return urlsplit(address).hostname or ""


def _static(name: str) -> Callable[[], Response]:
    def give() -> Response:
        return static(name)

    return give


def _number(text: str | None, most: int) -> int:
    if text is None or not text.isascii() or not text.isdigit() or len(text) > 2 or not 1 <= int(text) <= most:
        raise _Missing("Choose an answer first.")
    return int(text)


def _reason(form: dict[str, str]) -> str:
    return form.get("reason", "").strip()[:MOST_REASON]


def _too_fast() -> Response:
    return Response("Too many requests. Wait a moment, then reload the page.", 429, {"Retry-After": "5"}, "text/plain")
