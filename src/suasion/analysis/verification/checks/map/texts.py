"""In a map that stands alone, every label is given a text somewhere: a label that is only referred to is mostly a slip of the pen."""

from __future__ import annotations

from collections.abc import Iterator

from suasion.analysis.logic.prover import Prover
from suasion.analysis.verification.case import Case
from suasion.analysis.verification.check import Check
from suasion.analysis.verification.checks.map._nodes import name_of, nodes
from suasion.analysis.verification.findings import Finding
from suasion.analysis.verification.telling import tell

ONLY = ("argmap",)  # elsewhere another artefact may say what a label stands for


def _without(case: Case, prover: Prover) -> Iterator[Finding]:
    for node in nodes(case):
        if node.labelled and not node.texts:
            name = name_of(node)
            message = f"{name} is never given a text. Write {name}: and a sentence once, or correct the label if another is meant."
            yield tell(case, "map", "map.no-text", message, node.members[0].span)


CHECK = Check(
    "map.no-text", "Say in a sentence, once, what each node stands for.", _without, after=("map.syntax", "map.premise-conclusion")
)
