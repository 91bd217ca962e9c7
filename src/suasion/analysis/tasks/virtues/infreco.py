"""Reconstructed arguments: how they are built, and how they are worded."""

from __future__ import annotations

from suasion.analysis.tasks.measures.structure import intermediate, reconstructed, sentences, unused
from suasion.analysis.tasks.measures.wording import copied, mean_length
from suasion.analysis.tasks.task import Virtue
from suasion.analysis.verification.case import Case


def few_conclusions(case: Case) -> float:
    """1/(1+n) for n intermediate conclusions; 0 where nothing is reconstructed."""
    return 1 / (1 + intermediate(case.reconstruction)) if reconstructed(case.reconstruction) else 0.0


def many_conclusions(case: Case) -> float:
    """The number of intermediate conclusions."""
    return intermediate(case.reconstruction)


def verbosity(case: Case) -> float:
    """Characters a sentence, on average."""
    return mean_length(sentences(case.reconstruction))


def simplicity(case: Case) -> float:
    """1/(1+n) for n characters a sentence; 0 where there is no sentence."""
    size = verbosity(case)
    return 1 / (1 + size) if size else 0.0


def source_text_proximity(case: Case) -> float:
    """The share of the sentences' words that stand in the source in the same order."""
    return copied(sentences(case.reconstruction), case.source)


def independent_wording(case: Case) -> float:
    """The share of the sentences' words that do not stand in the source in the same order; 0 where there is no sentence."""
    return 1 - source_text_proximity(case) if sentences(case.reconstruction) else 0.0


FEW = "Keep the argument in one piece: as few intermediate conclusions as possible."
MANY = "Divide the argument into many small steps, each with an intermediate conclusion."
SIMPLE = "Keep premises and conclusions short and simple."
VERBOSE = "Write premises and conclusions out at length."
OWN_WORDS = "Say premises and conclusions in your own words, not in those of the text."
ITS_WORDS = "Stay close to the words of the text in premises and conclusions."

VIRTUES = (
    Virtue(
        "NoUnusedPropsPreferencePairGenerator",
        "Use every premise and every intermediate conclusion in some inference.",
        lambda case: 1 / (1 + unused(case.reconstruction)) if reconstructed(case.reconstruction) else 0.0,
        ("infreco_from_arganno",),
    ),
    Virtue("FewIntermediateConclusionsPreferencePairGenerator", FEW, few_conclusions),
    Virtue("ManyIntermediateConclusionsPreferencePairGenerator", MANY, many_conclusions),
    Virtue("SimplicityPreferencePairGenerator", SIMPLE, simplicity, ("arganno_plus_infreco", "arganno_plus_logreco")),
    Virtue("VerbosityPreferencePairGenerator", VERBOSE, verbosity),
    Virtue("IndependentWordingPreferencePairGenerator", OWN_WORDS, independent_wording),
    Virtue("SourceTextProximityPreferencePairGenerator", ITS_WORDS, source_text_proximity),
)
