"""Verdicts: root causes only, every answer on its own, no exception whatever an answer or a check does."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from types import ModuleType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from suasion.analysis.logic.prover import Prover
from suasion.analysis.tasks import Example, Task, all_tasks, get_task
from suasion.analysis.verification import checks as package
from suasion.analysis.verification.blocks import ArtefactName
from suasion.analysis.verification.case import Case
from suasion.analysis.verification.check import Check
from suasion.analysis.verification.findings import Finding, Verdict
from suasion.analysis.verification.verify import MOST_FINDINGS, verify

MAP = "```argdown\n[Keep]: Keep dogs.\n    <+ <Loyal>: They are loyal.\n```"
SOURCE = "Keep dogs. They are loyal."


@pytest.fixture(scope="module")
def prover() -> Iterator[Prover]:
    with Prover(workers=0) as prover:
        yield prover


def judged(answer: str, task: str, prover: Prover, source: str = SOURCE, reference: str = "") -> Verdict:
    return verify(get_task(task), source, [answer], reference, prover)[0]


def codes(verdict: Verdict) -> list[str]:
    return [found.code for found in verdict.findings]


def a_task(*checks: Check, artefacts: tuple[ArtefactName, ...] = ("map",)) -> Task:
    return Task("argmap", "Draw a map.", artefacts, checks, (), Example("another text", "```argdown\n[X]: x\n```"))


def a_check(code: str, *findings: Finding, after: tuple[str, ...] = ()) -> Check:
    return Check(code, "Be good.", lambda case, prover: iter(findings), after)


def test_verdicts_come_in_the_order_of_the_answers(prover: Prover) -> None:
    verdicts = verify(get_task("argmap"), SOURCE, [MAP, "", MAP], prover=prover)
    assert [verdict.name for verdict in verdicts] == ["valid", "invalid", "valid"]
    assert verdicts[0].scores["checks"] == 1 and verdicts[1].scores["checks"] == 0


def test_root_causes_only(prover: Prover) -> None:
    wrong = Finding("map.a", "wrong")
    checks = (
        a_check("map.a", wrong),
        a_check("map.b", Finding("map.b", "never told"), after=("map.a",)),
        a_check("map.c", Finding("map.c", "nor this"), after=("map.b",)),
        a_check("map.d", Finding("map.d", "but this")),
        a_check("map.e", Finding("map.e", "not this"), after=("map.*",)),
    )
    (verdict,) = verify(a_task(*checks), "", [MAP], prover=prover)
    assert codes(verdict) == ["map.a", "map.d"]


def test_nothing_is_asked_of_what_is_not_there(prover: Prover) -> None:
    assert codes(judged("", "argmap_plus_arganno_plus_logreco", prover)) == ["annotation.missing", "map.missing", "reconstruction.missing"]
    assert codes(judged(MAP, "argmap_plus_arganno", prover)) == ["annotation.missing"]


def test_a_check_that_fails_makes_an_answer_neither_right_nor_wrong(prover: Prover) -> None:
    def broken(case: Case, prover: Prover) -> Iterator[Finding]:
        raise RecursionError

    (verdict,) = verify(a_task(Check("map.a", "", broken)), "", [MAP], prover=prover)
    assert verdict.name == "undecided" and codes(verdict) == ["check.failed"]


def test_undecided_is_neither_success_nor_failure(prover: Prover) -> None:
    open_question = a_check("map.a", Finding("map.a", "who knows", undecided=True))
    assert verify(a_task(open_question), "", [MAP], prover=prover)[0].name == "undecided"
    assert verify(a_task(open_question, a_check("map.b", Finding("map.b", "no"))), "", [MAP], prover=prover)[0].name == "invalid"


def test_no_more_findings_than_anybody_reads(prover: Prover) -> None:
    verdict = judged("```argdown\n" + "A claim.\n\n" * 1_000 + "```", "argmap", prover)
    assert codes(verdict).count("map.unlabelled-claim") == MOST_FINDINGS + 1
    assert any("more of the same" in found.message for found in verdict.findings)


def test_the_example_is_no_answer_to_another_text(prover: Prover) -> None:
    task = get_task("argmap")
    assert verify(task, task.example.source, [task.example.answer], prover=prover)[0].name == "valid"
    assert codes(verify(task, SOURCE, [task.example.answer], prover=prover)[0]) == ["answer.copied-example"]


def test_references_are_looked_up(prover: Prover) -> None:
    annotation = '```xml\n<proposition id="1" argument_label="{}">Keep dogs.</proposition> They are loyal.\n```'
    assert judged(annotation.format("Keep"), "arganno_from_argmap", prover, reference=MAP).name == "valid"
    assert codes(judged(annotation.format("Kept"), "arganno_from_argmap", prover, reference=MAP)) == ["annotation.unknown-label"]
    text = MAP.replace("dogs.\n", "dogs. {annotation_ids: [%s]}\n")
    reference = annotation.format("Keep").replace("```xml\n", "").replace("\n```", "")
    assert judged(text % 1, "argmap_from_arganno", prover, reference=reference).name == "valid"
    assert codes(judged(text % 2, "argmap_from_arganno", prover, reference=reference)) == ["map.unknown-annotation"]


def test_places_are_those_of_the_answer(prover: Prover) -> None:
    answer = "Here you are:\n\n  ```argdown\n  [A]: a\n      <+ unlabelled\n  ```\n"
    (found,) = judged(answer, "argmap", prover).findings
    assert answer.split("\n")[(found.line or 0) - 1][(found.column or 0) - 1 :] in ("<+ unlabelled", "unlabelled")


def test_reasoning_is_kept_apart_from_artefacts() -> None:
    case = Case("Think.\n\n~~~argdown\ndraft\n~~~\nBetter:\n```argdown\n[A]: a\n```\nDone.")
    assert case.snippets == "[A]: a"
    assert case.reasoning == "Think.\n\n~~~argdown\ndraft\n~~~\nBetter:\nDone."


@pytest.mark.parametrize("task", [task.name for task in all_tasks()])
@pytest.mark.parametrize(
    "answer",
    [
        "",
        " \n\t ",
        SOURCE,
        "\x00" * 1_000,
        "```argdown\n```\n```xml\n```",
        MAP * 1_000,
        "```argdown\n" + "[A]: a\n    <+ <B>: b\n\n" * 500 + "```",
    ],
    ids=["empty", "blank", "source", "nul", "empty blocks", "blocks over and over", "nodes over and over"],
)
def test_what_solves_nothing_is_rejected(task: str, answer: str, prover: Prover) -> None:
    verdict = judged(answer, task, prover)
    assert verdict.name == "invalid" and "check.failed" not in codes(verdict)


_PIECES = st.sampled_from(
    [
        *("```argdown\n", "```xml\n", '```argdown {filename="map.ad"}\n', "```argdown {filename=reconstructions.ad}\n", "\n```\n", "\n"),
        *("    ", '<proposition id="1" supports="2">', "</proposition>", "[A]: a", "<B>: b", "(1) p", "(2) q", "<+ ", "- ", "\n\n", "----"),
        *(
            "><",
            "_> ",
            "-- {from: ['1']} --",
            "{formalization: 'p -> q', declarations: {p: 'x'}}",
            "{annotation_ids: [1]}",
            "{a: [",
            "\x00",
        ),
    ]
)


@given(st.lists(_PIECES | st.text(max_size=4), max_size=40).map("".join), st.sampled_from(all_tasks()))
@settings(max_examples=300, deadline=None)
def test_no_answer_breaks_a_check(answer: str, task: Task) -> None:
    with Prover(workers=0) as prover:
        (verdict,) = verify(task, SOURCE, [answer], "[A]: a", prover)
    assert "check.failed" not in codes(verdict)
    lines = answer.count("\n") + answer.count("\r") + 1
    assert all(found.line is None or 1 <= found.line <= lines for found in verdict.findings)


@pytest.mark.parametrize(
    "text",
    [
        "```xml\n" + '<proposition id="1" supports="1 2 3">a</proposition> ' * 8_000 + "\n```",
        "```argdown\n" + "[A]: a\n    <+ <B>: b\n" * 20_000 + "```",
        "```argdown\n" + "".join(f"[A{n}]: a\n    <+ <B{n}>: b\n\n" for n in range(5_000)) + "```",
        "```xml\n" + "word " * 100_000 + "\n```",
    ],
    ids=["propositions", "lines", "nodes", "words"],
)
@pytest.mark.timeout(90)
def test_long_answers_do_not_hang(text: str, prover: Prover) -> None:
    judged(text, "argmap_plus_arganno", prover, source="word " * 100_000)


def test_checks_are_found_by_walking(monkeypatch: pytest.MonkeyPatch) -> None:
    names = [check.code for check in package.checks_for("argmap_plus_arganno", ("annotation", "map"))]
    assert names.index("annotation.markup") < names.index("annotation.source") and names.index("map.syntax") < names.index("map.empty")
    assert any(name.startswith("coherence.") for name in names) and not any(
        name.startswith(("logic.", "reconstruction.")) for name in names
    )
    assert {"logic."} <= {check.code.partition(".")[0] + "." for check in package.checks_for("logreco_from_infreco", ("reconstruction",))}
    assert "annotation.unknown-label" not in names


@pytest.mark.parametrize(
    ("attributes", "family", "said"),
    [
        ({}, "map", "neither CHECK"),
        ({"CHECK": 3}, "map", "neither CHECK"),
        ({"CHECK": a_check("other.a")}, "map", "does not begin with map."),
        ({"CHECK": a_check("coherence.a")}, "coherence", "NEEDS"),
    ],
)
def test_a_module_that_is_no_check_is_told(attributes: dict[str, object], family: str, said: str) -> None:
    module = ModuleType("checks.odd")
    module.__dict__.update(attributes)
    with pytest.raises(ValueError, match=said):
        list(package._read(module, family))


def test_every_check_is_written_alike() -> None:
    for check in package.all_checks():
        assert check.code.count(".") == 1 and check.code == check.code.lower() and "_" not in check.code
        known = {other.code for other in package.all_checks()} | {"annotation.missing", "map.missing", "reconstruction.missing"}
        for pattern in check.after:
            assert any(package.matches(code, pattern) for code in known), f"{check.code} waits for {pattern}, which does not exist"


def test_importing_checks_starts_nothing() -> None:
    assert "suasion.analysis.verification.checks.map.syntax" in sys.modules
