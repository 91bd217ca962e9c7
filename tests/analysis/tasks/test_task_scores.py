"""Graded scores: in [0, 1], more for more, and nothing for nothing."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from suasion.analysis.tasks import Task, all_tasks, get_task, scores
from suasion.analysis.tasks.measures.wording import copied, least_distance, overlap, similarity

SOURCE = "Dogs are loyal. We should keep dogs. They bark at night, though."


def of(name: str, answer: str, source: str = SOURCE) -> dict[str, float]:
    task = get_task(name)
    return scores(task, task.case(source, answer))


def pcs(first: str, conclusion: str) -> str:
    return (
        f"```argdown\n<A>: g\n\n(1) a {{formalization: '{first}'}}\n(2) b {{formalization: 'q'}}\n"
        f"-- {{from: ['1', '2']}} --\n(3) c {{formalization: '{conclusion}'}}\n```"
    )


@pytest.mark.parametrize("task", all_tasks(), ids=lambda task: task.name)
def test_examples_score_and_nothing_scores_nothing(task: Task) -> None:
    example = task.example
    found = scores(task, task.case(example.source, example.answer, example.reference))
    assert any(score > 0 for score in found.values()) and all(0 <= score <= 1 for score in found.values())
    assert set(scores(task, task.case(example.source, "")).values()) == {0.0}
    families = {"annotation": "annotation_coverage", "map": "map_size", "reconstruction": "premises"}
    assert {name for name in families.values() if name in found} == {families[name] for name in task.artefacts}
    assert ("predicate_logic" in found) == task.formal
    assert ("semantic_coherence" in found) == ("annotation" in task.artefacts and len(task.artefacts) > 1)


def test_annotation_scores() -> None:
    marked = '<proposition id="1" supports="2">Dogs are loyal.</proposition> <proposition id="2">We should keep dogs.</proposition>'
    found = of("arganno", f"```xml\n{marked} They bark at night, though.\n```")
    assert found["annotation_scope"] == pytest.approx(2 / 3)
    assert found["annotation_density"] == 1 / 4
    assert found["annotation_coverage"] == pytest.approx(30 / 53)


def test_map_scores() -> None:
    found = of("argmap", "```argdown\n[A]: Dogs are loyal\n  <+ <B>: b\n  <+ <C>: c\n  <- <D>: d\n```")
    assert found["map_size"] == pytest.approx(0.4)
    assert found["map_density"] == 2 * 3 / (4 * 3)
    assert found["map_source_proximity"] == 1 / 4


def test_reconstruction_scores() -> None:
    found = of("logreco", pcs("p", "r"))
    assert found["subarguments"] == 0.5 and found["premises"] == pytest.approx(0.3)
    assert found["predicate_logic"] == 0 and found["nontriviality"] == 1
    assert of("logreco", pcs("p", "q & p"))["nontriviality"] == 0
    assert of("logreco", pcs("F(a)", "F(b)"))["predicate_logic"] == pytest.approx(2 / 3)


TEXTS = st.lists(st.text(st.sampled_from("abc DE,é\0 "), max_size=20), max_size=6)


@given(texts=TEXTS, others=TEXTS)
@settings(max_examples=100, deadline=None)
def test_measures_stay_within_bounds(texts: list[str], others: list[str]) -> None:
    source = " ".join(others)
    assert 0 <= copied(texts, source) <= 1
    assert overlap(texts, others) == overlap(others, texts) and 0 <= overlap(texts, others) <= 1
    assert 0 <= least_distance(texts) <= 1
    assert 0 <= similarity(source, " ".join(texts)) <= 1
    if any(char.isalnum() for text in texts for char in text):
        assert copied(texts, " ".join(texts)) > 0 and overlap(texts, texts) == 1


def test_case_and_white_space_are_no_rewording() -> None:
    assert copied(["WE  SHOULD keep\ndogs"], SOURCE) == 1
    assert similarity("We  keep dogs", "we keep\ndogs") == 1
