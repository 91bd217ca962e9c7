from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from suasion.files import read_jsonl
from suasion.runs.run import Run
from suasion.training.ngrams import distinct, repetition
from suasion.training.replies import Rewards
from suasion.training.rewards import LengthTerm, ShapingConfig, taken_off
from suasion.training.settings import OnlineConfig

words = st.lists(st.sampled_from(["tea", "is", "good", "because", "evidence"]), max_size=60).map(" ".join)


@given(
    st.tuples(words, st.booleans(), st.floats(-50, 50)),
    st.tuples(words, st.booleans(), st.floats(-50, 50)),
    st.tuples(st.floats(0.001, 5), st.floats(0, 5), st.floats(0, 5)),
    st.floats(1, 3),
)
def test_no_term_turns_what_the_judge_separates(
    one: tuple[str, bool, float], other: tuple[str, bool, float], weights: tuple[float, float, float], room: float
) -> None:
    config = ShapingConfig(
        margin=sum(weights) * room,
        length=LengthTerm(weight=weights[0], free_words=5, full_words=30),
        repetition=weights[1],
        no_end=weights[2],
    )
    assume(abs(one[2] - other[2]) > config.margin + 1e-9)
    replies, whole, scores = [one[0], other[0]], [one[1], other[1]], [one[2], other[2]]
    rewards = np.array(scores) - sum(taken_off(config, ["a view"] * 2, replies, whole).values())
    assert (rewards[0] > rewards[1]) == (scores[0] > scores[1])
    assert all((values >= 0).all() for values in taken_off(config, ["a view"] * 2, replies, whole).values())


def test_terms_that_could_turn_an_order_are_refused() -> None:
    with pytest.raises(ValueError, match=r"take off 0\.6 together .* margin = 0\.5"):
        ShapingConfig(margin=0.5, no_end=0.4, repetition=0.2)
    with pytest.raises(ValueError, match="larger than free_words"):
        LengthTerm(weight=1, free_words=9, full_words=9)


def test_what_is_taken_off_by_hand() -> None:
    config = ShapingConfig(margin=2, length=LengthTerm(weight=1, free_words=2, full_words=6), repetition=0.5, no_end=0.5)
    found = taken_off(config, ["a view"] * 3, ["a b", "a b c d", "a b c d a b c d a b c d"], [True, False, True])
    assert found["length_penalty"].tolist() == [0, 0.5, 1]
    assert found["no_end_penalty"].tolist() == [0, 0.5, 0]
    assert found["repetition_penalty"] == pytest.approx([0, 0, 0.5 * (1 - 4 / 9)])
    assert taken_off(ShapingConfig(), ["a view"], ["a"], [True]) == {}


@given(words, st.integers(2, 6))
def test_loops_are_seen(reply: str, times: int) -> None:
    assert 0 <= repetition(reply) < 1 and 0 < distinct([reply]) <= 1
    assume(len(reply.split()) >= 4)
    assert repetition(" ".join([reply] * (times + 1))) > repetition(" ".join([reply] * times)) or repetition(reply) > 0.5
    assume(len(set(zip(*(reply.split()[part:] for part in range(3)), strict=False))) == len(reply.split()) - 2)
    assert distinct([reply] * times) == pytest.approx(1 / times)


def test_rewards_are_the_score_less_the_terms_and_worst_where_cut_off(tmp_path: Path) -> None:
    config = OnlineConfig(shaping={"margin": 1, "length": {"weight": 1, "free_words": 1, "full_words": 3}}, num_generations=4)
    told: dict[str, float] = {}
    with Run.start(tmp_path, "GRPO", config={}) as run:
        rewards = Rewards(lambda premises, replies: [1.0, 2.0, 3.0, 9.0], run, config)
        found = rewards(["p"] * 4, ["a", "a b", "a b c", "a"], [True, True, True, False], 0, lambda name, value: told.update({name: value}))
    assert found.tolist() == [1.0, 1.5, 2.0, 1.0]
    assert told["judge_score"] == 3.75 and told["length_penalty"] == 0.375 and told["dead_groups"] == 0
    assert read_jsonl(run.path / "samples.jsonl")[0]["rewards"] == found.tolist()
