"""The exercises of a recipe: its profiles' texts, for training and for evaluation, which never overlap."""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, TypeAlias

from suasion.analysis.hirpo.exercises.overlap import Overlap, words_of
from suasion.analysis.hirpo.exercises.settings import ProfileConfig
from suasion.analysis.hirpo.exercises.texts import Text, texts_of
from suasion.errors import SuasionError
from suasion.progress import track

Split: TypeAlias = Literal["training", "evaluation"]


@dataclass(frozen=True)
class Exercise:
    """A text to be analysed.

    Attributes:
        id: follows from profile and text alone: ``arguments/1f0c…``.
        text: as it was read.
        profile: the sort of exercise.
        split: what it is for.
        origin: file or data set, and row.
    """

    id: str
    text: str
    profile: str
    split: Split
    origin: str


@dataclass(frozen=True)
class Exercises:
    """All of them, and what became of the texts that were read.

    Attributes:
        by: exercises by profile and split, in the order of reading.
        counts: profile -> what -> number: ``read``, ``empty``, ``too_short``, ``too_long``, ``doubles`` (a text that was there already; in
            evaluation near-copies too), ``overlapping`` (training texts that share too much with an evaluation text of any profile),
            ``training``, ``evaluation``.
    """

    by: Mapping[tuple[str, Split], tuple[Exercise, ...]]
    counts: Mapping[str, Mapping[str, int]] = field(default_factory=dict)

    def of(self, profile: str, split: Split) -> tuple[Exercise, ...]:
        """Those of a profile, for training or for evaluation."""
        return self.by[profile, split]

    def describe(self) -> list[str]:
        """What there is and what was left out, a line a profile."""
        lines = []
        for profile, counts in self.counts.items():
            out = ", ".join(f"{number:,} {what.replace('_', ' ')}" for what, number in counts.items() if what in _LEFT_OUT and number)
            kept = f"{counts['training']:,} texts for training, {counts['evaluation']:,} for evaluation"
            lines.append(f"exercises '{profile}': {kept}" + (f"; left out: {out}" if out else ""))
        return lines


_LEFT_OUT = ("empty", "too_short", "too_long", "doubles", "overlapping")


def read_exercises(profiles: Mapping[str, ProfileConfig], folder: Path, seed: int) -> Exercises:
    """Read the texts of some profiles.

    Args:
        profiles: those that are needed, by name.
        folder: that relative paths are from.
        seed: of which texts are kept for evaluation, where a profile has no sources for it.

    Raises:
        SuasionError: a source cannot be read, or a profile has no text left for training or for evaluation.
    """
    counts = {name: Counter[str](dict.fromkeys(("read", *_LEFT_OUT, "training", "evaluation"), 0)) for name in profiles}
    parts: dict[tuple[str, Split], list[Text]] = {}
    with track("reading exercises", len(profiles), unit="profiles") as bar:
        for name, profile in profiles.items():
            training = _read(profile, "training", folder, counts[name])
            evaluation = _read(profile, "evaluation", folder, counts[name])
            if not profile.evaluation:
                training, evaluation = _parted(training, profile.evaluation_share, seed)
            parts[name, "training"], parts[name, "evaluation"] = training, evaluation
            bar.advance()
    kept = _apart(parts, counts)
    for (name, split), texts in kept.items():
        counts[name][split] = len(texts)
    for (name, split), texts in kept.items():
        if not texts:
            told = ", ".join(f"{number} {what.replace('_', ' ')}" for what, number in counts[name].items() if number)
            raise SuasionError(
                f"The profile {name!r} has no text for {split} ({told or 'nothing was read'}).",
                hint="Give it more sources, or let shorter or longer texts in.",
            )
    by = {place: tuple(_exercise(text, *place) for text in texts) for place, texts in kept.items()}
    return Exercises(by, {name: dict(found) for name, found in counts.items()})


def _read(profile: ProfileConfig, split: Split, folder: Path, counts: Counter[str]) -> list[Text]:
    found: dict[tuple[str, ...], Text] = {}
    for source in profile.training if split == "training" else profile.evaluation:
        for text in texts_of(source, folder):
            counts["read"] += 1
            length, words = len(text.text.split()), words_of(text.text)
            if not words:
                counts["empty"] += 1
            elif length < profile.least_words:
                counts["too_short"] += 1
            elif profile.most_words is not None and length > profile.most_words:
                counts["too_long"] += 1
            elif words in found:
                counts["doubles"] += 1
            else:
                found[words] = text
    return list(found.values())


def _parted(texts: Sequence[Text], share: float, seed: int) -> tuple[list[Text], list[Text]]:
    """Training and evaluation: which groups are for evaluation follows from the seed and the groups themselves, not from their order."""
    groups = sorted({text.group for text in texts}, key=lambda group: hashlib.sha256(f"{seed}\n{group}".encode()).digest())
    chosen = set(groups[: math.ceil(share * len(groups))])
    return [text for text in texts if text.group not in chosen], [text for text in texts if text.group in chosen]


def _apart(parts: Mapping[tuple[str, Split], Iterable[Text]], counts: Mapping[str, Counter[str]]) -> dict[tuple[str, Split], list[Text]]:
    """Without near-copies within a profile's evaluation, and without training texts that overlap with any profile's evaluation."""
    index, owner = Overlap(), dict[int, str]()
    kept: dict[tuple[str, Split], list[Text]] = {place: [] for place in parts}
    for (name, split), texts in parts.items():
        for text in texts if split == "evaluation" else ():
            if any(owner[number] == name for number in index.find(text.text)):
                counts[name]["doubles"] += 1
            else:
                owner[index.add(text.text)] = name
                kept[name, split].append(text)
    for (name, split), texts in parts.items():
        for text in texts if split == "training" else ():
            if index.find(text.text):
                counts[name]["overlapping"] += 1
            else:
                kept[name, split].append(text)
    return kept


def _exercise(text: Text, profile: str, split: Split) -> Exercise:
    digest = hashlib.sha256(text.text.encode()).hexdigest()[:12]
    return Exercise(f"{profile}/{digest}", text.text, profile, split, text.origin)
