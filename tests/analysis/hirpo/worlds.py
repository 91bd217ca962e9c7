"""The worked example of each task, told of other towns, vehicles and places: as many problems with known valid answers as are wanted."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from suasion.analysis.tasks import Problem, Task

_PLACES = ("town", "city", "village", "borough", "capital", "resort")
_VEHICLES = (("cars", "car"), ("lorries", "lorry"), ("vans", "van"), ("taxis", "taxi"), ("motorbikes", "motorbike"), ("coaches", "coach"))
_PARTS = ("centre", "market", "harbour", "campus", "suburb", "quarter")
WORLDS = len(_PLACES) * len(_VEHICLES) * len(_PARTS)


@dataclass(frozen=True)
class World:
    """A problem of a task with valid answers to it, invalid ones that make one mistake, and the same with a second mistake."""

    problem: Problem
    valid: tuple[str, ...]
    mistaken: tuple[str, ...]
    more_mistaken: tuple[str, ...]


def world(task: Task, number: int) -> World:
    """The world of this number, from 0, of ``WORLDS``; that of number 0 is the worked example's."""
    told = _teller(number)
    example = task.example
    valid = dict.fromkeys(change(example.answer) for change in (str, _longer_premise, _longer_gist, _wider_mark))
    mistaken = {_mistake(task, text): _mistake(task, _second_mistake(task, text)) for text in valid}
    return World(
        Problem(told(example.source), told(example.reference)),
        tuple(map(told, valid)),
        tuple(map(told, mistaken)),
        tuple(map(told, mistaken.values())),
    )


def _teller(number: int) -> Callable[[str], str]:
    rest, place = divmod(number % WORLDS, len(_PLACES))
    part, vehicle = divmod(rest, len(_VEHICLES))
    many, one = _VEHICLES[vehicle]
    words = {"town": _PLACES[place], "centre": _PARTS[part], "car": one, "cars": many}
    words |= {word.capitalize(): other.capitalize() for word, other in words.items()}
    pattern = re.compile(rf"\b(?:{'|'.join(words)})\b")
    return lambda text: pattern.sub(lambda found: words[found[0]], text)


def _longer_premise(answer: str) -> str:
    return answer.replace("Cars make the air in the centre unhealthy.", "Cars make the air in the centre unhealthy, by day and by night.")


def _longer_gist(answer: str) -> str:
    return answer.replace("Shops will lose customers.", "The shops of the town will lose customers.")


def _wider_mark(answer: str) -> str:
    return answer.replace("streets unhealthy</proposition>, and", "streets unhealthy, and</proposition>")


def _mistake(task: Task, answer: str) -> str:
    if "reconstruction" in task.artefacts:
        return answer.replace("['3', '4']", "['3', '9']")
    if "map" in task.artefacts:
        return answer.replace("[Close]: The", "The")
    return answer.replace('attacks="1"', 'attacks="9"')


def _second_mistake(task: Task, answer: str) -> str:
    if task.artefacts == ("reconstruction",):
        return answer.replace("<Health>: The town should close its centre to cars, because they make its people ill.", "<Health>")
    if "annotation" in task.artefacts:
        return answer.replace('id="3"', 'id="2"')
    return answer.replace("<On foot>: Elsewhere more", "<Shops>: Elsewhere more")
