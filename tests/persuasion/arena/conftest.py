"""A small study, as a folder."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from suasion.persuasion.arena.create import create_from_replies
from suasion.persuasion.arena.study import Study

SYSTEMS = ("zyxgrpo-run7", "zyxsft-run3", "zyxhuman")
"""Names that stand in no text, so that a page that holds one has told it."""


def make_study(folder: Path, *, premises: int = 8, systems: tuple[str, ...] = SYSTEMS, **settings: object) -> Path:
    texts = {f"d{index}": f"Topic {index} is overrated, and nobody says so." for index in range(premises)}
    replies = {
        system: {key: f"Variant {number} on {key}. " + "It has reasons. " * (number + 2) for key in texts}
        for number, system in enumerate(systems)
    }
    create_from_replies(folder, Study.model_validate(settings), texts, replies)
    return folder


@pytest.fixture
def study(tmp_path: Path) -> Callable[..., Path]:
    """Makes a study with the given settings."""
    made = iter(range(100))
    return lambda **settings: make_study(tmp_path / f"study-{next(made)}", **settings)
