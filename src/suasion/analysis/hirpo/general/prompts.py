"""General prompts, made of everyday subjects and things to be done with them, in our own words. None has to do with arguments.

A subject belongs to rehearsal or to the meter, never to both, so that what is measured was not rehearsed word for word.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from importlib import resources


def _lines(name: str) -> tuple[str, ...]:
    return tuple(resources.files(__package__).joinpath(name).read_text(encoding="utf-8").splitlines())


REHEARSED, HELD_OUT = _lines("rehearsed.txt"), _lines("held_out.txt")

_FORMS = (
    "Explain {} to a ten-year-old.",
    "What should everybody know about {}?",
    "Write a short paragraph about {}.",
    "Give me three interesting facts about {}.",
    "Why do people care about {}?",
    "Write a short poem about {}.",
    "What are common mistakes people make about {}?",
    "I want to learn more about {}. Where should I start?",
    "Write a friendly email to a colleague in which you recommend a book about {}.",
    "Describe {} to somebody who has never heard of the subject.",
    "What questions could a quiz about {} ask? Give two, with answers.",
    "Tell me a short story that has something to do with {}.",
)


def general_prompts(subjects: Sequence[str], number: int, seed: int) -> list[str]:
    """``number`` different prompts, seeded; at most one for each subject and form.

    Each subject is taken once before any is taken again, so that a few prompts cover many subjects.
    """
    draw = random.Random(seed)
    forms = {subject: draw.sample(_FORMS, len(_FORMS)) for subject in subjects}
    prompts: list[str] = []
    for turn in range(len(_FORMS)):
        prompts += [forms[subject][turn].format(subject) for subject in draw.sample(list(subjects), len(subjects))]
    return prompts[:number]
