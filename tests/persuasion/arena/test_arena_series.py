from __future__ import annotations

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from suasion.persuasion.arena.layout import Slot
from suasion.persuasion.arena.series import make_series
from suasion.persuasion.arena.study import Study


@settings(deadline=None)
@given(
    count=st.integers(1, 30),
    repeats=st.integers(0, 4),
    reading=st.integers(0, 3),
    number=st.integers(1, 50),
    design=st.sampled_from(["preference", "change-of-view"]),
    practice=st.booleans(),
)
def test_every_series_is_as_it_should_be(count: int, repeats: int, reading: int, number: int, design: str, practice: bool) -> None:
    study = Study.model_validate({"repeat_checks": repeats, "reading_checks": reading, "design": design, "practice": practice})
    compare = design == "preference"
    slots = [Slot(f"p{index}", ("a", "b") if compare else ("a",)) for index in range(count)]
    turns = make_series(study, slots, number)
    assert turns == make_series(study, slots, number)
    assert [turn.place for turn in turns] == list(range(-2 if practice else 0, len(turns) - (2 if practice else 0)))
    assert [turn.kind == "practice" for turn in turns] == [turn.place < 0 for turn in turns]
    ballots = {turn.premise: turn for turn in turns if turn.kind == "ballot"}
    assert set(ballots) == {slot.premise for slot in slots}
    kinds = Counter(turn.kind for turn in turns)
    assert kinds["gibberish" if compare else "instructed"] == reading
    assert kinds["repeat"] == (min(repeats, count // 2) if compare and count >= 4 else 0)
    for turn in turns:
        if turn.kind == "repeat":
            first = ballots[turn.premise]
            assert (turn.left, turn.right) == (first.right, first.left) and turn.place >= first.place + 3
    if compare:
        assert abs(2 * sum(turn.left == "a" for turn in ballots.values()) - count) <= 1
    else:
        assert not any(turn.right for turn in turns)
