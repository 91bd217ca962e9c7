"""Arms: the same journey several ways. Each arm is the recipe with a few settings laid over it; all else is shared.

What arms may change is what the comparison is about: how the writer practises, and the judge it practises against. The base, the
writer they all go on from, the premises practised on and the premises compared on are the recipe's own, so that no arm starts ahead.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field, ValidationError, field_validator

from suasion.config import Config, explained, flatten, laid_over

if TYPE_CHECKING:
    from suasion.persuasion.recipe import Recipe

#: Sections that an arm may change. ``pairs`` are those its judge learns from and is audited on; nothing else of the arm sees them.
OF_ARMS = ("pairs", "judge", "audit", "practice")
#: What an independent judge may have of its own; ``seed`` is that of its training alone.
OF_JUDGES = ("pairs", "judge", "lora", "seed")

_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,30}")
_SEEDED = re.compile(r"-seed\d+$")  # what a contender is called
_TAKEN = ("base", "sft", "human", "practice-judge")  # as systems or judges in the comparison

Changes = dict[str, Any]
"""Dotted keys to values (``practice.method: grpo``), or sections as they stand in a recipe."""


class ComparisonConfig(Config):
    """How the arms are compared."""

    report: Literal["showdown", "length-trap"] = "showdown"
    independent: dict[str, Changes] = Field(default_factory=dict)
    """Judges that no arm practises against, by name: each is trained by this recipe with the changes given (``{words: {judge.kind:
    words}}``, ``{second: {seed: 11}}``)."""
    window: int = Field(5, ge=1)
    """Steps over which practice's reward is averaged, to say when a level was reached."""
    target: float | None = None
    """The reward of which the showdown says how soon it was reached; by default halfway from where the arms started to the best that
    any of them reached."""

    @field_validator("independent")
    @classmethod
    def _named(cls, value: dict[str, Changes]) -> dict[str, Changes]:
        return check_names(value)


def check_names(named: dict[str, Changes]) -> dict[str, Changes]:
    """Names become names of files and of systems in the arena. Raises ValueError."""
    for name in named:
        if not _NAME.fullmatch(name) or name in _TAKEN or _SEEDED.search(name):
            raise ValueError(
                f"'{name}' is no name for an arm or a judge: lower-case letters, digits and hyphens, at most 31, "
                f"and not {', '.join(_TAKEN)} or one that ends in -seed and a number"
            )
    return named


def changed(recipe: Recipe, changes: Mapping[str, Any]) -> Recipe:
    """The recipe with changes laid over it and without arms.

    Raises:
        ValidationError: a key or value is wrong.
    """
    data = recipe.model_dump(mode="json", exclude_unset=True, exclude={"arms", "arm_seeds", "comparison"})
    for key, value in _flat(changes).items():
        data = laid_over(data, key.split("."), value)
    return type(recipe).model_validate(data)


def wrong_changes(recipe: Recipe) -> list[str]:
    """One line for everything that is wrong with the arms and the independent judges, each with its name."""
    wrong = []
    if not recipe.arms and (recipe.arm_seeds or recipe.comparison != ComparisonConfig()):
        wrong.append("arm_seeds and comparison say how arms are run and compared, and there are no arms")
    for place, named, allowed in (
        ("arms", recipe.arms, OF_ARMS),
        ("comparison.independent", recipe.comparison.independent, OF_JUDGES),
    ):
        for name, changes in named.items():
            of = f"{place}.{name}"
            flat = _flat(changes)
            outside = [key for key in flat if key.split(".")[0] not in allowed]
            wrong += [f"{of}: {key}: only {', '.join(allowed)} may differ here; all else is shared" for key in outside]
            try:
                changed(recipe, {key: value for key, value in flat.items() if key not in outside})
            except ValidationError as error:
                wrong += [f"{of}: {line}" for line in explained(error, type(recipe))]
    return wrong


def described(recipe: Recipe) -> list[str]:
    """A line an arm and an independent judge: what is different, as overrides on the command line are written."""
    seeds = ", ".join(map(str, recipe.arm_seeds or (recipe.seed,)))
    lines = [f"arm {name}, seeds {seeds}: {_told(changes)}" for name, changes in recipe.arms.items()]
    return lines + [f"independent judge {name}: {_told(changes)}" for name, changes in recipe.comparison.independent.items()]


def _told(changes: Mapping[str, Any]) -> str:
    return " ".join(f"{key}={json.dumps(value) if not isinstance(value, str) else value}" for key, value in _flat(changes).items()) or "-"


def _flat(changes: Mapping[str, Any]) -> dict[str, Any]:
    """By dotted key. An empty section changes nothing (laid over, it would wipe out what the recipe says there)."""
    return {key: value for key, value in flatten(changes).items() if value != {}}
