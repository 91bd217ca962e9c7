"""What a conclusion is inferred from: the list ``from`` in the data of its inference."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from suasion.analysis.argdown import Argument, Step


def written(step: Step) -> object:
    """The value of ``from`` as it is written, ``None`` where there is none."""
    data = step.inference.data if step.inference else None
    return data.value.get("from") if data and isinstance(data.value, dict) else None


def number_of(item: object) -> str | None:
    """The number that an item of ``from`` names, written as text or as a whole number; ``None`` for anything else."""
    if isinstance(item, str):
        return item.strip()
    return str(item) if isinstance(item, int) and not isinstance(item, bool) else None


def numbers(step: Step) -> Sequence[str]:
    """The numbers named in ``from``, each once; what is no number is left out."""
    value = written(step)
    named = [number_of(item) for item in value] if isinstance(value, list) else []
    return list(dict.fromkeys(number for number in named if number is not None))


def sources(argument: Argument) -> Mapping[int, tuple[int, ...]]:
    """For each conclusion (its place in the structure, from 0) the places of the items it is inferred from.

    Only items that stand above it count; what else is named is the business of checks.
    """
    places: dict[str, int] = {}
    found: dict[int, tuple[int, ...]] = {}
    for place, step in enumerate(argument.pcs):
        if step.inference:
            found[place] = tuple(places[number] for number in numbers(step) if number in places)
        places.setdefault(step.number, place)
    return found
