"""Relations that are written between claims are borne out by their formulas."""

from __future__ import annotations

from collections.abc import Iterator

from suasion.analysis.logic.answers import Entailed, Undecided, Yes
from suasion.analysis.logic.prover import Prover
from suasion.analysis.verification.case import Case
from suasion.analysis.verification.check import Check
from suasion.analysis.verification.checks.logic._order import PROVABLE, TRIVIAL
from suasion.analysis.verification.findings import Finding
from suasion.analysis.verification.proofs import proofs_of
from suasion.analysis.verification.telling import claim_name, sentence, tell

NOT = ("logreco",)  # there no relations are written at all
CODE = "logic.relation"
_CLAIMS = {
    "support": "{source} supports {target}, but the formula of {target} does not follow from that of {source}",
    "attack": "{source} attacks {target}, but their formulas can be true together",
    "contradictory": "{source} and {target} are said to contradict each other, but their formulas are not such that exactly one is true",
}


def find(case: Case, prover: Prover) -> Iterator[Finding]:
    """Relations that the formulas do not bear out."""
    document = case.reconstruction
    for relation, answer in proofs_of(case.formal, prover).relations if document else ():
        if isinstance(answer, Entailed | Yes) or not document:
            continue
        source, target = (claim_name(document.find(end)) for end in (relation.source, relation.target))
        if isinstance(answer, Undecided):
            message = f"It could not be decided whether the formulas of {source} and {target} bear out their relation: {answer.message}."
            yield tell(case, "reconstruction", f"{CODE}.undecided", message, relation.span, undecided=True)
        else:
            what = sentence(_CLAIMS[relation.type].format(source=source, target=target))
            yield tell(case, "reconstruction", CODE, f"{what}. Mend a formula, or take the relation away.", relation.span)


CHECK = Check(
    CODE,
    "Let formulas bear out the relations that you write between claims: what supports must entail, what "
    "attacks must exclude, and what "
    "contradicts (><) must be the negation.",
    find,
    after=(*PROVABLE, *TRIVIAL),
)
