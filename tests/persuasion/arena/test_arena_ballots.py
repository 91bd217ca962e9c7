from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from suasion.errors import SuasionError
from suasion.persuasion.arena.ballots import (
    Ballot,
    check_ballots,
    comparisons,
    from_row,
    read_ballots,
    swapped,
    view_changes,
    write_ballots,
)

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
BALLOTS = st.builds(
    Ballot,
    rater=TEXT,
    premise=TEXT,
    left=TEXT,
    right=TEXT,
    kind=st.sampled_from(["ballot", "gibberish", "repeat", "instructed"]),
    answer=st.sampled_from(["", "left", "right", "tie", "both_bad"]),
    strength=st.none() | st.integers(1, 3),
    reason=TEXT,
    before=st.none() | st.integers(1, 7),
    after=st.none() | st.integers(1, 7),
    shown_at=st.floats(0, 2e9),
    answered_at=st.floats(0, 2e9),
    place=st.integers(0, 500),
    expected=st.none() | TEXT,
    left_words=st.integers(0, 1000),
    right_words=st.integers(0, 1000),
    left_reply=TEXT,
    right_reply=TEXT,
    simulated=st.just(False),
)


@given(st.lists(BALLOTS, max_size=8, unique_by=lambda one: (one.rater, one.place)))
def test_what_is_written_is_read_back(tmp_path_factory: pytest.TempPathFactory, ballots: list[Ballot]) -> None:
    path = tmp_path_factory.mktemp("ballots") / "ballots.jsonl"
    assert read_ballots(write_ballots(ballots, path)) == ballots


@given(BALLOTS)
def test_a_swapped_ballot_gives_the_credit_to_the_other_side(ballot: Ballot) -> None:
    other = from_row(ballot.as_dict() | {"left": ballot.right, "right": ballot.left, "answer": swapped(ballot.answer)})
    assert other.credit == 1 - ballot.credit and other.pair == ballot.pair


def test_checks_and_unanswered_ballots_do_not_count() -> None:
    ballot = Ballot("r", "p", "a", "b", answer="left")
    check = from_row(ballot.as_dict() | {"kind": "gibberish"})
    opinion = from_row(ballot.as_dict() | {"answer": "", "before": 6, "after": 4})
    assert comparisons([ballot, check, opinion]) == [ballot] and view_changes([ballot, check, opinion]) == [opinion]
    assert opinion.fall == 2


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"premise": "p", "left": "a"}, "no rater"),
        ({"rater": "r", "premise": "p", "left": "a", "colour": 1}, "'colour' is unknown"),
        ({"rater": "r", "premise": "p", "left": "a", "answer": "both"}, "answer cannot be 'both'"),
        ({"rater": "r", "premise": "p", "left": "a", "kind": "practice"}, "kind cannot be"),
        ({"rater": "r", "premise": "p", "left": "a", "place": 1.5}, "place cannot be 1.5"),
        ({"rater": "r", "premise": "p", "left": "a", "place": True}, "place cannot be True"),
        ({"rater": "r", "premise": "p", "left": 3}, "left cannot be 3"),
        ({"rater": "r", "premise": "p", "left": "a", "simulated": "no"}, "simulated cannot be 'no'"),
        ({"rater": "r", "premise": "p", "left": "a", "answer": ["left"]}, "answer cannot be"),
        ([], "mapping"),
    ],
)
def test_a_line_that_is_no_ballot_is_named(tmp_path: Path, row: object, said: str) -> None:
    path = tmp_path / "ballots.jsonl"
    path.write_text(json.dumps(Ballot("r0", "p", "a").as_dict()) + "\n" + json.dumps(row) + "\n")
    with pytest.raises(SuasionError, match=said) as error:
        read_ballots(path)
    assert "line 2" in str(error.value)


def test_people_and_simulation_are_never_mixed() -> None:
    person, machine = Ballot("r", "p", "a", "b", answer="left"), Ballot("s", "p", "a", "b", answer="left", simulated=True)
    check_ballots([person]), check_ballots([machine])
    with pytest.raises(SuasionError, match="mixed with people's"):
        check_ballots([person, machine])
    with pytest.raises(SuasionError, match="mixed with people's"):
        check_ballots([machine], simulated=False)
    with pytest.raises(SuasionError, match="stands twice"):
        check_ballots([person, person])
