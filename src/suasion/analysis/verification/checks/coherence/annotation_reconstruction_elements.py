"""Annotated propositions and lines of reconstructed arguments name each other."""

from __future__ import annotations

from collections.abc import Iterator

from suasion.analysis.argdown import Argument, Step
from suasion.analysis.logic.issues import shown
from suasion.analysis.logic.prover import Prover
from suasion.analysis.verification.case import Case
from suasion.analysis.verification.check import Check
from suasion.analysis.verification.checks.coherence._links import ANNOTATION, RECONSTRUCTION, by_id, ids_of_step, tell_annotated
from suasion.analysis.verification.findings import Finding
from suasion.analysis.verification.telling import argument_name, step_name, tell

NEEDS = ("annotation", "reconstruction")
WITHOUT_ARGUMENT = "coherence.annotation-without-argument"
WITHOUT_LINE = "coherence.annotation-without-line"
ARGUMENT = "coherence.argument-without-annotation"
WITHOUT_IDS = "coherence.line-without-annotation-ids"
UNKNOWN = "coherence.line-unknown-annotation"
TWICE = "coherence.annotation-in-two-lines"
MISMATCH = "coherence.annotation-line-mismatch"


def _lines(case: Case) -> Iterator[tuple[Argument, Step, str, list[str] | None]]:
    """Each line with its argument, its name and the ids it lists."""
    document = case.reconstruction
    arguments = [argument for argument in document.arguments.values() if argument.pcs] if document else []
    for argument in arguments:
        for step in argument.pcs:
            if document:
                yield argument, step, step_name(step, argument, len(arguments) > 1), ids_of_step(step, document)


def find_without_argument(case: Case, prover: Prover) -> Iterator[Finding]:
    """Propositions that name no argument."""
    arguments = case.reconstruction.arguments if case.reconstruction else {}
    for one in case.annotation.propositions if case.annotation else ():
        if not one.argument_label:
            message = f"The proposition {shown(one.id)} has no argument_label. Give it the title of its argument."
            yield tell_annotated(case, WITHOUT_ARGUMENT, message, one)
        elif one.argument_label not in arguments:
            label = shown(one.argument_label)
            message = (
                f"The proposition {shown(one.id)} names the argument '{label}', which is not "
                "reconstructed. Use a title of the reconstruction."
            )
            yield tell_annotated(case, WITHOUT_ARGUMENT, message, one)


def find_without_line(case: Case, prover: Prover) -> Iterator[Finding]:
    """Propositions that name no line of their argument."""
    arguments = case.reconstruction.arguments if case.reconstruction else {}
    numbers = {label: {step.number for step in argument.pcs} for label, argument in arguments.items()}
    for one in case.annotation.propositions if case.annotation else ():
        if not one.ref_reco_label:
            message = f"The proposition {shown(one.id)} has no ref_reco_label. Give it the number of the line that it stands for."
            yield tell_annotated(case, WITHOUT_LINE, message, one)
        elif one.argument_label in numbers and one.ref_reco_label.strip() not in numbers[one.argument_label]:
            line, name = shown(one.ref_reco_label), argument_name(arguments[one.argument_label])
            message = (
                f"The proposition {shown(one.id)} names the line '{line}', which {name} does not have. Use the number of one of its lines."
            )
            yield tell_annotated(case, WITHOUT_LINE, message, one)


def find_arguments(case: Case, prover: Prover) -> Iterator[Finding]:
    """Arguments that no proposition names."""
    named = {one.argument_label for one in case.annotation.propositions} if case.annotation else set()
    for argument in case.reconstruction.arguments.values() if case.reconstruction else ():
        if argument.label not in named:
            name = argument_name(argument)
            message = f"No proposition of the annotation names {name} as its argument_label. Annotate where the text gives it."
            yield tell(case, "reconstruction", ARGUMENT, message, argument.members[0].span if argument.members else argument.pcs_span)


def find_without_ids(case: Case, prover: Prover) -> Iterator[Finding]:
    """Lines that do not say which propositions they stand for."""
    for _, step, name, ids in _lines(case):
        if ids is None:
            message = (
                f"{name} has no list annotation_ids. Write which propositions it stands for, {{annotation_ids: ['1']}}, or an empty list."
            )
            yield tell(case, "reconstruction", WITHOUT_IDS, message, step.node.span)


def find_unknown(case: Case, prover: Prover) -> Iterator[Finding]:
    """Ids of no proposition."""
    known = by_id(case.annotation) if case.annotation else {}
    for _, step, name, ids in _lines(case):
        for one in ids or ():
            if one not in known:
                message = f"{name} lists '{shown(one)}', but no proposition has that id. List ids of the annotation."
                yield tell(case, "reconstruction", UNKNOWN, message, step.node.span)


def find_twice(case: Case, prover: Prover) -> Iterator[Finding]:
    """Ids that two sentences list."""
    first: dict[str, tuple[str, str]] = {}
    for _, step, name, ids in _lines(case):
        for one in ids or ():
            label, where = first.setdefault(one, (step.label, name))
            if label != step.label:
                message = f"The proposition {shown(one)} is listed by {where} and by {name}. Let it stand for one of them."
                yield tell(case, "reconstruction", TWICE, message, step.node.span)


def find_mismatch(case: Case, prover: Prover) -> Iterator[Finding]:
    """Propositions that name a line which does not list them."""
    lists: dict[tuple[str, str], tuple[str, set[str]]] = {}
    where: dict[str, str] = {}
    for argument, step, name, ids in _lines(case):
        lists.setdefault((argument.label, step.number), (name, set(ids or ())))
        where.update((one, name) for one in ids or ())
    for one in case.annotation.propositions if case.annotation else ():
        name, ids_there = lists.get((one.argument_label or "", (one.ref_reco_label or "").strip()), ("", {one.id}))
        if one.id not in ids_there:
            elsewhere = f" ({where[one.id]} does)" if one.id in where else ""
            message = f"The proposition {shown(one.id)} names {name}, which does not list it{elsewhere}. Let both name each other."
            yield tell_annotated(case, MISMATCH, message, one)


_AFTER = (*ANNOTATION, *RECONSTRUCTION)
CHECKS = (
    Check(
        WITHOUT_ARGUMENT,
        "Give each proposition the title of the reconstructed argument it belongs to as argument_label.",
        find_without_argument,
        after=_AFTER,
    ),
    Check(
        WITHOUT_LINE,
        "Give each proposition the number of the premise or conclusion it stands for as ref_reco_label.",
        find_without_line,
        after=_AFTER,
    ),
    Check(
        ARGUMENT, "Annotate at least one proposition for each reconstructed argument.", find_arguments, after=(*_AFTER, WITHOUT_ARGUMENT)
    ),
    Check(
        WITHOUT_IDS,
        "List behind each premise and conclusion the ids of the propositions it stands for, "
        "{annotation_ids: ['1']}; the list may be empty.",
        find_without_ids,
        after=_AFTER,
    ),
    Check(UNKNOWN, "List behind premises and conclusions only ids that the annotation has.", find_unknown, after=(*_AFTER, WITHOUT_IDS)),
    Check(TWICE, "List no proposition behind two different sentences.", find_twice, after=(*_AFTER, WITHOUT_IDS)),
    Check(
        MISMATCH,
        "Let a proposition and the line that it names in ref_reco_label name each other.",
        find_mismatch,
        after=(*_AFTER, WITHOUT_ARGUMENT, WITHOUT_LINE, WITHOUT_IDS, UNKNOWN, TWICE),
    ),
)
