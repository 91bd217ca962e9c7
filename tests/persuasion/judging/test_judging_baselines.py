from __future__ import annotations

import json
import random
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from suasion.errors import SuasionError
from suasion.persuasion.dataset import Pair
from suasion.persuasion.judging.audit.scored import score_pairs
from suasion.persuasion.judging.baselines.earliest import earliest
from suasion.persuasion.judging.baselines.features import FEATURES, features_of
from suasion.persuasion.judging.baselines.fit import LEARNED, LearnedName, fit, fit_one, load_baseline
from suasion.persuasion.judging.baselines.store import ABOUT, NUMBERS
from suasion.persuasion.judging.baselines.words import Words
from tests.nano import WORDS

STRANGE = ["", " ", "!!!", "日本語だけ", "\ud83d", "a" * 5000, "> quoted\n\n* item\n**bold** https://x.y (link)", "\x00\x01", "1234 5.6"]
texts = st.text(max_size=200) | st.sampled_from(STRANGE)


def toy_embed(texts: Sequence[str]) -> np.ndarray:
    """Shares of a few letters."""
    return np.asarray([[text.count(letter) / (len(text) or 1) for letter in "aeixyz"] for text in texts], dtype=np.float32).reshape(-1, 6)


def planted(debates: int, seed: int = 0, each: int = 3) -> list[Pair]:
    """In each pair the winner has a question, an 'x' and the word "evidence"; all else is drawn at random for both."""
    draw = random.Random(seed)
    pairs = []
    for debate in range(debates):
        for number in range(each):
            winner, loser = (" ".join(draw.choices(WORDS, k=draw.randint(8, 20))) for _ in range(2))
            name = f"d{seed}-{debate}"
            premise = f"A view about {draw.choice(WORDS)}."
            pairs.append(Pair(name, premise, f"{name}w{number}", f"{winner} xx evidence?", f"{name}l{number}", f"{loser} cc nonsense."))
    return pairs


@given(premise=texts, replies=st.lists(texts, max_size=4))
def test_features_of_any_text_are_finite_numbers(premise: str, replies: list[str]) -> None:
    found = features_of([premise] * len(replies), replies)
    assert found.shape == (len(replies), len(FEATURES)) and found.dtype == np.float64
    assert np.isfinite(found).all()
    assert (np.abs(found) < 50).all()  # counts stand in logarithms, the rest are shares


@pytest.mark.parametrize(
    ("name", "more", "less"),
    [
        ("words", "one two three", "one two"),
        ("letters a word", "constitutional considerations", "a law it is"),
        ("words a sentence", "one two three four.", "One. Two. Three. Four."),
        ("paragraphs", "one\n\ntwo", "one\ntwo"),
        ("different words", "one two three", "one one one"),
        ("punctuation", "well, yes - no!", "well yes no"),
        ("capitals", "YES", "yes"),
        ("exclamation marks", "no!!", "no."),
        ("question marks", "why? how?", "why how?"),
        ("links", "see https://a.b and www.c.d", "see (link)"),
        ("quotes", "> you said\nno", "you said\nno"),
        ("list items", "* one\n2. two", "one * 2. two"),
        ("bold", "**no**", "2 ** 3 ** 4"),
        ("numbers", "10 of 20", "ten of 20"),
        ("examples", "For example, tea.", "An example: tea."),
        ("I", "I think I'm right", "you think so"),
        ("we", "we know", "they know"),
        ("you", "you’re wrong", "they’re wrong"),
        ("hedges", "perhaps it is", "indeed it is"),
        ("certainty", "obviously wrong", "perhaps wrong"),
        ("reasons and turns", "no, because it rains", "no, it rains"),
        ("definite articles", "the dog", "a dog"),
        ("indefinite articles", "an owl", "the owl"),
        ("words shared with the premise", "dogs are better", "owls were worse"),
        ("its content words in the premise", "dogs bark", "owls hoot"),
        ("the premise's content words in it", "dogs beat cats", "dogs beat owls"),
    ],
)
def test_a_feature_is_greater_where_there_is_more_of_it(name: str, more: str, less: str) -> None:
    column = [feature.name for feature in FEATURES].index(name)
    first, second = features_of(["Dogs are better than cats"] * 2, [more, less])[:, column]
    assert first > second


@pytest.mark.parametrize("name", LEARNED)
def test_a_learned_baseline_finds_what_was_planted(name: LearnedName) -> None:
    judge = fit_one(name, planted(12), 0, toy_embed)
    assert score_pairs(judge, planted(8, seed=1)).correct.mean() > 0.9


@pytest.mark.parametrize("name", LEARNED)
def test_where_nothing_is_to_be_found_nothing_is_claimed(name: LearnedName) -> None:
    draw = random.Random(5)
    pairs = [
        Pair(f"d{i}", "A view.", f"w{i}", *(" ".join(draw.choices(WORDS, k=12)), f"l{i}", " ".join(draw.choices(WORDS, k=12))))
        for i in range(60)
    ]
    judge = fit_one(name, pairs, 0, toy_embed)
    assert judge.weights.strength <= 0.1  # the penalty is chosen on debates that were held out
    fresh = [
        Pair(f"n{i}", "A view.", f"w{i}", *(" ".join(draw.choices(WORDS, k=12)), f"l{i}", " ".join(draw.choices(WORDS, k=12))))
        for i in range(300)
    ]
    assert abs(score_pairs(judge, fresh).correct.mean() - 0.5) < 0.1


@pytest.mark.parametrize("name", LEARNED)
def test_a_saved_baseline_comes_back_to_the_last_bit(name: LearnedName, tmp_path: Path) -> None:
    judge = fit_one(name, planted(6), 0, toy_embed)
    judge.save(tmp_path)
    replies = [*STRANGE, *(pair.winner for pair in planted(5, seed=2))]
    premises = ["A view about tea."] * len(replies)
    before, after = judge.score(premises, replies), load_baseline(tmp_path, toy_embed).score(premises, replies)
    assert before.dtype == np.float32 and np.isfinite(before).all()
    assert before.tobytes() == after.tobytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == [ABOUT, NUMBERS]


@pytest.mark.parametrize("name", LEARNED)
def test_a_score_does_not_depend_on_the_other_replies(name: LearnedName) -> None:
    judge = fit_one(name, planted(6), 0, toy_embed)
    replies = [*STRANGE, *(pair.winner for pair in planted(30, seed=2))]
    premises = [f"A view, {i % 3}." for i in range(len(replies))]
    together = judge.score(premises, replies)
    alone = np.concatenate([judge.score([premise], [reply]) for premise, reply in zip(premises, replies, strict=True)])
    assert together.tobytes() == alone.tobytes()
    assert judge.score([], []).shape == (0,)
    with pytest.raises(ValueError, match="premises"):
        judge.score(["one"], ["one", "two"])


@pytest.mark.parametrize("name", LEARNED)
def test_the_same_pairs_and_seed_give_the_same_baseline_and_swapped_sides_its_opposite(name: LearnedName) -> None:
    pairs = planted(7)
    swapped = [Pair(pair.debate_id, pair.premise, pair.loser_id, pair.loser, pair.winner_id, pair.winner) for pair in pairs]
    one, again, other = (fit_one(name, given, 3, toy_embed) for given in (pairs, pairs, swapped))
    assert one.weights.values.tobytes() == again.weights.values.tobytes()
    assert score_pairs(one, pairs).correct.mean() == 1 and score_pairs(other, pairs).correct.mean() == 0


def test_all_baselines_are_judges_by_name() -> None:
    assert list(fit(planted(3), 0, toy_embed)) == ["longest", "shortest", "shallow", "words", "sentences"]
    assert list(fit(planted(3), 0)) == ["longest", "shortest", "shallow", "words"]
    assert list(fit([], 0, toy_embed)) == ["longest", "shortest"]
    for judge in fit(planted(1, each=1), 0, toy_embed).values():  # one pair is little, and no error
        assert np.isfinite(judge.score(["A view."], ["A reply."])).all()


def test_what_is_missing_is_told() -> None:
    with pytest.raises(SuasionError, match="no pair"):
        fit_one("words", [], 0)
    with pytest.raises(SuasionError, match="needs an embedding"):
        fit_one("sentences", planted(2), 0)


def test_pairs_without_a_word_give_a_judge_that_says_nothing(tmp_path: Path) -> None:
    pairs = [Pair(f"d{i}", "?", f"w{i}", "!" * (i + 1), f"l{i}", "…") for i in range(4)]
    judge = fit_one("words", pairs, 0)
    judge.save(tmp_path)
    for one in (judge, load_baseline(tmp_path)):
        assert one.score(["?"] * 2, ["word", "!"]).tolist() == [0, 0]


def test_terms_of_one_reply_alone_are_left_out_where_others_are_left() -> None:
    judge = fit_one("words", planted(4), 0)
    assert isinstance(judge, Words) and "evidence" in judge.terms
    lonely = [Pair("d", "?", "w", "alpha beta", "l", "gamma delta")]
    assert "alpha" in Words.fit(lonely, 0).terms


@pytest.mark.parametrize("name", LEARNED)
@pytest.mark.parametrize(
    ("file", "content"),
    [
        (ABOUT, "{"),
        (ABOUT, "[]"),
        (ABOUT, '{"kind": "pickle"}'),
        (ABOUT, None),
        (NUMBERS, "not safetensors"),
        (NUMBERS, None),
    ],
)
def test_torn_files_are_told_and_not_loaded(name: LearnedName, file: str, content: str | None, tmp_path: Path) -> None:
    fit_one(name, planted(3), 0, toy_embed).save(tmp_path)
    (tmp_path / file).unlink() if content is None else (tmp_path / file).write_text(content)
    with pytest.raises(SuasionError, match=r"baseline|JSON"):
        load_baseline(tmp_path, toy_embed)


@pytest.mark.parametrize("name", LEARNED)
def test_files_of_two_baselines_are_not_mixed(name: LearnedName, tmp_path: Path) -> None:
    fit_one(name, planted(3), 0, toy_embed).save(tmp_path / "one")
    about = json.loads((tmp_path / "one" / ABOUT).read_text())
    about |= {"terms": ["tea"], "width": 5, "features": ["words"]}
    (tmp_path / "one" / ABOUT).write_text(json.dumps(about))
    with pytest.raises(SuasionError, match=r"should have|other features"):
        load_baseline(tmp_path / "one", toy_embed)


def test_embeddings_of_another_base_are_refused() -> None:
    judge = fit_one("sentences", planted(3), 0, toy_embed)
    object.__setattr__(judge, "embed", lambda texts: np.zeros((len(texts), 5), dtype=np.float32))
    with pytest.raises(SuasionError, match="5 numbers"):
        judge.score(["A view."], ["A reply."])


def test_the_earlier_reply_is_found_where_times_are_known() -> None:
    times = [(5, 9), (9, 5), (5, 5), (None, 5), (5, None)]
    pairs = [Pair("d", "p", "w", "a", "l", "b", winner, loser) for winner, loser in times]
    credits, rows = earliest(pairs)
    assert credits.tolist() == [1, 0, 0.5] and rows.tolist() == [0, 1, 2]
    assert earliest([])[0].shape == (0,)
