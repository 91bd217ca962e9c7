"""All virtues: each tells a better answer from a worse one, and none of them fails whatever the answer holds."""

from __future__ import annotations

import math
import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from suasion.analysis.tasks import all_tasks, get_task, scores
from suasion.analysis.tasks.virtues import all_virtues, virtues_for
from suasion.analysis.verification.case import ArtefactName, Case

SOURCE = "We should keep dogs because dogs are loyal to their people. Some say that dogs bark loudly at night. Yet trained dogs are quiet."
FILES: dict[ArtefactName, tuple[str, str]] = {
    "annotation": ("xml", "annotation.txt"),
    "map": ("argdown", "map.ad"),
    "reconstruction": ("argdown", "reconstructions.ad"),
}
P = "PreferencePairGenerator"


def case(reference: str = "", **artefacts: str) -> Case:
    """An answer with these artefacts."""
    names: tuple[ArtefactName, ...] = tuple(name for name in FILES if name in artefacts)
    blocks = (f'```{FILES[name][0]} {{filename="{FILES[name][1]}"}}\n{artefacts[name]}\n```' for name in names)
    return Case("\n\n".join(blocks), SOURCE, reference, names)


def annotation(text: str, reference: str = "") -> Case:
    """``1 Some words. >2 -3`` a line becomes a proposition with id, text, supports and attacks; ``@`` gives a label."""
    return case(reference, annotation=marked(text))


def marked(text: str) -> str:
    lines = []
    for line in text.strip().splitlines():
        name, _, rest = line.strip().partition(" ")
        words = [word for word in rest.split() if word[0] not in ">-@"]
        signs = {sign: " ".join(word[1:] for word in rest.split() if word[0] == sign) for sign in ">-@"}
        attributes = {"supports": signs[">"], "attacks": signs["-"], "argument_label": signs["@"]}
        given_ = "".join(f' {key}="{value}"' for key, value in attributes.items() if value)
        lines.append(f'<proposition id="{name}"{given_}>{" ".join(words)}</proposition>')
    return " ".join(lines)


def drawn(text: str) -> Case:
    return case(map=text)


def taken_apart(*lines: str, gist: str = "g", reference: str = "") -> Case:
    """Lines of a reconstruction; ``<1,2`` before one makes it a conclusion from these."""
    return case(reference, reconstruction=structure(*lines, gist=gist))


def structure(*lines: str, gist: str = "g", title: str = "A") -> str:
    out = [f"<{title}>: {gist}", ""]
    for number, line in enumerate(lines, 1):
        sources = re.match(r"<(\S*) ", line)
        if sources:
            out.append(f"-- {{from: [{sources[1]}]}} --")
            line = line[sources.end() :]
        out.append(f"({number}) {line}")
    return "\n".join(out)


def formal(*lines: tuple[str, str], declarations: str = "") -> Case:
    """Sentences with formulas; all declarations stand on the first line."""
    shown = [
        f"{text} {{formalization: '{formula}'{f', declarations: {{{declarations}}}' if not number else ''}}}"
        for number, (text, formula) in enumerate(lines)
    ]
    shown[-1] = f"<1 {shown[-1]}"
    return taken_apart(*shown)


FOUR = drawn("[A]: one\n  <+ <B>: two\n  <+ <C>: three\n  <- <D>: four")
CHAIN = drawn("[A]: one\n  <+ <B>: two\n    <+ <C>: three\n      <- <D>: four")
BROKEN = drawn("[A]: one\n  <+ <B>: two\n\n[C]: three\n  <- <D>: four")
COPIED = "Dogs are loyal to their people."
REWORDED = "Faithfulness is typical of these animals."
ONE_STEP = taken_apart("Dogs are loyal.", "What is loyal should be kept.", "<1,2 Dogs should be kept.")
TWO_STEPS = taken_apart("Dogs are loyal.", "<1 Dogs are good.", "Good is to be kept.", "<2,3 Dogs should be kept.")
SPARE = taken_apart("Dogs are loyal.", "Cats are not.", "<1 Dogs should be kept.")
LONG_LINES = taken_apart(
    "Dogs are, all things considered, loyal to the people they live with.", "<1 Dogs should therefore be kept by all of us."
)
OWN = taken_apart(REWORDED, f"<1 {REWORDED} indeed")
THEIRS = taken_apart("dogs are loyal to their people", "<1 We should keep dogs")
PREDICATES = formal(
    ("Dogs are loyal.", "all x.(D(x) -> L(x))"),
    ("Rex is loyal.", "L(r)"),
    declarations="D: 'x is a dog', L: 'x is loyal', r: 'Rex'",
)
LETTERS = formal(("Dogs are loyal.", "p"), ("Rex is loyal.", "q"), declarations="p: 'prices rise', q: 'people vote'")

REFERENCE_MAP = "[Keep]: We should keep dogs.\n  <+ <Loyal>: Dogs are loyal.\n  <- <Bark>: Dogs bark loudly."
REFERENCE_ANNOTATION = marked("1 We should keep dogs\n2 dogs are loyal to their people >1\n3 dogs bark loudly at night -1")
MIRRORED = "1 We should keep dogs @Keep\n2 dogs are loyal @Loyal >1\n3 dogs bark loudly @Bark -1"
MAPPED = "[Keep]: We should keep dogs {annotation_ids: ['1']}\n  <+ <Loyal>: dogs are loyal to their people {annotation_ids: [2]}\n"
MAPPED_WHOLE = MAPPED + "  <- <Bark>: dogs bark loudly at night {annotation_ids: ['3']}"
SEGMENTS = "1 dogs are loyal to their people @A\n2 We should keep dogs @A"

SHAPES = {
    "Connectedness": (FOUR, BROKEN),
    "MaxArgs": (FOUR, BROKEN),
    "MaxSupports": (FOUR, BROKEN),
    "MaxAttacks": (FOUR, drawn("[A]: one\n  <+ <B>: two")),
}
INFORMAL = {
    "FewIntermediateConclusions": (ONE_STEP, TWO_STEPS),
    "ManyIntermediateConclusions": (TWO_STEPS, ONE_STEP),
    "Simplicity": (ONE_STEP, LONG_LINES),
    "Verbosity": (LONG_LINES, ONE_STEP),
    "IndependentWording": (OWN, THEIRS),
    "SourceTextProximity": (THEIRS, OWN),
}
FAITHFUL = (PREDICATES, LETTERS)
NEAR = case(annotation=marked(SEGMENTS), reconstruction=structure("dogs are loyal to their people {annotation_ids: ['1']}", "<1 c"))
FAR = case(annotation=marked(SEGMENTS), reconstruction=structure(f"{REWORDED} {{annotation_ids: ['1']}}", "<1 c"))

BETTER_AND_WORSE: dict[str, dict[str, tuple[Case, Case]]] = {
    "arganno": {
        "AnnotationScope": (annotation("1 a\n2 b"), annotation("1 a b")),
        "AnnotationSupports": (annotation("1 a\n2 b >1\n3 c >1"), annotation("1 a\n2 b >1 >1 >1 >9\n3 c -1")),
        "AnnotationAttacks": (annotation("1 a\n2 b -1\n3 c -1"), annotation("1 a\n2 b -1\n3 c")),
        "AnnotationNoAttacks": (annotation("1 a\n2 b -1\n3 c"), annotation("1 a\n2 b -1\n3 c -1")),
        "AnnotationCoverage": (annotation("1 a long passage"), annotation("1 short\n2 one")),
    },
    "argmap": {
        **SHAPES,
        "Balance": (drawn("[A]: a\n  <+ <B>: b\n  <- <C>: c"), FOUR),
        "MaxDiameter": (CHAIN, FOUR),
        "MinDiameter": (FOUR, CHAIN),
        "Density": (drawn("[A]: a\n  <+ <B>: b\n  <- <C>: c\n    <- <B>"), drawn("[A]: a\n  <+ <B>: b\n  <- <C>: c")),
        "MaxInDegree": (FOUR, CHAIN),
        "MaxOutDegree": (drawn("<A>: a\n  +> [B]: b\n  +> [C]: c"), CHAIN),
        "MinLeafs": (CHAIN, FOUR),
        "ShortLabels": (FOUR, drawn("[A long label]: one\n  <+ <Another one>: two")),
        "DiverseLabels": (drawn("[Dogs]: a\n  <+ <Loyal>: b"), drawn("[Dogs 1]: a\n  <+ <Dogs 2>: b")),
        "ShortClaims": (drawn("[A]: short"), drawn("[A]: not so short at all")),
        "LongClaims": (drawn("[A]: not so short at all"), drawn("[A]: short")),
        "ArgumentClaimSize": (drawn("[A]: ten signs.\n  <+ <B>: twenty-five signs or so."), drawn("[A]: ten signs.\n  <+ <B>: b")),
        "IndependentWording": (drawn(f"[A]: {REWORDED}"), drawn(f"[A]: {COPIED}")),
        "SourceTextProximity": (drawn(f"[A]: {COPIED}"), drawn(f"[A]: {REWORDED}")),
    },
    "infreco": {**INFORMAL, "NoUnusedProps": (ONE_STEP, SPARE)},
    "logreco": {**INFORMAL, "PredicateLogic": (PREDICATES, LETTERS), "FormalizationsFaithfulness": FAITHFUL},
    "arganno_from_argmap": {
        "ArgmapTextProximity": (annotation("1 We should keep dogs", REFERENCE_MAP), annotation("1 Yet trained", REFERENCE_MAP)),
        "ArgmapGraphProximity": (annotation(MIRRORED, REFERENCE_MAP), annotation(MIRRORED.replace("-1", ">1"), REFERENCE_MAP)),
    },
    "argmap_from_arganno": {
        "AnnotationTextProximity": (case(REFERENCE_ANNOTATION, map=MAPPED), case(REFERENCE_ANNOTATION, map="[A]: Yet trained")),
        "AnnotationGraphProximity": (case(REFERENCE_ANNOTATION, map=MAPPED_WHOLE), case(REFERENCE_ANNOTATION, map=MAPPED)),
    },
    "infreco_from_arganno": {
        "AnnotationProximity": (
            taken_apart("dogs are loyal to their people", "<1 c", reference=REFERENCE_ANNOTATION),
            taken_apart("c", "<1 dogs are loyal to their people", reference=REFERENCE_ANNOTATION),
        )
    },
    "logreco_from_infreco": {
        "InfrecoProximity": (
            taken_apart("Dogs are loyal.", "<1 Keep dogs.", reference=structure("Dogs are loyal.", "<1 Keep them.")),
            taken_apart("Cats purr.", "<1 Feed cats.", reference=structure("Dogs are loyal.", "<1 Keep them.")),
        )
    },
    "arganno_plus_infreco": {"AnnotationProximity": (NEAR, FAR)},
    "argmap_plus_arganno": {
        "AnnotationProximity": (
            case(annotation=marked("1 dogs are loyal @B"), map="[A]: x\n  <+ <B>: dogs are loyal"),
            case(annotation=marked("1 dogs are loyal @A"), map="[A]: x\n  <+ <B>: dogs are loyal"),
        )
    },
    "argmap_plus_infreco": {"Simplicity": INFORMAL["Simplicity"]},
    "argmap_plus_logreco": {"GlobalFormalizationsFaithfulness": FAITHFUL},
}
CT = {**SHAPES, "SourceTextProximity": BETTER_AND_WORSE["argmap"]["SourceTextProximity"]}
PAIRS = {f"{task}.{name}{P}": pair for task, table in BETTER_AND_WORSE.items() for name, pair in table.items()} | {
    f"argmap_plus_infreco.{name}{P}CT": pair for name, pair in CT.items()
}


def test_there_are_all_of_them() -> None:
    assert len(PAIRS) == 53
    assert set(PAIRS) == set(all_virtues())


@pytest.mark.parametrize("name", PAIRS)
def test_each_tells_better_from_worse(name: str) -> None:
    better, worse = PAIRS[name]
    score = all_virtues()[name].score
    assert score(better) > score(worse)


def test_each_has_a_hint_of_its_own_within_a_task() -> None:
    for task in all_tasks():
        hints = [virtue.hint for virtue in task.virtues]
        assert all(hint.endswith(".") and len(hint) > 20 for hint in hints) and len(set(hints)) == len(hints)


def test_copied_and_reworded_differ_whatever_the_length_of_the_source() -> None:
    virtue = all_virtues()[f"argmap.IndependentWording{P}"]
    source = SOURCE + " Other words stand here, and there are very many of them." * 200
    copied, reworded = (Case(f"```argdown\n[A]: {text}\n```", source) for text in (COPIED, REWORDED))
    assert virtue.score(copied) == 0 and virtue.score(reworded) == 1


def test_a_circle_has_a_depth() -> None:
    score = all_virtues()[f"argmap.MaxDiameter{P}"].score
    assert score(drawn("[A]: a\n  <+ [B]: b\n    <+ [A]")) == 1
    assert score(drawn("[A]: a\n  <+ [B]: b\n    <+ [C]: c\n      <+ [A]\n\n[X]: x\n  <+ [Y]: y")) == 2
    assert score(drawn("[A]: a\n  <+ [A]")) == 0


def test_texts_keep_the_order_of_the_text() -> None:
    score = all_virtues()[f"argmap.LongClaims{P}"].score
    assert score(drawn("[A]: first\n\n[A]: the second is longer")) == len("first")


def test_a_virtue_is_for_the_tasks_it_names() -> None:
    assert {virtue.name for virtue in virtues_for("logreco_from_infreco")} == {
        f"{name}{P}" for name in ("InfrecoProximity", "PredicateLogic", "FormalizationsFaithfulness", "Simplicity")
    }
    assert virtues_for("no_such_task") == ()


OPENINGS = ["```xml {filename='annotation.txt'}\n", "```argdown {filename=map.ad}\n", "```argdown {filename=reconstructions.ad}\n"]
MARKS = ['<proposition id="1" supports="1 2" argument_label="A">', '<proposition id="2" attacks="1">', "</proposition>", "dogs ", "&amp;"]
NODES = ["\n[A]: a", "\n<A>: g", "\n  <+ [B]", "\n  <- <C>: c", "\n  >< [A]", "\n----", "\n\n(1) p", "\n(2) q"]
DATA = ["\n-- {from: [1, '2', [3]]} --", " {formalization: 'p & -p', declarations: {p: 7, q: 'x'}}", " {annotation_ids: ['1', 2, {a: b}]}"]
SOUP = st.lists(st.sampled_from([*OPENINGS, "\n```\n", *MARKS, *NODES, *DATA, "\0", "é", "{"]), max_size=25).map("".join)


@example(answer="```argdown\n<A>: g\n\n-- {from: [1]} --<B>\n(1) <C>\n```", source="", reference="")
@given(answer=SOUP, source=st.sampled_from(["", SOURCE]), reference=st.one_of(st.just(""), SOUP))
@settings(max_examples=150, deadline=None)
def test_neither_virtues_nor_scores_fail_whatever_the_answer_holds(answer: str, source: str, reference: str) -> None:
    for task in all_tasks():
        one = task.case(source, answer, reference)
        for virtue in task.virtues:
            assert math.isfinite(virtue.score(one)) and virtue.score(one) >= 0
        assert all(0 <= score <= 1 for score in scores(task, one).values())


@pytest.mark.parametrize("answer", ["", " ", "```argdown\n```", "```xml\n```", "```argdown\n[A]\n```", "```argdown\n[]: \n```"])
def test_nothing_scores_nothing_but_what_is_counted(answer: str) -> None:
    for name in ("argmap", "infreco", "logreco", "arganno"):
        for virtue in get_task(name).virtues:
            assert math.isfinite(virtue.score(get_task(name).case(SOURCE, answer)))
