from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from suasion.errors import SuasionError
from suasion.persuasion.dataset import Pair
from suasion.persuasion.judging.augment import RrmConfig, augment

#: Few debates, premises and texts, so that views posted twice and replies posted in several debates come up.
pairs_of_debates = st.lists(
    st.tuples(st.integers(0, 5), st.integers(0, 4), st.integers(0, 30), st.integers(0, 30)).filter(lambda row: row[2] != row[3]),
    min_size=1,
    max_size=12,
).map(
    lambda rows: [
        Pair(f"d{debate}", f"premise {premise}", f"w{i}", f"text {winner}", f"l{i}", f"text {loser}", i, None)
        for i, (debate, premise, winner, loser) in enumerate(rows)
    ]
)
configs = st.builds(RrmConfig, foreign=st.integers(0, 3), ties=st.integers(0, 2))


def at_home(pairs: list[Pair], row: Pair) -> set[str]:
    """The replies of the row's debate, and of other debates with the same premise."""
    own = [pair for pair in pairs if pair.debate_id == row.debate_id or pair.premise == row.premise]
    return {text for pair in own for text in (pair.winner, pair.loser)}


@given(pairs_of_debates, configs, st.integers(0, 3))
def test_no_text_is_a_stranger_to_its_own_debate_and_every_row_is_meant(pairs: list[Pair], config: RrmConfig, seed: int) -> None:
    try:
        rows = augment(pairs, config, seed)
    except SuasionError as error:
        assert "no other debate" in str(error)
        return
    size = 1 + config.foreign + 2 * config.ties
    assert len(rows) == size * len(pairs)
    for number, pair in enumerate(pairs):
        own, *added = rows[number * size : (number + 1) * size]
        assert own == pair
        assert all((row.debate_id, row.premise) == (pair.debate_id, pair.premise) for row in added)
        home = at_home(pairs, pair)
        for row in added[: config.foreign]:
            assert row.winner in (pair.winner, pair.loser) and row.loser not in home
        ties = added[config.foreign :]
        for one, other in zip(ties[::2], ties[1::2], strict=True):
            assert (one.winner, one.loser) == (other.loser, other.winner)
            assert {one.winner, one.loser}.isdisjoint(home)
    assert augment(pairs, config, seed) == rows


@given(pairs_of_debates)
def test_an_id_stays_with_its_text(pairs: list[Pair]) -> None:
    known = {pair.winner_id: (pair.winner, pair.winner_created) for pair in pairs}
    known |= {pair.loser_id: (pair.loser, pair.loser_created) for pair in pairs}
    try:
        rows = augment(pairs, RrmConfig(foreign=2), 0)
    except SuasionError:
        return
    for row in rows:
        assert known[row.winner_id] == (row.winner, row.winner_created)
        assert known[row.loser_id] == (row.loser, row.loser_created)


def test_a_sign_of_the_text_alone_wins_as_often_as_it_loses() -> None:
    """Winners are long, losers short. After RRM, long wins no oftener among the rows that were added."""
    pairs = [Pair(f"d{i}", f"premise {i}", f"w{i}", f"long long long {i}", f"l{i}", f"short {i}") for i in range(400)]
    rows = augment(pairs, RrmConfig(foreign=1, ties=1), 0)
    added = [row for row in rows if row not in pairs and row.winner.startswith("long") != row.loser.startswith("long")]
    wins = Counter(row.winner.startswith("long") for row in added)
    assert wins[True] + wins[False] > 900
    assert abs(wins[True] / len(added) - 0.5) < 0.05


def test_another_seed_makes_other_rows() -> None:
    pairs = [Pair(f"d{i}", f"premise {i}", f"w{i}", f"a {i}", f"l{i}", f"b {i}") for i in range(20)]
    assert augment(pairs, RrmConfig(), 0) != augment(pairs, RrmConfig(), 1)
    assert augment(pairs, RrmConfig(foreign=0, ties=0), 0) == pairs


def test_a_single_debate_is_told() -> None:
    pair = Pair("d", "premise", "w", "one", "l", "two")
    with pytest.raises(SuasionError, match="no other debate"):
        augment([pair, pair], RrmConfig(), 0)
