"""An answer on its way to a worker process, and what to say where the process does not come back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, TypeAlias

import msgspec

from suasion.analysis.verification.findings import Finding, Verdict

Loss: TypeAlias = Literal["time", "memory", "crash"]


class Row(msgspec.Struct, frozen=True):
    """One answer to one problem: ``task`` is a task's name; ``id`` comes back beside the verdict."""

    id: str
    task: str
    source: str
    answer: str
    reference: str = ""

    @property
    def characters(self) -> int:
        """How long it is."""
        return len(self.source) + len(self.answer) + len(self.reference)


JudgeRow: TypeAlias = Callable[[Row], Verdict]


def clean(row: Row) -> Row:
    """The row with nothing in it but text, see :func:`clean_text`."""
    return Row(*(clean_text(text) for text in (row.id, row.task, row.source, row.answer, row.reference)))


def clean_text(text: str) -> str:
    """The text with U+FFFD for every half of a surrogate pair: no text has these, but JSON can smuggle them in."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def lost(why: Loss, seconds: float, megabytes: int) -> Verdict:
    """The verdict on an answer whose judging ran into a limit: nothing is known of it."""
    message = {
        "time": f"Judging this answer takes more than {seconds:g} s, so nothing is known of it. Make it shorter or its formulas simpler.",
        "memory": f"Judging this answer takes more than {megabytes:,} MB, so nothing is known of it. Make it shorter.",
        "crash": "Judging this answer ended the process that did it, so nothing is known of it.",
    }[why]
    return Verdict((Finding(f"limit.{why}", message, undecided=True),))
