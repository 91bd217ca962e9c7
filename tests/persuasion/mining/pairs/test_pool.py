from __future__ import annotations

from collections.abc import Iterator

from suasion.persuasion.mining.pairs.matching import any_length, match
from suasion.persuasion.mining.pairs.pool import gather
from suasion.persuasion.mining.pairs.replies import Debate, Funnel, Reply
from suasion.persuasion.mining.pairs.settings import PairsConfig
from tests.persuasion.mining.replies_for_tests import a_debate


def test_losers_that_no_pair_can_need_are_let_go_and_still_counted() -> None:
    taken: list[int] = []

    def stream() -> Iterator[Debate]:
        for number in range(20, 0, -1):
            taken.append(number)
            yield a_debate([60, 61], [62, *range(200, 300)], f"d{number:02}")

    funnel = Funnel()
    pool = gather(stream(), PairsConfig(), funnel, 0)
    assert [debate.id for debate in pool.debates] == sorted(debate.id for debate in pool.debates) and len(taken) == 20
    assert all([loser.words for loser in debate.losers] == [62] for debate in pool.debates)
    assert len(pool.any_loser.shares) == 40 and pool.any_loser.longer_wins().value == 0  # figures of what was let go
    assert pool.any_length == 40 and {way: len(pairs) for way, pairs in pool.matched.items()} == {"optimal": 20, "greedy": 20, "random": 20}
    assert funnel.as_dict()["winners matched"] == {"in": 40, "kept": 20, "dropped": {"its losers are taken by other winners": 20}}


def test_every_way_of_losing_a_winner_is_told() -> None:
    funnel = Funnel()
    lone, far = a_debate([60], [], "a"), a_debate([60], [300], "b")
    gather([lone, far], PairsConfig(), funnel, 0)
    assert funnel.as_dict()["winners matched"]["dropped"] == {"no loser of about its length": 1, "the debate has no possible loser": 1}
    other = Funnel()
    winner, loser = Reply("w", "a", "one", 60, answers="p"), Reply("l", "b", "two", 60, answers="q")
    gather([Debate("d", "view", (winner,), (loser,))], PairsConfig(unit="comment"), other, 0)
    assert other.as_dict()["winners matched"]["dropped"] == {"no loser answers the same": 1}


def test_the_sources_pairs_are_taken_as_they_stand() -> None:
    debate = a_debate([60, 61], [300, 400])
    given = (("dw1", "dl0"), ("dw1", "dl1"))
    pool = gather([Debate("d", "view", debate.winners, debate.losers, given=given)], PairsConfig(matching="none"), Funnel(), 0)
    assert [(pair.winner.id, pair.loser.id) for pair in pool.matched["optimal"]] == list(given)
    assert len(pool.debates[0].losers) == 2 and not match(debate, 0.2) and any_length(debate) == 2


def test_with_any_length_every_winner_that_can_finds_a_loser() -> None:
    funnel = Funnel()
    debates = [a_debate([60, 61], [300, 400], "a"), a_debate([60], [], "b"), a_debate([60, 61, 62], [500], "c")]
    pool = gather(debates, PairsConfig(matching="any"), funnel, 3)
    assert [pair.debate_id for pair in pool.matched["optimal"]] == ["a", "a", "c"]
    assert len({pair.loser.id for pair in pool.matched["optimal"]}) == 3  # a loser serves one winner
    assert funnel.as_dict()["winners matched"] == {"in": 6, "kept": 3, "dropped": {"no loser is left in its debate": 3}}
