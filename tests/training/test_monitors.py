from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from suasion.errors import Refused
from suasion.training.monitors import LimitsConfig, Watch

numbers = st.fixed_dictionaries(
    {"reply_tokens": st.floats(1, 100), "kl": st.floats(0, 2), "entropy": st.floats(0, 4)}, optional={"loss": st.floats(-1, 1)}
)


def follow(watch: Watch, name: str, values: list[float]) -> int | None:
    """The step at which practice is stopped."""
    for step, value in enumerate(values, 1):
        watch.measure({name: value})
        try:
            watch.check(step)
        except Refused:
            return step
    return None


def test_one_odd_step_stops_nothing_and_five_do() -> None:
    limits = LimitsConfig(kl={"stop": 1.0}, entropy={"stop": 0.2})
    assert follow(Watch(limits), "kl", [0, 0, 4, 0, 0, 0, 0, 0]) is None
    assert follow(Watch(limits), "kl", [0, 0, 2, 2, 2, 2, 2]) == 5
    assert follow(Watch(limits), "kl", [9, 9]) is None  # too few steps to tell
    assert follow(Watch(limits), "entropy", [1, 1, 1, 0, 0, 0, 0, 0]) == 8


def test_what_stopped_it_is_said() -> None:
    watch = Watch(LimitsConfig(repetition={"stop": 0.5}))
    for _ in range(5):
        watch.measure({"repetition": 0.75})
    with pytest.raises(Refused, match=r"step 9: share of four-word runs .* 0\.75 .*practice\.limits\.repetition\.stop = 0\.5"):
        watch.check(9)


def test_a_warning_is_given_once_until_the_number_comes_back(capsys: pytest.CaptureFixture[str]) -> None:
    follow(Watch(LimitsConfig(cut_off={"warn": 0.5})), "cut_off", [1.0] * 9 + [0.0] * 5 + [1.0] * 5)
    told = [line for line in capsys.readouterr().err.splitlines() if "WARNING" in line]
    assert len(told) == 2 and "share of replies cut off is 1 (limit 0.5)" in told[0]


def test_length_is_held_against_the_first_steps() -> None:
    watch = Watch(LimitsConfig(length_drift={"stop": 1.5}))
    drifts = [watch.measure({"reply_tokens": tokens, "kl": 0.0})["length_drift"] for tokens in [10] * 5 + [20] * 5]
    assert drifts[:5] == [1.0] * 5 and drifts[-1] == 2.0
    watch.measure({"kl": 0.0})  # a row without replies changes nothing
    assert watch.measure({"reply_tokens": 20})["length_drift"] == 2.0


@given(st.lists(numbers, max_size=30), st.integers(0, 30))
def test_a_resumed_practice_knows_what_it_had_seen(rows: list[dict[str, float]], cut: int) -> None:
    whole = Watch(LimitsConfig())
    logged = [row | whole.measure(row) for row in rows]
    resumed = Watch(LimitsConfig(), [row | {"time": "2026-12-01", "plot": None} for row in logged[:cut]])
    assert [row | resumed.measure(row) for row in rows[cut:]] == logged[cut:]


def test_a_stop_before_the_warning_is_refused() -> None:
    with pytest.raises(ValueError, match=r"kl: stop \(0\.1\) comes before warn \(0\.2\)"):
        LimitsConfig(kl={"warn": 0.2, "stop": 0.1})
    with pytest.raises(ValueError, match="entropy: stop"):
        LimitsConfig(entropy={"warn": 0.2, "stop": 0.3})
