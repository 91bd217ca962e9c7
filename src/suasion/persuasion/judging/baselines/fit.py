"""All baselines by name: fitted on training pairs, or loaded from a folder."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from suasion.errors import SuasionError
from suasion.files import read_json
from suasion.persuasion.dataset import Pair
from suasion.persuasion.judging.baselines.sentences import Embed, Sentences
from suasion.persuasion.judging.baselines.shallow import Shallow
from suasion.persuasion.judging.baselines.store import ABOUT
from suasion.persuasion.judging.baselines.words import Words
from suasion.persuasion.judging.judge import RULES, Judge

LearnedName = Literal["shallow", "words", "sentences"]
LEARNED: tuple[LearnedName, ...] = ("shallow", "words", "sentences")
"""Baselines that are fitted on pairs; :data:`suasion.persuasion.judging.judge.RULES` has those that need no fitting."""

Learned = Shallow | Words | Sentences


def fit(pairs: Sequence[Pair], seed: int, embed: Embed | None = None) -> dict[str, Judge]:
    """Every baseline that judges texts, by name. (The rule ``earliest`` judges pairs: see :mod:`.earliest`.)

    Args:
        pairs: what the learned ones are fitted on; without any pair only the rules are there.
        seed: of the folds on which penalties are chosen.
        embed: of texts, for ``sentences``, which is left out without it.
    """
    names = [name for name in LEARNED if name != "sentences" or embed is not None] if pairs else []
    return {**RULES, **{name: fit_one(name, pairs, seed, embed) for name in names}}


def fit_one(name: LearnedName, pairs: Sequence[Pair], seed: int, embed: Embed | None = None) -> Learned:
    """One learned baseline.

    Raises:
        SuasionError: there is no pair, or no embedding where one is needed.
    """
    if name == "sentences":
        return Sentences.fit(pairs, seed, _needed(embed))
    return Shallow.fit(pairs, seed) if name == "shallow" else Words.fit(pairs, seed)


def load_baseline(folder: Path, embed: Embed | None = None) -> Learned:
    """A learned baseline as its ``save`` wrote it; it gives the very scores it gave before.

    Raises:
        SuasionError: the files cannot be read, or no embedding is given where one is needed.
    """
    about = read_json(folder / ABOUT)
    kind = about.get("kind") if isinstance(about, dict) else None
    if kind == "sentences":
        return Sentences.load(folder, _needed(embed))
    if kind == "shallow":
        return Shallow.load(folder)
    if kind == "words":
        return Words.load(folder)
    raise SuasionError(f"This is no baseline that is known here: {kind!r:.60}", where=folder / ABOUT, hint=f"Known: {', '.join(LEARNED)}.")


def _needed(embed: Embed | None) -> Embed:
    if embed is None:
        raise SuasionError("The baseline 'sentences' needs an embedding of texts.", hint="Give the base it is to be fitted with.")
    return embed
