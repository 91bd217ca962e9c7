from __future__ import annotations

from suasion.persuasion.arena.ballots import Ballot, from_row
from suasion.persuasion.arena.imagined import imagined_study
from suasion.persuasion.arena.screening import Screening, consistency, reasons_against, screen
from suasion.persuasion.arena.simulate import World

SYSTEMS = ("base", "sft", "grpo")

RULES = Screening()


def series(answers: str, seconds: float = 20.0, checks: str = "") -> list[Ballot]:
    """One rater's ballots: l, r, t a letter; checks: p passed, f failed."""
    words = {"l": "left", "r": "right", "t": "tie"}
    ballots = [
        from_row({"rater": "r", "premise": f"p{i}", "left": "a", "right": "b", "answer": words[one], "answered_at": seconds, "place": i})
        for i, one in enumerate(answers)
    ]
    return ballots + [
        Ballot("r", "q", "(good)", "(gibberish)", "gibberish", "left", expected="left" if one == "p" else "right", place=100 + i)
        for i, one in enumerate(checks)
    ]


def test_each_rule_is_told_with_its_figures() -> None:
    assert reasons_against(series("lrlrlrltrlrl", checks="ppp"), RULES) == []
    assert reasons_against(series("lrlr", checks="pf"), RULES) == ["attention checks failed: 1 of 2 passed"]
    assert reasons_against(series("lrlr", seconds=1.5), RULES) == ["too fast: 1.5 seconds in the median"]
    assert reasons_against(series("l" * 14 + "t"), RULES) == ["one side: 100% of 14 decided answers"]
    assert reasons_against(series("l" * 11), RULES) == []  # eleven on one side happen by chance
    assert reasons_against(series("lr"), Screening(min_ballots=3)) == ["too few ballots: 2 of 3"]


def test_checks_of_a_study_of_changed_views() -> None:
    def told(**more: object) -> list[str]:
        return reasons_against(
            [from_row({"rater": "r", "premise": "p", "left": "a", **more})], Screening(min_ballots=1, min_median_seconds=0)
        )

    few = "too few ballots: 0 of 1"
    assert told(kind="gibberish", before=5, after=4) == [few]
    assert told(kind="gibberish", before=6, after=3) == [few, "attention checks failed: 0 of 1 passed"]
    assert told(kind="instructed", before=6, after=3, expected="3") == [few]
    assert told(kind="instructed", before=6, after=4, expected="3") == [few, "attention checks failed: 0 of 1 passed"]


def test_rules_are_blind_to_the_systems() -> None:
    ballots = imagined_study(World(strengths={"grpo": 1.0}, lazy=0.3), seed=0)
    names = dict(zip(SYSTEMS, ("x", "y", "z"), strict=True))
    renamed = [
        from_row(one.as_dict() | {"left": names.get(one.left, one.left), "right": names.get(one.right, one.right)}) for one in ballots
    ]
    assert screen(ballots, RULES).dropped == screen(renamed, RULES).dropped


def test_the_lazy_are_found_and_the_diligent_kept() -> None:
    ballots = imagined_study(World(strengths={"grpo": 1.0}, lazy=0.3), seed=0)
    found = screen(ballots, RULES)
    assert found.raters == 30 and 4 <= len(found.dropped) <= 14  # of about 9 lazy ones
    assert all(any(reason.startswith("too fast") for reason in reasons) for reasons in found.dropped.values())
    assert {one.rater for one in found.kept} | set(found.dropped) == {one.rater for one in ballots}
    diligent = screen(imagined_study(World(strengths={"grpo": 2.0}, side=0.5), seed=0), RULES)
    assert not diligent.dropped and diligent.by_rule() == {}


def test_a_repeated_pair_is_consistent_where_the_reply_wins_on_both_sides() -> None:
    first = series("lrt")
    again = [
        from_row(one.as_dict() | {"kind": "repeat", "left": "b", "right": "a", "place": 50 + one.place, "answer": "right"}) for one in first
    ]
    values, repeats = consistency(first + again)
    assert values == [1.0, 0.0, 0.0] and repeats == again
