"""What ties artefacts together: ids of annotated propositions in inline data, valences of relations, names in messages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias

from suasion.analysis.argdown import Claim, Document, End, Relation, Step
from suasion.analysis.logic.issues import shown
from suasion.analysis.verification.annotation import Annotation, Proposition
from suasion.analysis.verification.case import Case
from suasion.analysis.verification.findings import Finding

Valence: TypeAlias = Literal["support", "attack"]
IDS = "annotation_ids"
_SUPPORTS = ("support", "entails")
MAP = (
    "map.syntax",
    "map.empty",
    "map.no-relation",
    "map.premise-conclusion",
    "map.unlabelled-claim",
    "map.self-relation",
    "map.support-and-attack",
)
ANNOTATION = (
    "annotation.markup",
    "annotation.element",
    "annotation.nested",
    "annotation.empty",
    "annotation.missing-id",
    "annotation.id-with-blank",
    "annotation.duplicate-id",
    "annotation.self-relation",
    "annotation.support-and-attack",
    "annotation.unknown-support",
    "annotation.unknown-attack",
)
RECONSTRUCTION = (
    "reconstruction.syntax",
    "reconstruction.no-argument",
    "reconstruction.no-structure",
    "reconstruction.starts-with-conclusion",
    "reconstruction.ends-with-premise",
    "reconstruction.second-structure",
    "reconstruction.no-title",
    "reconstruction.repeated-number",
    "reconstruction.inference-data",
    "reconstruction.reference",
    "reconstruction.petitio",
)


def valence(relation: Relation) -> Valence:
    """Whether a relation speaks for its target or against it."""
    return "support" if relation.type in _SUPPORTS else "attack"


def ids_in(data: object) -> list[str] | None:
    """The ids that data lists; ``None`` where it lists none, or something that is no id."""
    value = data.get(IDS) if isinstance(data, dict) else None
    if not isinstance(value, list):
        return None
    ids = [item if isinstance(item, str) else str(item) if type(item) is int else None for item in value]
    return None if None in ids else [one for one in ids if one is not None]


def ids_of_step(step: Step, document: Document) -> list[str] | None:
    """The ids that a line lists, or its claim where the line says nothing of it."""
    own = step.data.value if step.data else None
    if isinstance(own, dict) and IDS in own:
        return ids_in(own)
    claim = document.claims.get(step.label)
    return ids_in(claim.data) if claim else None


def by_id(annotation: Annotation) -> Mapping[str, Proposition]:
    """Propositions under their ids."""
    return {one.id: one for one in reversed(annotation.propositions)}


def end_name(end: End) -> str:
    """``[Keep]`` or ``<Loyal>``."""
    return f"[{shown(end.label)}]" if end.kind == "claim" else f"<{shown(end.label)}>"


def node_name(node: Claim, argument: bool) -> str:
    """The same for a node."""
    return f"<{shown(node.label)}>" if argument else f"[{shown(node.label)}]"


def tell_annotated(case: Case, code: str, message: str, proposition: Proposition) -> Finding:
    """A finding at a proposition of the annotation."""
    return Finding(code, message, proposition.line, proposition.column)


def too_large(code: str, what: str, limit: int) -> Finding:
    """A finding that says which limit was met."""
    return Finding(
        f"{code}.undecided", f"There are more than {limit:,} {what} to compare; the rest was not looked at. Write less.", undecided=True
    )
