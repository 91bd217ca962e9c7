"""Supports and attacks are the same in the annotation and in the reconstructed arguments."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterator, Mapping, Sequence

from suasion.analysis.argdown import Document, End
from suasion.analysis.logic.issues import shown
from suasion.analysis.logic.prover import Prover
from suasion.analysis.verification.annotation import Annotation, Proposition
from suasion.analysis.verification.case import Case
from suasion.analysis.verification.check import Check
from suasion.analysis.verification.checks.coherence._debate import Debate
from suasion.analysis.verification.checks.coherence._links import (
    ANNOTATION,
    RECONSTRUCTION,
    Valence,
    by_id,
    ids_in,
    ids_of_step,
    tell_annotated,
    too_large,
    valence,
)
from suasion.analysis.verification.findings import Finding
from suasion.analysis.verification.references import sources
from suasion.analysis.verification.telling import claim_name, step_name, tell

NEEDS = ("annotation", "reconstruction")
NOT_ARGUED = "coherence.annotated-relation-not-reconstructed"
NOT_ANNOTATED = "coherence.inference-not-annotated"
LARGEST = 100_000  # relations that arguments imply
MOST = 100  # lines that one conclusion is compared with
_VERBS = {"support": "supports", "attack": "attacks"}


def find_not_argued(case: Case, prover: Prover) -> Iterator[Finding]:
    """What only the annotation says."""
    if not case.annotation or not case.reconstruction:
        return
    arguments = _Arguments(case.reconstruction)
    known = by_id(case.annotation)
    relations: list[tuple[Valence, Proposition, str]] = []
    for one in known.values():
        relations += [("support", one, target) for target in one.supports if target in known]
        relations += [("attack", one, target) for target in one.attacks if target in known]
    for kind, one, target in relations:
        why = arguments.objection(kind, one, known[target])
        if why:
            message = f"The proposition {shown(one.id)} {_VERBS[kind]} {shown(target)}, but {why}. Let both artefacts say the same."
            yield tell_annotated(case, NOT_ARGUED, message, one)
    if arguments.too_large:
        yield too_large(NOT_ARGUED, "relations between arguments", LARGEST)


class _Arguments:
    """Lines and arguments, and what bears on what."""

    def __init__(self, document: Document) -> None:
        self.debate = Debate(document)
        self.lines = {(label, step.number): step.label for label, argument in document.arguments.items() for step in reversed(argument.pcs)}
        self.labels = {label: {step.label for step in argument.pcs} for label, argument in document.arguments.items()}
        self.related: dict[tuple[Valence, End], set[End]] = defaultdict(set)
        self.too_large = False
        for number, (kind, source, target) in enumerate(self.debate.implied()):
            if number == LARGEST:
                self.too_large = True
                break
            self.related[kind, source].add(target)

    def objection(self, kind: Valence, one: Proposition, other: Proposition) -> str | None:
        """Why the reconstruction does not bear out a relation; ``None`` where it does."""
        first, second = one.argument_label or "", other.argument_label or ""
        source = self.lines.get((first, (one.ref_reco_label or "").strip()))
        target = self.lines.get((second, (other.ref_reco_label or "").strip()))
        if source is None or target is None:
            return None  # told by another check
        if first == second:
            if kind == "attack":
                return f"both belong to the argument '{shown(first)}', which would attack itself"
            if self.debate.reaches(source, target):
                return None
            return f"({shown(other.ref_reco_label or '')}) of '{shown(second)}' is not inferred from ({shown(one.ref_reco_label or '')})"
        if kind == "support" and self.debate.reaches(source, target):
            return None
        if self._is_between(kind, first, second, source, target):
            return None
        return f"by the reconstruction '{shown(first)}' does not {kind} '{shown(second)}'"

    def _is_between(self, kind: Valence, first: str, second: str, source: str, target: str) -> bool:
        """Whether there is any such relation between two arguments, or lines of theirs."""
        whom = {End("argument", second), End("claim", target)}
        whom |= {End("claim", label) for label in self.labels.get(second, ())} if kind == "attack" else set()
        who = [End("argument", first), End("claim", source)]
        if kind == "attack":
            who += [End("claim", label) for label in self.labels.get(first, ())]
            if self.debate.stands(kind, End("argument", first), End("argument", second)):
                return True
        return any(not self.related[kind, end].isdisjoint(whom) for end in who if (kind, end) in self.related)


def find_not_annotated(case: Case, prover: Prover) -> Iterator[Finding]:
    """What only the reconstruction says, of lines that both have annotated propositions."""
    document = case.reconstruction
    if not case.annotation or not document:
        return
    annotated = _Annotated(case.annotation)
    arguments = [argument for argument in document.arguments.values() if argument.pcs]
    for argument in arguments:
        ids = [ids_of_step(step, document) or [] for step in argument.pcs]
        for place, source in _annotated_inferences(ids, sources(argument)):
            if not annotated.has("support", ids[source], ids[place]):
                first, second = (step_name(argument.pcs[one], argument, len(arguments) > 1) for one in (source, place))
                message = (
                    f"{second} is inferred from {first}, but in the annotation {_named(ids[source])} does not support "
                    f"{_named(ids[place])}. Annotate that support, or mend the inference."
                )
                inference = argument.pcs[place].inference
                yield tell(case, "reconstruction", NOT_ANNOTATED, message, inference.span if inference else None)
    for relation in document.sketched:
        if relation.source.kind == relation.target.kind == "claim":
            kind = valence(relation)
            first_ids, second_ids = (ids_in(document.claims[end.label].data) or [] for end in (relation.source, relation.target))
            if not first_ids or not second_ids or annotated.has(kind, first_ids, second_ids):
                continue
            if not (relation.symmetric and annotated.has(kind, second_ids, first_ids)):
                first, second = (claim_name(document.claims[end.label]) for end in (relation.source, relation.target))
                message = (
                    f"{first} {_VERBS[kind]} {second} in the reconstruction, but in the annotation "
                    f"{_named(first_ids)} does not {kind} "
                    f"{_named(second_ids)}. Annotate that relation, or take it away."
                )
                yield tell(case, "reconstruction", NOT_ANNOTATED, message, relation.span)


def _annotated_inferences(ids: Sequence[Sequence[str]], named: Mapping[int, tuple[int, ...]]) -> Iterator[tuple[int, int]]:
    """Conclusions and what they are inferred from (places of lines), by way of lines that stand for no passage of the text."""
    nearest: list[set[int]] = []
    for place, own in enumerate(ids):
        behind: set[int] = set()
        for source in named.get(place, ()):
            behind |= {source} if ids[source] else nearest[source]
            if len(behind) > MOST:
                break
        nearest.append(behind)
        if own:
            yield from ((place, source) for source in sorted(behind))


def _named(ids: list[str]) -> str:
    return " or ".join(shown(one) for one in ids[:3])


class _Annotated:
    """What propositions support and attack."""

    def __init__(self, annotation: Annotation) -> None:
        self.known: Mapping[str, Proposition] = by_id(annotation)
        self._reached: dict[str, set[str]] = {}

    def has(self, kind: Valence, first: list[str], second: list[str]) -> bool:
        """Whether one of the first supports (perhaps by way of others) or attacks one of the second, or is one of them."""
        if kind == "attack":
            return any(target in second for one in first if one in self.known for target in self.known[one].attacks)
        return not set(first).isdisjoint(second) or any(not self._supported(one).isdisjoint(second) for one in first)

    def _supported(self, start: str) -> set[str]:
        if start not in self._reached:
            found: set[str] = set()
            waiting = deque([start])
            while waiting:
                one = self.known.get(waiting.popleft())
                for target in one.supports if one else ():
                    if target not in found:
                        found.add(target)
                        waiting.append(target)
            self._reached[start] = found
        return self._reached[start]


_AFTER = (
    *ANNOTATION,
    *RECONSTRUCTION,
    "coherence.annotation-without-argument",
    "coherence.annotation-without-line",
    "coherence.line-without-annotation-ids",
    "coherence.line-unknown-annotation",
    "coherence.annotation-in-two-lines",
    "coherence.annotation-line-mismatch",
)
CHECKS = (
    Check(
        NOT_ARGUED,
        "Let the reconstructions bear out every support and attack that you annotate: within an argument "
        "the one is inferred from the other; "
        "between arguments there is a relation of the same kind; no argument attacks itself.",
        find_not_argued,
        after=_AFTER,
    ),
    Check(
        NOT_ANNOTATED,
        "Annotate every support and attack that the reconstructions have between sentences which both stand for annotated propositions.",
        find_not_annotated,
        after=(*_AFTER, NOT_ARGUED),
    ),
)
