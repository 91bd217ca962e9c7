"""Formalised arguments: the virtues of informal ones, and how formulas fit."""

from __future__ import annotations

from suasion.analysis.tasks.measures.formal import faithfulness, predicate_logic
from suasion.analysis.tasks.task import Virtue
from suasion.analysis.tasks.virtues import infreco

_FROM = ("logreco_from_infreco",)

VIRTUES = (
    Virtue(
        "PredicateLogicPreferencePairGenerator",
        "Formalise in predicate logic, with predicates and quantifiers rather than sentence letters.",
        predicate_logic,
        _FROM,
    ),
    Virtue(
        "FormalizationsFaithfulnessPreferencePairGenerator",
        "Formalise faithfully: a formula read aloud with the declared meanings should be nearly the sentence itself.",
        lambda case: faithfulness(case, arguments=1),
        (*_FROM, "arganno_plus_logreco"),
    ),
    Virtue("FewIntermediateConclusionsPreferencePairGenerator", infreco.FEW, infreco.few_conclusions),
    Virtue("ManyIntermediateConclusionsPreferencePairGenerator", infreco.MANY, infreco.many_conclusions),
    Virtue("SourceTextProximityPreferencePairGenerator", infreco.ITS_WORDS, infreco.source_text_proximity),
    Virtue("IndependentWordingPreferencePairGenerator", infreco.OWN_WORDS, infreco.independent_wording),
    Virtue("SimplicityPreferencePairGenerator", infreco.SIMPLE, infreco.simplicity, _FROM),
    Virtue("VerbosityPreferencePairGenerator", infreco.VERBOSE, infreco.verbosity),
)
