"""How much replies repeat themselves and one another, counted in runs of words."""

from __future__ import annotations

from collections.abc import Sequence

_REPEATED = 4
_DISTINCT = 3


def repetition(reply: str) -> float:
    """Share of a reply's four-word runs that stood in it before, in [0, 1); 0 for a reply of fewer words. A loop tends to 1."""
    runs = _runs(reply, _REPEATED)
    return 1 - len(set(runs)) / len(runs) if runs else 0.0


def distinct(replies: Sequence[str]) -> float:
    """Share of distinct three-word runs among those of all replies (Li et al. 2016, arXiv:1510.03055), in (0, 1]; 1 where there is none.

    Falls towards 1 / replies when a writer comes to say the same to everybody.
    """
    runs = [run for reply in replies for run in _runs(reply, _DISTINCT)]
    return len(set(runs)) / len(runs) if runs else 1.0


def _runs(reply: str, size: int) -> list[tuple[str, ...]]:
    words = reply.lower().split()
    return [tuple(words[start : start + size]) for start in range(len(words) - size + 1)]
