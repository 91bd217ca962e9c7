"""How things are called in findings, and where findings are placed."""

from __future__ import annotations

from collections.abc import Sequence

from suasion.analysis.argdown import Argument, Claim, Span, Step
from suasion.analysis.logic.issues import shown
from suasion.analysis.verification.case import ArtefactName, Case
from suasion.analysis.verification.findings import Finding

LISTED = 10  # culprits that are named before "and 7 more"


def tell(case: Case, artefact: ArtefactName, code: str, message: str, span: Span | None = None, undecided: bool = False) -> Finding:
    """A finding about a place of an artefact, placed in the answer; without a place it is about the answer as a whole."""
    block = case.blocks.get(artefact)
    line, column = block.place(span.line, span.column) if block and span is not None else (None, None)
    return Finding(code, message, line, column, undecided)


def argument_name(argument: Argument) -> str:
    """``<Loyal>``, as its author wrote it."""
    return f"<{shown(argument.label)}>" if argument.labelled else "the argument without a title"


def claim_name(claim: Claim) -> str:
    """``[Keep]``, or what it says where it has no label."""
    if claim.labelled:
        return f"[{shown(claim.label)}]"
    return f"“{shown(claim.text)}”" if claim.text else "a claim without text"


def step_name(step: Step, argument: Argument, several: bool) -> str:
    """``(3)``; ``(3) of <Loyal>`` where there are several arguments."""
    return f"({step.number}) of {argument_name(argument)}" if several else f"({step.number})"


def listed(names: Sequence[str], joint: str = "and") -> str:
    """``(1), (2) and (3)``, cut where there are too many."""
    if len(names) > LISTED:
        names = [*names[:LISTED], f"{len(names) - LISTED} more"]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} {joint} {names[-1]}"


def sentence(text: str) -> str:
    """With a capital at its start."""
    return text[:1].upper() + text[1:]


def same_words(text: str | None) -> str:
    """What two texts share when they differ in white space alone."""
    return " ".join(text.split()) if text else ""
