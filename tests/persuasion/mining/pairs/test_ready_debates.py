from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from suasion.persuasion.mining.pairs.ready_debates import debates_of_ready
from suasion.persuasion.mining.pairs.replies import Debate, Funnel
from suasion.persuasion.mining.pairs.settings import PairsConfig
from suasion.persuasion.mining.sources.ready import ReadyPair
from tests.persuasion.mining.real_texts import CMV
from tests.persuasion.mining.tables_for_tests import words

WIN, LOSE, OTHER = words("win", 60), words("lose", 60), words("other", 60)
PAIR = ReadyPair(title="CMV: Cats", text=words("post", 40), winner=WIN, loser=LOSE)


def gathered(*pairs: ReadyPair, **config: Any) -> tuple[list[Debate], dict[str, dict[str, Any]]]:
    funnel = Funnel()
    return debates_of_ready(pairs, PairsConfig(**config), funnel, Counter()), funnel.as_dict()


def texts(debate: Debate) -> tuple[set[str], set[str]]:
    return {reply.text for reply in debate.winners}, {reply.text for reply in debate.losers}


def test_rows_of_the_same_premise_are_one_debate() -> None:
    debates, steps = gathered(PAIR, replace(PAIR, loser=OTHER), replace(PAIR, title="[CMV] Cats", winner=OTHER + " yes", loser=LOSE))
    (debate,) = debates
    assert debate.premise == f"Cats\n\n{PAIR.text}"
    assert texts(debate)[0] == {WIN, OTHER + " yes"}
    assert texts(debate)[1] == {LOSE}  # the other is nearly a winner
    assert steps["pairs of the source"]["in"] == 3
    by_text = {reply.id: reply.text for reply in (*debate.winners, *debate.losers)}
    assert {(by_text[one], by_text[other]) for one, other in debate.given} == {(WIN, LOSE), (OTHER + " yes", LOSE)}
    assert {reply.answers for reply in debate.losers} == {debate.id}


def test_debate_ids_count_where_they_are_given() -> None:
    first, second = replace(PAIR, debate_id="t3_one", winner_id="t1_w", loser_id="l"), replace(PAIR, debate_id="two")
    debates, _ = gathered(first, second, replace(first, text="another wording", winner=OTHER))
    assert [debate.id for debate in debates] == ["one", "two"]
    assert {reply.id for reply in debates[0].losers} == {"l"}
    assert ("w", "l") in debates[0].given
    assert len(debates[0].winners) == 2
    assert gathered(PAIR)[0] == gathered(PAIR)[0]  # made-up ids are the same every time


def test_one_id_never_stands_for_two_texts() -> None:
    (debate,), _ = gathered(replace(PAIR, winner_id="x", loser_id="x"), replace(PAIR, winner=OTHER, winner_id="x"))
    ids = [reply.id for reply in (*debate.winners, *debate.losers)]
    assert len(set(ids)) == 3 and "x" in ids


def test_what_wins_and_loses_is_dropped_from_both() -> None:
    for matching in ("optimal", "none"):
        (debate,), steps = gathered(PAIR, replace(PAIR, winner=LOSE, loser=OTHER), matching=matching)
        assert texts(debate) == ({WIN}, {OTHER})
        assert debate.given == ()
        assert steps["winners"]["dropped"] == steps["losers"]["dropped"] == {"the same text wins and loses in its debate": 1}
        assert steps["pairs of the source"]["kept"] == 0 and steps["pairs of the source"]["in"] == 2


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"loser": "[removed]"}, "its loser is unfit: deleted or removed"),
        ({"winner": words(1, 20)}, "its winner is unfit: shorter than 50 words"),
        ({"winner": words(1, 700)}, "its winner is unfit: longer than 600 words"),
        ({"winner_author": "DeltaBot"}, "its winner is unfit: by a bot"),
        ({"winner_author": "Op", "author": "op"}, "its winner is unfit: by the post's author"),
        ({"loser_author": "Shy", "loser": words(2, 60)}, "its loser is unfit: opted out"),
        ({"loser_id": "t1_ask", "loser": words(2, 60)}, "its loser is unfit: opted out"),
        ({"author": "shy"}, "the post's author, or the post, opted out"),
        ({"debate_id": "t3_ask"}, "the post's author, or the post, opted out"),
        ({"text": "[deleted]"}, "the post is deleted or removed"),
        ({"author": "AutoModerator"}, "the post is written by a bot"),
        ({"title": "", "text": ""}, "no premise"),
        ({}, "the same pair again"),
    ],
)
def test_why_a_row_is_dropped(change: dict[str, Any], reason: str) -> None:
    _, steps = gathered(replace(PAIR, winner=OTHER, title="CMV: Dogs"), PAIR, replace(PAIR, **change), opt_out=("shy", "ask"))
    assert steps["pairs of the source"] == {"in": 3, "kept": 2, "dropped": {reason: 1}}


def test_who_opted_out_does_not_come_in_by_another_row() -> None:
    for rows in ([PAIR, replace(PAIR, loser_id="ask", winner=OTHER)], [replace(PAIR, loser_id="ask", winner=OTHER), PAIR]):
        (debate,), steps = gathered(*rows, opt_out=("ask",))
        assert texts(debate) == ({WIN, OTHER}, set())
        assert debate.given == ()
        assert steps["losers"]["dropped"] == {"opted out": 2}


def test_without_matching_pairs_stand_as_they_are() -> None:
    short, near = words(1, 5), LOSE + " yes"
    (debate,), steps = gathered(replace(PAIR, winner=short), replace(PAIR, winner=near), matching="none")
    assert texts(debate) == ({short, near}, {LOSE})
    assert len(debate.given) == 2
    assert steps["pairs of the source"]["dropped"] == {}
    assert gathered(replace(PAIR, winner=near))[1]["losers"]["dropped"] == {"nearly the same text as a winner": 1}


@pytest.mark.parametrize(
    ("splits", "split"),
    [
        ([None, None], None),
        (["train", None], "train"),
        (["validation", "validation"], "validation"),
        (["train", "validation"], "validation"),
        (["train", "test"], "test"),
    ],
)
def test_a_debate_stands_in_one_split(splits: list[str | None], split: str | None) -> None:
    (debate,), steps = gathered(*(replace(PAIR, split=one, loser=words(place, 60)) for place, one in enumerate(splits)))
    assert debate.split == split
    conflicts = steps.get("splits of the source", {"dropped": {}})["dropped"]
    assert sum(conflicts.values()) == (len({one for one in splits if one}) > 1)


def test_tokens_are_counted() -> None:
    def count(texts: Sequence[str]) -> list[int]:
        return [len(text) for text in texts]

    (debate,) = debates_of_ready([PAIR], PairsConfig(), Funnel(), Counter(), count)
    assert [reply.tokens for reply in (*debate.winners, *debate.losers)] == [len(WIN), len(LOSE)]


ROW = st.builds(
    ReadyPair,
    title=st.sampled_from(["CMV: a", "b", ""]),
    text=st.sampled_from(["", "> some text", "[removed]"]),
    winner=st.sampled_from(["one", "> one", "two ∆", "[deleted]", "You're welcome."]),
    loser=st.sampled_from(["one", "two", "three", ""]),
    split=st.sampled_from([None, "train", "test"]),
    debate_id=st.sampled_from([None, "d", "t3_d"]),
    winner_id=st.sampled_from([None, "x"]),
    loser_author=st.sampled_from([None, "op", "DeltaBot"]),
    author=st.sampled_from([None, "op"]),
)


@given(st.lists(ROW, max_size=12), st.sampled_from(["optimal", "none"]))
@settings(max_examples=200, deadline=None)
def test_every_row_is_accounted_for(rows: list[ReadyPair], matching: str) -> None:
    debates, steps = gathered(*rows, matching=matching, min_words=1)
    assert steps.get("pairs of the source", {"in": 0})["in"] == len(rows)
    assert sum(len(debate.given) for debate in debates) == steps.get("pairs of the source", {"kept": 0})["kept"]
    assert len({debate.id for debate in debates}) == len(debates)
    for debate in debates:
        won, lost = texts(debate)
        assert not won & lost and "" not in won | lost
        replies = {reply.id for reply in (*debate.winners, *debate.losers)}
        assert len(replies) == len(won) + len(lost)
        assert {name for pair in debate.given for name in pair} <= replies


@pytest.mark.skipif(not CMV.is_dir(), reason="the real pairs are not beside this checkout")
def test_the_real_pairs() -> None:
    from suasion.persuasion.mining.sources.lines import Reading
    from suasion.persuasion.mining.sources.ready import read

    rows = list(read(CMV / "text-pairs/train.jsonl", Reading(), lambda size: None))
    debates, steps = gathered(*rows, matching="none")
    assert steps["pairs of the source"] == {"in": 1116, "kept": 1115, "dropped": {"no premise": 1}}
    assert sum(len(debate.given) for debate in debates) == 1115
    assert min(reply.words for debate in debates for reply in (*debate.winners, *debate.losers)) >= 10
