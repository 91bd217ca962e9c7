"""Annotated propositions and nodes of the map name each other."""

from __future__ import annotations

from collections.abc import Iterator

from suasion.analysis.argdown import Claim, Document
from suasion.analysis.logic.issues import shown
from suasion.analysis.logic.prover import Prover
from suasion.analysis.verification.case import Case
from suasion.analysis.verification.check import Check
from suasion.analysis.verification.checks.coherence._links import ANNOTATION, MAP, by_id, ids_in, node_name, tell_annotated
from suasion.analysis.verification.findings import Finding
from suasion.analysis.verification.telling import tell

NEEDS = ("annotation", "map")
NOT = ("argmap_plus_arganno_plus_logreco",)  # there the reconstruction ties the two together
WITHOUT_NODE = "coherence.annotation-without-node"
WITHOUT_IDS = "coherence.node-without-annotation"
UNKNOWN = "coherence.node-unknown-annotation"
MISMATCH = "coherence.annotation-node-mismatch"


def _nodes(document: Document | None) -> Iterator[tuple[Claim, bool]]:
    """Labelled claims and arguments, with whether it is an argument."""
    if document:
        yield from ((claim, False) for claim in document.claims.values() if claim.labelled)
        yield from ((argument, True) for argument in document.arguments.values())


def find_without_node(case: Case, prover: Prover) -> Iterator[Finding]:
    """Propositions that name no node."""
    labels = {node.label for node, _ in _nodes(case.map)}
    for one in case.annotation.propositions if case.annotation else ():
        if not one.argument_label:
            message = f"The proposition {shown(one.id)} has no argument_label. Give it the label of its node in the map."
            yield tell_annotated(case, WITHOUT_NODE, message, one)
        elif one.argument_label not in labels:
            message = (
                f"The proposition {shown(one.id)} names '{shown(one.argument_label)}', but the map has no "
                "such label. Use a label of the map."
            )
            yield tell_annotated(case, WITHOUT_NODE, message, one)


def find_without_ids(case: Case, prover: Prover) -> Iterator[Finding]:
    """Nodes that list no proposition."""
    for node, argument in _nodes(case.map):
        if not ids_in(node.data):
            name = node_name(node, argument)
            message = f"{name} lists no annotated propositions. Write their ids behind it, as a list: {{annotation_ids: ['1']}}"
            yield tell(case, "map", WITHOUT_IDS, message, node.members[0].span if node.members else None)


def find_unknown(case: Case, prover: Prover) -> Iterator[Finding]:
    """Ids of no proposition."""
    known = by_id(case.annotation) if case.annotation else {}
    for node, argument in _nodes(case.map):
        for one in ids_in(node.data) or ():
            if one not in known:
                message = f"{node_name(node, argument)} lists '{shown(one)}', but no proposition has that id. List ids of the annotation."
                yield tell(case, "map", UNKNOWN, message, node.members[0].span)


def find_mismatch(case: Case, prover: Prover) -> Iterator[Finding]:
    """A node lists a proposition that names another node, or a proposition names a node that does not list it."""
    if not case.annotation:
        return
    known = by_id(case.annotation)
    listed: set[tuple[str, str]] = set()
    for node, argument in _nodes(case.map):
        for one in ids_in(node.data) or ():
            listed.add((one, node.label))
            label = known[one].argument_label if one in known else node.label
            if label != node.label:
                name = node_name(node, argument)
                message = (
                    f"{name} lists the proposition {shown(one)}, whose argument_label is '{shown(label or '')}'. Let both name each other."
                )
                yield tell(case, "map", MISMATCH, message, node.members[0].span)
    told = {one for one, label in listed if one in known and known[one].argument_label != label}
    for proposition in case.annotation.propositions:
        label = proposition.argument_label or ""
        if (proposition.id, label) not in listed and proposition.id not in told:
            message = (
                f"The proposition {shown(proposition.id)} names '{shown(label)}', which does not list it. "
                "Add its id to annotation_ids there."
            )
            yield tell_annotated(case, MISMATCH, message, proposition)


_AFTER = (*ANNOTATION, *MAP)
CHECKS = (
    Check(WITHOUT_NODE, "Give each proposition the label of its node in the map as argument_label.", find_without_node, after=_AFTER),
    Check(
        WITHOUT_IDS,
        "List behind each node of the map the ids of the propositions it stands for: {annotation_ids: ['1', '2']}.",
        find_without_ids,
        after=_AFTER,
    ),
    Check(UNKNOWN, "List in annotation_ids only ids that the annotation has.", find_unknown, after=(*_AFTER, WITHOUT_IDS)),
    Check(
        MISMATCH,
        "Let propositions and nodes name each other: a node lists exactly the propositions whose argument_label is its label.",
        find_mismatch,
        after=(*_AFTER, WITHOUT_NODE, WITHOUT_IDS, UNKNOWN),
    ),
)
