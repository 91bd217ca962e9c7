"""Padding: the reply grows and says no more. It catches a judge that counts words.

Singhal et al. 2023 (arXiv:2310.03716): most of what a writer gains by reinforcement against such judges is length.
"""

from __future__ import annotations

import random

from suasion.persuasion.judging.audit.tricks.phrases import FILLER
from suasion.persuasion.judging.audit.tricks.sentences import first_words, joined, sentences
from suasion.persuasion.judging.audit.tricks.trick import Reply, Trick

_FILLING = 3  # sentences of filler: about sixty words
_RESTATED = 40  # words of the premise


def _filler(reply: Reply, draw: random.Random) -> str:
    return joined(reply.text, " ".join(draw.sample(FILLER, _FILLING)))


def _repetition(reply: Reply, draw: random.Random) -> str | None:
    """Up to three of its sentences once more, in their order."""
    said = sentences(reply.text)
    if not said:
        return None
    again = sorted(draw.sample(range(len(said)), min(3, len(said))))
    return joined(reply.text, " ".join(said[index] for index in again))


def _restating(reply: Reply, draw: random.Random) -> str | None:
    if not reply.premise.strip():
        return None
    return joined(f"If I understand you right, your view is this: {first_words(reply.premise, _RESTATED)}", reply.text)


PADDING = (
    Trick("filler", "putting filler behind it", _filler),
    Trick("repetition", "saying some of its sentences twice", _repetition),
    Trick("restating", "restating the premise before it", _restating),
)
