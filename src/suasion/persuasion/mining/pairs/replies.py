"""What the mining steps pass on to each other: replies in their debates, and the counts of what was dropped on the way."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol


class CountTokens(Protocol):
    """Lengths of texts in tokens of the locked base, in their order."""

    def __call__(self, texts: Sequence[str], /) -> list[int]: ...


@dataclass(frozen=True)
class Turn:
    """One comment above a reply (unit "comment"), cleaned; the post itself is not among them."""

    by_writer: bool
    """Written by the author of the reply: then it is an assistant's turn, else a user's."""
    text: str


@dataclass(frozen=True)
class Reply:
    """A cleaned reply that may stand in a pair."""

    id: str
    """Of the comment; of a path's last comment."""
    author: str | None
    """None where the account is deleted."""
    text: str
    words: int
    created: int | None = None
    """Seconds since 1970; None where the dump holds no times."""
    tokens: int | None = None
    """Of the locked base; None where no tokenizer was given."""
    context: tuple[Turn, ...] = ()
    """Unit "comment": the turns above, top first."""
    answers: str = ""
    """Id of what it replies to: a post or a comment; for a path the post."""
    place: int | None = None
    """1 = the earliest of the replies to the post (that of its root ancestor), by time, or by id where times are absent."""
    after: int | None = None
    """Seconds after the post; None where unknown or where the clocks contradict each other."""
    earlier_awards: int | None = None
    """Standing awards, by anyone, that its author had won before this reply; None where the author or a time is unknown."""
    parts: tuple[str, ...] = ()
    """Unit "path": ids of the comments joined, top first."""

    @property
    def length(self) -> int:
        """Tokens where they are known, else words: the length that matching, balancing and the caliper use."""
        return self.words if self.tokens is None else self.tokens


@dataclass(frozen=True)
class Debate:
    """A debate fit for use: its premise, the replies that won and those that may stand against them, both ordered by id."""

    id: str
    premise: str
    winners: tuple[Reply, ...] = ()
    losers: tuple[Reply, ...] = ()
    created: int | None = None
    split: str | None = None
    """Given by the source itself (ready tables, a held-out period), else None."""
    given: tuple[tuple[str, str], ...] = ()
    """Pairs (winner's id, loser's id) that the source itself states."""


@dataclass
class Funnel:
    """What went into each step, what was kept, and why the rest was dropped: ``in = kept + sum(dropped)``."""

    steps: dict[str, Counter[str]] = field(default_factory=dict)

    def keep(self, step: str, n: int = 1) -> None:
        """Count ``n`` as kept in ``step``."""
        self.steps.setdefault(step, Counter())[""] += n

    def drop(self, step: str, reason: str, n: int = 1) -> None:
        """Count ``n`` as dropped in ``step`` for ``reason``."""
        self.steps.setdefault(step, Counter())[reason] += n

    def as_dict(self) -> dict[str, dict[str, Any]]:
        """``{step: {"in", "kept", "dropped": {reason: n}}}`` in the order of the steps, the commonest reason first."""
        return {
            step: {
                "in": counts.total(),
                "kept": counts[""],
                "dropped": {reason: n for reason, n in sorted(counts.items(), key=lambda item: (-item[1], item[0])) if reason and n},
            }
            for step, counts in self.steps.items()
        }


def with_tokens(debate: Debate, count_tokens: CountTokens | None) -> Debate:
    """The debate with the tokens of all its replies counted, in one call; as it was where nobody counts."""
    replies = [*debate.winners, *debate.losers]
    if count_tokens is None or not replies:
        return debate
    counts = count_tokens([reply.text for reply in replies])
    counted = [replace(reply, tokens=n) for reply, n in zip(replies, counts, strict=True)]
    return replace(debate, winners=tuple(counted[: len(debate.winners)]), losers=tuple(counted[len(debate.winners) :]))
