"""Pairs as DPO and ORPO read them: one prompt, the reply that won and the reply that lost, as token ids."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from suasion.errors import SuasionError
from suasion.models.rendering import Conversation, Renderer


class Compared(NamedTuple):
    """Two replies to one premise, and which of them came to their end (people's always do)."""

    premise: str
    winner: str
    loser: str
    winner_ended: bool = True
    loser_ended: bool = True


@dataclass(frozen=True)
class Preferences:
    """Rendered pairs, and what the token limits did to them."""

    rows: list[dict[str, list[int]]]
    """Each with ``prompt_ids``, ``chosen_ids`` and ``rejected_ids``."""
    results: dict[str, int]
    """``pairs``, ``equal_dropped`` (cut to the same reply: nothing to prefer), ``replies_cut``, ``premises_cut``."""

    def table(self) -> Any:
        """As a data set for a trainer."""
        from datasets import Dataset

        return Dataset.from_list(self.rows)


def render_preferences(renderer: Renderer, pairs: Sequence[Compared]) -> Preferences:
    """Render pairs just as practice and evaluation render them.

    Raises:
        SuasionError: no pair is left.
    """
    rows: list[dict[str, list[int]]] = []
    cut = premises_cut = 0
    for premise, winner, loser, winner_ended, loser_ended in pairs:
        chosen, rejected = renderer.conversation(premise, winner), renderer.conversation(premise, loser)
        cut += chosen.cut + rejected.cut
        premises_cut += renderer.premise_was_cut(premise)
        row = {"prompt_ids": renderer.prompt(premise)}
        row |= {"chosen_ids": _reply(chosen, ended=winner_ended), "rejected_ids": _reply(rejected, ended=loser_ended)}
        if row["chosen_ids"] != row["rejected_ids"]:
            rows.append(row)
    if not rows:
        raise SuasionError("There is no pair to learn from.", hint="Look at the pairs' data card: every drop has its reason there.")
    results = {"pairs": len(rows), "equal_dropped": len(pairs) - len(rows), "replies_cut": cut, "premises_cut": premises_cut}
    return Preferences(rows, results)


def _reply(conversation: Conversation, *, ended: bool) -> list[int]:
    """A reply that was cut did not end there, so its end token is neither to be learned nor to be unlearned."""
    ids = conversation.ids[conversation.prompt_length :]
    return ids if ended and not conversation.cut else ids[:-1]
