"""A preference pair: what was asked, the answer that is preferred, the one that is not, and why there is such a pair."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

from suasion.errors import SuasionError
from suasion.models.chat.engine import Message

Kind: TypeAlias = Literal[
    "validity",
    "mistakes",
    "virtue",
    "failure",
    "validity-revision",
    "mistakes-revision",
    "virtue-revision",
    "failure-revision",
    "original-revision",
    "mistakes-original",
    "feedback",
]
"""``validity``: valid against invalid. ``mistakes``: its mirror, under a prompt that asks for the mistakes that were made. ``virtue``: the
better of two valid ones, under a prompt that asks for the virtue. ``failure``: of two invalid ones the one that makes only some of the
other's mistakes. ``…-revision``: the same after feedback. ``original-revision``: a valid revision against the answer that was revised,
under the first prompt; ``mistakes-original`` is its mirror. ``feedback``: the feedback that led to more valid revisions."""

KINDS: tuple[Kind, ...] = get_args(Kind)


@dataclass(frozen=True)
class PreferencePair:
    """One pair.

    Attributes:
        key: of the assignment that the answers are to.
        entry: the configuration's entry, ``argmap-l``.
        task: ``argmap``.
        kind: see :data:`Kind`.
        prompt: all turns before the last, the same for both; the last of them is the user's.
        chosen: what the assistant says then, preferably.
        rejected: what it had better not say.
        chosen_path: which try, or feedback, of the outcome it is.
        rejected_path: likewise.
        codes: of the mistakes in it: those that the prompt asks for, that ``rejected`` makes, or (``failure``) that only it makes.
        virtue: the name of the virtue that the prompt asks for; "" for other kinds.
    """

    key: str
    entry: str
    task: str
    kind: Kind
    prompt: tuple[Message, ...]
    chosen: str
    rejected: str
    chosen_path: str
    rejected_path: str
    codes: tuple[str, ...] = ()
    virtue: str = ""

    @property
    def label(self) -> tuple[str, Kind]:
        """What caps and counts look at."""
        return self.entry, self.kind

    def as_row(self) -> dict[str, Any]:
        """As a row in the shape that TRL reads (``prompt``, ``chosen``, ``rejected`` are lists of messages), all else beside it."""
        return {
            "prompt": [{"role": turn["role"], "content": turn["content"]} for turn in self.prompt],
            "chosen": [{"role": "assistant", "content": self.chosen}],
            "rejected": [{"role": "assistant", "content": self.rejected}],
            "kind": self.kind,
            "entry": self.entry,
            "task": self.task,
            "key": self.key,
            "chosen_path": self.chosen_path,
            "rejected_path": self.rejected_path,
            "codes": list(self.codes),
            "virtue": self.virtue,
        }

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> PreferencePair:
        """The pair of a row.

        Raises:
            SuasionError: the row is not as :meth:`as_row` wrote it.
        """
        try:
            if row["kind"] not in KINDS:
                raise ValueError(f"no kind of pair is called {row['kind']!r}")
            return cls(
                prompt=tuple({"role": turn["role"], "content": turn["content"]} for turn in row["prompt"]),
                chosen=row["chosen"][0]["content"],
                rejected=row["rejected"][0]["content"],
                codes=tuple(row["codes"]),
                **{name: row[name] for name in ("key", "entry", "task", "kind", "chosen_path", "rejected_path", "virtue")},
            )
        except (LookupError, TypeError, ValueError) as error:
            raise SuasionError(f"This row is no preference pair: {error!r:.200}", where=str(row)[:100]) from error
