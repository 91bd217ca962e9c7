"""The search for cheap replies: what it finds in judges that can be fooled, within its budget, and that a good judge keeps it out."""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from suasion.persuasion.judging.audit.pieces import liked_words, pieces
from suasion.persuasion.judging.audit.search import Asker, Candidate, Place, Target, climb, mutated, worth
from suasion.persuasion.judging.audit.tricks.phrases import SAYINGS
from suasion.persuasion.judging.audit.tricks.tone import statistic
from tests.persuasion.judging.fooled import CONSTANT, KEYWORD, LENGTH, Knowing, rule

TARGET = Target("d0", "I think topic0 is bad.", "tea topic0 reason0 too", 2.0)


def searched(judge: object, targets: Sequence[Target] = (TARGET,), stock: Sequence[str] = SAYINGS, calls: int = 120) -> tuple[Asker, Place]:
    asker, place = Asker(judge, 1.0), Place(targets)  # type: ignore[arg-type]
    climb(asker, [place], [[Candidate(piece, (piece,)) for piece in stock]], stock, calls, random.Random(0))
    return asker, place


def test_a_knowing_judge_gives_nothing_to_climb() -> None:
    asker, place = searched(Knowing())
    assert asker.gains([(TARGET, place.best.text)])[0] < 0


def test_a_word_that_only_a_chain_of_steps_makes_enough_of_is_found() -> None:
    """Three deltas are wanted; no piece has more than one."""
    judge = rule(lambda reply: min(3.0, reply.count("delta")))
    _, place = searched(judge)
    assert place.best.text.count("delta") >= 3 and len(place.best.recipe) > 1


def test_what_is_found_is_cheap() -> None:
    """Once the winner is beaten clearly, words cost and bring nothing."""
    _, place = searched(rule(lambda reply: 30.0 * ("delta" in reply)))
    assert place.best.text.count("delta") and len(place.best.text.split()) <= 12
    assert worth(np.asarray([9.0]), "a b") > worth(np.asarray([9.0]), "a b " * 20) > worth(np.asarray([1.0]), "a b")


def test_a_text_for_several_premises_must_serve_them_all() -> None:
    """One premise's judge likes deltas, the other's flattery: the text that serves both is made of both."""

    class Divided:
        def score(self, premises: Sequence[str], replies: Sequence[str]) -> np.ndarray:
            wanted = {"one": "delta", "other": "thoughtful"}
            liked = [wanted[premise] in reply.lower() for premise, reply in zip(premises, replies, strict=True)]
            return 4.0 * np.asarray(liked, dtype=np.float32)

    _, place = searched(Divided(), [Target("a", "one", "w", 1.0), Target("b", "other", "w", 1.0)], calls=400)
    assert "delta" in place.best.text.lower() and "thoughtful" in place.best.text.lower()


@given(st.integers(0, 150), st.integers(1, 4), st.integers(1, 3))
def test_the_budget_is_kept_and_no_text_is_asked_twice_at_a_place(calls: int, places: int, targets: int) -> None:
    asked: list[tuple[str, str]] = []

    class Counting:
        def score(self, premises: Sequence[str], replies: Sequence[str]) -> np.ndarray:
            asked.extend(zip(premises, replies, strict=True))
            return np.asarray([len(reply) % 7 for reply in replies], dtype=np.float32)

    asker = Asker(Counting(), 1.0)
    found = [Place([Target(f"d{p}.{t}", f"premise {p}.{t}", "w", 0.0) for t in range(targets)]) for p in range(places)]
    climb(asker, found, [[Candidate(piece, (piece,)) for piece in SAYINGS]] * places, SAYINGS, calls, random.Random(0))
    assert asker.calls == len(asked) <= calls and len(set(asked)) == len(asked)


def test_the_same_draws_give_the_same_search() -> None:
    assert searched(LENGTH)[1].ranking == searched(LENGTH)[1].ranking


def test_with_no_place_or_nothing_to_start_from_nothing_is_asked() -> None:
    asker = Asker(CONSTANT, 1.0)
    climb(asker, [], [], SAYINGS, 50, random.Random(0))
    climb(asker, [Place([])], [[Candidate("a", ())]], SAYINGS, 50, random.Random(0))
    place = Place([TARGET])
    climb(asker, [place], [[]], SAYINGS, 50, random.Random(0))
    assert asker.calls == 0 and place.ranking == []


def test_an_answer_that_could_not_be_read_is_worth_nothing() -> None:
    assert worth(np.asarray([5.0, float("nan")]), "a") == float("-inf")

    class Mumbling:
        may_be_unreadable = True

        def score(self, premises: Sequence[str], replies: Sequence[str]) -> np.ndarray:
            return np.asarray([float("nan")] * len(replies), dtype=np.float32)

    asker, place = searched(Mumbling(), calls=40)
    assert 0 < asker.calls <= 40 and all(value == float("-inf") for value, _ in place.ranking)


def test_a_text_may_grow_with_the_winner_and_no_further() -> None:
    """A judge of length is beaten where winners are long, and not by a reply that has no end."""
    winner = Target("d", "p", "word " * 300, 300.0)
    asker, place = searched(LENGTH, [winner], calls=400)
    assert place.longest == 450 and len(place.best.text.split()) <= 450
    assert asker.gains([(winner, place.best.text)])[0] > 0


@given(st.text(max_size=80), st.integers(0, 300))
def test_a_mutation_of_any_text_is_a_text_with_one_step_more_or_the_same(text: str, seed: int) -> None:
    before = Candidate(text, ("start",))
    after = mutated(before, Place([TARGET]), SAYINGS, random.Random(seed))
    assert after == before or (after.text != text and after.recipe[:1] == ("start",) and len(after.recipe) == 2)
    assert len(after.text.split()) <= max(200, len(text.split()))


def test_words_that_a_judge_likes_are_read_out_of_the_scores_it_has_given() -> None:
    draw = random.Random(0)
    texts = [" ".join(draw.choices(["tea", "milk", "Evidence", "houses,", "so"], k=6)) for _ in range(60)]
    heights = np.asarray([KEYWORD.rule(text) for text in texts])
    heights -= heights.mean()
    assert liked_words(texts, heights)[0] == "Evidence"
    assert pieces(texts, heights, random.Random(0))[0] == " ".join(["Evidence"] * 5)
    assert "Evidence" not in liked_words(texts, -heights)


@given(st.lists(st.tuples(st.text(), st.floats(-10, 10)), max_size=12))
def test_liked_words_of_anything(rows: list[tuple[str, float]]) -> None:
    texts, heights = [text for text, _ in rows], np.asarray([height for _, height in rows], dtype=np.float64)
    found = liked_words(texts, heights)
    assert len(found) == len(set(found)) <= 16 and all(any(word in text for text in texts) for word in found)
    stock = pieces(texts, heights, random.Random(0))
    assert set(SAYINGS) <= set(stock) and len(set(stock)) == len(stock)


@pytest.mark.parametrize("seed", range(5))
def test_a_faked_figure_is_filled_in(seed: int) -> None:
    assert "{" not in statistic(random.Random(seed)) and any(sign.isdigit() for sign in statistic(random.Random(seed)))
