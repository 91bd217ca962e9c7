"""What is wrong or odd about a formula, as a value: a code for machines, a sentence for writers, a place."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Issue:
    """One finding about one formula.

    Args:
        code: a stable short name, ``unicode-operator`` say.
        message: one sentence in plain English.
        hint: what to do about it; may be empty.
        position: the character it begins at, the first counts 1; 0 where it is about the whole.
        formula: the number of the formula it is about (from 0) where several were looked at.
    """

    code: str
    message: str
    hint: str = ""
    position: int = 0
    formula: int = 0

    def __str__(self) -> str:
        place = f"At character {self.position}: " if self.position else ""
        return f"{place}{self.message} {self.hint}".rstrip()


def shown(text: str, limit: int = 40) -> str:
    """Text of others within a message: on one line and cut."""
    line = " ".join("".join(sign if sign.isprintable() else " " for sign in text[: 4 * limit]).split())
    return line if len(line) <= limit else line[: limit - 1] + "…"
