"""In formalised reconstructions the relations of the map rest on labels and relations between claims, not on wording."""

from __future__ import annotations

from collections.abc import Iterator

from suasion.analysis.logic.prover import Prover
from suasion.analysis.verification.case import Case
from suasion.analysis.verification.check import Check
from suasion.analysis.verification.checks.coherence._debate import Debate
from suasion.analysis.verification.checks.coherence._links import MAP, RECONSTRUCTION, end_name, valence
from suasion.analysis.verification.checks.coherence.map_reconstruction_relations import NOT_ARGUED, is_borne_out
from suasion.analysis.verification.findings import Finding
from suasion.analysis.verification.telling import tell

NEEDS = ("map", "reconstruction")
ONLY = ("*logreco",)
CODE = "coherence.ungrounded-relation"


def find(case: Case, prover: Prover) -> Iterator[Finding]:
    """Relations that only the wording of sentences bears out."""
    if not case.map or not case.reconstruction:
        return
    debate = Debate(case.reconstruction, grounded=True)
    for relation in case.map.sketched:
        if not is_borne_out(debate, relation):
            source, target = end_name(relation.source), end_name(relation.target)
            mend = "Give equal sentences one label" if valence(relation) == "support" else "Write >< between the two sentences"
            message = f"That {source} bears on {target} shows in the reconstructions by wording alone. {mend}."
            yield tell(case, "map", CODE, message, relation.span)


CHECK = Check(
    CODE,
    "Ground each relation of the map in the reconstructions: by one label for a sentence that occurs "
    "twice, or by a relation between "
    "sentences (+, -, ><).",
    find,
    after=(*MAP, *RECONSTRUCTION, "coherence.argument-not-reconstructed", "coherence.claim-not-reconstructed", NOT_ARGUED),
)
