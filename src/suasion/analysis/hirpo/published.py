"""The way in for configurations: a recipe of this project, or the published pair of files as they stand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from suasion.analysis.hirpo.published_generation import PublishedGeneration, is_published, translated
from suasion.analysis.hirpo.published_training import translated_training
from suasion.analysis.hirpo.settings import HirpoConfig
from suasion.config import nested, parse_yaml, validate
from suasion.errors import SuasionError

EPOCHS = 100
"""Of the published run. Its files do not say so, the article beside them does."""


@dataclass(frozen=True)
class Published:
    """A configuration, and what there is to say about how it was read."""

    config: HirpoConfig
    notices: list[str] = field(default_factory=list)


def load_hirpo(path: Path, training: Path | None = None, overrides: Sequence[str] = ()) -> Published:
    """Read a configuration, whichever of the two it is.

    Args:
        path: a recipe, or the published data-generation file.
        training: with the latter, the published training file.
        overrides: dotted, in the words of a recipe: ``base.model=microsoft/phi-4``.

    Raises:
        SuasionError: a file is absent or not YAML, any key or value is wrong, or names do not go together; all wrong ones are told.
    """
    data = _read(path)
    if is_published(data):
        return _published(path, data, training, overrides)
    if training is not None:
        raise SuasionError(
            "A recipe says itself how it trains.", where=training, hint="The second file goes with the published data-generation file only."
        )
    return Published(validate(data, HirpoConfig, overrides, where=path))


def _published(path: Path, data: Mapping[str, Any], training: Path | None, overrides: Sequence[str]) -> Published:
    try:
        sections, notices = translated(validate(data, PublishedGeneration, where=path))
    except SuasionError as error:
        raise SuasionError(error.what, where=path, hint=error.hint) from error
    recipe = {"name": path.stem, "epochs": EPOCHS} | sections
    notices.append(f"epochs: the published files do not say how many; the published run had {EPOCHS} (epochs=… sets another number).")
    if "model_name_or_path" not in (_read(training) if training else {}) and not _sets(overrides, "base.model"):
        notices.append("base.model: the published files name no model; the embedded one is taken (base.model=… names another).")
    if training is not None:
        try:
            found, told = translated_training(_read(training))
        except SuasionError as error:
            raise SuasionError(error.what, where=training, hint=error.hint) from error
        if found.get("hub.push") and "hub.model" not in found and not _sets(overrides, "hub.model"):
            del found["hub.push"]
            told.append(
                "push_to_hub: the file names no hub_model_id; what would be pushed is written to the run's folder (hub.model=OWNER/NAME)."
            )
        recipe |= nested(found)
        notices += told
    return Published(validate(recipe, HirpoConfig, overrides, where=path), notices)


def _sets(overrides: Sequence[str], key: str) -> bool:
    return any(one.partition("=")[0].strip() == key for one in overrides)


def _read(path: Path) -> Mapping[str, Any]:
    try:
        data = parse_yaml(path.read_text(encoding="utf-8"), path)
    except (OSError, UnicodeDecodeError) as error:
        raise SuasionError(f"Cannot read the configuration: {error}", where=path) from error
    data = {} if data is None else data
    if not isinstance(data, dict):
        raise SuasionError("A configuration is a mapping of keys to values.", where=path)
    return data
