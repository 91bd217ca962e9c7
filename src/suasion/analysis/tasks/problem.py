"""A problem: the text that a task is about, and what a sequential task starts from."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from suasion.analysis.tasks.task import Task

BETWEEN_SOURCES = "\n\n-----\n\n"
_TAG = re.compile(r"</?[a-zA-Z][^<>]*>|<!--[^<>]*-->")


@dataclass(frozen=True, slots=True)
class Problem:
    """What an answer is asked about.

    Attributes:
        source: the text.
        reference: the artefact that a sequential task starts from, as text; else "".
        flawed: whether the reference is known to be invalid, so that the prompt warns of it.
    """

    source: str
    reference: str = ""
    flawed: bool = False


def make_problem(task: Task, sources: str | Sequence[str], reference: str = "", flawed: bool = False) -> Problem:
    """A problem of one text or of several, which a line of dashes then parts.

    Where the text is to be annotated, HTML tags in it are taken out first: they could not be told from marks. A mere ``<`` stays.
    """
    text = sources if isinstance(sources, str) else BETWEEN_SOURCES.join(sources)
    if "annotation" in task.artefacts:
        text = _TAG.sub("", text)
    return Problem(text, reference, flawed)
