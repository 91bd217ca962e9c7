"""Labels: every node has one, and it stands for one text."""

from __future__ import annotations

from collections.abc import Iterator

from suasion.analysis.argdown import Argument
from suasion.analysis.logic.issues import shown
from suasion.analysis.logic.prover import Prover
from suasion.analysis.verification.case import Case
from suasion.analysis.verification.check import Check
from suasion.analysis.verification.checks.map._nodes import name_of, nodes
from suasion.analysis.verification.findings import Finding
from suasion.analysis.verification.telling import same_words, tell


def _unlabelled(case: Case, prover: Prover) -> Iterator[Finding]:
    for node in nodes(case):
        if not node.labelled or not node.label.strip():
            form = "<Label>: text" if isinstance(node, Argument) else "[Label]: text"
            said = f"“{shown(node.text)}”" if node.text else "This node"
            message = f"{said} has no label. Give it one: {form}."
            yield tell(case, "map", "map.unlabelled-claim", message, node.members[0].span)


def _different_texts(case: Case, prover: Prover) -> Iterator[Finding]:
    for node in nodes(case):
        said = [member for member in node.members if member.defines and member.text]
        other = next((member for member in said[1:] if same_words(member.text) != same_words(said[0].text)), None)
        if other and node.labelled:
            texts = f"“{shown(said[0].text)}” and “{shown(other.text)}”"
            message = (
                f"{name_of(node)} stands for two texts, {texts}. Give each a label of its own, or write the label alone to refer to it."
            )
            yield tell(case, "map", "map.duplicate-label", message, other.span)


CHECKS = (
    Check(
        "map.unlabelled-claim",
        "Label every node: [Label]: text for claims, <Label>: text for arguments.",
        _unlabelled,
        after=("map.syntax", "map.premise-conclusion"),
    ),
    Check("map.duplicate-label", "Use a label for one text only.", _different_texts, after=("map.syntax", "map.premise-conclusion")),
)
