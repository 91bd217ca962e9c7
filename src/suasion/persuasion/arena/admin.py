"""The pages of whoever runs the study: who has answered how much, new links, links taken back, the end. They show no results."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from suasion.errors import SuasionError
from suasion.persuasion.arena.export import back_up
from suasion.persuasion.arena.invitations import invite_all, listed
from suasion.persuasion.arena.invite import admin_token, form_token, is_admin, is_form_token
from suasion.persuasion.arena.looks import message, page
from suasion.persuasion.arena.safety import RateLimit, form_of, is_from_here
from suasion.persuasion.arena.store import Store

COOKIE = "admin"
DAY = 24 * 3600


@dataclass(frozen=True)
class AdminPages:
    """The pages behind the admin token."""

    store: Store
    address: str
    of_machine: RateLimit

    def enter(self, request: Request, token: str) -> Response:
        """The admin link."""
        if not self.of_machine.allows(request.client.host if request.client else "") or not is_admin(self.store.secret, token):
            return self._refused()
        response = RedirectResponse("/admin", 303)
        secure = request.url.scheme == "https"
        response.set_cookie(
            COOKIE, admin_token(self.store.secret), max_age=DAY, path="/admin", httponly=True, samesite="lax", secure=secure
        )
        return response

    def home(self, request: Request) -> Response:
        """Progress and links."""
        return self._page() if self._may(request) else self._refused()

    def invite(self, request: Request) -> Response:
        """Make a link for one more person."""

        def work(form: dict[str, str]) -> str:
            invite_all(self.store, [form.get("nickname", "").strip()])
            return "Invited; the link stands at the end of the list."

        return self._done(request, work)

    def revoke(self, request: Request) -> Response:
        """Take a link back."""

        def work(form: dict[str, str]) -> str:
            self.store.revoke(form.get("rater", ""))
            return "The link is no longer good. The ballots that were not given are free for somebody else."

        return self._done(request, work)

    def close(self, request: Request) -> Response:
        """End the study."""

        def work(form: dict[str, str]) -> str:
            if form.get("sure") != "yes":
                return "Nothing was done: tick the box to close the study."
            self.store.close_study()
            return "No more answers are taken."

        return self._done(request, work)

    def backup(self, request: Request) -> Response:
        """Copy the database now."""

        def work(form: dict[str, str]) -> str:
            return f"Copied to {back_up(self.store)} in the study's folder."

        return self._done(request, work)

    def _done(self, request: Request, work: Any) -> Response:
        form = form_of(request)
        if not self._may(request) or not is_from_here(request) or not is_form_token(self.store.secret, "admin", form.get("form", "")):
            return self._refused()
        try:
            return self._page(work(form))
        except SuasionError as error:
            return self._page(str(error.what), 409)

    def _may(self, request: Request) -> bool:
        return is_admin(self.store.secret, request.cookies.get(COOKIE, ""))

    def _page(self, said: str = "", status: int = 200) -> Response:
        raters = listed(self.store, self.address)
        values: dict[str, Any] = {"raters": raters, "answered": sum(row["done"] for row in raters), "seats_left": self.store.seats_left()}
        values |= {"closed": self.store.closed, "said": said, "form": form_token(self.store.secret, "admin")}
        return page(self.store.study, "admin", status, **values)

    def _refused(self) -> Response:
        return message(self.store.study, "Not for you", "This page opens with the admin link that the server prints when it starts.", 403)
