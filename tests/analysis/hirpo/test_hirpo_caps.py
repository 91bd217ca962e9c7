"""Caps by task and kind, over labels alone."""

from __future__ import annotations

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from suasion.analysis.hirpo.pairs import PairsConfig, generator_for, kept, mix

labels = st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from(["validity", "virtue", "failure"])), max_size=80)


@settings(deadline=None)
@given(labels, st.integers(0, 12), st.integers(0, 12), st.integers(0, 99))
def test_caps_hold_and_nothing_more_is_lost(given_labels: list[tuple[str, str]], task: int, kind: int, seed: int) -> None:
    caps = PairsConfig(most_per_task=task, most_per_kind=kind)
    places = kept(given_labels, caps, generator_for(seed, ""))
    assert places == sorted(set(places)) and places == kept(given_labels, caps, generator_for(seed, ""))
    before, after = Counter(given_labels), Counter(given_labels[place] for place in places)
    for entry in "abc":
        left = {label: number for label, number in after.items() if label[0] == entry}
        there = {label: min(number, kind or number) for label, number in before.items() if label[0] == entry}
        assert all(number <= there[label] for label, number in left.items())
        assert sum(left.values()) == (min(sum(there.values()), task) if task else sum(there.values()))


def test_a_cap_on_a_task_leaves_rare_kinds_alone() -> None:
    many = [("argmap", "validity")] * 100 + [("argmap", "virtue")] * 50 + [("argmap", "feedback")] * 3
    left = kept(many, PairsConfig(most_per_task=23), generator_for(0, ""))
    assert mix([many[place] for place in left]) == {"argmap": {"feedback": 3, "validity": 10, "virtue": 10}}


def test_which_pairs_stay_is_drawn() -> None:
    many = [("argmap", "validity")] * 100
    drawn = [kept(many, PairsConfig(most_per_kind=10), generator_for(seed, "")) for seed in range(2)]
    assert drawn[0] != drawn[1] and all(max(one) > 50 for one in drawn)
