"""Prompts: a problem in one of many styles, hints, mistakes on demand, feedback and revision.

A style is a template in ``templates/styles``; a new file is a new style for all tasks. What is required stands in no template: it is
rendered from the task's checks, and file names and fences from its artefacts, so a prompt asks for what the judge enforces. The one
exception is :data:`BARE`, for models that learn the rules by practice.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import Any

import jinja2

from suasion.analysis.tasks.problem import Problem
from suasion.analysis.tasks.prompts.fences import fenced
from suasion.analysis.tasks.prompts.words import form_of, forms_of, links_of
from suasion.analysis.tasks.task import Task
from suasion.analysis.verification.findings import Finding
from suasion.errors import SuasionError

BARE = "bare"
"""No style: the task, the text and the form of the answer, without the rules. A third of the tokens, for models that learned the rules
from verdicts; one that did not cannot know what is asked of it."""
MOST_FINDINGS = 20  # told in one prompt, each once
_HEADINGS = {
    "annotation": "The annotated text",
    "map": "The map",
    "reconstruction": "The reconstruction",
    "logic": "The logic",
    "coherence": "How the parts go together",
}


@cache
def styles() -> tuple[str, ...]:
    """The names of all styles, in alphabetical order. Every task has them all."""
    names = _templates().list_templates(filter_func=lambda name: name.startswith("styles/") and name.endswith(".j2"))
    return tuple(sorted(name.removeprefix("styles/").removesuffix(".j2") for name in names))


def problem_prompt(task: Task, problem: Problem, style: str = "plain", hints: Sequence[str] = ()) -> str:
    """The first message of a chat.

    Args:
        task: what is asked for.
        problem: what it is asked about. Its text is fenced, so it cannot end its fence and pose as an instruction.
        style: one of :func:`styles`, or :data:`BARE`.
        hints: what is wished for besides, such as the hints of virtues; empty ones are left out.

    Raises:
        SuasionError: there is no such style, or a sequential task has got nothing to start from.
    """
    check_style(style)
    if task.given and not problem.reference.strip():
        raise SuasionError(f"The task {task.name} starts from {form_of(task.given).name}, and there is none.", hint="Give it as reference.")
    template = "bare.j2" if style == BARE else f"styles/{style}.j2"
    return with_hints(_render(template, task, **_material(task, problem)), hints)


def check_style(style: str) -> None:
    """Raise SuasionError, with the nearest name, where there is no such style."""
    if style not in (*styles(), BARE):
        near = difflib.get_close_matches(style, (*styles(), BARE), n=1) or [", ".join((*styles(), BARE))]
        raise SuasionError(f"There is no prompt style {style!r}.", hint=f"Did you mean {near[0]}?")


def with_hints(prompt: str, hints: Sequence[str]) -> str:
    """The prompt with what is wished for besides at its end; empty hints are left out, and without any the prompt stays as it is."""
    wished = [hint for hint in hints if hint.strip()]
    return "\n".join([prompt, "Hints:", *(f"- {hint}" for hint in wished)]) + "\n" if wished else prompt


def feedback_prompt(task: Task, findings: Iterable[Finding | str]) -> str:
    """Asks for feedback on an answer: a user's turn after the problem and the answer."""
    questions = [question for form in forms_of(task) for question in form.look_for]
    return _render("feedback.j2", task, findings=_messages(findings), look_for=list(dict.fromkeys(questions)))


def revision_prompt(task: Task) -> str:
    """Asks for a revised answer: a user's turn after the feedback."""
    return _render("revision.j2", task)


def with_mistakes(prompt: str, findings: Iterable[Finding | str]) -> str:
    """The prompt, changed so that it asks for an answer that makes just these mistakes."""
    return _templates().get_template("mistakes.j2").render(prompt=prompt, findings=_messages(findings)).strip() + "\n"


def requirements(task: Task) -> list[tuple[str, list[str]]]:
    """What the task's checks require, by what it is about, each once, under headings."""
    groups: dict[str, dict[str, None]] = {}
    for check in task.checks:
        if check.requirement:
            about = check.code.partition(".")[0]
            groups.setdefault(_HEADINGS.get(about, about.replace("-", " ").capitalize()), {})[check.requirement] = None
    return [(heading, list(rules)) for heading, rules in groups.items()]


def _material(task: Task, problem: Problem) -> dict[str, Any]:
    shown = task.shows_source or not task.given
    return {
        "source": problem.source if shown else None,
        "given": problem.reference if task.given else None,
        "given_form": form_of(task.given) if task.given else None,
        "flawed": bool(task.given) and problem.flawed,
    }


def _render(template: str, task: Task, **values: Any) -> str:
    forms = forms_of(task)
    text = (
        _templates()
        .get_template(template)
        .render(
            task=task,
            forms=forms,
            fenced=fenced,
            groups=requirements(task),
            signs=[*dict.fromkeys([*(pair for form in forms for pair in form.notation), *links_of(task)])],
            way=[step for form in forms for step in form.steps],
            worked=task.example,
            **{"source": None, "given": None, "given_form": None, "flawed": False, **values},
        )
    )
    return "\n".join(_without_gaps(text.strip().split("\n"))) + "\n"


def _without_gaps(lines: Sequence[str]) -> Iterator[str]:
    """No more than one empty line in a row outside fences: templates leave some. What is fenced stays as it is."""
    fence, before = "", "x"
    for line in lines:
        if fence:
            fence = "" if line == fence else fence
        elif line.startswith("```"):
            fence = line[: len(line) - len(line.lstrip("`"))]
        elif not line.strip() and not before.strip():
            continue
        before = line
        yield line


def _messages(findings: Iterable[Finding | str]) -> list[str]:
    told = list(dict.fromkeys(" ".join((one if isinstance(one, str) else one.message).split()) for one in findings))
    return told if len(told) <= MOST_FINDINGS else [*told[:MOST_FINDINGS], f"And {len(told) - MOST_FINDINGS} more."]


@cache
def _templates() -> jinja2.Environment:
    return jinja2.Environment(
        loader=jinja2.PackageLoader("suasion.analysis.tasks.prompts"),
        autoescape=False,  # noqa: S701 - prompts are no HTML
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
