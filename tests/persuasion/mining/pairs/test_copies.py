from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from suasion.persuasion.mining.pairs.copies import jaccard, near_duplicates, shingles
from tests.persuasion.mining.tables_for_tests import words


def test_near_copies_are_found_and_strangers_are_not() -> None:
    text = words("a", 200)
    copies = {
        "a": text,
        "b": text.upper() + "!",
        "c": text.replace(text.split()[100], "changed"),
        "d": words("d", 200),
        "e": "",
        "f": "short one",
    }
    links = near_duplicates(copies, 0.8)
    assert {frozenset(link) for link in links} == {frozenset("ab"), frozenset("ac")}
    assert near_duplicates({"x": "short one", "y": "Short, one"}, 0.8) == [("x", "y")]


def test_no_near_copy_is_missed() -> None:
    texts = {}
    for number in range(60):
        base = words(number, 120)
        texts[f"{number:02} one"] = base
        texts[f"{number:02} two"] = base + " " + words((number, "tail"), 20)  # Jaccard 116 / 136 = 0.85
    links = near_duplicates(texts, 0.8)
    assert sorted(links) == [(f"{number:02} one", f"{number:02} two") for number in range(60)]


@given(st.text(), st.text())
def test_jaccard_is_a_share(one: str, other: str) -> None:
    assert 0 <= jaccard(shingles(one), shingles(other)) <= 1
    assert not shingles(one) or jaccard(shingles(one), shingles(one)) == 1


def joined(links: list[tuple[str, str]], keys: list[str]) -> set[frozenset[str]]:
    """The sets that the links join."""
    sets = {key: frozenset([key]) for key in keys}
    for one, other in links:
        both = sets[one] | sets[other]
        sets |= dict.fromkeys(both, both)
    return set(sets.values())


@given(st.lists(st.lists(st.integers(0, 30), min_size=6, max_size=14), max_size=12), st.sampled_from([0.5, 0.8, 1.0]))
@settings(deadline=None, max_examples=60)
def test_what_is_joined_is_what_comparing_all_with_all_joins(texts: list[list[int]], threshold: float) -> None:
    base = [f"x{number}" for number in range(40)]
    named = {f"{n:02}": " ".join(base[:20] + [f"y{one}" for one in text] + base[20:]) for n, text in enumerate(texts)}
    keys = sorted(named)
    every = [
        (one, other) for one in keys for other in keys if one < other and jaccard(shingles(named[one]), shingles(named[other])) >= threshold
    ]
    found = near_duplicates(named, threshold)
    assert found == sorted(found) and all(one < other for one, other in found)
    assert joined(found, keys) == joined(every, keys)
    assert found == near_duplicates(dict(reversed(named.items())), threshold)


@pytest.mark.timeout(90)  # every pair compared takes minutes
def test_many_copies_of_one_text_cost_no_more_than_as_many_others() -> None:
    base = words("base", 60)
    texts = {f"{number:04}": f"{base} {words(number, 2)}" for number in range(1500)}  # all alike: over a million pairs
    links = near_duplicates(texts, 0.8)
    assert len(joined(links, list(texts))) == 1 and len(links) == 1499


def test_texts_without_words_are_no_copies() -> None:
    assert near_duplicates({"a": "…", "b": "…", "c": ""}, 0.8) == []
    assert near_duplicates({}, 0.8) == []
    assert near_duplicates({"a": "half an emoji \ud83d here", "b": "half an emoji \ud83d here"}, 0.8) == [("a", "b")]
