"""The outcome in one honest sentence a judge: who is better than whom, or that there is no difference that so little could show."""

from __future__ import annotations

from collections.abc import Sequence

from suasion.persuasion.evaluation.showdown.duels import Duel


def verdict(judge: str, pairs: Sequence[Duel], premises: int, seeds: int) -> str:
    """What the duels between arms show, length taken out.

    Args:
        pairs: all duels before this judge.
    """
    beyond = f"{premises} premise{'s' * (premises != 1)} and {seeds} seed{'s' * (seeds != 1)}"
    if not pairs:
        return f"By {judge}: there is one contender, so there is nothing to choose."
    found = [one for one in pairs if one.winner is not None]
    missed = told_visible(pairs)
    if not found:
        return f"By {judge}: no difference between the contenders that {beyond} could show (smallest visible: {missed})."
    told = [_told(one) for one in sorted(found, key=lambda one: -abs(one.controlled.value - 0.5))]
    rest = "" if len(found) == len(pairs) else f"; no difference in the other pairs that {beyond} could show (smallest visible: {missed})"
    return f"By {judge}: {', '.join(told)}{rest}."


def against(judge: str, opponent: str, duels: Sequence[Duel]) -> str:
    """Which contenders are better than the base, or than the writer they went on from."""
    better = [one.one for one in duels if one.other == opponent and one.winner == one.one]
    worse = [one.one for one in duels if one.other == opponent and one.winner == opponent]
    name = {"base": "the base", "sft": "the writer they all went on from"}.get(opponent, opponent)
    if not better and not worse:
        return f"By {judge}: none could be told from {name}."
    parts = [
        f"{', '.join(names)} {'is' if len(names) == 1 else 'are'} {word}" for names, word in ((better, "better"), (worse, "worse")) if names
    ]
    return f"By {judge}, against {name}: {'; '.join(parts)}."


def told_visible(duels: Sequence[Duel]) -> str:
    """The smallest difference that would have been seen, from the pair that was seen best to the one that was seen worst."""
    known = sorted(one.visible for one in duels if one.visible == one.visible)
    if not known:
        return "unknown"
    best, worst = points(known[0]), points(known[-1])
    return best if best == worst else f"{best} in the pair seen best, {worst} in the one seen worst"


def points(difference: float) -> str:
    """A difference of win rates from one half, in points; a half would be winning always."""
    if difference != difference:
        return "unknown"
    return "none, however large" if difference >= 0.495 else f"{100 * difference:.0f} points"


def _told(one: Duel) -> str:
    winner = one.winner or one.one
    loser = one.other if winner == one.one else one.one
    rate = one.controlled if winner == one.one else None
    value, low, high = (
        (rate.value, rate.low, rate.high) if rate else (1 - one.controlled.value, 1 - one.controlled.high, 1 - one.controlled.low)
    )
    return f"{winner} beats {loser} ({value:.0%} at equal length, {low:.0%} to {high:.0%})"
