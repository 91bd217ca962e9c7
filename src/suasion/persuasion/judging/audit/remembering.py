"""A judge that remembers: an audit asks for the same texts again and again, and scoring them is what it costs."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from suasion.errors import SuasionError
from suasion.models.scoring import Scores
from suasion.persuasion.judging.judge import Judge
from suasion.progress import Progress

#: Texts given to the judge at once: enough for it to sort and pack them, few enough for the progress line to move.
_AT_ONCE = 128


class Remembering:
    """Scores each (premise, reply) once, and refuses scores that are no numbers.

    A judge that says so itself (``may_be_unreadable``: a language model asked for a mark) may leave a text without a score, which is then
    NaN, counted, and left out by every probe; it is never given a score that was made up.

    Args:
        judge: is asked for what is not known yet.
        bar: counts the texts that were scored.
    """

    def __init__(self, judge: Judge, bar: Progress | None = None) -> None:
        self._judge, self._bar = judge, bar
        self._known: dict[tuple[str, str], float] = {}
        self.may_be_unreadable = bool(getattr(judge, "may_be_unreadable", False))

    @property
    def texts(self) -> int:
        """How many texts were scored so far."""
        return len(self._known)

    @property
    def unreadable(self) -> int:
        """How many of them have no score."""
        return sum(math.isnan(score) for score in self._known.values())

    def score(self, premises: Sequence[str], replies: Sequence[str]) -> Scores:
        """As :meth:`suasion.persuasion.judging.judge.Judge.score`.

        Raises:
            SuasionError: a score is infinite, or NaN where the judge has no leave for that.
        """
        texts = list(zip(premises, replies, strict=True))
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        for start in range(0, len(new), _AT_ONCE):
            part = new[start : start + _AT_ONCE]
            scores = self._judge.score([premise for premise, _ in part], [reply for _, reply in part])
            numbers = np.isfinite(scores) | (np.isnan(scores) & self.may_be_unreadable)
            if not np.all(numbers):
                raise SuasionError(
                    "The judge gives scores that are not numbers.",
                    where=f"a reply that begins: {part[int(np.argmin(numbers))][1]!r:.80}",
                    hint="Its training diverged: lower judge.learning_rate.",
                )
            self._known |= dict(zip(part, map(float, scores), strict=True))
            if self._bar is not None:
                self._bar.advance(len(part))
        return np.asarray([self._known[text] for text in texts], dtype=np.float32)
