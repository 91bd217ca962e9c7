"""A map with formalised reconstructions: how all the formulas fit."""

from __future__ import annotations

from suasion.analysis.tasks.measures.formal import faithfulness
from suasion.analysis.tasks.task import Virtue

VIRTUES = (
    Virtue(
        "GlobalFormalizationsFaithfulnessPreferencePairGenerator",
        "Formalise every argument faithfully: a formula read aloud with the declared meanings should be nearly the sentence itself.",
        faithfulness,
        ("argmap_plus_arganno_plus_logreco",),
    ),
)
