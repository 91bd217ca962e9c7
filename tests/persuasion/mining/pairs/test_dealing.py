from __future__ import annotations

from dataclasses import replace
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from suasion.persuasion.mining.pairs.dealing import deal_out
from suasion.persuasion.mining.pairs.matching import match
from suasion.persuasion.mining.pairs.replies import Debate, Reply
from suasion.persuasion.mining.pairs.settings import PairsConfig
from suasion.persuasion.mining.pairs.splits import SPLITS
from tests.persuasion.mining.tables_for_tests import words

AUTHORS = st.sampled_from([*"abcdefgh", None])
REPLIES = st.lists(st.tuples(AUTHORS, st.integers(0, 30)), max_size=3)


@st.composite
def debates(draw: st.DrawFn) -> list[Debate]:
    """Debates that share authors, texts and premises; some with a split or a time of their own."""
    made = []
    given_splits = draw(st.sampled_from([st.none(), st.sampled_from(SPLITS), st.sampled_from([*SPLITS, None])]))
    for number in range(draw(st.integers(1, 12))):
        winners, losers = (
            tuple(
                Reply(f"{number:02}{side}{place}", author, words(text, 20), 20, tokens=20)
                for place, (author, text) in enumerate(draw(REPLIES))
            )
            for side in "wl"
        )
        premise = words(("view", draw(st.integers(0, 20))), 20)
        made.append(Debate(f"d{number:02}", premise, winners, losers, draw(st.integers(0, 9)), draw(given_splits)))
    return made


@given(debates(), st.sampled_from(["random", "time"]), st.sampled_from([0, 0.3]), st.integers(0, 3))
@settings(deadline=None, max_examples=60)
def test_nothing_stands_on_two_sides(pool: list[Debate], by: Any, validation: float, seed: int) -> None:
    config = PairsConfig(split_by=by, validation=validation, test=0.3)
    matched = [pair for debate in pool for pair in match(debate, 0.2)]
    dealt = deal_out(pool, matched, config, seed)
    assert set(dealt.split_of) | dealt.gone == {debate.id for debate in pool} and not dealt.gone & set(dealt.split_of)
    assert sum(map(len, dealt.pairs.values())) + dealt.lost.total() == len(matched)
    admitted = dealt.admit(pool)
    authors: dict[str, set[str]] = {}
    texts: dict[str, set[str]] = {}
    for debate in pool:
        if (split := dealt.split_of.get(debate.id)) is None:
            continue
        used = [one for one in debate.winners if dealt.may_enter(one, split)] + admitted.get(debate.id, [])
        for reply in used:
            authors.setdefault(reply.author or reply.id, set()).add(split)
        for text in (debate.premise, *(reply.text for reply in used)):
            texts.setdefault(text, set()).add(split)
    assert all(len(places) == 1 for places in (*authors.values(), *texts.values()))
    for split, pairs in dealt.pairs.items():
        for pair in pairs:
            assert dealt.split_of[pair.debate_id] == split
            assert all(dealt.may_enter(reply, split) for reply in (pair.winner, pair.loser))
    stated = {debate.id: debate.split for debate in pool if debate.split}
    if len(set(stated.values())) > 1:
        assert all(dealt.split_of.get(debate, split) == split for debate, split in stated.items())
    elif by == "time":
        times = {split: [debate.created for debate in pool if dealt.split_of.get(debate.id) == split] for split in SPLITS}
        order = [
            time for split in SPLITS for time in (min(times[split], default=None), max(times[split], default=None)) if time is not None
        ]
        assert order == sorted(order)
    again = deal_out(pool, matched, config, seed)
    assert (again.split_of, again.pairs) == (dealt.split_of, dealt.pairs)


def far(number: int, split: str | None = None, **more: Any) -> Debate:
    """A debate that shares nothing with others."""
    winner, loser = (Reply(f"{number:02}{side}", f"{number}{side}", words((number, side), 30), 30) for side in "wl")
    return Debate(f"d{number:02}", words((number, "view"), 30), (winner,), (loser,), split=split, **more)


def dealt_splits(pool: list[Debate], **config: Any) -> dict[str, str]:
    return deal_out(pool, [pair for debate in pool for pair in match(debate, 0.2)], PairsConfig(**config), 0).split_of


def test_a_sources_own_splits_stay() -> None:
    pool = [far(number, SPLITS[number % 2 * 2]) for number in range(10)]
    dealt = deal_out(pool, [pair for debate in pool for pair in match(debate, 0.2)], PairsConfig(), 0)
    assert dealt.split_of == {debate.id: debate.split for debate in pool}
    assert dealt.wanted == {"train", "test"}  # an empty validation is no fault: the source has none


def test_a_source_with_one_split_is_dealt_unless_it_is_kept_as_it_stands() -> None:
    pool = [far(number, "train", given=((f"{number:02}w", f"{number:02}l"),)) for number in range(10)]
    assert set(dealt_splits(pool).values()) == set(SPLITS)
    assert set(dealt_splits(pool, matching="none").values()) == {"train"}


def test_debates_without_a_split_stay_with_those_they_share_a_text_with() -> None:
    pool = [far(number, "test" if number < 3 else "train" if number < 6 else None) for number in range(20)]
    pool[10] = replace(pool[10], premise=pool[1].premise)
    pool[11] = replace(pool[11], premise=pool[4].premise)
    split_of = dealt_splits(pool)
    assert (split_of["d10"], split_of["d11"]) == ("test", "train")
    assert set(split_of.values()) == set(SPLITS)


def test_where_a_sources_own_splits_share_something_train_gives_way() -> None:
    pool = [far(number, SPLITS[number % 3]) for number in range(9)]
    pool[0] = replace(pool[0], premise=pool[2].premise)  # train and test
    pool[3] = replace(pool[3], winners=(replace(pool[3].winners[0], author="1w"),))  # train, and validation's author
    matched = [pair for debate in pool for pair in match(debate, 0.2)]
    dealt = deal_out(pool, matched, PairsConfig(), 0)
    assert dealt.gone == {"d00"} and "d03" not in {pair.debate_id for pair in dealt.pairs["train"]}
    assert dealt.lost.total() == 2
    kept = deal_out(pool, matched, PairsConfig(matching="none"), 0)
    assert not kept.strict and sum(map(len, kept.pairs.values())) == 9  # an external benchmark stays as it is
