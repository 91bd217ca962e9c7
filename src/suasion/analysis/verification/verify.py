"""From answers to verdicts: the checks of a task in their order, root causes only."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Protocol

from suasion.analysis.logic.prover import Prover
from suasion.analysis.verification.blocks import ArtefactName
from suasion.analysis.verification.case import Case
from suasion.analysis.verification.check import Check
from suasion.analysis.verification.checks import matches
from suasion.analysis.verification.findings import Finding, Verdict
from suasion.analysis.verification.proofs import prove

MOST_FINDINGS = 50
"""Told of one check; an author mends no more at a time."""

_log = logging.getLogger(__name__)


class Example(Protocol):
    """A worked example: its text and the answer to it."""

    @property
    def source(self) -> str: ...
    @property
    def answer(self) -> str: ...


class Judged(Protocol):
    """What verification needs to know of a task."""

    @property
    def artefacts(self) -> tuple[ArtefactName, ...]:
        """What is asked for."""

    @property
    def checks(self) -> Sequence[Check]:
        """What an answer must meet, in the order in which it is asked."""

    @property
    def example(self) -> Example | None:
        """What the prompt may show; no answer to another text."""


def verify(
    task: Judged,
    source: str,
    answers: Sequence[str],
    reference: str = "",
    prover: Prover | None = None,
    scores: Callable[[Case], Mapping[str, float]] | None = None,
) -> list[Verdict]:
    """Judge answers to one problem, in this process.

    Args:
        task: what was asked.
        source: the text that is analysed.
        answers: raw texts of a model.
        reference: what a sequential task starts from.
        prover: for formalisations; without one, a prover is made for this call.
        scores: what else is told of each answer, in [0, 1].

    Returns:
        A verdict for each answer, in their order. Nothing that an answer holds raises.
    """
    if prover is None:
        with Prover() as own:
            return verify(task, source, answers, reference, own, scores)
    cases = [Case(answer, source, reference, tuple(task.artefacts)) for answer in answers]
    return judge(task, cases, prover, scores)


def judge(
    task: Judged, cases: Sequence[Case], prover: Prover, scores: Callable[[Case], Mapping[str, float]] | None = None
) -> list[Verdict]:
    """The same for cases: answers to any problems of one task."""
    if any(check.code.startswith("logic.") for check in task.checks):
        prove([case.formal for case in cases if "reconstruction" in case.blocks], prover)  # all at once is quicker
    return [_judge(task, case, prover, scores) for case in cases]


def _judge(task: Judged, case: Case, prover: Prover, scores: Callable[[Case], Mapping[str, float]] | None) -> Verdict:
    findings = [*case.block_findings, *_copied(task, case)]
    stopped = {finding.code for finding in findings}  # what was found, and what was not asked because of that
    passed = 0
    for check in task.checks:
        if not _has_artefacts(check, case) or any(matches(code, pattern) for pattern in check.after for code in stopped):
            stopped.add(check.code)
            continue
        found = _ask(check, case, prover)
        findings += found
        if found:
            stopped.add(check.code)
        else:
            passed += 1
    shares = {"checks": passed / len(task.checks)} if task.checks else {}
    findings.sort(key=lambda finding: (finding.line is None, finding.line or 0, finding.column or 0))
    return Verdict(tuple(findings), {**shares, **(scores(case) if scores else {})})


def _has_artefacts(check: Check, case: Case) -> bool:
    """Whether what the check looks at is there; of one that compares, all."""
    family = check.code.partition(".")[0]
    if family == "coherence":
        return len(case.blocks) == len(case.artefacts)
    return "reconstruction" in case.blocks if family == "logic" else family in case.blocks or family not in case.artefacts


def _ask(check: Check, case: Case, prover: Prover) -> list[Finding]:
    try:
        found = list(islice(check.find(case, prover), MOST_FINDINGS + 1))
    except MemoryError:
        raise  # the worker's limit, which is told as one
    except Exception:  # a mistake in a check must not end a batch, nor make an answer right or wrong
        _log.exception("The check %s failed", check.code)
        return [Finding("check.failed", f"The check {check.code} could not be made; this is a mistake in the check.", undecided=True)]
    if len(found) > MOST_FINDINGS:
        last = found[MOST_FINDINGS]
        found[MOST_FINDINGS] = Finding(check.code, f"There is more of the same; {MOST_FINDINGS} are told.", undecided=last.undecided)
    return found


def _copied(task: Judged, case: Case) -> Iterator[Finding]:
    """An answer that is the prompt's example, to another text."""
    example = task.example
    if not example or not example.answer or example.source.split() == case.source.split():
        return
    shown = Case(example.answer, example.source, artefacts=case.artefacts)
    for name, block in case.blocks.items():
        if name in shown.blocks and block.text.split() == shown.blocks[name].text.split():
            message = f"The {name} is that of the example. Analyse the text that is asked about."
            yield Finding("answer.copied-example", message, block.line, 1)
