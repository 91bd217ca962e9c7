"""Graded scores in [0, 1] of an answer: how much it says, and how well its parts fit."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from itertools import chain

from suasion.analysis.logic.questions import conjuncts
from suasion.analysis.logic.syntax import And
from suasion.analysis.tasks.measures import formal, graph, structure, wording
from suasion.analysis.tasks.task import Task
from suasion.analysis.verification.case import Case

_SENTENCE = re.compile(r"[.!?…]+(?=\s|$)")


def scores(task: Task, case: Case) -> dict[str, float]:
    """The scores of an answer, by name, each in [0, 1] and more is better; 0 where an artefact is missing. Never raises.

    They say nothing of validity, so a reward must be gated by the verdict (:mod:`suasion.analysis.tasks.reward` is). Only what the
    task asks for is scored.
    """
    parts = [_SCORES[part] for part in task.artefacts]
    parts += [_FORMAL] if task.formal else []
    parts += [_FIT] if "annotation" in task.artefacts and len(task.artefacts) > 1 else []
    return {name: min(1.0, max(0.0, float(score(case)))) for name, score in chain.from_iterable(part.items() for part in parts)}


def _coverage(case: Case) -> float:
    """Annotated characters as a share of all, white space aside."""
    if not case.annotation:
        return 0.0
    marked = sum(_characters(one.text) for one in case.annotation.propositions)
    return _share(marked, max(_characters(case.source), _characters(case.annotation.text)))


def _scope(case: Case) -> float:
    """Propositions a sentence of the source."""
    sentences = len(_SENTENCE.findall(case.source)) or 1
    return _share(len(case.annotation.propositions) if case.annotation else 0, sentences)


def _annotation_density(case: Case) -> float:
    """Relations as a share of two a proposition."""
    relations = sum(len(structure.annotated(case.annotation, support=support)) for support in (True, False))
    return _share(relations, 2 * len(case.annotation.propositions) if case.annotation else 0)


def _map_size(case: Case) -> float:
    """0 up to three nodes, and nearer to 1 with each one more."""
    return 1 - math.pow(0.6, max(0, len(graph.graph_of(case.map)) - 3))


def _premises(case: Case) -> float:
    """0 up to one premise an argument on average, and nearer to 1 with more."""
    arguments = structure.reconstructed(case.reconstruction)
    each = wording.mean(sum(step.role == "premise" for step in one.pcs) for one in arguments)
    return 1 - math.pow(0.7, max(0.0, each - 1))


def _subarguments(case: Case) -> float:
    """Nearer to 1 with each conclusion an argument."""
    arguments = len(structure.reconstructed(case.reconstruction))
    return 1 - math.pow(0.5, structure.conclusions(case.reconstruction) / arguments) if arguments else 0.0


def _nontrivial(case: Case) -> float:
    """The share of arguments whose conclusion does not merely join their premises by "and"."""
    found = []
    for argument in case.formal.arguments.values():
        lines = [line for line in argument.lines if line.formula]
        premises = {line.formula for line in lines if line.step.role == "premise"}
        ends = [line.formula for line in lines if line.step.role == "main-conclusion"]
        if ends:
            parts = conjuncts(ends[-1]) if isinstance(ends[-1], And) else (ends[-1],)
            found.append(not premises.issuperset(parts))
    return wording.mean(found)


def _fit(case: Case) -> float:
    """How near annotated passages are to what the other artefacts say in their stead."""
    return wording.mean_similarity(
        chain(structure.labelled_segments(case.annotation, case.map), structure.matching_segments(case.annotation, case.reconstruction))
    )


_SCORES: Mapping[str, Mapping[str, Callable[[Case], float]]] = {
    "annotation": {"annotation_coverage": _coverage, "annotation_scope": _scope, "annotation_density": _annotation_density},
    "map": {
        "map_size": _map_size,
        "map_density": lambda case: graph.density(graph.graph_of(case.map)),
        "map_source_proximity": lambda case: wording.copied(structure.said(case.map), case.source),
    },
    "reconstruction": {
        "subarguments": _subarguments,
        "premises": _premises,
        "reconstruction_source_proximity": lambda case: wording.copied(structure.sentences(case.reconstruction), case.source),
    },
}
_FORMAL: Mapping[str, Callable[[Case], float]] = {
    "predicate_logic": formal.predicate_logic,
    "formalisation_faithfulness": formal.faithfulness,
    "nontriviality": _nontrivial,
}
_FIT: Mapping[str, Callable[[Case], float]] = {"semantic_coherence": _fit}


def _characters(text: str) -> int:
    return len("".join(text.split()))


def _share(part: float, whole: float) -> float:
    return part / whole if whole else 0.0
