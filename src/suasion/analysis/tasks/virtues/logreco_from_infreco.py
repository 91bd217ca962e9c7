"""Formalisations of an informal reconstruction: how near they stay to it."""

from __future__ import annotations

from suasion.analysis.tasks.measures.structure import sentences
from suasion.analysis.tasks.measures.wording import overlap
from suasion.analysis.tasks.task import Virtue

VIRTUES = (
    Virtue(
        "InfrecoProximityPreferencePairGenerator",
        "Stay as close as you can to the informal reconstruction: change only what the logic demands.",
        lambda case: overlap(sentences(case.given_reconstruction), sentences(case.reconstruction)),
    ),
)
