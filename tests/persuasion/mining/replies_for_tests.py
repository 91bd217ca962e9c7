"""Replies and debates of given lengths for the tests of matching and what follows it."""

from __future__ import annotations

from hypothesis import strategies as st

from suasion.persuasion.mining.pairs.replies import Debate, Reply

LENGTHS = st.lists(st.integers(40, 80), max_size=7)
CALIPERS = st.sampled_from([0.0, 0.05, 0.2, 1.0])


def replies(kind: str, lengths: list[int]) -> list[Reply]:
    """Each by an author and with a text of its own."""
    return [Reply(f"{kind}{number}", f"{kind}-{number}", f"{kind} text {number}", n) for number, n in enumerate(lengths)]


def a_debate(winners: list[int], losers: list[int], name: str = "d") -> Debate:
    """A debate whose replies have these lengths."""
    return Debate(name, f"view {name}", tuple(replies(f"{name}w", winners)), tuple(replies(f"{name}l", losers)))
