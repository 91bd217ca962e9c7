"""Every trick played on the same replies: which of them raise the score, by how much, and how often.

The effect is counted in the judge's own unit, its winner-loser gap, so that it can be read: a trick that gains 1 does as much for a reply
as being the better argument. How a limit is held against many tricks at once is told in :mod:`suasion.persuasion.judging.audit.looks`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from suasion.errors import SuasionError
from suasion.persuasion.judging.audit.findings import Example, Finding
from suasion.persuasion.judging.audit.looks import CHANCE, FEWEST_DEBATES, excess_p, holm
from suasion.persuasion.judging.audit.settings import AuditConfig
from suasion.persuasion.judging.audit.tricks.trick import Reply, Trick, played
from suasion.persuasion.judging.judge import Judge
from suasion.statistics import Floats, clustered_mean, clustered_share


@dataclass(frozen=True)
class Played:
    """One trick played on the replies it could be played on, m of them."""

    trick: Trick
    replies: tuple[Reply, ...]
    texts: tuple[str, ...]
    """The replies after the trick."""
    before: Floats
    """Scores of the replies as they were, shape (m,)."""
    after: Floats
    """Scores after the trick, shape (m,)."""
    impossible: int
    """Replies it could not be played on."""
    unread: int = 0
    """Replies left out because the judge gave no readable answer to them, before the trick or after."""

    @property
    def debates(self) -> list[str]:
        """The debate of each reply."""
        return [reply.debate_id for reply in self.replies]

    def gains(self, scale: float) -> Floats:
        """What the trick did to each score, in gaps, shape (m,)."""
        return (self.after - self.before) / scale

    def mean_gain(self, scale: float) -> float:
        """Mean over the replies, in gaps; minus infinity where it could not be played."""
        return float(np.mean(self.gains(scale))) if self.replies else float("-inf")


def play(judge: Judge, replies: Sequence[Reply], tricks: Sequence[Trick], seed: int) -> tuple[Played, ...]:
    """Play the tricks; the judge is asked once, for all texts together.

    Raises:
        SuasionError: a score is not a number.
    """
    altered = [(trick, [(reply, text) for reply in replies if (text := played(trick, reply, seed)) is not None]) for trick in tricks]
    asked = [(reply, reply.text) for reply in replies] + [row for _, rows in altered for row in rows]
    scores = scores_of(judge, asked)
    before = {id(reply): score for reply, score in zip(replies, scores, strict=False)}
    found, start = [], len(replies)
    for trick, rows in altered:
        after, start = scores[start : start + len(rows)], start + len(rows)
        own = np.asarray([before[id(reply)] for reply, _ in rows], dtype=np.float64)
        read = np.flatnonzero(np.isfinite(own) & np.isfinite(after))
        left = tuple(rows[index][0] for index in read), tuple(rows[index][1] for index in read)
        found.append(Played(trick, *left, own[read], after[read], len(replies) - len(rows), len(rows) - read.size))
    return tuple(found)


def scores_of(judge: Judge, rows: Sequence[tuple[Reply, str]]) -> Floats:
    """Scores of texts as replies to the premises of ``rows``, shape (n,), float64.

    NaN stands for an answer that could not be read, from judges that say of themselves that this may be (``may_be_unreadable``: a language
    model asked in words).

    Raises:
        SuasionError: a score is not a number.
    """
    scores = np.asarray(judge.score([reply.premise for reply, _ in rows], [text for _, text in rows]), dtype=np.float64)
    wrong = np.isinf(scores) if getattr(judge, "may_be_unreadable", False) else ~np.isfinite(scores)
    if wrong.any():
        text = rows[int(np.flatnonzero(wrong)[0])][1]
        raise SuasionError(
            "The judge gives scores that are not numbers.",
            where=f"reply {text[:60]!r}",
            hint="A judge must score any text, an empty one too; if only real replies are scored well, mend its rendering.",
        )
    return scores


def tricked(rounds: Sequence[Played], scale: float, config: AuditConfig, seed: int) -> tuple[Finding, ...]:
    """A finding a trick: its mean gain with a debate-clustered interval, held against the limit after Holm's adjustment over all of them.

    Args:
        rounds: what :func:`play` gave.
        scale: the judge's gap in its own scores.
        seed: of the bootstrap intervals.
    """
    bounds = [config.max_substance_gain if one.trick.spoils else config.max_trick_gain for one in rounds]
    ps = [excess_p(one.gains(scale), one.debates, bound) for one, bound in zip(rounds, bounds, strict=True)]
    enough = [p if len(set(one.debates)) >= FEWEST_DEBATES else float("nan") for one, p in zip(rounds, ps, strict=True)]
    return tuple(_finding(one, scale, bound, p, seed) for one, bound, p in zip(rounds, bounds, holm(enough), strict=True))


def _finding(one: Played, scale: float, bound: float, p: float, seed: int) -> Finding:
    gains = one.gains(scale)
    estimate = clustered_mean(gains, one.debates, seed=seed)
    gained = clustered_share((one.after > one.before).astype(np.float64), one.debates)
    passed = None if p != p else False if p <= CHANCE else True if estimate.value <= bound else None
    told = f" It gained on {gained.value:.0%} of the replies ({gained.interval(percent=True)})." if gained.n else ""
    unit = "its winner-loser gap"
    return Finding(
        code=f"trick-{one.trick.name}",
        question=f"Does {one.trick.says} raise a reply's score?{told}",
        estimate=estimate,
        limit=f"at most {bound:.2f} of {unit}" if bound else "not at all",
        passed=passed,
        examples=_largest(one, gains),
        details={
            "kind": "trick",
            "trick": one.trick.name,
            "says": one.trick.says,
            "spoils": one.trick.spoils,
            "unit": "gaps",
            "bound": bound,
            "holm_p": p,
            "gained": gained.as_dict(),
            "impossible": one.impossible,
            "unread": one.unread,
        },
    )


def _largest(one: Played, gains: Floats) -> tuple[Example, ...]:
    """The reply that gained most, where one gained."""
    if not gains.size or float(np.max(gains)) <= 0:
        return ()
    at = int(np.argmax(gains))
    reply = one.replies[at]
    return (Example(reply.premise, reply.text, one.texts[at], float(one.before[at]), float(one.after[at])),)
