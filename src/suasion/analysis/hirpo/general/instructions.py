"""Instructions whose keeping a program can verify: format, length, forbidden and wanted words, language.

The idea is that of IFEval (Zhou et al. 2023, arXiv:2311.07911); wording and checks are our own. Nothing here gives a reason to refuse, so a
refusal is a failure like any other.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable
from dataclasses import dataclass
from importlib import resources

from suasion.analysis.hirpo.general.prompts import HELD_OUT
from suasion.config import parse_yaml

_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_SENTENCE_END = re.compile(r"[.!?]+[\"'”’)]*(?=\s|$)")
_BULLET = re.compile(r"^\s*(?:[-*•])\s+\S", re.MULTILINE)
_NUMBERED = re.compile(r"^\s*\d+[.)]\s+\S", re.MULTILINE)
_COMMON = {
    language: frozenset(str(words).split())
    for language, words in parse_yaml(resources.files(__package__).joinpath("common_words.yaml").read_text(encoding="utf-8")).items()
}


@dataclass(frozen=True)
class Instruction:
    """A prompt, and whether an answer to it keeps what it asks for.

    Attributes:
        kind: what sort of rule it is: ``length``, ``format``, ``words``, ``language``.
        prompt: the user's message.
        kept: of an answer, never raises.
    """

    kind: str
    prompt: str
    kept: Callable[[str], bool]


def words(text: str) -> list[str]:
    """The words of a text, in small letters."""
    return [word.lower() for word in _WORD.findall(text)]


def instructions(number: int, seed: int) -> list[Instruction]:
    """``number`` seeded instructions, the rules in turn, about subjects that are not rehearsed."""
    draw = random.Random(seed)
    subjects: list[str] = []
    found = []
    for index in range(number):
        if not subjects:
            subjects = draw.sample(list(HELD_OUT), len(HELD_OUT))
        found.append(_RULES[index % len(_RULES)](subjects.pop(), draw))
    return found


def _at_most(subject: str, draw: random.Random) -> Instruction:
    most = draw.choice((20, 30, 40))
    return Instruction("length", f"Tell me something about {subject} in at most {most} words.", lambda text: 0 < len(words(text)) <= most)


def _at_least(subject: str, draw: random.Random) -> Instruction:
    least = draw.choice((60, 80, 100))
    return Instruction("length", f"Write about {subject}. Use at least {least} words.", lambda text: len(words(text)) >= least)


def _one_sentence(subject: str, draw: random.Random) -> Instruction:
    return Instruction(
        "length",
        f"Say in a single sentence what is special about {subject}.",
        lambda text: len(_SENTENCE_END.findall(text.strip())) == 1 and "\n" not in text.strip(),
    )


def _bullets(subject: str, draw: random.Random) -> Instruction:
    number = draw.choice((3, 4, 5))
    return Instruction(
        "format",
        f"List {number} facts about {subject}, each on a line of its own that begins with a hyphen.",
        lambda text: len(_BULLET.findall(text)) == number,
    )


def _numbered(subject: str, draw: random.Random) -> Instruction:
    number = draw.choice((3, 4, 5))
    return Instruction(
        "format",
        f"Give me a numbered list of {number} things to know about {subject}.",
        lambda text: len(_NUMBERED.findall(text)) == number,
    )


def _as_json(subject: str, draw: random.Random) -> Instruction:
    key = draw.choice(("summary", "answer", "text"))
    return Instruction(
        "format",
        f'Describe {subject} in one sentence. Answer with nothing but a JSON object that has the one key "{key}".',
        lambda text: _is_object(text, key),
    )


def _small_letters(subject: str, draw: random.Random) -> Instruction:
    return Instruction(
        "format", f"Write two sentences about {subject}, in small letters only.", lambda text: bool(words(text)) and text == text.lower()
    )


def _without(subject: str, draw: random.Random) -> Instruction:
    word = draw.choice(("the", "and", "is"))
    return Instruction(
        "words",
        f'Write two sentences about {subject} without using the word "{word}".',
        lambda text: len(words(text)) >= 5 and word not in words(text),
    )


def _with(subject: str, draw: random.Random) -> Instruction:
    word = draw.choice(("lantern", "pocket", "Tuesday", "carpet"))
    return Instruction(
        "words", f'Write three sentences about {subject}. The word "{word}" must occur in them.', lambda text: word.lower() in words(text)
    )


def _begins(subject: str, draw: random.Random) -> Instruction:
    start = draw.choice(("In short", "Well", "Certainly", "My view is"))
    return Instruction(
        "words", f'What do you like about {subject}? Begin your answer with "{start}".', lambda text: text.lstrip("\"'“ ").startswith(start)
    )


def _in_language(subject: str, draw: random.Random) -> Instruction:
    language = draw.choice(("German", "French", "Spanish"))
    return Instruction(
        "language", f"Write two sentences about {subject} in {language}, and nothing in English.", lambda text: is_in(text, language)
    )


def _in_english(subject: str, draw: random.Random) -> Instruction:
    return Instruction("language", f"Parlez de {subject}. Answer in English, in a few sentences.", lambda text: is_in(text, "English"))


_RULES = (
    _at_most,
    _bullets,
    _without,
    _in_language,
    _at_least,
    _numbered,
    _with,
    _in_english,
    _one_sentence,
    _as_json,
    _begins,
    _small_letters,
)


def is_in(text: str, language: str) -> bool:
    """Whether more of the text's words are that language's commonest than any other's; a sign, good enough for a few sentences."""
    said = words(text)
    counts = {name: sum(word in common for word in said) for name, common in _COMMON.items()}
    return len(said) >= 5 and counts[language] > max(count for name, count in counts.items() if name != language)


def _is_object(text: str, key: str) -> bool:
    body = re.sub(r"^```(?:json)?\s*|\s*```$", "", text.strip())
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return False
    return isinstance(value, dict) and list(value) == [key]
