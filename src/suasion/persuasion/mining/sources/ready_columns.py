"""Which column of a ready table is which, and the texts of a row: plain strings, or conversations whose last turn is the reply."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from suasion.errors import SuasionError

NAMES: dict[str, tuple[str, ...]] = {
    "prompt": ("prompt", "op_text", "post", "question", "claim", "premise", "selftext", "instruction"),
    "title": ("title", "op_title", "post_title"),
    "chosen": ("chosen", "winner", "positive", "preferred", "winner_text"),
    "rejected": ("rejected", "loser", "negative", "dispreferred", "loser_text"),
    "split": ("split",),
    "debate_id": ("debate_id", "thread_id", "op_name", "submission_id", "post_id"),
    "winner_id": ("winner_id", "chosen_id", "positive_id"),
    "loser_id": ("loser_id", "rejected_id", "negative_id"),
    "winner_author": ("winner_author", "chosen_author", "positive_author"),
    "loser_author": ("loser_author", "rejected_author", "negative_author"),
    "author": ("author", "op_author"),
}
"""What a column means -> its usual names, the first that is there counts; capitals do not matter."""

_TURN = re.compile(r"\n\n(Human|Assistant): ?")
_ROLES = {"Human": "user", "Assistant": "assistant"}

Message = tuple[str, str]
"""Role and content."""


def choose(there: Sequence[str], columns: Mapping[str, str] | None = None, where: object = None) -> dict[str, str]:
    """Meaning -> name of the column, for those that are there.

    Args:
        there: the columns of the table.
        columns: meaning -> name, where the table has names of its own; the others are guessed.
        where: the table, for the errors.

    Raises:
        SuasionError: a meaning is not known, a named column is absent, or winner and loser are not to be found.
    """
    columns = {meaning: name for meaning, name in (columns or {}).items() if name}
    if unknown := [meaning for meaning in columns if meaning not in NAMES]:
        close = difflib.get_close_matches(unknown[0], NAMES, 1)
        raise SuasionError(
            f"There is no such part of a pair: '{unknown[0]}'." + (f" Did you mean '{close[0]}'?" if close else ""),
            hint=f"Known are {', '.join(NAMES)}.",
        )
    if absent := [name for name in columns.values() if name not in there]:
        raise SuasionError(f"The table has no column '{absent[0]}'. It has: {_listed(there)}.", where=where, hint="Name one of these.")
    lowered = {name.lower(): name for name in reversed(there)}
    chosen = {
        meaning: name
        for meaning, usual in NAMES.items()
        if (name := columns.get(meaning) or next((lowered[one] for one in usual if one in lowered), None)) is not None
    }
    if missing := [meaning for meaning in ("chosen", "rejected") if meaning not in chosen]:
        usual_names = " or ".join(f"'{NAMES[meaning][0]}' ({', '.join(NAMES[meaning][1:])})" for meaning in missing)
        raise SuasionError(
            f"The table has no column {usual_names}. It has: {_listed(there)}.",
            where=where,
            hint="Name them: pairs.columns.prompt=NAME pairs.columns.chosen=NAME pairs.columns.rejected=NAME",
        )
    return chosen


def are_texts(row: Mapping[str, Any], chosen: Mapping[str, str]) -> bool:
    """Whether a row's winner and loser are what they should be: texts or conversations."""
    return all(isinstance(value := row.get(chosen[side]), str) or _messages(value) is not None for side in ("chosen", "rejected"))


def texts_of(row: Mapping[str, Any], chosen: Mapping[str, str]) -> tuple[str, str, str, str] | str:
    """(title, prompt, winner, loser) of a row, or the reason why it is of no use. A prompt may be empty, but not absent."""
    sides = [row.get(chosen[side]) for side in ("chosen", "rejected")]
    prompt, title = (row.get(chosen[part]) if part in chosen else None for part in ("prompt", "title"))
    if any(side is None for side in sides):
        return "no winner or no loser"
    winner, loser = (_reply(side) for side in sides)
    asked = None if prompt is None else _flat(prompt)
    if winner is None or loser is None or (prompt is not None and asked is None) or not isinstance(title, str | None):
        return "a value of the wrong type"
    if asked is None:
        if winner[0] != loser[0]:
            return "winner and loser answer different prompts"
        if not winner[0] and title is None:
            return "no prompt"
        asked = winner[0]
    if not winner[1].strip() or not loser[1].strip():
        return "an empty text"
    if winner[1].strip() == loser[1].strip():
        return "winner and loser are the same"
    return title or "", asked, winner[1], loser[1]


def word(value: Any) -> str | None:
    """An id or a name as text; None where there is none."""
    if isinstance(value, bool) or not isinstance(value, str | int):
        return None
    return str(value).strip() or None


def _reply(side: Any) -> tuple[str, str] | None:
    """(what came before, as text; the reply): the reply is the last turn of a conversation, and must be the assistant's."""
    if isinstance(side, str):
        turns = _TURN.split(side) if side.startswith("\n\nHuman:") else []
        if len(turns) < 5 or turns[-2] != "Assistant":
            return "", side
        side = [{"role": _ROLES[role], "content": text.strip()} for role, text in zip(turns[1::2], turns[2::2], strict=True)]
    messages = _messages(side)
    if not messages or messages[-1][0] != "assistant":
        return None
    return _joined(messages[:-1]), messages[-1][1]


def _flat(prompt: Any) -> str | None:
    """A prompt as one text."""
    if isinstance(prompt, str):
        return prompt
    messages = _messages(prompt)
    return None if messages is None else _joined(messages)


def _joined(messages: Iterable[Message]) -> str:
    """The text of one turn as it is; of several, each under its role. A system message instructs the model and is no part of it."""
    said = [(role, content) for role, content in messages if role != "system"]
    if len(said) == 1:
        return said[0][1]
    return "\n\n".join(f"{role.capitalize()}: {content}" for role, content in said)


def _messages(value: Any) -> list[Message] | None:
    if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
        return None
    found = [(one.get("role"), one.get("content")) for one in value]
    return found if all(isinstance(role, str) and isinstance(content, str) for role, content in found) else None


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:40]) + (", …" if len(names) > 40 else "") if names else "no columns"
