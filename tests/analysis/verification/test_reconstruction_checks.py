"""Checks of reconstructions and their logic: what they say, where, and that nothing makes them fail."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from suasion.analysis.logic.pool import Limits
from suasion.analysis.logic.prover import Prover
from suasion.analysis.tasks import all_tasks, get_task
from suasion.analysis.verification.findings import Finding, Verdict
from suasion.analysis.verification.verify import verify

PROVER = Prover(workers=0, limits=Limits(steps=200_000))


@pytest.fixture(scope="module", autouse=True)
def closed() -> Iterator[None]:
    yield
    PROVER.close()


def judged(task: str, text: str) -> Verdict:
    return verify(get_task(task), "", [f"Here it is:\n\n```argdown\n{text}\n```\n"], prover=PROVER)[0]


def found(task: str, text: str) -> Finding:
    (one,) = judged(task, text).findings
    return one


INFORMAL = "<Loyal>: Dogs are loyal.\n\n(1) Dogs are loyal.\n(2) Loyal animals are good.\n-- {from: %s} --\n(3) Dogs are good."


@pytest.mark.parametrize(
    ("named", "words"),
    [
        ("['1', '7']", "names '7', but there is no such line"),
        ("['1', '(2)']", "write '2', without brackets"),
        ("[1, 3]", "names (3), which is that conclusion itself"),
        ("[1, true]", "names True, which is not a number of a line"),
        ("'1'", "has a from that is no list"),
        ("[]", "starts from nothing"),
        ("[1, 2, '1']", "names (1) more than once"),
    ],
)
def test_messages_name_the_culprit(named: str, words: str) -> None:
    one = found("infreco", INFORMAL % named)
    assert words in one.message and (one.line, one.column) == (8, 4)


def test_unused_premises_are_allowed_in_informal_reconstructions() -> None:
    assert judged("infreco", INFORMAL % "[1]").name == "valid"  # to use them all is a virtue there


def test_where_the_parser_finds_no_conclusion() -> None:
    one = found("infreco", "<L>: g\n\n(1) Dogs are loyal.\n(2) Dogs are good.")
    assert one.code == "reconstruction.ends-with-premise" and "has no conclusion" in one.message


FORMAL = (
    "<Loyal>: g\n\n(1) If loyal, good. {{formalization: '{}', declarations: {{p: 'dogs are loyal', q: 'dogs are good'}}}}\n"
    "(2) Dogs are loyal. {{formalization: '{}'}}\n-- {{from: [1, 2]}} --\n(3) Dogs are good. {{formalization: '{}'}}"
)


@pytest.mark.parametrize(
    ("formulas", "code", "words", "line"),
    [
        (("q -> p", "p", "q"), "not-valid", "Then (1) and (2) are true, and (3) is not.", 9),
        (("p -> q", "p &", "q"), "formula", "The formula of (2), character 4", 7),
        (("p -> q", "p & -p", "q"), "inconsistent-premises", "The premises (1) and (2) cannot be true together", 6),
        (("p -> q", "P", "q"), "undeclared", "'p' is declared: spell it alike", 7),
        (("p -> q", "q", "q"), "petitio", "The premise (2) begs the question", 7),
        (("p -> q", "p", "q | -q"), "tautology", "The conclusion (3) is true whatever", 9),
        (("p -> q", "p", "p & (p -> q)"), "trivial-conjunction", "(3) only joins premises", 9),
        (("p -> q", "p(a)", "q"), "symbol-use", "'p' is a sentence letter in (1)", 7),
        (("p -> q", "p & x = x", "q"), "open-formula", "no quantifier binds it", 7),
    ],
)
def test_messages_of_logic(formulas: tuple[str, str, str], code: str, words: str, line: int) -> None:
    one = found("logreco", FORMAL.format(*formulas))
    assert (one.code, one.line) == (f"logic.{code}", line) and words in one.message


def test_what_cannot_be_decided_is_neither_right_nor_wrong() -> None:
    order = ["all x.exists y.R(x,y)", "all x.-R(x,x)", "all x y z.((R(x,y) & R(y,z)) -> R(x,z))"]
    lines = [f"({number}) Premise {number}. {{formalization: '{formula}'}}" for number, formula in enumerate(order, 1)]
    lines[0] = lines[0].replace("'}", "', declarations: {R: 'below'}}")
    text = "\n".join(
        ["<Order>: g", "", *lines, "-- {from: [1, 2, 3]} --", "(4) End. {formalization: 'exists x.all y.(-(x = y) -> R(y,x))'}"]
    )
    verdict = judged("logreco", text)
    assert verdict.name == "undecided" and [one.code for one in verdict.findings] == ["logic.not-valid.undecided"]


@pytest.mark.parametrize("name", [task.name for task in all_tasks() if task.name == task.target])
def test_broken_at_random_nothing_fails(name: str) -> None:
    """Lines and pieces of worked examples left out, doubled and swapped: a verdict, never a mistake in a check."""
    task, rng = get_task(name), random.Random(name)
    for _ in range(25):
        lines = task.example.answer.split("\n")
        for _ in range(rng.randint(1, 3)):
            place, other = rng.randrange(len(lines)), rng.randrange(len(lines))
            cut = rng.randrange(len(lines[place]) + 1)
            lines[place : place + 1] = rng.choice(
                [[], [lines[place]] * 2, [lines[other]], [lines[place][:cut]], [lines[place][cut:]], [lines[place].swapcase()]]
            )
        (verdict,) = verify(task, task.example.source, ["\n".join(lines)], task.example.reference, PROVER)
        assert all(one.code != "check.failed" for one in verdict.findings), "\n".join(lines)
        assert all(one.message and "Untitled" not in one.message for one in verdict.findings)  # no internal names


PIECES = (
    *(
        "<A>: g\n\n",
        "<B>\n\n",
        "<A>",
        "(1) ",
        "(2) ",
        "[C]",
        ": ",
        "x ",
        "\n",
        "\n\n",
        "-- {from: [1]} --\n",
        "----\n",
        "    >< ",
        "    <_ ",
    ),
    *("{a: [", "}", "{formalization: 'p'}", "{declarations: {p: 1}}", "{annotation_ids: [1]}"),
)


@given(st.lists(st.sampled_from(PIECES), max_size=25))
@settings(max_examples=120, deadline=None)
def test_bad_input_never_makes_a_check_fail(pieces: list[str]) -> None:
    text = "".join(pieces)
    for name in ("logreco", "argmap_plus_arganno_plus_logreco"):
        answer = '```xml\n<proposition id="1" supports="1" argument_label="A" ref_reco_label="1">x</proposition>\n```\n'
        answer += "".join(f"```argdown {{filename={file}}}\n{text}\n```\n" for file in ("map.ad", "reconstructions.ad"))
        (verdict,) = verify(get_task(name), "x", [answer], prover=PROVER)
        assert all(one.code != "check.failed" for one in verdict.findings), text


def hostile() -> Iterator[tuple[str, str]]:
    """Large answers that ask for more than linear work."""
    many = 3000
    lines = "".join(f"({number}) p{number}. {{formalization: 'p{number}', declarations: {{p{number}: 'a'}}}}\n" for number in range(many))
    named = ", ".join(map(str, range(many)))
    yield "logreco", f"```argdown\n<A>: g\n\n{lines}-- {{from: [{named}]}} --\n({many}) c. {{formalization: 'p1'}}\n```"
    conjunction = " & ".join(["p"] * 30_000)
    yield (
        "logreco",
        f"```argdown\n<A>: g\n\n(1) a. {{formalization: '{conjunction}'}}\n-- {{from: [1]}} --\n(2) b. {{formalization: 'p'}}\n```",
    )
    arguments = "".join(f"<A{number}>: g\n\n(1) [P]\n-- {{from: [1]}} --\n(2) [C]\n    >< [P]\n\n" for number in range(many))
    drawn = "[C]: c.\n" + "".join(f"    <+ <A{number}>\n" for number in range(many)) + "\n[P]: p.\n"
    drawn += "".join(f"    +> <A{number}>\n" for number in range(many))
    fence = '```argdown {filename="%s"}\n%s\n```\n'
    yield "argmap_plus_infreco", fence % ("map.ad", drawn) + fence % ("reconstructions.ad", arguments)
    passages = "".join(
        f'<proposition id="{number}" supports="{(number + 1) % many}" argument_label="A{number}" ref_reco_label="1">w</proposition> '
        for number in range(many)
    )
    chain = "".join(
        f"<A{number}>: g\n\n(1) [P{number}]: p{number}. {{annotation_ids: [{number}]}}\n-- {{from: [1]}} --\n(2) [P{number + 1}]\n\n"
        for number in range(many - 1)
    )
    yield "arganno_plus_infreco", f"```xml\n{passages}\n```\n```argdown\n{chain}<A{many - 1}>: g\n\n(1) [P{many - 1}]: x\n----\n(2) y.\n```"


@pytest.mark.parametrize(("task", "answer"), list(hostile()), ids=["premises", "conjunction", "product", "chain"])
@pytest.mark.timeout(90)
def test_large_answers_do_not_hang(task: str, answer: str) -> None:
    (verdict,) = verify(get_task(task), "w " * 3000, [answer], prover=PROVER)
    assert verdict.name != "valid"
