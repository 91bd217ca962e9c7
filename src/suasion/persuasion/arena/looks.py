"""The words and templates of the pages. Everything that a template is given is escaped."""

from __future__ import annotations

from functools import lru_cache
from importlib.resources import files
from typing import Any

from jinja2 import DictLoader, Environment, StrictUndefined
from starlette.responses import HTMLResponse, Response

from suasion.persuasion.arena.study import Study

_TEMPLATES = ("base", "consent", "ballot", "feedback", "message", "admin")
STATIC = {"arena.css": "text/css", "arena.js": "text/javascript"}
KEYS = {"left": "1", "right": "2", "tie": "3", "both_bad": "0"}
WORDS = {"left": "Reply 1", "right": "Reply 2", "tie": "About equally good", "both_bad": "Both are bad"}


@lru_cache(maxsize=1)
def _environment() -> Environment:
    texts = {f"{name}.html.j2": _file(f"{name}.html.j2") for name in _TEMPLATES}
    return Environment(loader=DictLoader(texts), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)


def page(study: Study, template: str, status: int = 200, **values: Any) -> Response:
    """A page of the study, rendered."""
    text = _environment().get_template(f"{template}.html.j2").render(study=study, **values)
    return HTMLResponse(text.strip() + "\n", status)


def message(study: Study, head: str, text: str, status: int = 200, *, back: bool = False) -> Response:
    """A page that only says something."""
    return page(study, "message", status, head=head, text=text, back=back)


def static(name: str) -> Response:
    """The style or the script."""
    return Response(_file(name), media_type=f"{STATIC[name]}; charset=utf-8")


def key_help(study: Study) -> str:
    """Which keys there are, in words."""
    if study.design == "preference":
        return ", ".join(KEYS[answer] for answer in study.answers)
    return f"1 to {min(study.scale, 9)}" + (", 0" if study.scale >= 10 else "")


@lru_cache(maxsize=16)
def _file(name: str) -> str:
    return files("suasion.persuasion.arena").joinpath("pages", name).read_text(encoding="utf-8")
