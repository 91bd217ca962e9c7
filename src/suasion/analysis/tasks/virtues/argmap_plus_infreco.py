"""A map with reconstructions: the virtues of each."""

from __future__ import annotations

from suasion.analysis.tasks.task import Virtue
from suasion.analysis.tasks.virtues import argmap, infreco

_FORMAL = ("argmap_plus_logreco", "argmap_plus_arganno_plus_logreco")

VIRTUES = (
    Virtue("SimplicityPreferencePairGenerator", infreco.SIMPLE, infreco.simplicity),
    Virtue(
        "ConnectednessPreferencePairGeneratorCT",
        "Join all claims and arguments of the map: nothing should stand apart.",
        argmap.connectedness,
        _FORMAL,
    ),
    Virtue("MaxArgsPreferencePairGeneratorCT", "Show as many different arguments in the map as there are.", argmap.arguments, _FORMAL),
    Virtue("MaxSupportsPreferencePairGeneratorCT", "Show as many supports in the map as there are.", argmap.supports),
    Virtue("MaxAttacksPreferencePairGeneratorCT", "Show as many attacks in the map as there are.", argmap.attacks),
    Virtue(
        "SourceTextProximityPreferencePairGeneratorCT",
        "Stay close to the words of the text in the map's claims and gists.",
        argmap.source_text_proximity,
        _FORMAL,
    ),
)
