"""What can go wrong, told to a person: what is wrong, where, and what to do about it."""

from __future__ import annotations


class SuasionError(Exception):
    """The input or the call is wrong. The command line prints it without a traceback and exits with 2.

    Args:
        what: one sentence saying what is wrong, naming the culprit.
        where: the file, line, run or key it was found at.
        hint: what to do about it.
    """

    exit_status = 2

    def __init__(self, what: str, *, where: object = None, hint: str | None = None) -> None:
        super().__init__(what)
        self.what = what
        self.where = None if where is None else str(where)
        self.hint = hint

    def __str__(self) -> str:
        lines = [self.what]
        if self.where:
            lines.append(f"  where: {self.where}")
        if self.hint:
            lines.append(f"  what to do: {self.hint}")
        return "\n".join(lines)


class Refused(SuasionError):
    """The question was understood and the answer is no (a judge that failed its audit, say). Exits with 1."""

    exit_status = 1
