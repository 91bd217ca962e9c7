"""Each pair prefers the better side, under the prompt that is shown, whatever answers there are; known mistakes of pair building are not
made here."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from suasion.analysis.hirpo.pairs import KINDS, PreferencePair, build, generator_for, mix
from suasion.analysis.hirpo.pairs.failure import dominates
from suasion.analysis.hirpo.pairs.mistakes import chance
from suasion.analysis.hirpo.tries import Assignment, Criticised, Feedback, Outcome, Try
from suasion.analysis.tasks import Problem, get_task
from suasion.analysis.tasks.prompts import problem_prompt
from suasion.analysis.verification.verify import verify
from suasion.errors import SuasionError
from tests.analysis.hirpo.outcomes import CODES, SAMPLING, TASK, assignment, check, outcomes, text, verdict
from tests.analysis.hirpo.worlds import world

bounds = st.dictionaries(st.sampled_from(CODES), st.floats(0, 1), max_size=3)


@settings(max_examples=300, deadline=None)
@given(outcomes(), bounds, st.integers(0, 2**32), st.booleans())
def test_chosen_is_better_under_the_prompt_shown(outcome: Outcome, ask: dict[str, float], seed: int, virtues: bool) -> None:
    pairs = build(outcome, TASK.virtues if virtues else (), ask, generator_for(seed, "a"))
    for pair in pairs:
        check(pair, outcome)
    assert len({(pair.chosen, str(pair.prompt)) for pair in pairs}) == len(pairs)


@settings(max_examples=100, deadline=None)
@given(outcomes(), bounds, st.integers(0, 2**32))
def test_same_seed_same_pairs(outcome: Outcome, ask: dict[str, float], seed: int) -> None:
    first, second = (build(outcome, TASK.virtues, ask, generator_for(seed, outcome.assignment.key)) for _ in range(2))
    assert first == second


@settings(max_examples=200, deadline=None)
@given(outcomes(), st.integers(0, 2**32))
def test_a_valid_and_an_invalid_answer_always_give_a_pair(outcome: Outcome, seed: int) -> None:
    names = {one.verdict.name for one in outcome.distinct if one.verdict}
    pairs = build(outcome, TASK.virtues, {}, generator_for(seed, ""))
    if {"valid", "invalid"} <= names:
        assert pairs
    if "valid" in names:
        assert {pair.kind for pair in pairs} <= {"validity", "mistakes", "virtue"}


def _outcome(*verdicts: object, same: bool = False) -> Outcome:
    return Outcome(assignment(), tuple(Try(str(place), text(place + 1), one) for place, one in enumerate(verdicts)))  # type: ignore[arg-type]


def _kinds(outcome: Outcome, virtues: object = (), ask: dict[str, float] | None = None, draws: int = 400) -> dict[str, float]:
    """How often each kind arises."""
    found = dict.fromkeys(KINDS, 0)
    for seed in range(draws):
        for pair in build(outcome, virtues, ask or {}, generator_for(seed, "")):  # type: ignore[arg-type]
            check(pair, outcome)
            found[pair.kind] += 1
    return {kind: number / draws for kind, number in found.items() if number}


def test_where_no_virtue_tells_answers_apart_validity_does() -> None:
    nine = _outcome(*[verdict()] * 9, verdict("map.syntax"))
    assert _kinds(nine)["validity"] == 1.0  # the virtue branch is taken in 65 % of the draws, and has nothing


def test_virtue_at_the_fourth_power_of_the_share_that_is_valid() -> None:
    kinds = _kinds(_outcome(*[verdict()] * 3, verdict("map.syntax")), TASK.virtues, draws=1500)
    assert kinds["virtue"] == pytest.approx(0.75**4, abs=0.04)
    assert kinds["validity"] == pytest.approx(1 - 0.75**4, abs=0.04)


def test_all_valid_gives_virtue_or_nothing() -> None:
    assert _kinds(_outcome(verdict(), verdict()), TASK.virtues) == {"virtue": 1.0}
    assert _kinds(_outcome(verdict(), verdict())) == {}


def test_the_mirror_is_made_less_often_the_better_the_model_does() -> None:
    half = _outcome(verdict(), verdict("map.syntax"))
    most = _outcome(*[verdict()] * 3, verdict("map.syntax"))
    assert _kinds(half, draws=1500)["mistakes"] == pytest.approx(0.5, abs=0.04)
    assert _kinds(most, draws=1500)["mistakes"] == pytest.approx(0.25, abs=0.04)


def test_a_bound_holds_only_for_a_mistake_that_was_made() -> None:
    half = _outcome(verdict(), verdict("map.syntax"))
    assert _kinds(half, ask={"map.missing": 0.0})["mistakes"] > 0.4
    assert "mistakes" not in _kinds(half, ask={"map.syntax": 0.0})
    assert chance(0.2, ("map.syntax",), {"map.syntax": 0.5, "map.missing": 0.1}) == 0.5
    assert chance(0.0, ("annotation.source.missing",), {"annotation.source": 0.4}) == 0.4
    assert chance(0.7, ("map.syntax",), {"map.syntax": 0.5}) == pytest.approx(0.3)


def test_undecided_answers_are_in_no_pair() -> None:
    unknown = verdict(undecided=["limit.time"])
    assert _kinds(_outcome(verdict(), unknown), ()) == {}
    assert _kinds(_outcome(verdict("map.syntax"), unknown)) == {}
    assert _kinds(_outcome(unknown, unknown)) == {}


def test_failures_are_compared_only_where_one_dominates() -> None:
    assert _kinds(_outcome(verdict("map.syntax"), verdict("map.syntax", "map.missing"))) == {"failure": 1.0}
    assert _kinds(_outcome(verdict("map.syntax"), verdict("map.missing"))) == {}
    assert _kinds(_outcome(verdict("map.syntax"), verdict("map.syntax"))) == {}
    # as many kinds of mistakes and one less, but one of them twice
    assert _kinds(_outcome(verdict("map.syntax", "map.syntax"), verdict("map.syntax", "map.missing"))) == {}


def test_what_is_undecided_counts_against_the_chosen_failure() -> None:
    clean, doubtful = verdict("map.syntax"), verdict("map.syntax", undecided=["map.no-relation"])
    worse = verdict("map.syntax", "map.missing")
    made = {name: Try(name, name, one) for name, one in {"clean": clean, "doubtful": doubtful, "worse": worse}.items()}
    assert dominates(made["clean"], made["worse"]) and not dominates(made["doubtful"], made["worse"])
    assert not dominates(made["clean"], made["doubtful"])  # what is undecided in the rejected one is no mistake


def test_the_prompt_of_a_failure_pair_says_what_to_avoid_in_the_words_of_the_task() -> None:
    (pair,) = build(_outcome(verdict("map.syntax"), verdict("map.syntax", "map.unlabelled-claim")), (), {}, generator_for(0, ""))
    rule = next(check.requirement for check in TASK.checks if check.code == "map.unlabelled-claim")
    forgiven = next(check.requirement for check in TASK.checks if check.code == "map.syntax")
    assert pair.prompt[-1]["content"].count(rule) == 2 and f"Above all, see to this: {rule}" in pair.prompt[-1]["content"]
    assert f"forgiven here if this is not met: {forgiven}" in pair.prompt[-1]["content"]
    assert pair.codes == ("map.unlabelled-claim",)


def test_what_was_not_met_is_told_in_words_that_fit_any_answer() -> None:
    task = get_task("arganno")
    first, second = verdict("annotation.markup"), verdict("annotation.markup", "annotation.source.missing")
    asked = Assignment("a", "arganno", "arganno", Problem("Text."), problem_prompt(task, Problem("Text.")), 2, SAMPLING)
    (pair,) = build(Outcome(asked, (Try("0", text(1), first), Try("1", text(2), second))), (), {}, generator_for(0, ""))
    rule = next(one.requirement for one in task.checks if one.code == "annotation.source")
    assert f"Above all, see to this: {rule}" in pair.prompt[-1]["content"] and "number 1" not in pair.prompt[-1]["content"]


def _criticised(*shares: tuple[object, ...], words: str = "Mend it.") -> Outcome:
    """One invalid answer; for each feedback the verdicts on its revisions."""
    answer = Try("0", text(1), verdict("map.syntax"))
    number = 1
    feedbacks = []
    for place, revised in enumerate(shares):
        tries = []
        for of_revision, one in enumerate(revised):
            number += 1
            tries.append(Try(f"0.f{place}.r{of_revision}", text(number), one))  # type: ignore[arg-type]
        feedbacks.append(Feedback(f"0.f{place}", f"{words} {place}", tuple(tries)))
    return Outcome(assignment(), (answer,), (Criticised(answer, tuple(feedbacks)),))


def test_self_critique_gives_every_kind_of_pair() -> None:
    good, bad = verdict(), verdict("map.syntax")
    kinds = _kinds(_criticised((bad, bad), (good, good, good, bad)), TASK.virtues)
    assert set(kinds) == {"validity-revision", "mistakes-revision", "virtue-revision", "original-revision", "mistakes-original", "feedback"}
    assert kinds["feedback"] == kinds["original-revision"] == 1.0
    failed = _criticised((bad, verdict("map.syntax", "map.missing")))
    assert _kinds(failed) == {"failure-revision": 1.0}


def test_a_failed_critique_falls_back_to_the_first_answers() -> None:
    answers = (Try("0", text(1), verdict("map.syntax")), Try("1", text(2), verdict("map.syntax", "map.missing")))
    revised = Feedback("0.f0", "Mend it.", (Try("0.f0.r0", text(3), verdict("map.syntax")),))
    assert _kinds(Outcome(assignment(), answers, (Criticised(answers[0], (revised,)),))) == {"failure": 1.0}
    two = (*revised.revisions, Try("0.f0.r1", text(4), verdict("map.syntax", "map.missing")))
    both = Outcome(assignment(), answers, (Criticised(answers[0], (Feedback("0.f0", "Mend it.", two),)),))
    assert _kinds(both) == {"failure": 1.0, "failure-revision": 1.0}


def test_feedback_that_holds_the_answer_is_never_preferred() -> None:
    good, bad = verdict(), verdict("map.syntax")
    assert "feedback" in _kinds(_criticised((bad,), (good,)))
    assert "feedback" not in _kinds(_criticised((bad,), (good,), words=text(5)))


def test_feedback_after_which_nothing_is_known_is_not_worse() -> None:
    unknown = verdict(undecided=["limit.time"])
    assert "feedback" not in _kinds(_criticised((unknown,), (verdict(),)))


def test_a_row_that_is_no_pair_is_an_error() -> None:
    (pair,) = build(_outcome(verdict(), verdict("map.syntax")), (), {"map.syntax": 0.0}, generator_for(0, ""))
    row = pair.as_row()
    assert mix([pair.label]) == {"argmap": {"validity": 1}}
    for broken in ({}, row | {"kind": "nonsense"}, row | {"chosen": []}, row | {"prompt": ["x"]}):
        with pytest.raises(SuasionError, match="no preference pair"):
            PreferencePair.from_row(broken)


@pytest.mark.parametrize("name", ["arganno", "argmap", "infreco", "argmap_plus_arganno"])
def test_real_verdicts_on_real_answers(name: str) -> None:
    task = get_task(name)
    there = world(task, 3)
    said = [*there.valid, *there.mistaken, *there.more_mistaken]
    judged = dict(zip(said, verify(task, there.problem.source, said, there.problem.reference), strict=True))

    def outcome(answers: Sequence[str]) -> Outcome:
        asked = Assignment(name, name, name, there.problem, problem_prompt(task, there.problem), len(answers), SAMPLING)
        return Outcome(asked, tuple(Try(str(place), one, judged[one]) for place, one in enumerate(answers)))

    kinds = set()
    for seed in range(40):
        for answers in (said, there.valid, [*there.mistaken, *there.more_mistaken]):
            for pair in build(outcome(answers), task.virtues, {}, generator_for(seed, "")):
                kinds.add(pair.kind)
                chosen, rejected = judged[pair.chosen], judged[pair.rejected]
                if pair.kind == "failure":
                    assert {one.code for one in chosen.findings} < {one.code for one in rejected.findings}
                else:
                    assert (chosen.name == "valid") == (pair.kind != "mistakes")
                    assert (rejected.name == "valid") == (pair.kind in ("mistakes", "virtue"))
    assert kinds == {"validity", "mistakes", "virtue", "failure"}
