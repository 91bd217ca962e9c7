from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from suasion.analysis.hirpo.examples.answers import ANSWERS
from suasion.analysis.hirpo.examples.make import can_make, make_examples
from suasion.analysis.hirpo.examples.outline import labels, outline
from suasion.analysis.logic.prover import Prover
from suasion.analysis.tasks import Problem, Task, all_tasks, get_task
from suasion.analysis.verification.verify import verify

TEXT = (
    "We should close the old bridge. It was built for carts, and lorries shake it apart. Some say that the detour costs time. "
    "But a broken bridge costs lives. Therefore the council must act now."
)
MADE = [task for task in all_tasks() if can_make(task)]


def test_there_are_rules_for_nine_tasks() -> None:
    assert {task.name for task in MADE} == {
        *("arganno", "argmap", "infreco", "logreco", "argmap_plus_arganno"),
        *("arganno_from_argmap", "argmap_from_arganno", "infreco_from_arganno", "logreco_from_infreco"),
    }


@pytest.mark.parametrize("task", MADE, ids=lambda task: task.name)
def test_every_example_is_valid_and_about_its_text(task: Task) -> None:
    with Prover() as prover:
        made = make_examples(task, [TEXT, "Short.", TEXT.replace("bridge", "tunnel")], 5, 0, prover)
        assert len(made.examples) == 2 and made.dropped == {"too short": 1}
        for one in made.examples:
            (verdict,) = verify(get_task(one.task), one.problem.source, [one.answer], one.problem.reference, prover)
            assert verdict.name == "valid", verdict.findings
            word = "tunnel" if "tunnel" in one.problem.source else "bridge"
            assert word in one.answer


def test_the_outline_follows_signal_words() -> None:
    parts = outline(
        "Dogs bark too much. Admittedly they guard the house. But a lock does so too. Dogs should stay outside.", random.Random(0)
    )
    (claim,) = [number for number, part in enumerate(parts) if part.to is None]
    assert parts[claim].text == "Dogs should stay outside"
    assert (parts[0].to, parts[0].attacks) == (claim, False)
    assert (parts[1].to, parts[1].attacks) == (claim, True)
    assert (parts[2].to, parts[2].attacks) == (1, True)  # against the concession


WORDS = ["we", "should", "but", "must", "<b>", "x & y", "[a]:", "it's", "“no”", "3.5", "etc.", "{a: b}", "- b", "#t"]


@settings(max_examples=150, deadline=None)
@given(st.lists(st.lists(st.sampled_from(WORDS)), max_size=8), st.integers(0, 9))
def test_parts_lie_in_the_text_in_order_and_hang_together(sentences: list[list[str]], seed: int) -> None:
    source = " ".join(" ".join(sentence) + "." for sentence in sentences)
    parts = outline(source, random.Random(seed))
    place = 0
    for number, part in enumerate(parts):
        assert source[part.start : part.start + len(part.text)] == part.text and part.start >= place
        place = part.start + len(part.text)
        assert part.to != number and (part.to is None or 0 <= part.to < len(parts))
    assert [part.to for part in parts].count(None) == bool(parts)
    names = [label.lower() for label in labels(parts)]
    assert len(set(names)) == len(names)
    for make in ANSWERS.values():
        assert not parts or make(source, parts, random.Random(seed)).strip()


def test_real_texts_nearly_all_give_an_example(shared_data: Path) -> None:
    rows = [json.loads(line) for line in (shared_data / "debate-texts/arg-microtexts/microtexts.jsonl").read_text("utf-8").splitlines()]
    texts = [row["text"] for row in rows if row["lang"] == "en"][:60]
    with Prover() as prover:
        for name in ("argmap", "arganno", "infreco"):
            made = make_examples(get_task(name), texts, 60, 0, prover)
            assert len(made.examples) >= 57, made.dropped


def test_the_order_of_texts_follows_the_seed_and_the_number_only_cuts() -> None:
    texts = [TEXT.replace("bridge", word) for word in ("bridge", "tunnel", "road", "ferry")]
    with Prover() as prover:
        few, all_, again = (make_examples(get_task("argmap"), texts, number, 1, prover).examples for number in (2, 9, 9))
    assert few == all_[:2] and all_ == again and len(all_) == 4
    assert isinstance(all_[0].problem, Problem)
