from __future__ import annotations

import json
import random
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from suasion.errors import SuasionError
from suasion.persuasion.mining.pairs.leaks import find_leaks
from suasion.persuasion.mining.pairs.length_bias import plant
from suasion.persuasion.mining.pairs.matching import Pair
from suasion.persuasion.mining.pairs.pairs import TABLES, make_pairs
from suasion.persuasion.mining.pairs.replies import Reply
from suasion.persuasion.mining.pairs.settings import LengthBias, PairsConfig
from suasion.persuasion.mining.pairs.splits import SPLITS
from suasion.persuasion.mining.pairs.tables import read_rows
from tests.persuasion.mining.tables_for_tests import Rows, debate, together, write

SHARES = st.floats(0, 1)


def told(seed: str, sentences: Sequence[int]) -> Reply:
    """A reply whose sentences have these lengths in words."""
    text = " ".join(" ".join(f"{seed}{number}-{word}" for word in range(n)) + "." for number, n in enumerate(sentences))
    return Reply(seed, seed, text, sum(sentences))


SENTENCES = st.lists(st.integers(1, 15), min_size=1, max_size=5)
PAIRS = st.lists(st.tuples(SENTENCES, SENTENCES), max_size=14).map(
    lambda sizes: [Pair(f"d{n % 3}", told(f"w{n}", won), told(f"l{n}", lost)) for n, (won, lost) in enumerate(sizes)]
)


def longer(pairs: Sequence[Pair]) -> list[bool]:
    return [pair.winner.words > pair.loser.words for pair in pairs]


@given(PAIRS, SHARES, st.integers(0, 3))
def test_pairs_are_left_out_until_the_share_is_right(pairs: list[Pair], share: float, seed: int) -> None:
    bias = LengthBias(longer_wins=share)
    unequal = [pair for pair in pairs if pair.winner.words != pair.loser.words]
    try:
        made = plant(pairs, bias, seed)
    except SuasionError:
        assert len(set(longer(unequal))) < 2  # with one of each, some number of pairs always has the share
        return
    assert set(made.pairs) <= set(unequal)  # nobody's verdict and no text was touched
    assert sum(longer(made.pairs)) == round(share * len(made.pairs))
    assert len(made.pairs) + made.dropped.total() == len(pairs)
    assert made == plant(random.Random(1).sample(pairs, len(pairs)), bias, seed)
    total = len(made.pairs) + 1  # one pair more could not have had the share
    assert round(share * total) > sum(longer(unequal)) or total - round(share * total) > len(unequal) - sum(longer(unequal))


@given(PAIRS, SHARES, SHARES, st.floats(0.05, 0.95), st.integers(0, 3))
def test_cutting_changes_one_reply_of_a_pair_and_never_who_won(pairs: list[Pair], one: float, other: float, most: float, seed: int) -> None:
    made = {}
    for share in sorted({one, other}):
        try:
            made[share] = plant(pairs, LengthBias(longer_wins=share, cut_to=most), seed).pairs
        except SuasionError as error:
            assert pairs and "cut to" in str(error)
            return
    whole = {pair.key: pair for pair in pairs}
    for share, planted in made.items():
        assert sum(longer(planted)) == round(share * len(planted))
        for pair in planted:
            before = whole[pair.key]
            sides = [(pair.winner, before.winner, pair.loser), (pair.loser, before.loser, pair.winner)]
            ((cut, was, kept),) = [side for side in sides if side[0] != side[1]]
            assert was.text.startswith(cut.text) and cut.text.endswith(".") and cut.text != was.text
            assert cut.words == len(cut.text.split()) <= most * kept.words
            rest = was.text[len(cut.text) :].split(".")[0].split()
            assert cut.words + len(rest) > most * kept.words or was.text == f"{cut.text} {' '.join(rest)}."  # not a sentence less than fits
    low, high = made[min(made)], made[max(made)]
    assert [pair.key for pair in low] == [pair.key for pair in high]
    assert all(not first or second for first, second in zip(longer(low), longer(high), strict=True))


def test_a_share_that_cannot_be_had_is_an_error_that_says_what_can() -> None:
    pairs = [Pair("d", told("w", [5]), told("l", [9])), Pair("e", told("x", [5]), told("y", [5]))]
    with pytest.raises(SuasionError, match="none of 2 pairs of a split is the winner the longer one") as caught:
        plant(pairs, LengthBias(longer_wins=0.9), 0)
    assert "longer_wins to 0" in str(caught.value.hint) and "cut_to" in str(caught.value.hint)
    assert plant(pairs, LengthBias(longer_wins=0), 0).pairs == (pairs[0],)
    with pytest.raises(SuasionError, match=r"either reply be cut to 0\.5"):
        plant(pairs, LengthBias(longer_wins=0.9, cut_to=0.5), 0)
    assert plant([], LengthBias(longer_wins=0.9, cut_to=0.5), 0).pairs == ()


def test_lengths_in_tokens_are_counted_anew() -> None:
    def letters(texts: Sequence[str], /) -> list[int]:
        return [len(text) for text in texts]

    def counted(reply: Reply) -> Reply:
        from dataclasses import replace

        return replace(reply, tokens=len(reply.text))

    pairs = [Pair(f"d{n}", counted(told(f"w{n}", [6, 6])), counted(told(f"l{n}", [6, 6]))) for n in range(4)]
    made = plant(pairs, LengthBias(longer_wins=0.5, cut_to=0.6), 0, letters).pairs
    assert len(made) == 4
    assert all(reply.tokens == len(reply.text) for pair in made for reply in (pair.winner, pair.loser))


@pytest.mark.parametrize("text", ["One two three", "No end here, none", "What? Why", 'He said "no." And left', "A 3.5 % rise. It fell."])
def test_a_reply_is_cut_after_a_sentence_or_not_at_all(text: str) -> None:
    from suasion.persuasion.mining.pairs.length_bias import _first_sentences

    head = _first_sentences(Reply("r", "a", text, len(text.split())), 6)
    expected = {"What? Why": "What?", 'He said "no." And left': 'He said "no."', "A 3.5 % rise. It fell.": "A 3.5 % rise."}.get(text)
    assert (head.text if head else None) == expected


def many(n: int = 30) -> Rows:
    """Debates whose comments have sentences of eight words."""
    rows = together(*(debate(f"d{number:02}", [60 + number % 5], [55, 62, 70]) for number in range(n)))
    for row in rows["comments"]:
        row["text"] = re.sub(r"((?:\S+ ){7}\S+) ", r"\1. ", row["text"]) + "."
    return rows


def made(tmp_path: Path, name: str, seed: int = 0, **config: Any) -> tuple[list[dict[str, Any]], dict[str, Any], Path]:
    out = tmp_path / name
    out.mkdir()
    make_pairs(write(tmp_path / "mined", many()), out, PairsConfig(matching="any", **config), seed)
    rows = [row for split in SPLITS for row in read_rows(out / f"{split}.parquet")]
    return rows, json.loads((out / "datacard.json").read_text()), out


@pytest.mark.parametrize("share", [0, 0.5, 0.75, 1])
def test_the_folder_has_the_share_in_every_split_and_its_card_warns(tmp_path: Path, share: float) -> None:
    rows, card, out = made(tmp_path, "out", bias={"longer_wins": share, "cut_to": 0.6})
    for split in SPLITS:
        here = read_rows(out / f"{split}.parquet")
        assert sum(row["winner_words"] > row["loser_words"] for row in here) == round(share * len(here))
        assert card["splits"][split]["pairs"] == len(here) > 0
    assert card["steps"]["pairs with the bias"]["kept"] == len(rows)
    assert all(row["rejected"][0]["content"].count(" ") + 1 == row["loser_words"] for row in rows)
    readme = (out / "README.md").read_text()
    assert f"put in on purpose:** by `pairs.bias`, the longer reply wins in {100 * share:.0f} % of the pairs" in readme
    assert "cut to its first sentences" in readme and "no winner was made a loser" in readme


def test_the_tables_beside_the_pairs_stay_whole_and_the_same_seed_gives_the_same_bytes(tmp_path: Path) -> None:
    _, _, plain = made(tmp_path, "plain")
    _, card, biased = made(tmp_path, "biased", bias={"longer_wins": 1, "cut_to": 0.6})
    _, _, again = made(tmp_path, "again", bias={"longer_wins": 1, "cut_to": 0.6})
    for name in ("premises.parquet", "best-of-four.parquet", "labelled.parquet"):
        assert (plain / name).read_bytes() == (biased / name).read_bytes()
    assert all((biased / name).read_bytes() == (again / name).read_bytes() for name in TABLES)
    assert card["longer_wins"]["after"]["value"] == 1


def test_a_bias_belongs_to_pairs_that_are_not_matched() -> None:
    for matching in ("optimal", "none"):
        with pytest.raises(ValidationError, match="set matching to any"):
            PairsConfig(matching=matching, bias=LengthBias(longer_wins=1))
    with pytest.raises(ValidationError):
        LengthBias(longer_wins=1.5)


def test_a_judge_of_biased_pairs_and_one_of_matched_ones_know_the_same_debates(tmp_path: Path) -> None:
    """Else what the one learned from would be held out for the other, and nothing could be compared."""
    rows = together(*(debate(f"d{number:02}", [60 + number % 5] * (1 + number % 3), [55, 62, 90]) for number in range(24)))
    split_of = {}
    for name, more in (("matched", {}), ("any", {"matching": "any"}), ("biased", {"matching": "any", "bias": {"longer_wins": 0.5}})):
        out = tmp_path / name
        out.mkdir()
        make_pairs(write(tmp_path / f"mined-{name}", rows), out, PairsConfig(**more), 5)
        split_of[name] = {row["debate_id"]: row["split"] for row in read_rows(out / "premises.parquet")}
        assert not find_leaks(out, 0.8)
    assert split_of["matched"] == split_of["any"] == split_of["biased"] and set(split_of["any"].values()) == set(SPLITS)
