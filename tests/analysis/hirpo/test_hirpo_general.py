from __future__ import annotations

import re
from typing import Any

import pytest

from suasion.analysis.hirpo.general.instructions import instructions, is_in
from suasion.analysis.hirpo.general.prompts import HELD_OUT, REHEARSED, general_prompts


def test_what_is_measured_is_not_rehearsed() -> None:
    assert not set(HELD_OUT) & set(REHEARSED)
    rehearsed, held_out = general_prompts(REHEARSED, 400, 1), general_prompts(HELD_OUT, 200, 1)
    assert len(set(rehearsed)) == 400 and len(set(held_out)) == 200 and not set(rehearsed) & set(held_out)
    assert general_prompts(REHEARSED, 400, 1) == rehearsed != general_prompts(REHEARSED, 400, 2)
    assert general_prompts(REHEARSED, 40, 1) == rehearsed[:40]


def test_a_few_prompts_cover_many_subjects() -> None:
    prompts = general_prompts(HELD_OUT, len(HELD_OUT), 0)
    assert all(sum(re.search(rf"\b{re.escape(subject)}\b", prompt) is not None for prompt in prompts) >= 1 for subject in HELD_OUT)


def by_start(start: str, number: int = 240) -> list[tuple[str, Any]]:
    return [(one.prompt, one.kept) for one in instructions(number, 0) if start in one.prompt]


KEPT = [
    ("in at most", "Short and sweet.", "word " * 200),
    ("at least", "word " * 200, "Too short."),
    ("in a single sentence", "They are tall.", "They are tall. They are old."),
    ("begins with a hyphen", None, "no list at all"),
    ("numbered list of", None, "no list at all"),
    ("in small letters only", "they are tall. they are old.", "They are tall."),
    ('Begin your answer with "In short"', "In short, they are fine.", "They are fine."),
    ("in German", "Das ist ein Text, und er ist nicht lang.", "This is a text and it is not long."),
    ("in French", "Le texte est dans la langue et pas en anglais.", "The text is in the language."),
    ("in Spanish", "El texto es de la casa y no es muy largo.", "The text is of the house."),
    ("Parlez de", "The text is in the language that was asked for.", "Le texte est dans la langue et pas en anglais."),
]


@pytest.mark.parametrize(("start", "good", "bad"), KEPT, ids=[start for start, _, _ in KEPT])
def test_rules_tell_good_from_bad(start: str, good: str | None, bad: str) -> None:
    found = by_start(start)
    assert found
    for prompt, kept in found:
        text = good
        if text is None:
            number = int(re.search(r"\d", prompt)[0])  # type: ignore[index]
            signs = ["- fact" if "hyphen" in prompt else f"{place}. thing" for place in range(1, number + 1)]
            text = "\n".join(signs)
            assert not kept("\n".join(signs[1:]))
        assert kept(text) and not kept(bad) and not kept("") and not kept("   \n")


def test_words_that_must_and_must_not_be_there() -> None:
    for prompt, kept in by_start("without using the word"):
        word = re.search(r'the word "(\w+)"', prompt)[1]  # type: ignore[index]
        assert kept("Whales swim far, singing songs, eating krill.") and not kept(f"Whales swim {word.upper()} far and away, singing.")
        assert not kept("")
    for prompt, kept in by_start("must occur in them"):
        word = re.search(r'The word "(\w+)"', prompt)[1]  # type: ignore[index]
        assert kept(f"A {word.lower()}, yes.") and not kept("Nothing of the sort.")


def test_a_json_object_with_the_one_key() -> None:
    for prompt, kept in by_start("JSON object"):
        key = re.search(r'key "(\w+)"', prompt)[1]  # type: ignore[index]
        assert kept(f'{{"{key}": "x"}}') and kept(f'```json\n{{"{key}": "x"}}\n```')
        for bad in (f'{{"{key}": 1, "b": 2}}', "{}", "[1]", "null", f"{key}: x", "[" * 100_000):
            assert not kept(bad)


def test_a_refusal_keeps_nothing_that_has_a_form() -> None:
    refusal = "I'm sorry, but I can't help with that."
    formed = [one for one in instructions(120, 0) if one.kind in ("format", "language") and "Answer in English" not in one.prompt]
    assert formed and not any(one.kept(refusal) for one in formed)


def test_all_kinds_come_in_turn() -> None:
    assert {one.kind for one in instructions(12, 5)} == {"length", "format", "words", "language"}
    assert [one.prompt for one in instructions(30, 5)] == [one.prompt for one in instructions(30, 5)]
    assert is_in("Das ist ein Text und er ist nicht lang", "German") and not is_in("das und", "German")
