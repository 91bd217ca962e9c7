"""Every inference says what it starts from: ``-- {from: ['1', '2']} --``."""

from __future__ import annotations

from collections.abc import Iterator

from suasion.analysis.argdown import Argument, Step
from suasion.analysis.logic.issues import shown
from suasion.analysis.logic.prover import Prover
from suasion.analysis.verification.case import Case
from suasion.analysis.verification.check import Check
from suasion.analysis.verification.checks.reconstruction._form import SHAPED
from suasion.analysis.verification.findings import Finding
from suasion.analysis.verification.references import number_of, written
from suasion.analysis.verification.telling import listed, sentence, step_name, tell

REPEATED, DATA, REFERENCE, TWICE = (
    "reconstruction.repeated-number",
    "reconstruction.inference-data",
    "reconstruction.reference",
    "reconstruction.repeated-reference",
)


def _steps(case: Case) -> Iterator[tuple[Argument, Step, str]]:
    """Each line with its argument and its name."""
    arguments = [argument for argument in case.reconstruction.arguments.values() if argument.pcs] if case.reconstruction else []
    for argument in arguments:
        for step in argument.pcs:
            yield argument, step, step_name(step, argument, len(arguments) > 1)


def find_repeated(case: Case, prover: Prover) -> Iterator[Finding]:
    """Two lines with one number."""
    seen: set[tuple[str, str]] = set()
    for argument, step, name in _steps(case):
        if (argument.label, step.number) in seen:
            message = f"There are two lines {name}. Give each line of an argument a number of its own."
            yield tell(case, "reconstruction", REPEATED, message, step.node.span)
        seen.add((argument.label, step.number))


def find_data(case: Case, prover: Prover) -> Iterator[Finding]:
    """Inferences that do not say what they start from."""
    for _, step, name in _steps(case):
        if not step.inference:
            continue
        data = step.inference.data
        value = written(step)
        if isinstance(value, list) and value:
            continue
        if not data:
            what = "does not say what it starts from"
        elif not isinstance(data.value, dict) or "from" not in data.value:
            what = "has data without the key from"
        elif isinstance(value, list):
            what = "starts from nothing"
        else:
            what = "has a from that is no list"
        message = f"The inference to {name} {what}. Write the numbers of the lines that {name} follows from: -- {{from: ['1', '2']}} --"
        yield tell(case, "reconstruction", DATA, message, data.span if data else step.inference.span)


def find_references(case: Case, prover: Prover) -> Iterator[Finding]:
    """Items of ``from`` that name no line above."""
    places: dict[str, dict[str, int]] = {}
    for argument, step, _ in _steps(case):
        own = places.setdefault(argument.label, {})
        own.setdefault(step.number, len(own))
    above: dict[str, set[str]] = {}
    for argument, step, name in _steps(case):
        earlier = above.setdefault(argument.label, set())
        value = written(step)
        if step.inference and step.inference.data and isinstance(value, list):
            span = step.inference.data.span
            for item in value:
                problem = _problem(item, step, earlier, places[argument.label])
                if problem:
                    message = f"The inference to {name} names {problem}. Name only lines of this argument that stand above it."
                    yield tell(case, "reconstruction", REFERENCE, message, span)
        earlier.add(step.number)


def _problem(item: object, step: Step, above: set[str], places: dict[str, int]) -> str | None:
    number = number_of(item)
    if number is None:
        return f"{shown(repr(item))}, which is not a number of a line"
    if number in above:
        return None
    if number == step.number:
        return f"({shown(number)}), which is that conclusion itself"
    if number in places:
        return f"({shown(number)}), which stands below it"
    plain = number.strip("()[] ")
    return f"'{shown(number)}', but there is no such line" + (f" (write '{shown(plain)}', without brackets)" if plain in above else "")


def find_twice(case: Case, prover: Prover) -> Iterator[Finding]:
    """Items of ``from`` that are named twice."""
    for _, step, name in _steps(case):
        value = written(step)
        if step.inference and step.inference.data and isinstance(value, list):
            numbers = [number for item in value if (number := number_of(item)) is not None]
            seen: set[str] = set()
            twice = dict.fromkeys(number for number in numbers if number in seen or seen.add(number))  # type: ignore[func-returns-value]
            if twice:
                what = listed([f"({shown(number)})" for number in twice])
                message = f"{sentence(f'the inference to {name}')} names {what} more than once. Name each line once."
                yield tell(case, "reconstruction", TWICE, message, step.inference.data.span)


CHECKS = (
    Check(REPEATED, "Number the lines of an argument so that no number occurs twice.", find_repeated, after=SHAPED),
    Check(
        DATA,
        "Say in the inference's inline data which lines each conclusion is inferred from, as a list of "
        "their numbers: -- {from: ['1', '2']} --",
        find_data,
        after=SHAPED,
    ),
    Check(
        REFERENCE,
        "Name in from only lines of the same argument that stand above the conclusion.",
        find_references,
        after=(*SHAPED, REPEATED, DATA),
    ),
    Check(TWICE, "Name each line at most once in a list from.", find_twice, after=SHAPED),
)
