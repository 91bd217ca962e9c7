"""Every line has a formula that can be read."""

from __future__ import annotations

from collections.abc import Iterator

from suasion.analysis.logic.issues import Issue
from suasion.analysis.logic.prover import Prover
from suasion.analysis.verification.case import Case
from suasion.analysis.verification.check import Check
from suasion.analysis.verification.checks.logic._order import FORMULAS, STRUCTURE
from suasion.analysis.verification.findings import Finding
from suasion.analysis.verification.formal import FORMULA_KEYS, Writing
from suasion.analysis.verification.telling import sentence, step_name, tell

MISSING, BAD, NOTATION = "logic.formula-missing", "logic.formula", "logic.notation"
USE, OPEN = "logic.symbol-use", "logic.open-formula"
OTHER_NOTATIONS = frozenset(("unicode-operator", "foreign-operator", "word-operator", "variable-comma", "quantifier-dot"))


def find_missing(case: Case, prover: Prover) -> Iterator[Finding]:
    """Lines without a formula."""
    arguments = case.formal.arguments
    for one in arguments.values():
        for line in one.lines:
            if not line.writing or not line.writing.parsed:
                name = step_name(line.step, one.argument, len(arguments) > 1)
                message = f"{name} has no formula. Write it at the end of the line: {{formalization: '…', declarations: {{…}}}}"
                yield tell(case, "reconstruction", MISSING, message, line.step.node.span)


def find_bad(case: Case, prover: Prover) -> Iterator[Finding]:
    """Formulas that cannot be read."""
    for writing in case.formal.writings:
        for issue in writing.parsed.errors if writing.parsed else ():
            yield _about(case, BAD, writing, issue, writing.hint)
        for fault in writing.faults:
            if fault.key in FORMULA_KEYS:
                yield tell(case, "reconstruction", BAD, f"{sentence(case.formal.name(writing))}: {fault.message}", writing.node.span)


def find_notation(case: Case, prover: Prover) -> Iterator[Finding]:
    """Formulas that can be read, but are not written in the notation that is asked for; each spelling is told once."""
    told: set[tuple[str, str]] = set()
    for writing in case.formal.writings:
        for issue in writing.parsed.warnings if writing.parsed else ():
            if issue.code in OTHER_NOTATIONS and (issue.code, issue.message) not in told:
                told.add((issue.code, issue.message))
                yield _about(case, NOTATION, writing, issue)


def find_use(case: Case, prover: Prover) -> Iterator[Finding]:
    """Symbols that are used in two ways."""
    yield from _issues(case, USE, ("symbol-kind", "symbol-arity"))


def find_open(case: Case, prover: Prover) -> Iterator[Finding]:
    """Formulas with variables that no quantifier binds."""
    yield from _issues(case, OPEN, ("open-formula",))


def _issues(case: Case, code: str, kinds: tuple[str, ...]) -> Iterator[Finding]:
    formal = case.formal
    for issue in formal.signature.issues:
        if issue.code in kinds:
            yield _about(case, code, formal.writings[issue.formula], issue)


def _about(case: Case, code: str, writing: Writing, issue: Issue, hint: str = "") -> Finding:
    data = writing.node.data
    place = f", character {issue.position}" if issue.position else ""
    message = f"The formula of {case.formal.name(writing)}{place}: {issue.message} {hint or issue.hint}".rstrip()
    return tell(case, "reconstruction", code, message, data.span if data else writing.node.span)


CHECKS = (
    Check(
        MISSING,
        "Give every premise and every conclusion a formula of propositional or first-order logic, in "
        "NLTK's syntax (-p, p & q, p | q, p -> q, "
        "p <-> q, all x.(F(x) -> G(x)), exists x.F(x), a = b), in quotes, in its inline data: {formalization: '…'}.",
        find_missing,
        after=STRUCTURE,
    ),
    Check(BAD, "Write formulas that are well-formed.", find_bad, after=STRUCTURE),
    Check(NOTATION, "Write operators as NLTK does, not as ∀, ∧, → or ~.", find_notation, after=STRUCTURE),
    Check(
        USE,
        "Use each symbol as one thing only: a sentence, a predicate or function with a fixed number of terms, or a name.",
        find_use,
        after=(*STRUCTURE, *FORMULAS),
    ),
    Check(OPEN, "Bind every variable with a quantifier.", find_open, after=(*STRUCTURE, *FORMULAS, USE)),
)
