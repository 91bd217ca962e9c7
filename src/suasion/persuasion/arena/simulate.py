"""Simulated raters with known preferences, for planning a study and for testing its statistics. They are never people.

A rater takes the left reply with the probability σ(strength(left) - strength(right) + side + length · doublings), exactly: that
replies to one premise are judged alike, and so by one rater, is brought in by a Gaussian copula (Nelsen 2006, "An Introduction to
Copulas", section 2.3), which leaves the probability of each single ballot as it is. A study of such raters has known strengths to be
found again.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from pydantic import Field, model_validator

from suasion.config import Config
from suasion.errors import SuasionError
from suasion.persuasion.arena.ballots import Answer

if TYPE_CHECKING:
    from suasion.persuasion.arena.store import Store

_START = 1_800_000_000.0  # of the first simulated rater: simulated times are not times of this world
_HOUR = 3600.0


class World(Config):
    """What simulated raters prefer, and how well they do their work."""

    strengths: dict[str, float] = Field({}, description="by system, in logits (change of view: points by which it moves); 0 if not named")
    noise: float = Field(1.0, gt=0, description="divides the strengths: at 2 every difference is half as clear")
    ties: float = Field(0.2, ge=0, lt=1, description="share of ties among equally strong systems, where the study has ties")
    lazy: float = Field(0.0, ge=0, le=1, description="share of raters who do not read: quick, and at random")
    side: float = Field(0.0, description="advantage of the left reply, in logits")
    length: float = Field(0.0, description="worth of twice the words, in logits")
    premise: float = Field(0.2, ge=0, lt=1, description="likeness of verdicts on the same replies")
    taste: float = Field(0.1, ge=0, lt=1, description="likeness of the verdicts of one rater on the same systems")

    @model_validator(mode="after")
    def _leaves_room(self) -> World:
        if self.premise + self.taste >= 1:
            raise ValueError("premise and taste together must be below 1")
        return self

    def truth(self, systems: Sequence[str]) -> dict[str, float]:
        """What the report should find: strengths after noise, centred on zero over ``systems``."""
        known = {name: self.strengths.get(name, 0.0) / self.noise for name in systems}
        mean = sum(known.values()) / max(1, len(known))
        return {name: value - mean for name, value in known.items()}

    def check(self, systems: Sequence[str]) -> None:
        """Refuse strengths of systems that are not in the study. Raises SuasionError."""
        if unknown := sorted(set(self.strengths) - set(systems)):
            raise SuasionError(f"No system of the study is called {', '.join(unknown)}.", hint=f"Its systems: {', '.join(systems)}.")


@dataclass(frozen=True)
class Shown:
    """What a simulated rater sees of an item."""

    kind: str
    premise: str
    left: str
    right: str
    left_words: int = 0
    right_words: int = 0
    expected: str | None = None


@dataclass(frozen=True)
class Given:
    """What a simulated rater answers, and after how many seconds."""

    answer: Answer | Literal[""]
    seconds: float
    strength: int | None = None
    before: int | None = None
    after: int | None = None


class Crowd:
    """A reproducible crowd: the same world, premises, systems and seed give the same raters, one after the other."""

    def __init__(self, world: World, premises: Iterable[str], systems: Sequence[str], *, ties: bool, scale: int, seed: int) -> None:
        world.check(systems)
        self.world, self.ties, self.scale = world, ties, scale
        self._generator = np.random.default_rng(seed)
        self._systems = {name: index for index, name in enumerate(sorted(systems))}
        self._premises = {name: index for index, name in enumerate(premises)}
        self._quality = self._generator.normal(size=(len(self._premises), len(self._systems)))

    def rater(self) -> SimulatedRater:
        """The next rater."""
        generator = np.random.default_rng(self._generator.integers(0, 1 << 62))
        lazy = bool(generator.random() < self.world.lazy)
        return SimulatedRater(self, generator, lazy, generator.normal(size=len(self._systems)))

    def place(self, shown: Shown) -> tuple[int, int, int]:
        """Numbers of the premise and the two systems."""
        return self._premises[shown.premise], self._systems[shown.left], self._systems.get(shown.right, -1)

    def quality(self, premise: int, system: int) -> float:
        """How well a system's reply to a premise has turned out, standard normal."""
        return float(self._quality[premise, system])


class SimulatedRater:
    """One rater of a crowd: a taste for systems, and diligence or none."""

    def __init__(self, crowd: Crowd, generator: np.random.Generator, lazy: bool, taste: Any) -> None:
        self._crowd, self._generator, self.lazy, self._taste = crowd, generator, lazy, taste

    def answer(self, shown: Shown, *, changes_view: bool = False) -> Given:
        """The rater's answer to an item."""
        seconds = float(np.exp(self._generator.normal(np.log(2.0 if self.lazy else 30.0), 0.4)))
        if changes_view:
            return self._opinion(shown, seconds)
        if self.lazy:
            options: tuple[Answer, ...] = ("left", "right", "tie") if self._crowd.ties else ("left", "right")
            return Given(options[self._generator.integers(len(options))], seconds, 2)
        if shown.kind == "gibberish":
            return Given("left" if shown.expected == "left" else "right", seconds, 3)
        return self._preference(shown, seconds)

    def _preference(self, shown: Shown, seconds: float) -> Given:
        world = self._crowd.world
        premise, left, right = self._crowd.place(shown)
        margin = (world.strengths.get(shown.left, 0.0) - world.strengths.get(shown.right, 0.0)) / world.noise + world.side
        margin += world.length * math.log2(max(1, shown.left_words) / max(1, shown.right_words))
        alike = (self._crowd.quality(premise, left) - self._crowd.quality(premise, right)) / math.sqrt(2)
        taste = float(self._taste[left] - self._taste[right]) / math.sqrt(2)
        own = math.sqrt(1 - world.premise - world.taste) * self._generator.normal()
        chance = _normal(math.sqrt(world.premise) * alike + math.sqrt(world.taste) * taste + own)  # uniform, whatever the likeness
        wins = 1 / (1 + math.exp(-min(max(margin, -500.0), 500.0)))
        # A tie takes as much from wins as from losses: what a system is credited stays exactly what its strength says.
        tie = world.ties * min(wins, 1 - wins) if self._crowd.ties else 0.0
        lead = chance - (1 - wins)  # a large `chance` is a good reply on the left
        strength = 1 + (abs(lead) > 0.2) + (abs(lead) > 0.45)
        return Given("tie" if abs(lead) < tie else "left" if lead > 0 else "right", seconds, strength)

    def _opinion(self, shown: Shown, seconds: float) -> Given:
        """Before: the upper half of the scale. After: lower by the system's strength on average, one step's noise and rounding fair."""
        world, scale = self._crowd.world, self._crowd.scale
        before = int(self._generator.integers((scale + 1) // 2, scale + 1))
        if self.lazy:
            return Given("", seconds, None, before, int(self._generator.integers(1, scale + 1)))
        if shown.kind != "ballot":
            asked = shown.expected
            return Given("", seconds, None, before, int(asked) if asked and asked.isdecimal() else before)
        premise, system, _ = self._crowd.place(shown)
        own = math.sqrt(1 - world.premise - world.taste) * self._generator.normal()
        noise = np.sqrt(world.premise) * self._crowd.quality(premise, system) + np.sqrt(world.taste) * self._taste[system] + own
        fall = world.strengths.get(shown.left, 0.0) / world.noise + float(noise)
        rounded = int(np.floor(fall + self._generator.random()))
        return Given("", seconds, None, before, int(np.clip(before - rounded, 1, scale)))


def _normal(z: float) -> float:
    """The standard normal distribution function."""
    return 0.5 * math.erfc(-z / math.sqrt(2))


def world_from(note: str) -> World | None:
    """The world that a study's note holds; None for a study of people. Raises SuasionError where the note is damaged."""
    from pydantic import ValidationError

    if not note:
        return None
    try:
        return World.model_validate_json(note)
    except ValidationError as error:
        raise SuasionError("The note on this study's simulation cannot be read.", where=str(error)) from error


def start_of(rater: int) -> float:
    """When a simulated rater begins: seconds since 1970, an hour after the one before."""
    return _START + _HOUR * rater


def fill(store: Store, world: World, *, raters: int | None, seed: int) -> Mapping[str, int]:
    """Let simulated raters answer a study that nobody has answered yet; the study is marked as simulated first, for good.

    Args:
        store: an open ``store.Store``.
        raters: at most so many of the places left; None for all.

    Returns: how many raters and answers there are now.

    Raises:
        SuasionError: people have been invited, the study is full, or a system is unknown.
    """
    study, systems = store.study, store.systems()
    changes_view = study.design == "change-of-view"
    premises = store.premises()
    known = sorted(premises, key=lambda premise: premises[premise])  # by their texts: ids are drawn anew for each study
    crowd = Crowd(world, known, systems, ties=study.ties, scale=study.scale, seed=seed)
    store.mark_simulated(world.model_dump_json())
    places = store.seats_left()
    answers = done = 0
    while done < (places if raters is None else min(raters, places)):
        rater, simulated, clock = store.invite(), crowd.rater(), start_of(done)
        with store.bulk():
            for item in store.items(rater.id):
                if item.kind == "practice":
                    continue
                shown = Shown(item.kind, item.premise, item.left, item.right, item.left_words, item.right_words, item.expected)
                given = simulated.answer(shown, changes_view=changes_view)
                strength = given.strength if study.strength and given.answer in ("left", "right") else None
                store.record(
                    item.id,
                    rater.id,
                    answer=given.answer,
                    strength=strength,
                    before=given.before,
                    after=given.after,
                    shown_at=clock,
                    answered_at=clock + given.seconds,
                )
                clock += given.seconds
                answers += 1
        done += 1
    return {"raters": done, "answers": answers}
